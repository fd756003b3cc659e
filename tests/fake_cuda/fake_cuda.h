// Functions that the test double exports beside those of the driver. Tests look them up with dlsym,
// or link the library directly. README.md describes the environment variables.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the number of live allocations, pinned blocks, reservations, physical memory handles, streams, events,
// modules and retained primary contexts, plus objects that a released context destroyed. `text` (may be null) receives
// one line for each, cut at `len` bytes.
int fakeCudaLeaks(char* text, size_t len);

// Returns how often the exported function with this exact name was called, or all functions for null or "", including
// refused calls.
unsigned long long fakeCudaCalls(const char* name);

// Returns how often the kernel with this name was launched, or all kernels for null.
unsigned long long fakeCudaLaunchCount(const char* kernel);

// Returns the number of misuses so far; each was printed to stderr.
unsigned long long fakeCudaMisuses(void);

// Replaces the faults to inject, in the format of FAKE_CUDA_FAIL; null or "" injects none. Call
// counts start at zero again. Returns 0, or 1 for an invalid text.
int fakeCudaFail(const char* spec);

// While held, no stream of any device starts another operation. For tests of the state before
// completion, without sleeping. Does not nest.
void fakeCudaHold(void);
void fakeCudaRelease(void);

// How many calls wait inside the driver now: for work, for room in a stream, for another call, or while the process is
// locked.
unsigned fakeCudaBlockedCalls(void);

// How often a stream that waits for a word has found another value there.
unsigned long long fakeCudaPolls(void);

#ifdef __cplusplus
}
#endif
