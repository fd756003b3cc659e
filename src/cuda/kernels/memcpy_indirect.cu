// Copies len bytes, or as many as the word at len_at says, from the address in the word at src_at
// plus src_offset to that in the word at dst_at plus dst_offset. The words are read when the kernel
// runs, so that earlier work of the stream may have written them. They lie outside of what is
// copied to.
//
// memcpy_indirect.ptx is made from this file by make.py and committed, so that building needs no
// compiler for GPUs. No header is included: the runtime compiler has none.

using Size = unsigned long long;

// Any one-dimensional grid copies everything: each thread goes on by the number of threads.
extern "C" __global__ void __launch_bounds__(1024)
    portacl_memcpy_indirect(const Size* dst_at, Size dst_offset, const Size* src_at, Size src_offset,
                            const Size* len_at, Size len) {
    const Size to = *dst_at + dst_offset;
    const Size from = *src_at + src_offset;
    const Size all = len_at ? *len_at : len;
    const Size first = Size(blockIdx.x) * blockDim.x + threadIdx.x;
    const Size threads = Size(gridDim.x) * blockDim.x;
    Size done = 0;
    if (((to | from) & 15) == 0) {
        const Size vectors = all / sizeof(uint4);
        for (Size i = first; i < vectors; i += threads) {
            reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
        }
        done = vectors * sizeof(uint4);
    }
    for (Size i = done + first; i < all; i += threads) {
        reinterpret_cast<unsigned char*>(to)[i] = reinterpret_cast<const unsigned char*>(from)[i];
    }
}
