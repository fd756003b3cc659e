# Unknown labels, options and arguments are refused before anything is installed or built, and named. --help prints help.
repair="let accept (dev) refuse the argument before anything runs, and name it"
check() {
    local arguments status output
    while read -ra arguments; do
        status=0
        output=$(timeout 20 ./dev "${arguments[@]}" 2>&1 </dev/null) || status=$?
        ((status != 0 && status != 124)) || { echo "./dev ${arguments[*]}: status $status: $output"; return 1; }
        [[ $output == *unknown* || $output == *"there is no check"* ]] || { echo "./dev ${arguments[*]}: $output"; return 1; }
        ! grep -q 'setup: everything' <<<"$output" || { echo "./dev ${arguments[*]} begins before it refuses"; return 1; }
    done <<'TEXT'
test cpuu
test cpu --quick
test -x
check proze
check --depp
check ../check
setup buidl
setup build extra
setup --lst
demo rocm
demo cuda x
bench 0
bench --quick
bench instructions twice
bench compare
replay
replay --all
headers now
docs open
gpu --tyr
release soon
release --wet
paddle --al
paddle bench many
torch whel
ggml bench
torch build twice
help me
tset
--deep
TEXT
    for arguments in bench test check setup demo replay headers docs gpu release paddle torch ggml; do
        # shellcheck disable=SC2128
        output=$(timeout 20 ./dev "$arguments" --help </dev/null) || { echo "./dev $arguments --help fails"; return 1; }
        [[ $output == "usage: ./dev COMMAND"* ]] || { echo "./dev $arguments --help: $output"; return 1; }
    done
    # The scripts themselves, too.
    while read -ra arguments; do
        status=0
        output=$(timeout 20 "${arguments[@]}" 2>&1 </dev/null) || status=$?
        [[ $status != 0 && $output == *unknown* ]] || { echo "${arguments[*]}: status $status: $output"; return 1; }
    done <<'TEXT'
tools/test.sh cpuu
tools/check.sh --depp
tools/setup.sh --lst
tools/bench.sh --quick
tools/docs.sh open
tools/paddle.sh --al
tools/torch.sh whel
tools/ggml.sh bench
tools/gpu_pack.sh --tyr
.ci/run --quick
TEXT
}
sabotage() { sed -i 's/|| die "test: unknown label/|| echo "test: unknown label/' dev; }
