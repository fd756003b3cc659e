# The data structures of src/algo under Miri, if a toolchain has it: the tests without system calls and threads of
# their own. They do less there (`cfg!(miri)`), about a minute each at most. Takes 10 minutes: --deep only.
#
# Left out of src/algo:
#   alloc/block_cache, map/slot_table, sync/published, sync/reclaim, sync/striped_count: membarrier, which Miri lacks
#   alloc/pool/class: safe arithmetic, over millions of lengths
#   alloc/pool: cost measures times; cache, search and others have no tests of their own, those of pool run them
#   alloc/prefetch, map/chunked, queue/completion, sync/gap, sync/primitives: no tests of their own; what runs uses them
#   ensure, host/grow, host/notice, thread/asleep: no tests of their own, and no data structures
#   host/cpp_name, host/system_call: dlopen, dladdr and the C library's texts of errors
#   host/host_memory: mmap, and an allocator that the whole process shares
#   host/input_file, host/output_file: files, pipes, signals and other processes
#   sync/event_count, sync/spin_lock: their tests sleep until other threads wake them, or between attempts
#   thread/*: signal masks, stacks and schedulers of threads, nanosleep
# Left out of what runs: tests whose threads may sleep on a lock; by `ignore`, large_vec's of mappings (madvise) and
# pool's of thousands of pieces (more than half an hour).
miri_tests="alloc::heap alloc::large_vec alloc::pool::properties alloc::pool::tests \
map::address_map map::typed_slots math queue::stream_queue sync::level sync::share"
miri_skips="--skip threads_that_submit_work_and_help_lose_nothing --skip threads_that_use_a_key_first_share_one_state"
repair="mend the access that Miri names; cargo miri test -p portacl-algo NAME runs the test alone"
check() {
    local toolchain
    toolchain=$(rustup toolchain list 2>/dev/null | grep -oE '^nightly[^ ]*' | head -1 || true)
    if [[ -z $toolchain ]] || ! cargo "+$toolchain" miri --version >/dev/null 2>&1; then
        echo "no toolchain has Miri (rustup toolchain install nightly --component miri)"
        return 77
    fi
    # shellcheck disable=SC2086  # the filters are separate words
    MIRIFLAGS="-Zmiri-permissive-provenance -Zmiri-disable-isolation" \
        cargo "+$toolchain" miri test --locked -p portacl-algo --lib --target-dir target/miri -- $miri_tests $miri_skips
}
# A read past the end of an array.
sabotage() { sed -i 's/self.first.as_ptr(), self.len)/self.first.as_ptr(), self.len + 1)/' src/algo/alloc/large_vec.rs; }
