#!/usr/bin/env bash
# count_calls.sh DIRECTORY: how many instructions the library itself executes for one call on the stand-in
# driver, which moves no time into them, into DIRECTORY/instructions.1.json: the difference between many
# calls and few, on the thread that calls and on all. Part of ./dev bench.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"

work=$1
programs=build/release/benches
cmake --preset test >build/test.configure.log
cmake --build build/test --target fake_cuda
instructions() {
    local name=$1 calls=$2
    rm -f "$work"/callgrind.*
    env FAKE_CUDA_MEMORY=64M LD_LIBRARY_PATH="$PWD/build/test/tests/fake_cuda/lib" PORTACL_BACKEND=cuda \
        valgrind -q --tool=callgrind --separate-threads=yes --callgrind-out-file="$work/callgrind.out" \
        "$programs/bench_cuda" "$name" "$calls" >"$work/callgrind.log" 2>&1 || { cat "$work/callgrind.log" >&2; return 1; }
    tools/count_instructions.py libportacl "$work"/callgrind.out*
}
for name in aclrtMemcpyAsync aclrtRecordEvent aclrtStreamWaitEvent aclrtLaunchHostFunc aclrtLaunchKernelWithArgsArray \
    "aclrtMemPoolMallocAsync + FreeAsync"; do
    read -r few_here few < <(instructions "$name" 1000)
    read -r many_here many < <(instructions "$name" 3000)
    printf '{"name": "%s", "at": "caller", "value": %d}\n' "$name" $(((many_here - few_here) / 2000))
    printf '{"name": "%s", "at": "all", "value": %d}\n' "$name" $(((many - few) / 2000))
done | tee "$work/instructions.1.json"
