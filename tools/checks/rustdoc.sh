# The Rust documentation, of private items too, has no broken links.
repair="change the link in the comment that is named above"
# Its readers see private items.
check() {
    RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" \
        cargo doc --locked --workspace --no-deps --document-private-items --quiet
}
sabotage() { printf '\n/// See [`Nowhere`].\npub struct Somewhere;\n' >>src/algo/lib.rs; }
