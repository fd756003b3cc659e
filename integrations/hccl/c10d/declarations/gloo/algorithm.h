// Torch's headers include the headers of Gloo, which its packages lack. This folder declares what they and this module
// name; the functions are in libtorch_cpu.
#pragma once
