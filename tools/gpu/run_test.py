#!/usr/bin/env python3
"""Runs a pack of small programs that pass, fail, skip, crash, hang or take long, and checks what ./run says of them."""

import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

# Stands for a program of the suite: the end of a test's name says what the test does.
PROGRAM = """#!/usr/bin/env python3
import os, signal, sys, time
names = next(word for word in sys.argv if word.startswith("--gtest_filter=")).partition("=")[2].split(":")
with open("processes", "a") as file:
    print(os.environ["CUDA_DEVICE_MAX_CONNECTIONS"], os.environ.get("PORTACL_TEST_HOLD_CONTEXT", "-"), *names, file=file)
events = open(os.environ["PORTACL_TEST_EVENTS"], "a", buffering=1)
for name in names:
    print("run", name, sep="\\t", file=events)
    verdict, reason = "passed", ""
    if name.endswith("Crashes"): os.kill(os.getpid(), signal.SIGSEGV)
    if name.endswith("Hangs"): time.sleep(1000)
    if name.endswith("Slow"): time.sleep(1)
    if name.endswith("Fails"): verdict, reason = "failed", "a.cpp:1: no"
    if name.endswith("Beside") and len(names) > 1: verdict, reason = "failed", "b.cpp:2: beside others"
    if name.endswith("Skips"): verdict, reason = "skipped", "needs two devices"
    print(verdict, name, 3, reason, sep="\\t", file=events)
sys.exit(97 if names[-1].endswith("Misuse") else 0)
"""
TESTS = ["A.Passes", "A.Crashes", "A.Fails", "A.Hangs", "A.Skips", "A.Beside", "A.Last"]


def make(place, tests, kind="inside"):
    for folder in "tests/interop", "tools", "bin", "lib", "benches":
        (place / folder).mkdir(parents=True, exist_ok=True)
    for name in "run", "steps", "hang", "results":
        (place / f"tools/{name}.py").write_text((HERE / f"{name}.py").read_text())
    text = (HERE / "program.py").read_text()
    assert "INSIDE, PROCESS = 30, 90" in text
    (place / "tools/program.py").write_text(text.replace("INSIDE, PROCESS = 30, 90", "INSIDE, PROCESS = 2, 2"))
    scripts = {"tests/a_tests": PROGRAM, "tests/a_test": PROGRAM, "tests/whole": "#!/bin/sh\necho '[  PASSED  ] 2 tests.'\n",
               "bin/nvidia-smi": "#!/bin/sh\necho 'no card, 1.0'\n",
               "bin/compute-sanitizer": "#!/bin/sh\necho \"under $2\"\nwhile [ \"${1#--}\" != \"$1\" ]; do shift 2; done\nexec \"$@\"\n",
               "benches/bench_cuda": "#!/bin/sh\necho '{\"name\": \"x\", \"portacl\": 1}'\n", "benches/bench_entry": "#!/bin/sh\n",
               "tests/interop/driver_facts.py": "", "tests/interop/queue_probe.py": "print('question')",
               "tests/interop/interop.py": "import sys\nif sys.argv[1] == 'cupy': print('skipped: no CuPy'); sys.exit(77)",
               "tests/interop/allocators.py": "print('{\"name\": \"y\", \"portacl\": 2}')"}
    for path, content in scripts.items():
        (place / path).write_text(content)
        (place / path).chmod(0o755)
    (place / "about.txt").write_text("portacl\ncommit\n")
    (place / "cuda.txt").write_text("a\ttests/a_test\nwhole\ttests/whole\tx\n")
    (place / "failed.txt").write_text("a\n")
    rows = [["a_tests", "a_test", test, kind, "01"[test == "A.Passes"]] for test in tests]
    (place / "suite.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))


def run(place, *words, results="results"):
    environment = os.environ | {"PATH": f"{place / 'bin'}:/usr/bin:/bin"}
    environment.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
    done = subprocess.run([sys.executable, place / "tools/run.py", *words, results], cwd=place, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
    said = json.loads((place / results / "results.json").read_text())
    return done, {row["name"]: row for row in said["programs"]}, said


def each_test_has_a_result(place):
    make(place, TESTS)
    done, rows, said = run(place, "--jobs", "2")
    assert done.returncode == 1, done.stdout
    found = {case["test"]: case["result"] for case in rows["a.inside.1"]["tests"]}
    assert found == {"A.Passes": "passed", "A.Crashes": "crashes", "A.Fails": "failed", "A.Hangs": "hangs", "A.Skips": "skipped",
                     "A.Beside": "failed", "A.Last": "passed"}, done.stdout
    assert rows["alone.a_tests.A.Beside"]["result"] == "passed" and rows["alone.a_tests.A.Crashes"]["result"] == "failed"
    processes = [line.split() for line in (place / "processes").read_text().splitlines()]
    # The process after a crash begins with the test behind it.
    assert ["8", "1", *TESTS] in processes and ["8", "1", *TESTS[2:]] in processes and ["8", "1", *TESTS[4:]] in processes
    assert ["32", "1", *TESTS] in processes, "what failed before does not run with 32 queues"
    log = (place / "results/a.inside.1.log").read_text()
    assert "signal 11" in log and "stopped: it does not end" in log and "python3: S, in " in log, log
    assert [name for name in rows if rows[name]["step"] == 1] == ["assumed.a", "facts", "queues"]
    assert {key: value for key, value in rows["interop.cupy"].items() if key not in ("began", "milliseconds")} == {"name": "interop.cupy", "step": 4, "result": "skipped", "cases": 0,
                                                          "reason": "no CuPy"}, rows["interop.cupy"]
    assert {figure["name"] for figure in said["figures"]} == {"x", "y"} and rows["whole"]["cases"] == 2
    assert said["tests"] == [], "a source counts as confirmed though a test of it failed"
    assert done.stdout.index("\n== 1.") < done.stdout.index("\nfacts ") < done.stdout.index("\nbench.cuda ") < \
        done.stdout.index("\na.inside.1 "), "the order is wrong"
    before = (place / "processes").read_text()
    run(place, "--jobs", "2")
    assert (place / "processes").read_text() == before, "what has a result runs again"


def a_program_may_fail_after_its_tests(place):
    make(place, ["A.Passes", "A.Misuse"])
    done, rows, _ = run(place, "--only", "7")
    assert rows["a.inside.1"]["result"] == "failed" and rows["a.inside.1"]["reason"] == "status 97", done.stdout
    make(place, ["A.Passes", "A.Skips"])
    done, rows, said = run(place, "--only", "7", results="fine")
    assert done.returncode == 0 and said["tests"] == ["a_test.cpp"], done.stdout


def the_time_is_kept_and_the_rest_runs_later(place):
    slow = [f"A.T{number}Slow" for number in range(14)]
    make(place, slow)
    began = time.monotonic()
    done, rows, _ = run(place, "--only", "7", "--minutes", "0.25")
    assert time.monotonic() - began < 15, "the limit does not hold"
    some = len(rows["a.inside.1"]["tests"])
    assert 0 < some < 14 and "run the same command again" in done.stdout, done.stdout
    assert json.loads(archived(place / "results.tar.gz")["results.json"])["programs"], "the archive has no results"
    done, rows, _ = run(place, "--only", "7")
    tests = [case["test"] for row in rows.values() for case in row.get("tests", [])]
    assert sorted(tests) == sorted(slow), done.stdout


def archived(path):
    with tarfile.open(path) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar}


def the_archive_is_bounded(place):
    from results import Results
    found = Results(place / "r", place / "r.tar.gz", {}, [])
    for name, result in ("bad", "failed"), ("good", "passed"):
        found.log(name).write_bytes(b"begin" + os.urandom(300_000) + b"end")
        found.add({"name": name, "step": 7, "result": result, "cases": 0})
    found.save(every=0)
    for most in 1_000_000, 310_000, 90_000, 2_000:
        data = found.packed(most)
        assert len(data) <= most, f"{len(data)} bytes, {most} are allowed"
        (place / "some.tar.gz").write_bytes(data)
        files = archived(place / "some.tar.gz")
        assert "results.json" in files
        if most > 50_000:
            assert files["bad.log"].startswith(b"begin") and files["bad.log"].endswith(b"end"), most
            assert len(files["bad.log"]) >= len(files["good.log"])


def the_suite_has_a_goal(_):
    from gpu_check import of_goal
    # Two processes side by side, and one after a pause: the second call of the run.
    rows = {name: {"began": began, "milliseconds": seconds * 1000, "tests": ["A.Passes"]}
            for name, began, seconds in (("a.inside.1", 100, 80), ("a.inside.2", 120, 100), ("a.inside.3", 9000, 120),
                                         ("a.process.1", 0, 9000))}
    assert not list(of_goal(rows, 2))
    rows["a.inside.3"]["milliseconds"] += 2000
    fault, = of_goal(rows, 2)
    assert "took 242 s" in fault, fault


def main():
    checks = (each_test_has_a_result, a_program_may_fail_after_its_tests, the_time_is_kept_and_the_rest_runs_later,
              the_archive_is_bounded, the_suite_has_a_goal)
    for check in checks:
        with tempfile.TemporaryDirectory() as place:
            check(pathlib.Path(place))
    print(f"{len(checks)} checks of ./run pass")


if __name__ == "__main__":
    main()
