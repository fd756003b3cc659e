# The library compiles for aarch64 Linux, if Rust's standard library for it and a cross compiler are installed.
# cmake/aarch64-linux-gnu.cmake builds the whole package, and runs its samples under qemu-user.
check() {
    local target=aarch64-unknown-linux-gnu
    if [[ ! -d $(rustc --print target-libdir --target "$target") ]]; then
        echo "Rust's standard library for $target is not installed (rustup target add $target)"
        return 77
    fi
    if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
        echo "there is no aarch64-linux-gnu-gcc (Debian's package gcc-aarch64-linux-gnu)"
        return 77
    fi
    # c_char is unsigned there, so that some casts are needed on x86-64 only.
    cargo clippy --locked --quiet --lib --target "$target" -- -D warnings -A clippy::unnecessary_cast
}
sabotage() {
    printf '#[cfg(target_arch = "aarch64")]\nconst SIGNED: std::ffi::c_char = -1;\n' >>src/algo/math/mix.rs
}
