# The Rust documentation has no broken links.
repair="change the link in the comment that is named above"
check() { RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet; }
sabotage() { printf '\n/// See [`Nowhere`].\npub struct Somewhere;\n' >>src/algo/lib.rs; }
