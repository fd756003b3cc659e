# Ten times as many threads as in the suite are cancelled inside each family of calls (cpp_tests/process/guest/cancel_test.cpp).
repair="turn cancellation off around the system call that the stack names (algo/thread/cancellation.rs)"
check() {
    build test --target cancel_test
    for label in cpu cuda-fake; do
        PORTACL_TEST_CANCELLATIONS=2000 ctest --test-dir build/test -R "^$label.cancel$" --no-tests=error --output-on-failure
    done
}
sabotage() { sed -i 's/PTHREAD_CANCEL_DISABLE, &before/PTHREAD_CANCEL_ENABLE, \&before/' src/algo/thread/uncancelled.c; }
