// What the test double exports beside the driver's own functions. Tests find these with dlsym, or
// link the library directly. See README.md for the environment variables.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Live allocations, pinned blocks, reservations, physical memory handles, streams, events, modules
// and retained primary contexts, plus what a released context took with it. `text` (may be null)
// receives one line for each, cut at `len` bytes. Returns how many there are.
int fakeCudaLeaks(char* text, size_t len);

// How often the exported function with this exact name was called, refused calls included.
unsigned long long fakeCudaCalls(const char* name);

// How often the kernel with this name was launched; null: all kernels.
unsigned long long fakeCudaLaunchCount(const char* kernel);

// How many misuses were found so far; each was printed to stderr.
unsigned long long fakeCudaMisuses(void);

// Replaces the faults to inject. The same text as FAKE_CUDA_FAIL; null or "" injects none.
// Calls are counted afresh from here. Returns 0, or 1 for a text that cannot be read.
int fakeCudaFail(const char* spec);

// While held, no stream of any device starts another operation. For tests of what happens before
// completion, without sleeping. Does not nest.
void fakeCudaHold(void);
void fakeCudaRelease(void);

#ifdef __cplusplus
}
#endif
