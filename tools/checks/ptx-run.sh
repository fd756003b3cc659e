# The committed PTX, as the fake driver runs it, computes what the kernels' source does. Builds the fake driver: --deep only.
repair="python3 src/cuda/kernels/make.py, which needs nvcc; if the PTX is current, mend the fake driver's interpreter"
check() {
    local build=build/ptx-run
    cmake -S tests/fake_cuda -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug >/dev/null
    cmake --build "$build" --target fake_cuda_test
    "$build/fake_cuda_test" --gtest_filter='Kernels.*'
}
sabotage() { sed -i '0,/add\.s32/s//sub.s32/' src/cuda/kernels/reduce.ptx; }
