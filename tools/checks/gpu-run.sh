# The list and the script of the pack (./dev gpu) on a pack of small programs: tests are listed by their value, scripts are
# packed with what they run, each test has a result though others crash or hang, a time limit leaves the rest for the next
# call, what has run does not run again, and the archive has a bound.
repair="mend tools/gpu, or what tools/gpu/run_test.py and tools/gpu_check.py expect"
check() {
    local place pack
    place=$(mktemp -d)
    # The name is local, so it is expanded now.
    trap "rm -rf '$place'" EXIT
    pack=$place/pack
    mkdir -p "$pack"/{tests,samples} "$place/build/samples"
    printf '#!/bin/sh\n' >"$place/build/samples/s"
    chmod +x "$place/build/samples/s"
    # What a test runs is copied with the programs that it takes; a program that is not built stops the pack.
    list() { printf '{"tests": [{"name": "cuda.all", "command": ["/bin/bash", "%s", "A=b", "%s"]}]}' "$PWD/samples/run_all.sh" \
        "$place/build/samples/$1" | python3 tools/gpu_list.py "$place/build" "$pack"; }
    [[ $(list s) == $'all\ttests/run_all.sh\tA=b\tsamples/s' ]] || { echo "a script is not in the list"; return 1; }
    # The order of their value on a card.
    [[ $(printf '{"name": "cuda.%s", "command": ["'"$place"'/build/samples/s"]},' abort ipc_event graph event every_call.x \
        sample.01_x info | sed 's/^/{"tests": [/; s/,$/]}/' | python3 tools/gpu_list.py "$place/build" "$pack" | cut -f1 |
        paste -sd, -) == info,sample.01_x,every_call.x,event,graph,ipc_event,abort ]] || { echo "the order is wrong"; return 1; }
    (cd "$pack" && tests/run_all.sh A=b samples/s) || { echo "a script does not run in the pack"; return 1; }
    ! list none 2>/dev/null || { echo "a program that is not built is packed"; return 1; }
    tools/gpu/run_test.py
}
# The process after a crash would begin with the test that crashes.
sabotage() { sed -i 's/^            self.left.remove(test)/            pass/' tools/gpu/program.py; }
