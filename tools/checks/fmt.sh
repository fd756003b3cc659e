# Rust sources are formatted as rustfmt.toml says.
repair="cargo fmt --all"
check() {
    cargo fmt --all --check
}
sabotage() { echo 'fn  badly_formatted( ){ }' >>src/ffi/lib.rs; }
