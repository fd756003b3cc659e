# The committed PTX was generated from the committed kernels. Needs no compiler.
check() { python3 src/cuda/kernels/make.py --check-source; }
sabotage() { sed -i 's/return a > b;/return a < b;/' src/cuda/kernels/reduce.cu; }
