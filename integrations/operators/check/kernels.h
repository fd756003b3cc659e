// The functions that stand for those of ATen while arguments are checked.
#pragma once

#include <torch/library.h>

namespace operators {

// The mode that is on while arguments are checked. ATen's functions go to the functions below first, whatever device
// their tensors are on. Its place is before all that ATen itself does, and no program uses it.
constexpr c10::DispatchKey kChecking = c10::DispatchKey::TESTING_ONLY_GenericMode;

// Throws what says that a check ends here: without data nothing more is known.
[[noreturn]] void EndCheck();

// Register ATen's own functions for tensors without memory. They are registered here again, because in a process with
// Python torch puts functions of Python in their places, which are slow and need Python's lock.
void RegisterShapesOfAten(torch::Library& library);
// Registers such functions where ATen has them in Python only.
void RegisterShapes(torch::Library& library);

}  // namespace operators
