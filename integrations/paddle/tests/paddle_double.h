// A test double of what the plug-in looks up in Paddle by name: profiler_add_*, PD_*, and a flag.
// The program exports them.
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/scalar.h"
#include "plugin_under_test.h"
#include "profiling/trace_event.h"

namespace paddle_flags {
extern bool FLAGS_use_stride_kernel;
}

namespace paddle_test {

// A scalar with Paddle's layout, whose complex numbers the plug-in reads directly, and a tensor and
// a device context of the double.
struct Scalar : portacl_paddle::Scalar {
    static constexpr Type kFloat64{11};

    Scalar(double number) : portacl_paddle::Scalar{false, kFloat64, {}} {
        std::memcpy(complex128, &number, sizeof number);
    }
    Scalar(std::complex<float> number) : portacl_paddle::Scalar{false, Type::kComplex64, {}} {
        std::memcpy(complex64, &number, sizeof number);
    }
    Scalar(std::complex<double> number) : portacl_paddle::Scalar{false, Type::kComplex128, {}} {
        std::memcpy(complex128, &number, sizeof number);
    }
    double Real() const { return type == Type::kComplex64 ? complex64[0] : complex128[0]; }
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

// The registered kernels, by name and data type.
std::map<std::pair<std::string, C_DataType>, Kernel>& Kernels();

// The reports to the profiler.
std::vector<portacl_paddle::RuntimeEvent>& RuntimeEvents();
std::vector<portacl_paddle::DeviceEvent>& DeviceEvents();

}  // namespace paddle_test
