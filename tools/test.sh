#!/usr/bin/env bash
# ./dev test [LABEL...]: Rust tests, models of concurrent code (loom), the C++ suite on every
# backend, and the install tree. The last line is "N passed, N failed".
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"

accept test "$@"
labels=("$@")
((${#labels[@]})) || labels=("${test_labels[@]}")
results=build/results
mkdir -p build
rm -rf "$results"
mkdir -p "$results"
broken=0

wants() { local label; for label in "${labels[@]}"; do [[ $label == "$1" ]] && return 0; done; return 1; }

# run NAME COMMAND...: keeps the output for the final count. A command that fails without a failed test (for example,
# it did not build) counts as one. Two steps may run the same GoogleTest programs, so each keeps its own counts of cases.
run() {
    local name=$1 status=0 cases=build/test/test-results
    shift
    say "$name"
    rm -rf "$cases"
    "$@" 2>&1 | tee "$results/$name.log" || status=$?
    printf '%s\n' "$status" >"$results/$name.status"
    if [[ -e $cases ]]; then mv "$cases" "$results/$name.cases"; fi
    ((status == 0)) || broken=1
}

rust_tests() {
    if cargo nextest --version >/dev/null 2>&1; then
        cargo nextest run --locked --workspace --no-fail-fast --status-level fail && cargo test --locked --doc --quiet
    else
        cargo test --locked --workspace --no-fail-fast
    fi
}

# The CUDA backend's Rust tests on the test double VARIANT (lib or old), whose exit status reports misuse and leaks.
cuda_rust_tests() {
    local double=$PWD/build/test/tests/fake_cuda/$1 runner=(test --lib)
    [[ -e $double/libcuda.so.1 ]] || { echo "no test double in $double"; return 1; }
    if cargo nextest --version >/dev/null 2>&1; then
        runner=(nextest run --lib --no-fail-fast --status-level fail)
    fi
    LD_LIBRARY_PATH=$double${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PORTACL_TEST_CUDA=1 \
        FAKE_CUDA_STRICT=1 FAKE_CUDA_LEAK_CHECK=1 cargo "${runner[@]}" --locked -p portacl-cuda
}

# A separate target directory, because other flags would rebuild the others.
loom_tests() {
    RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=${LOOM_MAX_PREEMPTIONS:-3} \
        cargo test --locked -p portacl-algo --lib --release --config 'profile.release.lto="off"' \
        --config 'profile.release.codegen-units=16' --target-dir target/loom
}

# ctest_run BUILD LABEL: tests use separate files and devices, so several run at once.
ctest_run() {
    ctest --test-dir "$1" -L "^$2\$" --no-tests=error --output-on-failure -j "$(nproc)" \
        --output-junit "$PWD/$results/$2.xml"
}

# Runs the suite's programs on the CPU again, with the shipped library instead of the one that they were linked with:
# cmake/pack_object.rs has merged its sections and resolved relocations. Only a debug build can refuse host memory on
# demand, so that sweep is left out, and the checks (PORTACL_CHECK) see the same calls with both libraries.
packed_tests() {
    LD_LIBRARY_PATH=$PWD/build/release/lib ctest --test-dir build/test -L '^cpu$' \
        -E '[.]host_memory_sweep[.]|^cpu[.]checked' --no-tests=error \
        --output-on-failure -j "$(nproc)" --output-junit "$PWD/$results/packed.xml"
}

if wants rust; then run rust rust_tests; fi
if wants loom; then run loom loom_tests; fi

if wants fake-cuda || wants cpu || wants cpu-async || wants cpu-guard || wants cuda-fake || wants python || wants packed; then
    run build-suite build test
    for label in fake-cuda cpu cpu-async cpu-guard cuda-fake; do
        if wants "$label"; then run "$label" ctest_run build/test "$label"; fi
    done
    if wants python; then
        # Without NumPy and mypy the tests that need them are skipped. In CI that is a failure.
        tools/python.sh install || [[ ${CI-} != true ]] || run python-packages false
        run python ctest_run build/test python
    fi
    if wants cuda-fake; then
        run cuda-fake-rust cuda_rust_tests lib
        run cuda-fake-rust-old cuda_rust_tests old
    fi
fi
if wants packed; then
    run build-packed build release --target portacl_libraries
    run packed packed_tests
fi
if wants package; then
    run build-release build release
    run package ctest_run build/release package
fi
if wants paddle; then
    status=0
    tools/paddle.sh install || status=$?
    if ((status == 77)) && [[ ${CI-} != true ]]; then
        say "paddle: skipped, because PaddlePaddle cannot be had (see above)"
    else
        run build-paddle tools/paddle.sh build
        run paddle ctest_run build/paddle paddle
    fi
fi

if wants torch; then
    status=0
    tools/torch.sh install || status=$?
    if ((status == 77)) && [[ ${CI-} != true ]]; then
        say "torch: skipped, because PyTorch cannot be had (see above)"
    else
        run build-torch tools/torch.sh build
        run torch ctest_run build/torch torch
    fi
fi

say "results"
python3 tools/count_tests.py "$results" || broken=1
exit "$broken"
