# docs/gpu/assumptions.md contains what tests/fake_cuda assumes about drivers, and names tests that exist. The table of runs
# in docs/gpu/README.md has the numbers of the JSON files.
repair="correct the row in docs/gpu/assumptions.md, or the name of its test; tools/gpu_runs.py writes the table of runs"
check() {
    tools/gpu_assumptions.py --check
    tools/gpu_runs.py --check
}
sabotage() { sed -i 's/^TEST_F(EventWait, KeepsTheRecordThatItSaw/TEST_F(EventWait, Renamed/' cpp_tests/stream/event/*.cpp; }
