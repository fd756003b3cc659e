// The kernel of 16_kernel_arguments.cpp for CUDA devices; scale_add.ptx is the same, written by
// hand. Compile your kernels with `nvcc -ptx`.
struct Options {
    unsigned long long first, end;
    float offset;
};

extern "C" __device__ float scale = 1;

extern "C" __global__ void scale_add(float* out, const float* in, const Options* options) {
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = options->first + (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
         i < options->end; i += threads) {
        out[i] = scale * in[i] + options->offset;
    }
}
