# The licences, sources and versions of everything linked into the library are allowed, by cargo-deny.
deny_version=0.20.2
repair="choose another crate or version, or allow the licence in deny.toml with a reason"
check() {
    local tool
    tool=$(command -v cargo-deny || true)
    if [[ -z $tool ]]; then
        tool=target/tools/bin/cargo-deny
        # Builds it once, in a minute or two; unoptimised, because it runs for a second.
        [[ -x $tool ]] || cargo install --debug --quiet --locked --no-default-features --root target/tools \
            --target-dir target/tools/build "cargo-deny@$deny_version" || {
            echo "cargo-deny $deny_version is not installed and cannot be had from the registry"
            return 77
        }
    fi
    "$tool" --log-level warn --workspace check licenses bans sources
}
sabotage() { sed -i 's/"MIT", //' deny.toml; }
