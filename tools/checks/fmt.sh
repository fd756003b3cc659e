# Rust sources are formatted as rustfmt.toml says.
check() { cargo fmt --all --check; }
sabotage() { echo 'fn  badly_formatted( ){ }' >>src/lib.rs; }
