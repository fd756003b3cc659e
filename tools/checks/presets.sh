# The presets of the sanitizers configure. Their suites run on request only, so that nothing else would notice.
repair="mend the preset in CMakePresets.json that is named above"
check() {
    local preset presets=(address undefined)
    # ThreadSanitizer builds Rust's standard library.
    if [[ -d $(rustc --print sysroot)/lib/rustlib/src/rust/library ]]; then presets+=(thread); fi
    for preset in "${presets[@]}"; do
        cmake --preset "$preset" -B "build/checks/presets/$preset" >/dev/null
    done
}
sabotage() { sed -i 's/"PORTACL_SANITIZER": "address"/"PORTACL_SANITIZER": "addresses"/' CMakePresets.json; }
