# The sweeps over calls of the backends, functions of the driver, host allocations, descriptors and damages of kernels'
# files with nothing left out; ./dev test runs a sample of each. Takes most of an hour: --deep only.
repair="mend the place that is named above; ctest --test-dir build/test -R NAME runs its sample"
check() {
    build test
    # Within bounded time, another part of them each time.
    local order=()
    [[ -z ${CHECK_IS_BOUNDED-} ]] || order=(--schedule-random)
    PORTACL_TEST_SWEEP=whole ctest --test-dir build/test -R '\.(fault|driver|host_memory)_sweep\.|\.descriptors$' --no-tests=error \
        "${order[@]}" --output-on-failure -j "$(nproc)"
    PORTACL_TEST_DAMAGED_FILES=10000 ctest --test-dir build/test -R '^cpu\.damaged_binary$' --no-tests=error \
        --output-on-failure
}
sabotage() { sed -i 's/if claim == reserve::RESERVE && caller_reports()/if true/' src/algo/host/host_memory.rs; }
