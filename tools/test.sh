#!/usr/bin/env bash
# ./dev test [all|rest] [LABEL...]: Rust tests, models of concurrent code (loom), the C++ suite on every backend, the
# install tree, and the bindings. The last line is "N passed, N failed". docs/tests.md names the labels.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"

accept test "$@"
# How much of each label runs: short leaves out what is long, rest runs only that.
amount=short
case ${1-} in
all | rest)
    amount=$1
    shift
    ;;
?*) amount=all ;;
esac
labels=("$@")
if ((${#labels[@]} == 0)); then
    labels=("${test_labels[@]}")
    [[ $amount != short ]] || labels=("${short_labels[@]}")
fi
results=build/results
mkdir -p build
# A first build has nothing to reuse, and is shorter when it does not write what a later one could.
[[ -d target/debug ]] || export CARGO_INCREMENTAL=0
rm -rf "$results"
mkdir -p "$results"
broken=0
# Each step has a folder here as TMPDIR. Addresses of sockets have at most 107 bytes, and tests and Chromium add names to it.
temporary=$PWD/build/test/tmp
((${#temporary} <= 30)) || temporary=$(mktemp -d /tmp/portacl-test.XXXXXX)
# Some tests wait most of their time.
at_once=$(($(nproc) + 1))

wants() { local label; for label in "${labels[@]}"; do [[ $label == "$1" ]] && return 0; done; return 1; }
# Whether the label runs, and ./dev test does not run all of it.
wants_rest() { [[ $amount != short ]] && wants "$1"; }
# Whether the label runs, and ./dev test runs some of it.
wants_short() { [[ $amount != rest ]] && wants "$1"; }

# keep NAME COMMAND...: keeps output, status and seconds for the final count. A command that fails without a failed test (for
# example, it did not build) counts as one. What a step that runs tests leaves in TMPDIR is a failed test "leftovers";
# PaddlePaddle and PyTorch leave files of their own.
keep() {
    local name=$1 status=0 began=$SECONDS own=$temporary/$1
    shift
    say "$name"
    rm -rf "$own"
    mkdir -p "$own"
    TMPDIR=$own "$@" 2>&1 | tee "$results/$name.log" || status=$?
    if [[ ! $name =~ ^(build-.*|paddle|torch|ggml)$ && -n $(ls -A "$own") ]]; then
        find "$own" -mindepth 1 -printf '%y %P\n' | sort >"$results/$name.leftovers"
    fi
    rm -rf "$own"
    printf '%s\n' "$status" >"$results/$name.status"
    printf '%s\n' $((SECONDS - began)) >"$results/$name.seconds"
    [[ ! -e $results/$name.leftovers ]] || return 1
    return "$status"
}

# run NAME COMMAND...: keeps them as well. Two steps may run the same GoogleTest programs, so each keeps its own counts of cases.
run() {
    local name=$1 cases=build/test/test-results
    rm -rf "$cases"
    keep "$@" || broken=1
    if [[ -e $cases ]]; then mv "$cases" "$results/$name.cases"; fi
}

# rust NAME RUNS ARGUMENT...: runs the Rust tests that are not ignored (RUNS is "default"), or those that are ("ignored"), and
# keeps how long each took.
rust() {
    local name=$1 runs=$2 harness=()
    shift 2
    if cargo nextest --version >/dev/null 2>&1; then
        cargo nextest run --locked --no-fail-fast --status-level fail --run-ignored "${runs/ignored/only}" "$@" || return
        cp target/nextest/default/junit.xml "$results/$name.times.xml"
    else
        [[ $runs == default ]] || harness=(-- --ignored)
        cargo test --locked --no-fail-fast "$@" "${harness[@]}"
    fi
}

rust_tests() { rust rust default --workspace && cargo test --locked --workspace --doc --quiet; }

# The CUDA backend's Rust tests on the test double VARIANT (lib or old), whose exit status reports misuse and leaks.
cuda_rust_tests() {
    local double=$PWD/build/test/tests/fake_cuda/$1
    [[ -e $double/libcuda.so.1 ]] || { echo "no test double in $double"; return 1; }
    LD_LIBRARY_PATH=$double${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PORTACL_TEST_CUDA=1 \
        FAKE_CUDA_STRICT=1 FAKE_CUDA_LEAK_CHECK=1 rust "cuda-fake-rust-$1" ignored --lib -p portacl-cuda -p portacl-core
}

# A separate target directory, because other flags would rebuild the others. With one preemption the models take seconds, with
# three many minutes. Only what the models run is optimised.
loom_tests() {
    local package
    local config=(lto='"off"' codegen-units=16 debug=false opt-level=0)
    for package in generator loom portacl-algo; do config+=("package.$package.opt-level=2"); done
    RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=${LOOM_MAX_PREEMPTIONS:-$1} \
        cargo test --locked -p portacl-algo --lib --release "${config[@]/#/--config=profile.release.}" --target-dir target/loom
}

# ctest_run BUILD LABEL: tests use separate files and devices, so several run at once. ./dev test runs nothing of most labels,
# so all of their tests are the rest.
ctest_run() {
    local which=() part=$amount
    [[ " ${short_labels[*]} " == *" $2 "* ]] || part=all
    case $part in
    short) which=(-LE '^long$') ;;
    rest) which=(-L '^long$') ;;
    esac
    ctest --test-dir "$1" -L "^$2\$" "${which[@]}" --no-tests=error --output-on-failure -j "$at_once" \
        --output-junit "$PWD/$results/$2.xml"
}

# Runs the suite's short programs on the CPU again, with the optimised library that is shipped instead of the debug build.
# Only a debug build can refuse host memory on demand, so that sweep is left out.
shipped_tests() {
    LD_LIBRARY_PATH=$PWD/build/release/lib ctest --test-dir build/test -L '^cpu$' -LE '^long$' \
        -E '[.]host_memory_sweep[.]' --no-tests=error --output-on-failure -j "$at_once" \
        --output-junit "$PWD/$results/shipped.xml"
}

# The package as a user gets it: installs a build, finds it with CMake, and runs a program. Libraries depend on no folder.
install_tests() {
    local work=$PWD/build/test/installed step
    for step in run.install run.cmake compat.compat_run_paths; do
        PORTACL_TEST_VERSION=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml) PORTACL_BACKEND=cpu \
            PORTACL_TEST_DEBUG_BUILD=1 bash "cpp_tests/consumer/${step%.*}.sh" "${step#*.}" "$PWD/build/test" "$work" &&
            echo "test ${step#*.} ... ok" || { echo "test ${step#*.} ... FAILED"; return 1; }
    done
    echo "test result: ok. 3 passed; 0 failed; 0 ignored"
}

# The release tool: what it refuses, and a dry run. package does the same with the released library.
release_tests() {
    local work=$PWD/build/test/released
    python3 tools/release_test.py && echo "test release_tool ... ok" ||
        { echo "test release_tool ... FAILED"; return 1; }
    python3 tools/release.py --dry --build build/test --out "$work" && echo "test release_dry_run ... ok" ||
        { echo "test release_dry_run ... FAILED"; return 1; }
    echo "test result: ok. 2 passed; 0 failed; 0 ignored"
}

# Rust's tests and models, whose builds often have work for one processor only, run while the C++ suite is built. What they
# print comes after it.
rust_side() {
    local status=0
    if wants_short rust; then keep rust rust_tests || status=1; fi
    if wants loom; then keep loom loom_tests $([[ $amount == short ]] && echo 1 || echo 3) || status=1; fi
    return "$status"
}
beside=
end() {
    [[ -z $beside ]] || kill -- -"$beside" 2>/dev/null || true
    rm -rf "$temporary"
}
trap end EXIT
if wants_short rust || wants loom; then
    # A process group of its own, so that an interrupt ends its commands as well.
    set -m
    rust_side >"$results/rust_side.txt" 2>&1 &
    beside=$!
    set +m
fi

of_suite=(cpu cpu-async cpu-guard cuda-fake fake-cuda checked)
needs_suite=0
for label in "${of_suite[@]}" python package install; do if wants "$label"; then needs_suite=1; fi; done
if ((needs_suite)); then
    if [[ $amount == short ]]; then
        run build-suite build test --target portacl_short
    else
        run build-suite build test
    fi
fi
if [[ -n $beside ]]; then
    tail -n +1 -f --pid="$beside" "$results/rust_side.txt"
    wait "$beside" || broken=1
    beside=
fi
for label in "${of_suite[@]}"; do
    if wants "$label"; then run "$label" ctest_run build/test "$label"; fi
done
# package does the same with the released library.
if wants_short install && ! wants_rest package; then run install install_tests; fi
if wants_rest install && ! wants_rest package; then run release release_tests; fi
if wants_rest cuda-fake; then
    run cuda-fake-rust cuda_rust_tests lib
    run cuda-fake-rust-old cuda_rust_tests old
fi
if wants_rest python; then
    # Without NumPy and mypy the tests that need them are skipped. In CI that is a failure.
    tools/python.sh install || [[ ${CI-} != true ]] || run python-packages false
    run python ctest_run build/test python
fi
if wants_rest package; then
    run build-release build release
    run package ctest_run build/release package
    run shipped shipped_tests
fi
# with_packages NAME: what needs a package that may not be had here.
with_packages() {
    local status=0
    "tools/$1.sh" install || status=$?
    if ((status == 77)) && [[ ${CI-} != true ]]; then
        say "$1: skipped, because its package cannot be had (see above)"
    else
        run "build-$1" "tools/$1.sh" build
        run "$1" ctest_run "build/$1" "$1"
    fi
}
if wants_rest paddle; then with_packages paddle; fi
if wants_rest torch; then with_packages torch; fi
if wants_rest ggml; then with_packages ggml; fi

say "results"
echo "$SECONDS" >"$results/all.seconds"
python3 tools/count_tests.py "$results" || broken=1
exit "$broken"
