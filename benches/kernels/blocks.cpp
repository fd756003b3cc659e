// A kernel whose blocks take as long as they are told, without looking at a clock.
#include <portacl/kernel.h>

// Each step is a multiplication and an addition that wait for the step before.
static void Work(const portaclBlock& block, uint64_t steps) {
    uint64_t value = block.index[0];
    for (uint64_t step = 0; step < steps; step++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        asm volatile("" : "+r"(value));
    }
}

PORTACL_KERNEL(work, Work);
