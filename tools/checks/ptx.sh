# The committed PTX is what the compiler makes of the kernels' source, and assembles everywhere.
check() {
    src/backend/cuda/kernels/make.py --check
    src/backend/cuda/kernels/make.py --assemble
}
sabotage() { sed -i 's/return a > b;/return a < b;/' src/backend/cuda/kernels/reduce.cu; }
