# The suite on the test double of the CUDA driver passes however many hardware queues streams share: one, 32 or none; with
# 8 it is a part of ./dev test. A test in which streams wait for each other says how many it needs (NEEDS_QUEUES, in Rust
# has_queues). Takes minutes: --deep only.
repair="submit what ends a wait before the wait, or from the host; begin a test that needs several queues with NEEDS_QUEUES"
check() {
    build test
    local queues part double
    # A hang fails at the end of its test's time, and most are in the short tests.
    for part in short long; do
        for queues in 1 32 0; do
            say "the $part tests, $queues shared queues, after $SECONDS s"
            local which=(-L '^long$')
            [[ $part == long ]] || which=(-LE '^long$')
            FAKE_CUDA_CONNECTIONS=$queues ctest --test-dir build/test -L '^cuda-fake$' "${which[@]}" --no-tests=error \
                --output-on-failure -j "$(nproc)"
        done
    done
    for double in lib old; do
        for queues in 1 32 0; do
            say "the backend's own tests, $queues shared queues, on $double, after $SECONDS s"
            LD_LIBRARY_PATH=$PWD/build/test/tests/fake_cuda/$double FAKE_CUDA_CONNECTIONS=$queues FAKE_CUDA_STRICT=1 \
                PORTACL_TEST_CUDA=1 cargo test --locked --lib -p portacl-cuda -- --ignored
        done
    done
}
# A call that finds a queue full stands in front of those with which the library continues a run.
sabotage() {
    sed -i 's/^const PLACES: u32 = .*/const PLACES: u32 = 1000;/' src/cuda/stream/state/room.rs
}
