# docs/gpu/assumptions.md contains what tests/fake_cuda assumes about drivers, and names tests that exist.
check() { tools/gpu_assumptions.py --check; }
sabotage() { sed -i 's/^TEST_F(EventWait, KeepsTheRecordThatItSaw/TEST_F(EventWait, Renamed/' cpp_tests/stream/event/*.cpp; }
