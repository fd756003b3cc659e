# The committed PTX was generated from the committed kernels. Needs no compiler.
check() { python3 src/cuda/kernels/make.py --check-source; }
sabotage() { echo '// a kernel changed' >>src/cuda/kernels/reduce.cu; }
