#include "paddle_double.h"

using namespace paddle_test;

namespace paddle_flags {
bool FLAGS_use_stride_kernel = true;
}

namespace paddle_test {

std::map<std::pair<std::string, C_DataType>, Kernel>& Kernels() {
    static std::map<std::pair<std::string, C_DataType>, Kernel> kernels;
    return kernels;
}

std::vector<portacl_paddle::RuntimeEvent>& RuntimeEvents() {
    static std::vector<portacl_paddle::RuntimeEvent> events;
    return events;
}

std::vector<portacl_paddle::DeviceEvent>& DeviceEvents() {
    static std::vector<portacl_paddle::DeviceEvent> events;
    return events;
}

}  // namespace paddle_test

extern "C" {

void profiler_add_runtime_trace_event(C_Profiler, void* event) {
    RuntimeEvents().push_back(*static_cast<portacl_paddle::RuntimeEvent*>(event));
}

void profiler_add_device_trace_event(C_Profiler, void* event) {
    DeviceEvents().push_back(*static_cast<portacl_paddle::DeviceEvent*>(event));
}

void PD_RegisterPhiKernel(const char* name, const char* backend, C_DataType type, int, std::size_t inputs, int*,
                          std::size_t attributes, int* attribute_types, std::size_t outputs, int* output_types,
                          void (*)(const void*, void*), void (*run)(KernelContext*), void* run_directly) {
    EXPECT_EQ(inputs, 0u);
    Kernel& kernel = Kernels()[{name, type}];
    kernel.backend = backend;
    kernel.attributes.assign(attribute_types, attribute_types + attributes);
    kernel.outputs.assign(output_types, output_types + outputs);
    kernel.run = run;
    kernel.run_directly = reinterpret_cast<decltype(kernel.run_directly)>(run_directly);
}

Context* PD_KernelContextGetDeviceContext(KernelContext* context) {
    return context->context;
}

Scalar* PD_KernelContextScalarAttrAt(KernelContext* context, std::size_t index) {
    return index == 1 ? context->value : nullptr;
}

Tensor* PD_KernelContextOutputAt(KernelContext* context, std::size_t index) {
    return index == 0 ? context->out : nullptr;
}

C_Stream PD_DeviceContextGetStream(const Context* context, C_Status*) {
    return context->stream;
}

void* PD_DeviceContextAllocateTensor(const Context*, Tensor* tensor, std::size_t, C_DataType, C_Status* status) {
    *status = tensor->refuses_memory ? C_FAILED : C_SUCCESS;
    return tensor->refuses_memory ? nullptr : tensor->memory;
}

std::int64_t PD_TensorGetElementCount(const Tensor* tensor, C_Status*) {
    return tensor->count;
}

bool PD_ScalarGetBoolData(Scalar* scalar) {
    return scalar->Real() != 0;
}
std::int64_t PD_ScalarGetInt64Data(Scalar* scalar) {
    return static_cast<std::int64_t>(scalar->Real());
}
std::uint64_t PD_ScalarGetUInt64Data(Scalar* scalar) {
    return static_cast<std::uint64_t>(scalar->Real());
}
double PD_ScalarGetFloat64Data(Scalar* scalar) {
    return scalar->Real();
}

}  // extern "C"
