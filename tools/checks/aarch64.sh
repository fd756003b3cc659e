# The library compiles for aarch64 Linux without a warning. The check installs Rust's standard library for it, and the
# cross compiler as root, where they can be had. `./dev check aarch64-suite` builds the rest and runs it.
aarch64_tools() {
    local target=aarch64-unknown-linux-gnu packages=(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross) wanted=("$@")
    if [[ ! -d $(rustc --print target-libdir --target "$target") ]]; then
        rustup target add "$target" || { echo "Rust's standard library for $target cannot be had (rustup target add $target)"; return 77; }
    fi
    command -v aarch64-linux-gnu-g++ "${wanted[@]}" >/dev/null && return 0
    [[ ${#wanted[@]} -eq 0 ]] || packages+=(qemu-user)
    if ((EUID != 0)) || ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; }; then
        echo "these Debian packages are not installed: ${packages[*]}"
        return 77
    fi
}
repair="mend the code that rustc names; what only x86-64 has needs a cfg"
check() {
    aarch64_tools
    # c_char is unsigned there, so that some casts are needed on x86-64 only.
    cargo clippy --locked --quiet --workspace --exclude portacl-cxx --lib --target aarch64-unknown-linux-gnu -- -D warnings -A clippy::unnecessary_cast
}
sabotage() {
    printf '#[cfg(target_arch = "aarch64")]\nconst SIGNED: std::ffi::c_char = -1;\n' >>src/algo/math/mix.rs
}
