// A test double of the functions of Paddle's that the plug-in looks up by name: profiler_add_* and
// PD_*. The program exports them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../src/trace_event.h"
#include "plugin_under_test.h"

namespace paddle_test {

// A scalar, a tensor and a device context as the double has them.
struct Scalar {
    double number = 0;
};

struct Tensor {
    void* memory = nullptr;
    std::int64_t count = 0;
    bool refuses_memory = false;
};

struct Context {
    C_Stream stream = nullptr;
};

struct KernelContext {
    Context* context = nullptr;
    Scalar* value = nullptr;
    Tensor* out = nullptr;
};

struct Kernel {
    std::string backend;
    std::vector<int> attributes;
    std::vector<int> outputs;
    void (*run)(KernelContext*) = nullptr;
    void (*run_directly)(Context*, void* shape, Scalar*, int type, Tensor*) = nullptr;
};

// What was registered, by name and data type.
std::map<std::pair<std::string, C_DataType>, Kernel>& Kernels();

// What the profiler was told.
std::vector<portacl_paddle::RuntimeEvent>& RuntimeEvents();
std::vector<portacl_paddle::DeviceEvent>& DeviceEvents();

}  // namespace paddle_test
