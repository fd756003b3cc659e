# Rust sources are formatted as rustfmt.toml says.
repair="cargo fmt --all"
check() {
    cargo fmt --all --check
    # This file is in no crate: rustc alone builds it.
    rustfmt --edition 2024 --check cmake/pack_object.rs
}
sabotage() { echo 'fn  badly_formatted( ){ }' >>src/ffi/lib.rs; }
