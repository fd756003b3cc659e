# The data structures of src/algo under Miri, if a toolchain has it: the tests without system calls and threads of
# their own. They do less there (`cfg!(miri)`), about a minute each at most. Takes 10 minutes: --deep only.
miri_tests="algo::alloc::heap algo::alloc::large_vec algo::alloc::pool::tests algo::map::address_map algo::math \
algo::sync::level algo::sync::share"
check() {
    local toolchain
    toolchain=$(rustup toolchain list 2>/dev/null | grep -oE '^nightly[^ ]*' | head -1 || true)
    if [[ -z $toolchain ]] || ! cargo "+$toolchain" miri --version >/dev/null 2>&1; then
        echo "no toolchain has Miri (rustup toolchain install nightly --component miri)"
        return 77
    fi
    # shellcheck disable=SC2086  # the filters are separate words
    MIRIFLAGS="-Zmiri-permissive-provenance -Zmiri-disable-isolation" \
        cargo "+$toolchain" miri test --locked --lib --target-dir target/miri -- $miri_tests
}
# A read past the end of an array.
sabotage() { sed -i 's/self.first.as_ptr(), self.len)/self.first.as_ptr(), self.len + 1)/' src/algo/alloc/large_vec.rs; }
