// A kernel whose blocks take a given time, without reading a clock.
#include <portacl/kernel.h>

// Runs steps: each is a multiplication and an addition that wait for the previous step.
static void Work(const portaclBlock& block, uint64_t steps) {
    uint64_t value = block.index[0];
    for (uint64_t step = 0; step < steps; step++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        asm volatile("" : "+r"(value));
    }
}

// Runs a block. The last hundredth of the blocks takes about half of the total time.
static void Uneven(const portaclBlock& block, uint64_t steps) {
    Work(block, uint64_t{100} * block.index[0] < uint64_t{99} * block.count[0] ? steps : 99 * steps);
}

PORTACL_KERNEL(work, Work);
PORTACL_KERNEL(uneven, Uneven);
