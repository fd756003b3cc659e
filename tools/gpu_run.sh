#!/usr/bin/env bash
# Runs the packed suite, samples and benches on this machine's GPU.  usage: ./run [RESULTS_DIRECTORY]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
results=${1:-results}
mkdir -p "$results" || exit 1
results=$(cd "$results" && pwd)

export PORTACL_BACKEND=cuda PORTACL_TEST_NO_SKIPS=1 PORTACL_TEST_ON_GPU=1
export LD_LIBRARY_PATH=$PWD/lib:$PWD/benches${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# Tests block streams while others continue; streams that share one of the driver's 8 queues cannot do that.
export CUDA_DEVICE_MAX_CONNECTIONS=${CUDA_DEVICE_MAX_CONNECTIONS:-32}
unset PORTACL_CPU_ASYNC FAKE_CUDA_LEAK_CHECK
chmod +x tests/* samples/* benches/* 2>/dev/null

card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1)
[[ -n $card ]] || { echo "run: nvidia-smi finds no GPU here" >&2; exit 1; }
echo "$(head -2 about.txt | tr '\n' ' ')"
echo "GPU: $card"

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -1)

failed=0 rows="" passed="" patience=180
# one NAME COMMAND...: runs it, prints a line, adds to rows.
one() {
    local name=$1 log status=0 verdict started counts
    shift
    log=$results/$name.log
    started=$(date +%s%N)
    timeout "$patience" "$@" >"$log" 2>&1 </dev/null || status=$?
    local milliseconds=$((($(date +%s%N) - started) / 1000000))
    counts=$(grep -cE '^\[       OK \]' "$log")
    case $status in
    0) verdict=passed ;;
    124) verdict="timed out" ;;
    *) verdict="failed ($status)" ;;
    esac
    ((status == 0)) || failed=$((failed + 1))
    printf '%-34s %-14s %5s cases %8d ms\n' "$name" "$verdict" "$counts" "$milliseconds"
    rows+=$(printf '%s\n    {"name": "%s", "status": %d, "cases": %d, "milliseconds": %d}' "${rows:+,}" \
        "$name" "$status" "$counts" "$milliseconds")
}

# all LIST PREFIX [WRAPPER...]: each program of a list, with PREFIX before its name.
all() {
    local list=$1 prefix=$2 name program arguments before words
    shift 2
    while IFS=$'\t' read -r name program arguments; do
        words=()
        [[ -z $arguments ]] || IFS=$'\t' read -ra words <<<"$arguments"
        before=$failed
        one "$prefix$name" "$@" "./$program" ${words[@]+"${words[@]}"}
        # docs/api.md counts a test file as confirmed when its whole program passed.
        if [[ -z $prefix ]] && ((failed == before)) && [[ $program == tests/*_test ]]; then
            passed+="${passed:+, }\"${program#tests/}.cpp\""
        fi
    done <"$list"
}

all cuda.txt ""
# A part of them again: those that allocate, copy and launch kernels.
if [[ -n $sanitizer ]]; then
    patience=900
    # Negative tests make calls that the driver refuses, so only errors of kernels and copies count.
    all memcheck.txt memcheck. "$sanitizer" --tool memcheck --report-api-errors no --error-exitcode 99
    patience=180
else
    echo "compute-sanitizer is not on this machine: nothing ran under it"
fi

one bench.entry benches/bench_entry
cat "$results/bench.entry.log"
# Compared with the raw driver: a table for people, and a line of JSON for each row.
one bench.cuda benches/bench_cuda
cat "$results/bench.cuda.log"
figures=$(grep '^{' "$results/bench.cuda.log" | paste -sd, -)

cat >"$results/results.json" <<JSON
{
  "about": "$(tr '\n' ';' <about.txt | sed 's/;$//; s/;/; /g')",
  "card": "${card%%, *}",
  "driver": "${card##*, }",
  "date": "$(date -u +%F)",
  "compute_sanitizer": $([[ -n $sanitizer ]] && echo true || echo false),
  "tests": [$passed],
  "figures": [$figures],
  "programs": [$rows
  ]
}
JSON
echo "$failed programs failed; results in $results"
((failed == 0))
