# Shared by the checks sanitize-address, sanitize-thread and sanitize-undefined.

# sanitized_suite PRESET: builds library and suite with the sanitizer, checks that it is active (it must report seeded
# bugs on both sides of the C boundary), and runs the suite.
sanitized_suite() {
    local preset=$1
    if [[ $preset == thread && ! -d $(rustc --print sysroot)/lib/rustlib/src/rust/library ]]; then
        rustup component add rust-src || {
            echo "ThreadSanitizer needs the sources of Rust's standard library: rustup component add rust-src"
            return 77
        }
    fi
    # Within bounded time, only what is short.
    local targets=() which=()
    if [[ -n ${PORTACL_CHECK_IS_BOUNDED-} ]]; then
        targets=(--target portacl_short seeded_bug)
        which=(-LE '^long$')
    fi
    build "$preset" "${targets[@]}"
    ctest --test-dir "build/$preset" -L '^sanitizer$' --no-tests=error --output-on-failure
    # The stress program runs longer here than in the normal suite.
    PORTACL_TEST_STRESS_OPERATIONS=${PORTACL_TEST_STRESS_OPERATIONS:-64000} \
        ctest --test-dir "build/$preset" -L '^(cpu|cpu-async|cpu-guard|cuda-fake|checked)$' "${which[@]}" --no-tests=error \
        --output-on-failure -j "$(nproc)"
}

# Without instrumentation the suite would pass without having checked anything.
sanitizer_sabotage() {
    sed -i -e 's/-Zsanitizer=\${PORTACL_SANITIZER} //' -e 's/options(-fsanitize=undefined/options(/' \
        cmake/PortaclSanitizer.cmake
}
