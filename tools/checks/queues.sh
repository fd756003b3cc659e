# The suite on the test double of the CUDA driver passes however many hardware queues streams share: one, 32 or none; with
# 8 it is a part of ./dev test. A test in which streams wait for each other says how many it needs (NEEDS_QUEUES). Takes
# minutes: --deep only.
repair="submit what ends a wait before the wait, or from the host; begin a test that needs several queues with NEEDS_QUEUES"
check() {
    build test --target portacl_short
    local queues
    for queues in 1 32 0; do
        echo "queues that streams share: $queues"
        FAKE_CUDA_CONNECTIONS=$queues ctest --test-dir build/test -L '^cuda-fake$' -LE '^long$' --no-tests=error \
            --output-on-failure -j "$(nproc)"
    done
}
# A call that finds a queue full stands in front of those with which the library continues a run.
sabotage() {
    sed -i 's/^const PLACES: u32 = .*/const PLACES: u32 = 1000;/' src/cuda/stream/state/room.rs
}
