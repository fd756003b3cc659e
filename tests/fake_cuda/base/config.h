// The test double's settings from the environment, read once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake {

struct Config {
    int devices;         // FAKE_CUDA_DEVICES, default 2
    size_t memory;       // FAKE_CUDA_MEMORY, bytes or with K, M, G; default 4 GiB
    unsigned delay_us;   // FAKE_CUDA_DELAY_US, default 50
    int driver_version;  // FAKE_CUDA_DRIVER_VERSION, default 13000 (11040 in the old variant)
    bool memory_pools;   // FAKE_CUDA_MEMORY_POOLS, default 1 (0 in the old variant)
    int init_error;      // FAKE_CUDA_INIT_ERROR, default 0
    bool strict;         // FAKE_CUDA_STRICT=1: exit status 97 after misuse
    bool leak_check;     // FAKE_CUDA_LEAK_CHECK=1: exit status 98 after leaks
    size_t max_pitch;    // FAKE_CUDA_MAX_PITCH, default 2147483647
    bool blocking;       // FAKE_CUDA_BLOCKING, default 1
    unsigned queue;      // FAKE_CUDA_QUEUE; 0: unlimited
    size_t connections;  // FAKE_CUDA_CONNECTIONS, CUDA_DEVICE_MAX_CONNECTIONS or 8; 0: each stream has a hardware queue
                         // of its own
    unsigned context_ms;  // FAKE_CUDA_CONTEXT_MS, default 0: what a context costs
    unsigned refusal_ms;  // FAKE_CUDA_REFUSAL_MS, default 20: what the refusal of pool memory takes
    bool decompress;      // FAKE_CUDA_DECOMPRESS=1: the devices have engines for decompression
    bool bound_stream;    // FAKE_CUDA_BOUND=stream: the bound is for each stream
    bool vgpu;            // FAKE_CUDA_VGPU=1: the devices are virtual GPUs
    size_t host_memory;   // FAKE_CUDA_HOST_MEMORY, default 0
    bool reuse;           // FAKE_CUDA_REUSE=1: freed addresses are used again at once
    const char* fail;     // FAKE_CUDA_FAIL
    const char* count;    // FAKE_CUDA_COUNT: the file for the counts at exit, or null
};

const Config& config();

// What differs between the two versions of the test double, beside the functions that old.map leaves out.
struct Version {
    int driver;  // as cuDriverGetVersion returns it
    bool has_pools;
    bool has_stream_values;
};

extern const Version kVersion;

}  // namespace fake
