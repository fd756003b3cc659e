# The committed PTX was generated from the committed kernels. Needs no compiler.
repair="python3 src/cuda/kernels/make.py, which needs nvcc"
check() { python3 src/cuda/kernels/make.py --check-source; }
sabotage() { sed -i 's/return a > b;/return a < b;/' src/cuda/kernels/reduce.cu; }
