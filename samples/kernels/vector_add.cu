// The kernel of 05_kernel.cpp for CUDA devices; vector_add.ptx is the same, written by hand.
// Compile your kernels with `nvcc -ptx`.
extern "C" __global__ void vector_add(float* out, const float* a, const float* b, unsigned long long count) {
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        out[i] = a[i] + b[i];
    }
}
