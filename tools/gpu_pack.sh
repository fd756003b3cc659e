#!/usr/bin/env bash
# ./dev gpu: packs what a machine with a GPU needs into build/gpu-pack, at most 64 MiB: the suite, the samples and the
# benches as programs, the library, and a script that runs them. That machine needs a driver, Python and no compiler;
# compute-sanitizer, PyTorch and CuPy are used if they are installed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"
accept gpu "$@"

pack=build/gpu-pack
build=build/gpu
limit=$((64 * 1024 * 1024))
build gpu --target gpu_pack

rm -rf "$pack"
mkdir -p "$pack/lib" "$pack/tests" "$pack/samples" "$pack/benches"
cp -L $build/lib/libportacl.so.[0-9] "$pack/lib/"
find "$build" \( -name libportacl_test_support.so -o -name libcalls.so \) -exec cp {} "$pack/lib/" \;
# The programs of the tests with the label `cuda` in the build directory, with their arguments.
ctest --test-dir "$build" -L '^cuda$' --show-only=json-v1 | python3 tools/gpu_list.py "$build" "$pack" >"$pack/cuda.txt"
[[ -s $pack/cuda.txt ]] || die "the build has no test with the label cuda"
# shutdown_test, leak_check_test, descriptors_test and check_test run them.
cp $build/cpp_tests/{unload_child,leak_check_child,leak_check_child_static,descriptors_child,check_programs} "$pack/tests/"
# The tests of check_test are those of check_programs.
tools/gpu/lists.py "$pack"
# paddle_plugin_test loads it.
cp $build/integrations/paddle/plugin/libpaddle-portacl.so "$pack/tests/"
cp $build/benches/bench_entry $build/benches/bench_cuda $build/benches/*.so "$pack/benches/"
mkdir "$pack/tools"
cp tools/gpu/{run,steps,program,hang,results}.py "$pack/tools/"
printf '#!/bin/sh\nexec python3 "$(dirname "$0")/tools/run.py" "$@"\n' >"$pack/run"
chmod +x "$pack/run"
# This library and PyTorch, CuPy or the bare driver in one process.
mkdir "$pack/tests/interop"
cp tests/interop/*.py "$pack/tests/interop/"
# Tests of call stacks read line numbers of their programs, and one that has the library inside reads its own symbols.
find "$pack" -type f ! -name '*.py' ! -name '*.sh' ! -name '*.ptx' \( -path '*/tests/*' -o -path '*/samples/*' -o -path '*/benches/*' -o -name '*.so*' \) |
    while IFS= read -r file; do
        case $file in
        *_static) strip --strip-debug "$file" ;;
        */base_tests | */memory_tests | */process_tests | */cxx_test | */leak_check_child | */check_programs | */hccl_test)
            objcopy --compress-debug-sections=zlib "$file" ;;
        *) strip --strip-all "$file" ;;
        esac
    done
# Files that tests, samples and benches load from their folders.
cp $build/cpp_tests/*.ptx $build/cpp_tests/fault/*.ptx $build/cpp_tests/kernels.so "$pack/tests/"
cp $build/samples/*.ptx "$pack/samples/"
cp $build/benches/*.ptx "$pack/benches/"
cp benches/data/training_loop.jsonl "$pack/tests/interop/"
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
    ./run --minutes 9
It prints a table, keeps results.tar.gz up to date, and fails if something failed. It continues where an earlier call
stopped.
Results worth keeping belong into docs/gpu/.
TEXT
