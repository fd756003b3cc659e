# The list and the script of the pack (./dev gpu) on a pack of small programs: tests are listed by their value, scripts are
# packed with what they run, the first shard has the tests of assumptions, every program runs in one shard, what has run
# does not run again, a time limit leaves the rest, a program that hangs is stopped and its log has its stacks, and what a
# machine cannot run counts as skipped with its reason. Programs run side by side on request; what fails runs again alone.
check() {
    local place pack shard
    place=$(mktemp -d)
    # The name is local, so it is expanded now.
    trap "rm -rf '$place'" EXIT
    pack=$place/pack
    mkdir -p "$pack"/{tests,samples,benches} "$place/bin"
    program() { printf '#!/bin/sh\necho "$0" >>%s/ran\n%s\n' "$place" "${2-true}" >"$1" && chmod +x "$1"; }
    # What a test runs is copied with the programs that it takes; a program that is not built stops the pack.
    mkdir -p "$place/build/samples"
    program "$place/build/samples/s"
    list() { printf '{"tests": [{"name": "cuda.all", "command": ["/bin/bash", "%s", "A=b", "%s"]}]}' "$PWD/samples/run_all.sh" \
        "$place/build/samples/$1" | python3 tools/gpu_list.py "$place/build" "$pack"; }
    [[ $(list s) == $'all\ttests/run_all.sh\tA=b\tsamples/s' ]] || { echo "a script is not in the list"; return 1; }
    # The order of their value on a card.
    [[ $(printf '{"name": "cuda.%s", "command": ["'"$place"'/build/samples/s"]},' abort ipc_event graph event every_call.x \
        sample.01_x info | sed 's/^/{"tests": [/; s/,$/]}/' | python3 tools/gpu_list.py "$place/build" "$pack" | cut -f1 |
        paste -sd, -) == info,sample.01_x,every_call.x,event,graph,ipc_event,abort ]] || { echo "the order is wrong"; return 1; }
    (cd "$pack" && tests/run_all.sh A=b samples/s) || { echo "a script does not run in the pack"; return 1; }
    ! list none 2>/dev/null || { echo "a program that is not built is packed"; return 1; }
    rm "$place/ran"
    program "$place/bin/nvidia-smi" 'echo "no card, 1.0"'
    for name in a b c d; do
        program "$pack/tests/${name}_test" 'echo "[  PASSED  ] 1 test."'
        printf '%s\ttests/%s_test\n' "$name" "$name" >>"$pack/cuda.txt"
    done
    program "$pack/tests/hangs" 'exec sleep 1000'
    # This machine can run some tests of one program, and none of another.
    program "$pack/tests/some_test" 'echo "skipped: 1 test: a child"; echo "[==========] 3 tests from 1 test suite ran."
        echo "[  PASSED  ] 1 test."; echo "skipped: 2 tests: needs \"filters\""
        echo "skipped: 1 test: needs two devices"'
    program "$pack/tests/none_test" 'echo "skipped: 1 test: needs a back\\slash"'
    printf '%s\ttests/%s\n' hangs hangs some some_test none none_test >>"$pack/cuda.txt"
    printf 'b\ttests/b_test\t--gtest_filter=Suite.Test\n' >"$pack/assumptions.txt"
    printf 'c\ttests/c_test\n' >"$pack/memcheck.txt"
    printf 'd\ttests/d_test\n' >"$pack/racecheck.txt"
    # Stands for Python: one library is there, one fails, one is missing.
    program "$place/bin/python3" 'case $1$2 in *driver_facts*) echo "[  PASSED  ] 2 tests.";; *driver) echo "[  PASSED  ] 6 tests.";; *torch) exit 1;; *) echo "skipped: no cupy"; exit 77;; esac'
    # Ignores its options but the tool, which it writes, and runs the program.
    cat >"$place/bin/compute-sanitizer" <<'SCRIPT'
#!/bin/sh
while [ "${1#--}" != "$1" ]; do
    [ "$1" != --tool ] || echo "under $2"
    shift 2
done
exec "$@"
SCRIPT
    chmod +x "$place/bin/compute-sanitizer"
    program "$pack/benches/bench_entry"
    program "$pack/benches/bench_cuda"
    printf 'portacl\ncommit\n' >"$pack/about.txt"
    sed 's/\\t180\\t/\\t2\\t/' tools/gpu_run.sh >"$pack/run"
    run() { (cd "$pack" && PATH="$place/bin:/usr/bin:/bin" bash ./run "$@" "$place/results") || true; }
    run --seconds 1 | grep '20 programs of this shard are left' >/dev/null || { echo "the time limit does not hold"; return 1; }
    run 1/3
    [[ $(ls "$place/results/rows") == $'assumed.b\nfacts' ]] || { echo "the first shard is not the tests of assumptions"; return 1; }
    for shard in 1 2 3; do run "$shard/3" && run "$shard/3"; done >"$place/said"
    python3 - "$place" <<'PYTHON'
import json, pathlib, re, sys
place = pathlib.Path(sys.argv[1])
said = json.loads((place / "results/results.json").read_text())
programs = {program["name"]: program for program in said["programs"]}
ran = [pathlib.Path(line).name for line in (place / "ran").read_text().split() if "nvidia" not in line]
assert sorted(programs) == ["a", "assumed.b", "b", "bench.cuda", "bench.cupy", "bench.driver", "bench.entry",
                            "bench.torch", "c", "d", "facts", "hangs", "interop.cupy",
                            "interop.driver", "interop.torch", "memcheck.c", "none", "racecheck.d", "some", "synccheck.d"], \
    sorted(programs)
for tool, name in ("memcheck", "c"), ("racecheck", "d"), ("synccheck", "d"):
    log = (place / f"results/{tool}.{name}.log").read_text()
    assert f"under {tool}" in log, log
assert sorted(ran) == sorted([f"{name}_test" for name in "abbccddd"] + ["bench_cuda", "bench_entry", "hangs", "none_test", "some_test"] + 7 * ["python3"]), ran
assert ran[0] == "b_test", f"the assumptions come first, not {ran[0]}"
assert [name for name, program in programs.items() if program["hangs"]] == ["hangs"]
stacks = (place / "results/hangs.log").read_text()
assert "#0 " in stacks or "\nsleep " in stacks, stacks
assert {name: programs[f"interop.{name}"]["status"] for name in ("driver", "torch", "cupy")} == {
    "driver": 0, "torch": 1, "cupy": 77}
skipped = {"some": ['2 tests: needs "filters"', "1 test: needs two devices"], "none": ["1 test: needs a back\\slash"],
           "interop.cupy": ["no cupy"], "bench.cupy": ["no cupy"]}
assert {name: program["skipped"] for name, program in programs.items() if program["skipped"]} == skipped, programs
assert programs["some"]["cases"] == 1 and programs["interop.driver"]["cases"] == 6, programs
text = (place / "said").read_text()
for name, verdict in ("some", "passed"), ("none", "skipped"), ("interop.cupy", "skipped"):
    lines = "".join(f"    skipped: {reason}\n" for reason in skipped[name])
    assert re.search(rf"^{name} +{verdict} .* ms\n{re.escape(lines)}", text, re.MULTILINE), text
assert "20 programs ran so far: 3 failed, 3 skipped;" in text, text
assert sorted(said["tests"]) == [f"{name}_test.cpp" for name in (*"abcd", "some")], said["tests"]
print(f"{len(programs)} programs, each ran once")
PYTHON
    # Side by side: three wait for each other, one fails only beside others, one is stopped earlier than it would be.
    rm -rf "$place/results" "$pack"/{cuda,memcheck,racecheck}.txt
    touch "$pack"/{memcheck,racecheck}.txt
    for name in x y z; do
        program "$pack/tests/${name}_test" "touch $place/$name
            until [ -e $place/x ] && [ -e $place/y ] && [ -e $place/z ]; do sleep 0.1; done"
    done
    program "$pack/tests/beside_test" "[ -e $place/once ] || { touch $place/once; exit 1; }"
    for name in beside x y z; do printf '%s\ttests/%s_test\n' "$name" "$name"; done >"$pack/cuda.txt"
    printf 'hangs\ttests/hangs\n' >>"$pack/cuda.txt"
    sed -i 's/\\t2\\t/\\t100\\t/' "$pack/run"
    run --jobs 4 --longest 2 --archive "$place/all.tar.gz" >"$place/said"
    tar tzf "$place/all.tar.gz" | grep rows/beside >/dev/null || { echo "the archive lacks results"; return 1; }
    grep -q '"name": "hangs", .*"hangs": true' "$place/results/rows/hangs" || { echo "no program is stopped earlier"; return 1; }
    for name in beside x y z; do
        grep -q '"status": 0, ' "$place/results/rows/$name" || { cat "$place/said"; echo "$name failed"; return 1; }
    done
    [[ $(sed -n '/^alone:/,$p' "$place/said" | awk '{ print $1, $2 }' | head -3 | paste -sd, -) == "alone: ,beside passed,"* ]] ||
        { cat "$place/said"; echo "what fails beside others does not run again"; return 1; }
}
sabotage() { sed -i 's/ && continue$/ \&\& true/' tools/gpu_run.sh; }
