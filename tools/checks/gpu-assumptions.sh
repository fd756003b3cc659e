# docs/gpu/assumptions.md contains what tests/fake_cuda assumes about drivers, and names tests that exist.
repair="correct the row in docs/gpu/assumptions.md, or the name of its test"
check() { tools/gpu_assumptions.py --check; }
sabotage() { sed -i 's/^TEST_F(EventWait, KeepsTheRecordThatItSaw/TEST_F(EventWait, Renamed/' cpp_tests/stream/event/*.cpp; }
