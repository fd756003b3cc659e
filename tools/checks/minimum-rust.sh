# The tree builds with the oldest Rust that Cargo.toml promises, if that toolchain is installed; and Cargo.toml,
# dependencies, setup and documents name the same version. clippy's lint incompatible_msrv covers the rest.
repair="use what the Rust release of Cargo.toml has, or raise rust-version and the other places that are named above"
check() {
    cargo test --locked --quiet --test minimum_rust
    local minimum
    minimum=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    if [[ $(rustc --version | cut -d' ' -f2) == "$minimum".* ]]; then
        cargo check --locked --quiet --workspace --all-targets
        echo "built with Rust $minimum, the default toolchain"
    elif command -v rustup >/dev/null && rustup toolchain list | grep -E "^$minimum(\.0)?-" >/dev/null; then
        local toolchain
        toolchain=$(rustup toolchain list | grep -oE "^$minimum(\.0)?-[^ ]*" | head -1)
        # A separate directory, because another compiler would replace the default one's output.
        RUSTUP_TOOLCHAIN=$toolchain cargo check --locked --quiet --workspace --all-targets --target-dir target/minimum
        echo "built with $toolchain"
    else
        echo "Rust $minimum is not installed (rustup toolchain install $minimum --profile minimal)"
        return 77
    fi
}
sabotage() { sed -i 's/^rust-version = .*/rust-version = "1.88"/' Cargo.toml; }
