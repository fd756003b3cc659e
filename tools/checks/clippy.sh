# No warning of the compiler or of clippy, tests included.
repair="change the code as clippy says above"
check() { cargo clippy --locked --workspace --all-targets --quiet -- -D warnings; }
sabotage() {
    printf '/// Adds.\npub fn needless(values: &Vec<u32>) -> u32 {\n    return values.iter().sum();\n}\n' \
        >>src/algo/lib.rs
}
