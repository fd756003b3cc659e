#!/usr/bin/env bash
# count_calls.sh DIRECTORY: how many instructions the library itself executes for one call on the stand-in
# driver, which moves no time into them, into DIRECTORY/instructions.1.json: the difference between many
# calls and few. Part of ./dev bench.
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
    few=$(instructions "$name" 1000)
    many=$(instructions "$name" 3000)
    printf '{"name": "%s", "value": %d}\n' "$name" $(((many - few) / 2000))
done | tee "$work/instructions.1.json"
