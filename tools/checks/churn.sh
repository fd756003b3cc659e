# A million objects of each kind, created and destroyed one after the other, leave no memory behind: without checks, under
# all of them, with a trace and with a profile. ./dev test does it with 6,000. Takes hours: --deep only.
repair="let the registry that grew forget destroyed objects; ctest --test-dir build/test -R churn is the short run"
check() {
    build test
    local objects=1000000
    # Within bounded time, some of every kind.
    [[ -z ${CHECK_IS_BOUNDED-} ]] || objects=100000
    PORTACL_BACKEND=cpu PORTACL_TEST_CHURN=$objects build/test/cpp_tests/churn_test
}
sabotage() {
    sed -i 's/let Some(line) = self.forget_line(stream) else { return };/let Some(line) = self.forget_line(stream).filter(|_| stream == 0) else { return };/' \
        src/core/order/ended.rs
}
