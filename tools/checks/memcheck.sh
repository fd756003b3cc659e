# Samples under Valgrind's memcheck: no invalid access, no use of bytes that nothing wrote, no leak. The last one runs under
# the checks, but for bounds, for which Valgrind has too few addresses. Rust keeps some pointers to the middle of a block
# (Arc::into_raw), so that memcheck calls the block possibly lost; only what is surely lost counts. Takes minutes: --deep
# only.
repair="mend the access that Valgrind names; a block whose only pointer leads to its middle needs a row in the suppressions"
check() {
    command -v valgrind >/dev/null || { echo "it needs valgrind"; return 77; }
    build test --target sample_01_device_memory sample_06_callbacks
    build release --target sample_19_notify
    under_memcheck test/samples/01_device_memory 4096
    under_memcheck test/samples/06_callbacks
    # Only optimized code compares what it may not need.
    PORTACL_CHECK=races,init,sync,leaks,misuse under_memcheck release/samples/19_notify
}
# under_memcheck SAMPLE [ARGUMENT...]: fails if memcheck reports anything, or the sample fails, or both take too long.
under_memcheck() {
    local sample=$1 limit=600
    shift
    echo "== $sample"
    PORTACL_BACKEND=cpu PORTACL_CPU_MEMORY=4G timeout "$limit" valgrind --quiet --error-exitcode=98 --leak-check=full \
        --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect "build/$sample" "$@"
}
# Each thread of the library leaves what it was started with.
sabotage() {
    sed -i 's/= \*unsafe { Box::from_raw(start.cast::<Start>()) };/= unsafe { start.cast::<Start>().read() };/' \
        src/algo/thread/quiet_thread.rs
}
