# Rust sources are formatted as rustfmt.toml says.
check() { cargo fmt --check; }
sabotage() { echo 'fn  badly_formatted( ){ }' >>src/lib.rs; }
