#!/usr/bin/env bash
# count_calls.sh DIRECTORY: the cost of a call on the stand-in driver, into DIRECTORY/instructions.1.json: how many
# instructions of the library it executes, which is the difference between many calls and few, on the calling thread
# and on all threads; and its time above the same calls of the driver. The instructions of calls on the CPU backend, into
# DIRECTORY/cpu_instructions.1.json. Part of ./dev bench.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"

work=$1
programs=build/release/benches
# Optimised, because the test double's own time is noise in the difference of two times.
cmake -S tests/fake_cuda -B "$work/fake_cuda" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$work/fake_cuda.log"
cmake --build "$work/fake_cuda" --target fake_cuda
export LD_LIBRARY_PATH="${PORTACL_LIBRARY:+$PORTACL_LIBRARY:}$PWD/$work/fake_cuda/lib"
instructions() {
    local program=$1 name=$2 calls=$3
    rm -f "$work"/callgrind.*
    FAKE_CUDA_MEMORY=64M valgrind -q --tool=callgrind --separate-threads=yes \
        --callgrind-out-file="$work/callgrind.out" \
        "$programs/$program" "$name" "$calls" >"$work/callgrind.log" 2>&1 || { cat "$work/callgrind.log" >&2; return 1; }
    tools/count_instructions.py libportacl "$work"/callgrind.out*
}

# count PROGRAM NAME: the instructions of one call.
count() {
    local few_here few many_here many
    read -r few_here few < <(instructions "$1" "$2" 1000)
    read -r many_here many < <(instructions "$1" "$2" 3000)
    printf '{"name": "%s", "at": "caller", "value": %d}\n' "$2" $(((many_here - few_here) / 2000))
    printf '{"name": "%s", "at": "all", "value": %d}\n' "$2" $(((many - few) / 2000))
}

export PORTACL_BACKEND=cpu
for name in "aclrtSynchronizeStream (idle)" aclrtQueryEventStatus "aclrtMemcpy of 64 B" "aclrtMemcpyAsync of 64 B" \
    "aclrtMemsetAsync of 64 B" aclrtRecordEvent "aclrtMalloc + aclrtFree, 4 KiB" "aclrtMemPoolMallocAsync + FreeAsync"; do
    count bench_calls "$name"
done | tee "$work/cpu_instructions.1.json"

export PORTACL_BACKEND=cuda
{
    for _ in 1 2 3 4 5; do FAKE_CUDA_QUEUE=0 FAKE_CUDA_DELAY_US=0 "$programs/bench_cuda" above; done
    for name in aclrtMemcpyAsync aclrtRecordEvent aclrtStreamWaitEvent aclrtLaunchHostFunc \
        aclrtLaunchKernelWithArgsArray "aclrtMemPoolMallocAsync + FreeAsync" \
        "aclrtMemPoolMallocAsync + FreeAsync, two lengths by turns" \
        "aclrtMalloc + aclrtFree, 4 KiB, beside 16 busy streams"; do
        count bench_cuda "$name"
    done
} | tee "$work/instructions.1.json"
