# The sweep over host allocations with every allocation; ./dev test runs a sample. Takes minutes: --deep only.
check() {
    build test
    PORTACL_TEST_SWEEP=whole ctest --test-dir build/test -R '\.host_memory_sweep\.' --no-tests=error \
        --output-on-failure -j "$(nproc)"
}
sabotage() { sed -i 's/if caller_reports() || layout.size() > longest_piece()/if true/' src/algo/host/host_memory.rs; }
