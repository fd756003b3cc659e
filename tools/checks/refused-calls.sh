# Every system call of the library's code is refused once and permanently, on every backend that needs no GPU
# (cpp_tests/refusal). ./dev test runs a sample. Takes minutes: --deep only.
repair="return the system's error in place of going on; the log names the refused call and its stack"
check() {
    [[ $(uname -m) == x86_64 ]] || { echo "reads x86-64 registers"; return 77; }
    build test
    local label
    for label in cpu cpu-async cpu-guard cuda-fake; do
        PORTACL_TEST_REFUSALS=${PORTACL_TEST_REFUSALS:-0} \
            ctest --test-dir build/test -R "^$label\\.refusal\\." --no-tests=error --output-on-failure
    done
}
# A refused query about pages ends the call.
sabotage() { sed -i '/^pub fn refused(/a\    assert!(call != "mincore");' src/algo/host/system_call.rs; }
