#!/usr/bin/env bash
# Runs the packed suite, samples and benches on this machine's GPU, the most telling programs first.
# usage: ./run [SHARD/COUNT] [--seconds N] [--longest N] [--jobs N] [--archive F] [RESULTS_DIRECTORY]
#   SHARD/COUNT   only this part: the first is what docs/gpu/assumptions.md names, the others divide the rest
#   --seconds N   stops before N seconds have passed; the next call continues with what has not run
#   --longest N   stops a program after N seconds, if it would have more
#   --archive F   writes the results into this tar.gz file every 20 seconds, for a machine that may end early
#   --jobs N      runs N programs at a time, each with a context that it holds from start to end
#                 (PORTACL_TEST_HOLD_CONTEXT), and with the driver's 8 queues. What fails then runs again alone, with more
#                 queues. Benchmarks, and what takes all memory, run alone.
# A program that has a result in RESULTS_DIRECTORY (default: results) does not run again.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

shard=1 count=1 seconds=0 longest=0 jobs=1 archive='' results=results
while (($#)); do
    case $1 in
    --seconds) seconds=${2:?--seconds needs a number} && shift ;;
    --longest) longest=${2:?--longest needs a number} && shift ;;
    --archive) archive=${2:?--archive needs a file} && shift ;;
    --jobs) jobs=${2:?--jobs needs a number} && shift ;;
    [0-9]*/[0-9]*) shard=${1%/*} count=${1#*/} ;;
    -*) sed -n '2,11s/^# //p' "$0" >&2 && exit 2 ;;
    *) results=$1 ;;
    esac
    shift
done
((shard >= 1 && shard <= count)) || { echo "run: $shard/$count: the shard must be from 1 to $count" >&2; exit 2; }
mkdir -p "$results/rows" || exit 1
results=$(cd "$results" && pwd)

export PORTACL_BACKEND=cuda PORTACL_TEST_NO_SKIPS=1 PORTACL_TEST_ON_GPU=1
export LD_LIBRARY_PATH=$PWD/lib:$PWD/benches${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# Tests block streams while others continue; streams that share a queue of the driver cannot do that. To create a context
# takes a second with 32 queues and a quarter of it with the driver's 8.
export CUDA_DEVICE_MAX_CONNECTIONS=${CUDA_DEVICE_MAX_CONNECTIONS:-32}
unset PORTACL_CPU_ASYNC FAKE_CUDA_LEAK_CHECK
chmod +x tests/* samples/* benches/* 2>/dev/null

card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1)
[[ -n $card ]] || { echo "run: nvidia-smi finds no GPU here" >&2; exit 1; }
echo "$(head -2 about.txt | tr '\n' ' ')"
echo "GPU: $card"
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -1)
python=$(command -v python3)
# sanitized TOOL LIST OPTION...: the programs of a list under a tool of compute-sanitizer.
sanitized() {
    local tool=$1 list=$2
    shift 2
    [[ -z $sanitizer ]] || awk -v OFS='\t' -v tool="$tool" \
        -v before="$(printf '%s\t' "$sanitizer" --tool "$tool" "$@" --error-exitcode 99)" \
        '{ name = $1; sub(/^[^\t]*\t/, ""); print tool "." name, 900, before "./" $0 }' "$list"
}

# What runs: name, most seconds, command, separated by tabs.
plan() {
    sed 's/^\([^\t]*\)\t/assumed.\1\t180\t.\//' assumptions.txt
    [[ -z $python ]] || printf 'facts\t120\t%s\ttests/interop/driver_facts.py\n' "$python"
    echo "--"
    sed 's/^\([^\t]*\)\t/\1\t180\t.\//' cuda.txt
    # Status 77: that library is not on this machine.
    [[ -z $python ]] || printf 'interop.%s\t300\t%s\ttests/interop/interop.py\t%s\n' driver "$python" driver \
        torch "$python" torch cupy "$python" cupy
    printf 'bench.%s\t180\tbenches/bench_%s\n' entry entry cuda cuda
    [[ -z $python ]] || printf 'bench.%s\t300\t%s\ttests/interop/allocators.py\t%s\n' driver "$python" driver \
        torch "$python" torch cupy "$python" cupy
    # Negative tests make calls that the driver refuses, so only errors of kernels and copies count.
    sanitized memcheck memcheck.txt --report-api-errors no
    sanitized racecheck racecheck.txt
    sanitized synccheck racecheck.txt
}

# The part of the plan that this shard has.
part() {
    plan | awk -v shard="$shard" -v count="$count" '
        $0 == "--" { first = n; next }
        { line[++n] = $0 }
        END {
            from = 1; to = n
            if (count > 1 && shard == 1) to = first
            if (count > 1 && shard > 1) {
                from = first + 1 + int((n - first) * (shard - 2) / (count - 1))
                to = first + int((n - first) * (shard - 1) / (count - 1))
            }
            for (i = from; i <= to; ++i) print line[i]
        }'
}

# stacks PID: where the threads of a program are that does not end.
stacks() {
    local text='' debugger
    for debugger in gdb cuda-gdb /usr/local/cuda/bin/cuda-gdb; do
        command -v "$debugger" >/dev/null || continue
        text=$(timeout 60 "$debugger" -p "$1" -batch -ex 'thread apply all backtrace 30' 2>/dev/null)
        break
    done
    if [[ $text == *'#0 '* ]]; then
        echo "$text"
    else
        echo "gdb is not on this machine, or reads nothing; the threads, and where the kernel has them:"
        for thread in "/proc/$1/task"/*; do echo "$(<"$thread/comm") $(cat "$thread/wchan" 2>/dev/null)"; done
    fi
}

# json_texts TEXT...: the texts as members of a JSON array.
json_texts() { printf '%s\n' "$@" | tr -d '\000-\011\013-\037' | sed 's/[\\"]/\\&/g; s/.*/"&"/' | paste -sd, -; }

# one NAME SECONDS COMMAND...: runs it, prints a line, and keeps a row. A program that was stopped because this script's
# time is over has no row, and runs again.
one() {
    local name=$1 patience=$2 log=$results/$1.log hang=$results/$1.hung cut=0 status=0 hung=0
    local verdict began pid watcher ending counts reasons
    shift 2
    ((longest == 0 || longest > patience)) || patience=$longest
    if ((seconds > 0 && seconds - SECONDS < patience)); then
        patience=$((seconds - SECONDS)) cut=1
    fi
    began=$(date +%s%N)
    setsid "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    ( for ((left = patience * 10; left > 0; --left)); do
        sleep 0.1
        kill -0 "$pid" 2>/dev/null || exit 0
    done
    echo hung >"$hang"
    # A debugger may take a minute.
    ((cut)) || ((seconds > 0 && seconds - SECONDS < 65)) || stacks "$pid" >>"$log" 2>&1
    kill -KILL -- "-$pid" 2>/dev/null ) &
    watcher=$!
    wait "$pid" 2>/dev/null || status=$?
    kill "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
    [[ ! -e $hang ]] || hung=1
    rm -f "$hang"
    ((hung && cut)) && return 1
    local milliseconds=$((($(date +%s%N) - began) / 1000000))
    # The program's last lines count: processes that its tests start print the same before. Without them, it did not end by
    # itself. Tests, and whole programs, that this machine cannot run say why.
    mapfile -t ending < <(awk '/^\[==========\] .* ran\./ { passed = n = 0 }
        /^\[       OK \] / { ++passed }
        /^\[  PASSED  \] / { passed = $4 }
        sub(/^skipped: /, "") { reason[++n] = $0 }
        END { print passed + 0; for (i = 1; i <= n; ++i) print reason[i] }' "$log")
    counts=${ending[0]} reasons=("${ending[@]:1}")
    verdict="failed ($status)"
    ((status != 0)) || verdict=passed
    ((status != 77 && (status != 0 || counts > 0 || ${#reasons[@]} == 0))) || verdict=skipped
    ((!hung)) || verdict="hangs"
    printf '%-34s %-14s %5s cases %8d ms\n' "$name" "$verdict" "$counts" "$milliseconds"
    ((${#reasons[@]} == 0)) || printf '    skipped: %s\n' "${reasons[@]}"
    printf '{"name": "%s", "status": %d, "hangs": %s, "cases": %d, "milliseconds": %d, "skipped": [%s]}\n' "$name" \
        "$status" "$( ((hung)) && echo true || echo false)" "$counts" "$milliseconds" \
        "$( ((${#reasons[@]} == 0)) || json_texts "${reasons[@]}")" >"$results/rows/$name"
    [[ $name != bench.* || $verdict == skipped ]] || cat "$log"
}

# docs/api.md counts a test file as confirmed when its whole program passed and some of its tests ran.
confirmed() {
    local name program rest
    while IFS=$'\t' read -r name program rest; do
        [[ $program == tests/*_test ]] && grep -qs '"status": 0, .*"cases": [1-9]' "$results/rows/$name" && printf '"%s.cpp"\n' "${program#tests/}"
    done <cuda.txt | paste -sd, -
}

write_results() {
    local figures
    figures=$(grep -hs '^{' "$results"/bench.{cuda,driver,torch,cupy}.log | paste -sd, -)
    cat >"$results/results.json" <<JSON
{
  "about": "$(tr '\n' ';' <about.txt | sed 's/;$//; s/;/; /g')",
  "card": "${card%%, *}",
  "driver": "${card##*, }",
  "date": "$(date -u +%F)",
  "compute_sanitizer": $([[ -n $sanitizer ]] && echo true || echo false),
  "tests": [$(confirmed)],
  "figures": [$figures],
  "programs": [
$(cat "$results"/rows/* 2>/dev/null | sed '$!s/$/,/; s/^/    /')
  ]
}
JSON
}

[[ -n $sanitizer ]] || echo "compute-sanitizer is not on this machine: nothing runs under it"
[[ -n $python ]] || echo "python3 is not on this machine: nothing runs beside PyTorch and CuPy"
# Whether a program passed, or this machine cannot run it.
fine() { grep -qsE '"status": (0|77),' "$results/rows/$1"; }

# Writes the archive, if its time has come, or at once.
archived=0
save() {
    [[ -n $archive ]] && { [[ ${1-} == now ]] || ((SECONDS - archived >= 20)); } || return 0
    archived=$SECONDS
    # Logs may grow meanwhile.
    tar czf "$archive.new" -C "$results" . 2>/dev/null
    mv "$archive.new" "$archive"
}

# What would disturb others, or be disturbed.
runs_alone() { [[ $1 == bench.* || $1 =~ (full_device|memory_limit|memory_capacity)$ ]]; }

# run_all JOBS LINE...: runs the lines of the plan that have no result. Adds what is left to `left`.
run_all() {
    local at_once=$1 line words cut=$results/cut
    shift
    rm -f "$cut"
    for line in "$@"; do
        IFS=$'\t' read -ra words <<<"$line"
        save
        [[ -e $results/rows/${words[0]} ]] && continue
        if [[ -e $cut ]] || { ((seconds > 0)) && ((seconds - SECONDS < 5)); }; then
            left=$((left + 1))
        elif ((at_once > 1)) && ! runs_alone "${words[0]}"; then
            while (($(jobs -rp | wc -l) >= at_once)); do wait -n; done
            { CUDA_DEVICE_MAX_CONNECTIONS=8 one "${words[@]}" || echo "${words[0]}" >>"$cut"; } &
        else
            wait
            one "${words[@]}" || echo "${words[0]}" >>"$cut"
        fi
    done
    wait
    [[ ! -e $cut ]] || left=$((left + $(wc -l <"$cut")))
    rm -f "$cut"
}

left=0
((jobs == 1)) || export PORTACL_TEST_HOLD_CONTEXT=1
mapfile -t lines < <(part)
run_all "$jobs" "${lines[@]}"
if ((jobs > 1)); then
    # A program beside others may have failed for want of memory, time or queues.
    again=()
    for line in "${lines[@]}"; do
        name=${line%%$'\t'*}
        [[ -e $results/rows/$name ]] && ! fine "$name" || continue
        mv "$results/rows/$name" "$results/$name.beside" && mv "$results/$name.log" "$results/$name.beside.log"
        again+=("$line")
    done
    ((${#again[@]} == 0)) || echo "alone:"
    run_all 1 "${again[@]}"
    # Without time for it, the first result counts.
    for line in "${again[@]}"; do
        name=${line%%$'\t'*}
        [[ -e $results/rows/$name ]] || mv "$results/$name.beside" "$results/rows/$name"
        rm -f "$results/$name.beside"
    done
fi
write_results
save now
failed=$(grep -LE '"status": (0|77),' "$results"/rows/* 2>/dev/null | wc -l)
skipped=$(grep -lE '"status": 77,|"cases": 0, .*"skipped": \["' "$results"/rows/* 2>/dev/null | wc -l)
echo "$(ls "$results/rows" | wc -l) programs ran so far: $failed failed, $skipped skipped; results in $results"
((left == 0)) || echo "$left programs of this shard are left: run the same command again"
((failed == 0 && left == 0))
