#!/usr/bin/env bash
# ./dev bench [LAUNCHES]: compares portacl with other runtimes, and writes docs/benchmarks.md and its plots.
# ./dev bench instructions: only counts instructions, which do not depend on load, and writes these sections; fails if a row
# is above its limit.
# ./dev bench size: only measures the sizes of the libraries, and writes that section.
# ./dev bench pools [LAUNCHES]: only measures memory pools, and writes that section.
# ./dev bench scale [LAUNCHES]: only measures large numbers of objects and threads, and writes that section.
# ./dev bench checks [LAUNCHES]: only measures what PORTACL_CHECK costs, and writes a section of docs/checking_costs.md.
# ./dev bench compare COMMIT [LAUNCHES]: measures an earlier library beside the present one, and prints the ratios.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"
accept bench "$@"

launches=${1-5}
work=build/bench
programs=build/release/benches
mkdir -p "$work" docs/benchmarks
if [[ $launches == instructions ]]; then
    tools/count_calls.sh "$work"
    tools/instruction_report.py "$work" docs/benchmarks.md ||
        die "docs/benchmarks.md is written, but calls execute more instructions than tools/instruction_report.py allows"
    say "two sections of docs/benchmarks.md are written"
    exit
fi
# What users get without the cuda backend.
without_cuda() { build release-without-cuda --target portacl_libraries bench_small_program; }
if [[ $launches == size ]]; then
    without_cuda
    tools/size_report.py section build/release docs/benchmarks.md
    say "a section of docs/benchmarks.md is written"
    exit
fi
if [[ $launches == checks ]]; then
    shift
    build release --target bench_streams bench_graph bench_mem_pool bench_check_memory
    exec tools/bench_checks.py "$@"
fi
if [[ $launches == compare ]]; then
    shift
    exec tools/bench_compare.py "$@"
fi
part=all
if [[ $launches == pools || $launches == scale ]]; then
    part=$launches
    launches=${2-5}
fi
[[ $launches =~ ^[1-9][0-9]*$ ]] ||
    die "usage: ./dev bench [[pools | scale] LAUNCHES | instructions | size | checks [LAUNCHES] | compare COMMIT [LAUNCHES]]; LAUNCHES is a number greater than 0"
tools/bench_setup.sh "$part"
# Again, now with the other runtimes.
cmake --preset release -U 'OpenCL_*' -U 'TBB_*' -U PORTACL_JEMALLOC >build/release.configure.log
if [[ $part == scale ]]; then
    needed=(scale self_test)
    build release --target "${needed[@]/#/bench_}"
elif [[ $part == pools ]]; then
    needed=(jemalloc_pool self_test)
    build release --target bench_mem_pool bench_replay "${needed[@]/#/bench_}"
else
    needed=(opencl tbb jemalloc jemalloc_pool self_test)
    build release
    without_cuda
fi
for program in "${needed[@]}"; do
    [[ -x $programs/bench_$program ]] || die "bench_$program was not built: its library was not found"
done

"$programs/bench_self_test" --gtest_brief=1

# measure NAME "PROGRAM ARGUMENT..." [VARIABLE=VALUE...]: one launch of a program, with its results in a separate
# file.
measure() {
    local name=$1 program=$2 arguments=()
    read -ra arguments <<<"$program"
    shift 2
    printf 'launch %d of %d: %s\n' "$launch" "$launches" "$name"
    env "$@" timeout 300 "$programs/${arguments[0]}" "${arguments[@]:1}" >"$work/$name.$launch.json" 2>"$work/$name.log" ||
        { cat "$work/$name.log" >&2; die "$program failed"; }
}

# None of that memory is touched.
measure_pools() {
    measure mem_pool bench_mem_pool PORTACL_BACKEND=cpu PORTACL_CPU_MEMORY=1T
    measure jemalloc_pool bench_jemalloc_pool
    measure replay "bench_replay benches/data/training_loop.jsonl" PORTACL_BACKEND=cpu PORTACL_CPU_MEMORY=1T
}

measure_scale() {
    measure scale bench_scale PORTACL_BACKEND=cpu PORTACL_CPU_MEMORY=1T
}

if [[ $part == scale ]]; then
    say "measuring many objects and threads: $launches launches of about 30 s"
    rm -f "$work"/scale.*.json
    for ((launch = 1; launch <= launches; launch++)); do
        measure_scale
    done
    "$work/python/bin/python" tools/scale_report.py "$work" docs/benchmarks.md
    say "a section of docs/benchmarks.md and its plot are written"
    exit
fi
if [[ $part == pools ]]; then
    say "measuring memory pools: $launches launches of each program, in turns"
    rm -f "$work"/{mem_pool,jemalloc_pool,replay}.*.json
    for ((launch = 1; launch <= launches; launch++)); do
        measure_pools
    done
    "$work/python/bin/python" tools/pool_report.py "$work" docs/benchmarks.md
    say "a section of docs/benchmarks.md and its plots are written"
    exit
fi

say "sizes"
rustc --edition 2024 -Copt-level=2 -Clto=fat -Ccodegen-units=1 --crate-type staticlib \
    benches/peers/rust_floor.rs -o "$work/librust_floor.a"
c++ -O2 benches/peers/rust_floor.cpp "$work/librust_floor.a" -Wl,--gc-sections -lpthread -ldl -o "$work/rust_floor"
strip "$work/rust_floor"
# The measured libraries must work.
"$work/rust_floor"
PORTACL_BACKEND=cpu "$programs/bench_small_program"
tools/size_report.py limits build/release || true

say "measuring: $launches launches of each program, in turns"
rm -f "$work"/*.json
for ((launch = 1; launch <= launches; launch++)); do
    measure entry bench_entry PORTACL_BACKEND=cpu
    measure streams bench_streams PORTACL_BACKEND=cpu
    measure trace bench_trace PORTACL_BACKEND=cpu
    measure pocl bench_opencl OCL_ICD_VENDORS="$work/icd/pocl"
    measure intel bench_opencl OCL_ICD_VENDORS="$work/icd/intel" LD_LIBRARY_PATH="$work/python/lib"
    measure tbb bench_tbb
    measure kernel bench_kernel PORTACL_BACKEND=cpu
    measure mutex bench_mutex_queue
    measure floors bench_floors
    measure memory bench_memory PORTACL_BACKEND=cpu
    measure jemalloc bench_jemalloc
    measure ipc bench_ipc PORTACL_BACKEND=cpu
    measure graph bench_graph PORTACL_BACKEND=cpu
    measure_pools
    measure_scale
done

say "counting instructions"
tools/count_calls.sh "$work"

"$work/python/bin/python" tools/bench_report.py "$work" docs/benchmarks >docs/benchmarks.md.new
mv docs/benchmarks.md.new docs/benchmarks.md
say "docs/benchmarks.md and docs/benchmarks/*.svg are written"
grep -c 'missed' docs/benchmarks.md | sed 's/$/ goals missed/' || true
