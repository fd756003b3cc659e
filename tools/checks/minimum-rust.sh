# The tree builds with the oldest Rust that Cargo.toml promises, where that toolchain is installed; and Cargo.toml,
# the dependencies, setup and documents agree about it. clippy's lint incompatible_msrv covers the rest.
check() {
    cargo test --locked --quiet --test minimum_rust
    local minimum
    minimum=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    if [[ $(rustc --version | cut -d' ' -f2) == "$minimum".* ]]; then
        cargo check --locked --quiet --workspace --all-targets
        echo "built with Rust $minimum, the default toolchain"
    elif command -v rustup >/dev/null && rustup toolchain list | grep -qE "^$minimum(\.0)?-"; then
        local toolchain
        toolchain=$(rustup toolchain list | grep -oE "^$minimum(\.0)?-[^ ]*" | head -1)
        # A directory of its own: another compiler would replace what the default one has built.
        RUSTUP_TOOLCHAIN=$toolchain cargo check --locked --quiet --workspace --all-targets --target-dir target/minimum
        echo "built with $toolchain"
    else
        echo "Rust $minimum is not installed (rustup toolchain install $minimum --profile minimal)"
        return 77
    fi
}
sabotage() { sed -i 's/^rust-version = .*/rust-version = "1.88"/' Cargo.toml; }
