# Many sequences of API calls, made from bytes, on a library and a program under AddressSanitizer
# (cpp_tests/fuzz). ./dev test tries the corpus and a few more without it. Minutes: --deep only.
check() {
    build address --target fuzz_calls fake_cuda
    local label
    for label in cpu cpu-async cpu-guard cuda-fake; do
        PORTACL_TEST_FUZZ_INPUTS=${PORTACL_TEST_FUZZ_INPUTS:-5000} \
            ctest --test-dir build/address -R "^$label\\.fuzz\\." --no-tests=error --output-on-failure
    done
}
# A block can be freed twice.
sabotage() { sed -i 's/Note("aclrtFree", aclrtFree(memory), true);/Note("aclrtFree", ACL_SUCCESS, true);/' cpp_tests/fuzz/calls.cpp; }
