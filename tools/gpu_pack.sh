#!/usr/bin/env bash
# ./dev gpu: packs what a machine with a GPU needs into build/gpu-pack, at most 60 MiB: the suite, the samples and the
# benches as programs, the library, and a script that runs them. That machine only needs a driver; compute-sanitizer
# is used if it is installed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"
accept gpu "$@"

pack=build/gpu-pack
limit=$((60 * 1024 * 1024))
build gpu --target gpu_pack

rm -rf "$pack"
mkdir -p "$pack/lib" "$pack/tests" "$pack/samples" "$pack/benches"
cp -L build/gpu/lib/libportacl.so.[0-9] "$pack/lib/"
find build/gpu -name libportacl_test_support.so -exec cp {} "$pack/lib/" \;
# The tests with the label `cuda` in the build directory, with their arguments, and those that also run under tools of
# compute-sanitizer.
for label in cuda memcheck racecheck; do
    ctest --test-dir build/gpu -L "^$label\$" --show-only=json-v1 |
        python3 tools/gpu_list.py build/gpu "$pack" >"$pack/$label.txt"
    [[ -s $pack/$label.txt ]] || die "the build has no test with the label $label"
done
# The tests that show whether a driver is as the fake driver assumes.
tools/gpu_assumptions.py --list | while IFS=$'\t' read -r program tests; do
    printf '%s\ttests/%s\t--gtest_filter=%s\n' "${program%_test}" "$program" "$tests"
done >"$pack/assumptions.txt"
# shutdown_test, leak_check_test and check_test run them.
cp build/gpu/cpp_tests/{unload_child,leak_check_child,leak_check_child_static,check_programs} "$pack/tests/"
# paddle_plugin_test loads it.
cp build/gpu/integrations/paddle/plugin/libpaddle-portacl.so "$pack/tests/"
cp build/gpu/benches/bench_entry build/gpu/benches/bench_cuda build/gpu/benches/*.so "$pack/benches/"
cp tools/gpu_run.sh "$pack/run"
# This library and PyTorch, CuPy or the bare driver in one process.
mkdir "$pack/tests/interop"
cp tests/interop/*.py "$pack/tests/interop/"
# Tests of call stacks read line numbers of their programs, and one that has the library inside reads its own symbols.
find "$pack" -type f ! -name '*.py' ! -name '*.sh' ! -name '*.ptx' \( -path '*/tests/*' -o -path '*/samples/*' -o -path '*/benches/*' -o -name '*.so*' \) |
    while IFS= read -r file; do
        case $file in
        *_static) strip --strip-debug "$file" ;;
        */memory_tests | */process_tests | */cxx_test | */leak_check_child | */check_programs) ;;
        *) strip --strip-all "$file" ;;
        esac
    done
# Files that tests, samples and benches load from their folders.
cp build/gpu/cpp_tests/*.ptx build/gpu/cpp_tests/fault/*.ptx build/gpu/cpp_tests/kernels.so "$pack/tests/"
cp build/gpu/samples/*.ptx "$pack/samples/"
cp build/gpu/benches/*.ptx "$pack/benches/"
{
    echo "portacl $(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)"
    echo "commit $(git rev-parse HEAD)$(git diff --quiet HEAD || echo ' with local changes')"
    echo "built on $(. /etc/os-release && echo "$PRETTY_NAME"), $(uname -m), $(rustc --version), $(g++ --version | head -1)"
} >"$pack/about.txt"

size=$(du -sb "$pack" | cut -f1)
((size <= limit)) || die "$pack has $size bytes, the limit is $limit"
tar czf "$pack.tar.gz" -C "${pack%/*}" "${pack##*/}"
say "$pack: $((size / 1024)) KiB, $(wc -l <"$pack/cuda.txt") programs"
cat <<TEXT
Copy the folder, or $pack.tar.gz, to a machine with a GPU of NVIDIA's and run there:
    ./run [SHARD/COUNT] [--seconds N] [RESULTS_DIRECTORY]
It prints a table, writes results.json and a log per program, and fails if a program failed. It continues where an
earlier call stopped.
Results worth keeping belong into docs/gpu/.
TEXT
