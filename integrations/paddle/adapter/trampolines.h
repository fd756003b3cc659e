// Numbered functions. Paddle calls a kernel by a plain function pointer, in two ways: with a context that holds the
// arguments, from compiled programs, and directly, with the arguments of its C++ declaration. The number of the
// function says which kernel was meant.
#pragma once

#include <paddle/phi/core/kernel_context.h>

#include <cstddef>
#include <cstdint>

#include "signature.h"

namespace portacl_paddle {

constexpr std::size_t kTrampolines = 8192;

using ContextFunction = void (*)(phi::KernelContext*);

// The two functions of a number below kTrampolines.
ContextFunction InContext(std::size_t number);
void* Directly(std::size_t number);

// What a direct call has passed, in the words of the calling convention.
struct DirectCall {
    std::uintptr_t words[kWords];
    double floats[kFloatRegisters];
};

// Calls a function with these arguments.
void Invoke(void* function, const DirectCall& call);

// What the functions do; of adapter.cpp.
void RunInContext(std::size_t number, phi::KernelContext* context);
void RunDirectly(std::size_t number, DirectCall& call);

}  // namespace portacl_paddle
