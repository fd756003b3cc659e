# The committed PTX equals the compiler's output for the kernels' source, and assembles for all architectures.
repair="python3 src/cuda/kernels/make.py, which needs nvcc, and commit the result"
check() {
    src/cuda/kernels/make.py --check
    src/cuda/kernels/make.py --assemble
}
sabotage() { sed -i 's/return a > b;/return a < b;/' src/cuda/kernels/reduce.cu; }
