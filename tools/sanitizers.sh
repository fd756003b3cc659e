# What the checks sanitize-address, sanitize-thread and sanitize-undefined share.

# sanitized_suite PRESET: builds library and suite with the sanitizer, makes sure that it is in
# (seeded bugs on both sides of the C boundary have to be reported), and runs the suite.
sanitized_suite() {
    local preset=$1
    if [[ $preset == thread && ! -d $(rustc --print sysroot)/lib/rustlib/src/rust/library ]]; then
        rustup component add rust-src || {
            echo "ThreadSanitizer needs the sources of Rust's standard library: rustup component add rust-src"
            return 77
        }
    fi
    build "$preset"
    ctest --test-dir "build/$preset" -L '^sanitizer$' --no-tests=error --output-on-failure
    # The stress program does more here than in the ordinary suite.
    PORTACL_TEST_STRESS_OPERATIONS=${PORTACL_TEST_STRESS_OPERATIONS:-64000} \
        ctest --test-dir "build/$preset" -L '^(cpu|cpu-async|cpu-guard|cuda-fake)$' --no-tests=error \
        --output-on-failure -j "$(nproc)"
}

# A library that is not instrumented: the suite would pass without having looked.
sanitizer_sabotage() {
    sed -i -e 's/-Zsanitizer=\${PORTACL_SANITIZER} //' -e 's/options(-fsanitize=undefined/options(/' \
        cmake/PortaclSanitizer.cmake
}
