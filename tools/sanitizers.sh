# Shared by the checks sanitize-address, sanitize-thread and sanitize-undefined.

# sanitized_suite PRESET: builds the library with the sanitizer, checks that it is active (it must report bugs that are
# seeded in C++, in Rust and in C files of the library), and builds and runs the suite.
sanitized_suite() {
    local preset=$1
    if [[ $preset == thread && ! -d $(rustc --print sysroot)/lib/rustlib/src/rust/library ]]; then
        rustup component add rust-src || {
            echo "ThreadSanitizer needs the sources of Rust's standard library: rustup component add rust-src"
            return 77
        }
    fi
    build "$preset" --target seeded_bug
    ctest --test-dir "build/$preset" -L '^sanitizer$' --no-tests=error --output-on-failure
    # Within bounded time, only what is short.
    local targets=() which=()
    if [[ -n ${CHECK_IS_BOUNDED-} ]]; then
        targets=(--target portacl_short)
        which=(-LE '^long$')
    fi
    build "$preset" "${targets[@]}"
    # The stress program runs longer here than in the normal suite.
    PORTACL_TEST_STRESS_OPERATIONS=${PORTACL_TEST_STRESS_OPERATIONS:-64000} \
        ctest --test-dir "build/$preset" -L '^(cpu|cpu-async|cpu-guard|cuda-fake|checked)$' "${which[@]}" --no-tests=error \
        --output-on-failure -j "$(nproc)"
}

# Without instrumentation the suite would pass without having checked anything.
# sanitizer_sabotage KIND: leaves out the flags of Rust, of C files of the library (c_files), or of both C and C++ (c).
sanitizer_sabotage() {
    local change
    case $1 in
    rust) change='s/-Zsanitizer=\${PORTACL_SANITIZER} //' ;;
    c_files) change='/"CFLAGS=/d' ;;
    c) change='s/flags -fsanitize=[^ ]*/flags/' ;;
    esac
    sed -i "$change" cmake/PortaclSanitizer.cmake
}
