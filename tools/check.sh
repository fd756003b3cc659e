#!/usr/bin/env bash
# ./dev check: runs tools/checks/*.sh, a line each: PASS, FAIL or SKIPPED (reason).
#
# A check is a file with two functions, run in the top directory of the tree:
#   check      exits with 0 = pass, 77 = skipped (its last line of output is the reason), else failed
#   sabotage   breaks what the check is for; --selftest runs it in a copy of the tree and expects
#              the check to fail there
# It can say in `repair` what to do when it fails.
#
# Some take minutes to hours each (`deep`). ./dev check --turn runs one of them, chosen by the number of commits, for at most
# PORTACL_TURN_SECONDS: each of `often` once in ten commits, and those of `seldom` one after the other in the turns that are
# left. If this machine has to skip it, the next one runs instead. docs/tests.md says when each one last passed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"

often=(sanitize-address refused-calls miri sanitize-undefined whole-sweeps fuzz sanitize-thread memcheck)
seldom=(other-user hook-cost churn gpu-dry-run packaging aarch64-suite without-cuda readme-commands real-driver ptx-run libtorch
    cancellation earlier-suite queues ggml artefacts)
deep=("${often[@]}" "${seldom[@]}")

# turn NUMBER: the deep check of this turn.
turn() {
    local at=$(($1 % 10)) left=$((10 - ${#often[@]}))
    echo "${often[at]-${seldom[($1 / 10 * left + at - ${#often[@]}) % ${#seldom[@]}]}}"
}

# record NAME SECONDS: writes the pass of a deep check into the table of docs/tests.md.
record() {
    local row
    row="| $1 | $(date -I) | $(git rev-parse --short=8 HEAD) | $2 |"
    sed -i "s/^| $1 |.*/$row/" docs/tests.md
}

# ran LOG: what has passed: tests of ctest, GoogleTest, Rust or Python, or steps, each of which begins with a line `== ...`.
# Fails if that is nothing.
ran() {
    local tests steps
    tests=$(grep -cE ' Passed +[0-9.]+ sec$|^\[       OK \] |\.\.\. ok$|^ +PASS \[' "$1" || true)
    steps=$(grep -c '^== ' "$1" || true)
    if ((tests > 0)); then
        echo "tests that passed: $tests"
    else
        ((steps > 1)) && echo "steps that ended: $((steps - 1))"
    fi
}

# run_check NAME [SECONDS]: prints one line; keeps the output in build/checks/NAME.log. A check that is stopped after the
# seconds has passed if something of it has, and no test has failed.
run_check() {
    local name=$1 seconds=${2-} status=0 started=$SECONDS log=build/checks/$1.log limited=() parts again=
    mkdir -p build/checks
    [[ -z $seconds ]] || limited=(CHECK_IS_BOUNDED=1 timeout -k 10 "$seconds")
    # With PORTACL_UPDATE tests of generated files would write them. The library reports each variable PORTACL_* that it does
    # not know, and tests compare what it reports.
    env -u PORTACL_UPDATE -u PORTACL_TURN_SECONDS "${limited[@]}" bash -euo pipefail -c 'source ./dev; source "tools/checks/$1.sh"; check' check "$name" \
        >"$log" 2>&1 </dev/null || status=$?
    if [[ -n $seconds && $status == 124 ]] && ! grep -qE '\*\*\*(Failed|Exception|Timeout)|FAILED' "$log"; then
        if parts=$(ran "$log"); then
            printf 'STOPPED  %-18s after %d s, without a failure; %s\n' "$name" "$seconds" "$parts"
            return
        fi
        echo "stopped after $seconds s, before a test or a step had ended" >>"$log"
        again="set PORTACL_TURN_SECONDS to more than $seconds, or run ./dev check $name, which has no limit"
    fi
    case $status in
    0)
        printf 'PASS     %-18s %4d s\n' "$name" $((SECONDS - started))
        [[ -z ${PORTACL_UPDATE-} || -n $seconds ]] || record "$name" $((SECONDS - started))
        ;;
    77)
        printf 'SKIPPED  %-18s %s\n' "$name" "$(tail -n 1 "$log")"
        skipped+=("$name")
        ;;
    *)
        printf 'FAIL     %-18s build/checks/%s.log ends:\n' "$name" "$name"
        tail -n 40 "$log" | sed 's/^/    /'
        # .ci/run prints it again at its end.
        { echo "FAILED check: $name"; tail -n 5 "$log" | cut -c 1-140 | sed 's/^/    /'; } >>build/checks/failures.txt
        if [[ -n $again ]]; then
            echo "    repair: $again"
            return 1
        fi
        # shellcheck disable=SC2016
        bash -c 'source "tools/checks/$1.sh"; [[ -z ${repair-} ]] || echo "    repair: $repair"; echo "    again: ./dev check $1"' \
            repair "$name"
        return 1
        ;;
    esac
}

# selftest NAME: the check passes on a copy of the tree, and fails after its sabotage of the copy. The copies share
# one cargo directory; their files are new, so cargo rebuilds them.
selftest() {
    local name=$1 copy=build/selftest/tree log=build/selftest/$1.log status=0
    rm -rf "$copy"
    mkdir -p "$copy" build/selftest/target
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -P -t "$copy"
    ln -s "$PWD/build/selftest/target" "$copy/target"
    in_copy() {
        (cd "$copy" && bash -euo pipefail -c 'source ./dev; source "tools/checks/$1.sh"; $2' selftest "$name" "$1") >"$log" 2>&1 </dev/null
    }
    (cd "$copy" && git init -q && git add -A)
    in_copy check || status=$?
    if ((status == 77)); then
        printf 'SKIPPED  selftest %-14s %s\n' "$name" "$(tail -n 1 "$log")"
        return 0
    elif ((status != 0)); then
        printf 'FAIL     selftest %-14s fails on the tree as it is (%s)\n' "$name" "$log"
        return 1
    fi
    in_copy sabotage
    if in_copy check; then
        printf 'FAIL     selftest %-14s did not notice what its sabotage broke (%s)\n' "$name" "$log"
        return 1
    fi
    printf 'PASS     selftest %-14s noticed: %s\n' "$name" "$(grep -v '^[[:space:]^~]*$' "$log" | tail -n 1 | cut -c1-100)"
}

accept check "$@"
mode=run_check names=() skipped=() with_deep=0 number=0 seconds=()
for argument in "$@"; do
    case $argument in
    --deep) with_deep=1 ;;
    --turn)
        number=$(turn_of_commit)
        names+=("$(turn "$number")")
        seconds=("${PORTACL_TURN_SECONDS:-1500}")
        ;;
    --selftest) mode=selftest ;;
    --list) for file in tools/checks/*.sh; do basename "$file" .sh; done; exit 0 ;;
    *) names+=("$argument") ;;
    esac
done
if ((${#names[@]} == 0)); then
    for file in tools/checks/*.sh; do
        name=$(basename "$file" .sh)
        ((with_deep)) || [[ " ${deep[*]} " != *" $name "* ]] || continue
        names+=("$name")
    done
fi

failed=0
rm -f build/checks/failures.txt
for name in "${names[@]}"; do
    "$mode" "$name" "${seconds[@]}" || failed=$((failed + 1))
done
for ((next = number + 1; number && ${#skipped[@]} == next - number && next < number + 10; ++next)); do
    run_check "$(turn "$next")" "${seconds[@]}" || failed=$((failed + 1))
done
((failed == 0)) || die "$failed of ${#names[@]} checks failed"
printf 'all %d checks done, none failed\n' "${#names[@]}"
