# Many sequences of API calls, decoded from bytes, with library and program under AddressSanitizer (cpp_tests/fuzz).
# ./dev test runs the corpus and a few more without it. Takes minutes: --deep only.
repair="run the program that is named above on the file of the sequence, and add the file to cpp_tests/fuzz/corpus"
check() {
    build address --target fuzz_calls fake_cuda
    local label
    for label in cpu cpu-async cpu-guard cuda-fake; do
        PORTACL_TEST_FUZZ_INPUTS=${PORTACL_TEST_FUZZ_INPUTS:-5000} \
            ctest --test-dir build/address -R "^$label\\.fuzz\\." --no-tests=error --output-on-failure
    done
}
# A double free.
sabotage() { sed -i 's/Note("aclrtFree", aclrtFree(memory), true);/Note("aclrtFree", ACL_SUCCESS, true);/' cpp_tests/fuzz/calls.cpp; }
