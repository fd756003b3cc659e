// The operator `full`. optimizer.clear_grad() fills gradients in place. Paddle's fallback is its
// CPU kernel, which would write the tensor's device memory from the host.
//
// Paddle calls a kernel in two ways: with a context that holds the arguments, from compiled
// programs, and directly, with the arguments of its C++ declaration, of which all but the data type
// are pointers.
#include "kernel/kernels.h"

#include <acl/acl.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/interface.h"
#include "base/layout.h"
#include "base/paddle_symbols.h"
#include "base/report.h"
#include "base/scalar.h"
#include "profiling/profiler.h"
#include "runtime/device.h"
#include "stream/stream.h"

// Paddle's C interface for kernels, as its header paddle/phi/capi/include/c_kernel_registry.h has
// it.
extern "C" {
typedef struct PD_DeviceContext PD_DeviceContext;
typedef struct PD_IntArray PD_IntArray;
typedef struct PD_Kernel PD_Kernel;
typedef struct PD_KernelContext PD_KernelContext;
typedef struct PD_KernelKey PD_KernelKey;
typedef struct PD_Scalar PD_Scalar;
typedef struct PD_Tensor PD_Tensor;
}

namespace portacl_paddle {
namespace {

constexpr int kAnyLayout = 0;
// Since 3.3: earlier releases crash if a kernel is registered for the larger unsigned types.
constexpr std::size_t kTableWithUnsigned = 1128;
enum Argument : int { kTensor = 1, kScalar = 10, kIntArray = 11, kDataType = 12 };

// The functions of that interface in use here.
struct PaddleFunctions {
    void (*PD_RegisterPhiKernel)(const char* name, const char* backend, C_DataType type, int layout, std::size_t inputs,
                                 Argument* input_types, std::size_t attributes, Argument* attribute_types,
                                 std::size_t outputs, Argument* output_types,
                                 void (*define)(const PD_KernelKey*, PD_Kernel*), void (*run)(PD_KernelContext*),
                                 void* run_directly);
    PD_DeviceContext* (*PD_KernelContextGetDeviceContext)(PD_KernelContext*);
    PD_Scalar* (*PD_KernelContextScalarAttrAt)(PD_KernelContext*, std::size_t);
    PD_Tensor* (*PD_KernelContextOutputAt)(PD_KernelContext*, std::size_t);
    C_Stream (*PD_DeviceContextGetStream)(const PD_DeviceContext*, C_Status*);
    void* (*PD_DeviceContextAllocateTensor)(const PD_DeviceContext*, PD_Tensor*, std::size_t, C_DataType, C_Status*);
    std::int64_t (*PD_TensorGetElementCount)(const PD_Tensor*, C_Status*);
    bool (*PD_ScalarGetBoolData)(PD_Scalar*);
    std::int64_t (*PD_ScalarGetInt64Data)(PD_Scalar*);
    std::uint64_t (*PD_ScalarGetUInt64Data)(PD_Scalar*);
    double (*PD_ScalarGetFloat64Data)(PD_Scalar*);
};

PaddleFunctions paddle;

bool FindFunctions() {
    bool complete = true;
#define PORTACL_PADDLE_FIND(name)                                               \
    paddle.name = reinterpret_cast<decltype(paddle.name)>(FindInPaddle(#name)); \
    complete = complete && paddle.name != nullptr;
    PORTACL_PADDLE_FIND(PD_RegisterPhiKernel)
    PORTACL_PADDLE_FIND(PD_KernelContextGetDeviceContext)
    PORTACL_PADDLE_FIND(PD_KernelContextScalarAttrAt)
    PORTACL_PADDLE_FIND(PD_KernelContextOutputAt)
    PORTACL_PADDLE_FIND(PD_DeviceContextGetStream)
    PORTACL_PADDLE_FIND(PD_DeviceContextAllocateTensor)
    PORTACL_PADDLE_FIND(PD_TensorGetElementCount)
    PORTACL_PADDLE_FIND(PD_ScalarGetBoolData)
    PORTACL_PADDLE_FIND(PD_ScalarGetInt64Data)
    PORTACL_PADDLE_FIND(PD_ScalarGetUInt64Data)
    PORTACL_PADDLE_FIND(PD_ScalarGetFloat64Data)
#undef PORTACL_PADDLE_FIND
    return complete;
}

// Paddle turns it into an exception of Python.
void Demand(bool fine, const char* what) {
    if (fine) return;
    const char* words = aclGetRecentErrMsg();
    throw std::runtime_error(std::string("portacl: full: ") + what + (words == nullptr ? "" : ": ") +
                             (words == nullptr ? "" : words));
}

struct Element {
    unsigned char bytes[sizeof(std::complex<double>)];  // size of the largest type
    std::size_t size;
};

template <typename T>
Element Bytes(T value) {
    Element element{{}, sizeof value};
    std::memcpy(element.bytes, &value, sizeof value);
    return element;
}

// Rounds to nearest even; NaN stays NaN.
std::uint16_t ToBfloat16(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    if (value != value) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// The interface has no function for complex scalars.
std::complex<double> ToComplex(PD_Scalar* scalar) {
    const auto* found = reinterpret_cast<const Scalar*>(scalar);
    switch (found->type) {
        case Scalar::Type::kComplex64:
            return {found->complex64[0], found->complex64[1]};
        case Scalar::Type::kComplex128:
            return {found->complex128[0], found->complex128[1]};
        default:
            return paddle.PD_ScalarGetFloat64Data(scalar);
    }
}

template <C_DataType Type>
Element Convert(PD_Scalar* scalar) {
    const auto integer = [&] { return paddle.PD_ScalarGetInt64Data(scalar); };
    const auto natural = [&] { return paddle.PD_ScalarGetUInt64Data(scalar); };
    const auto number = [&] { return paddle.PD_ScalarGetFloat64Data(scalar); };
    if constexpr (Type == BOOL) return Bytes(paddle.PD_ScalarGetBoolData(scalar));
    if constexpr (Type == UINT8) return Bytes(static_cast<std::uint8_t>(integer()));
    if constexpr (Type == UINT16) return Bytes(static_cast<std::uint16_t>(natural()));
    if constexpr (Type == UINT32) return Bytes(static_cast<std::uint32_t>(natural()));
    if constexpr (Type == UINT64) return Bytes(natural());
    if constexpr (Type == INT8) return Bytes(static_cast<std::int8_t>(integer()));
    if constexpr (Type == INT16) return Bytes(static_cast<std::int16_t>(integer()));
    if constexpr (Type == INT32) return Bytes(static_cast<std::int32_t>(integer()));
    if constexpr (Type == INT64) return Bytes(integer());
    if constexpr (Type == FLOAT16) return Bytes(aclFloatToFloat16(static_cast<float>(number())));
    if constexpr (Type == BFLOAT16) return Bytes(ToBfloat16(static_cast<float>(number())));
    if constexpr (Type == FLOAT32) return Bytes(static_cast<float>(number()));
    if constexpr (Type == FLOAT64) return Bytes(number());
    if constexpr (Type == COMPLEX64) return Bytes(std::complex<float>(ToComplex(scalar)));
    if constexpr (Type == COMPLEX128) return Bytes(ToComplex(scalar));
}

// An element with equal bytes is a fill. Other elements are a copy of a block from the host,
// followed by copies that double it: all in stream order, without waiting.
aclError FillWith(const Element& element, void* memory, std::size_t size, aclrtStream stream) {
    auto* const to = static_cast<unsigned char*>(memory);
    const bool uniform = std::all_of(element.bytes, element.bytes + element.size,
                                     [&](unsigned char byte) { return byte == element.bytes[0]; });
    if (uniform) return aclrtMemsetAsync(to, size, element.bytes[0], size, stream);
    unsigned char block[4096];  // a multiple of every element's size
    for (std::size_t at = 0; at < sizeof block; at += element.size) {
        std::memcpy(block + at, element.bytes, element.size);
    }
    std::size_t done = std::min(size, sizeof block);
    aclError code = aclrtMemcpyAsync(to, done, block, done, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    while (code == ACL_SUCCESS && done < size) {
        const std::size_t more = std::min(done, size - done);
        code = aclrtMemcpyAsync(to + done, more, to, more, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
        done += more;
    }
    return code;
}

// The device of the memory: Paddle may not have set it for the thread.
aclError EnterDeviceOf(void* memory, int* device) {
    aclrtPtrAttributes attributes{};
    const aclError code = aclrtPointerGetAttributes(memory, &attributes);
    if (code != ACL_SUCCESS) return code;
    *device = static_cast<int>(attributes.location.id);
    return Enter(*device);
}

template <C_DataType Type>
void Full(PD_DeviceContext* context, PD_Scalar* value, PD_Tensor* out) {
    const Element element = Convert<Type>(value);
    C_Status status = C_SUCCESS;
    void* memory = paddle.PD_DeviceContextAllocateTensor(context, out, 0, Type, &status);
    const std::int64_t count = paddle.PD_TensorGetElementCount(out, &status);
    if (count == 0 && status == C_SUCCESS) return;
    Demand(status == C_SUCCESS && memory != nullptr && count > 0, "no memory for the result");
    const C_Stream stream = paddle.PD_DeviceContextGetStream(context, &status);
    Demand(status == C_SUCCESS, "Paddle has passed no stream");
    const std::size_t size = static_cast<std::size_t>(count) * element.size;
    int device = 0;
    Demand(EnterDeviceOf(memory, &device) == ACL_SUCCESS, "the device of the result is unknown or cannot be opened");
    const Traced call("full", Work::kFill, device, size, Handle(stream));
    Demand(FillWith(element, memory, size, Handle(stream)) == ACL_SUCCESS, "filling");
}

template <C_DataType Type>
void RunFull(PD_KernelContext* context) {
    Full<Type>(paddle.PD_KernelContextGetDeviceContext(context), paddle.PD_KernelContextScalarAttrAt(context, 1),
               paddle.PD_KernelContextOutputAt(context, 0));
}

template <C_DataType Type>
void RunFullDirectly(PD_DeviceContext* context, PD_IntArray*, PD_Scalar* value, int, PD_Tensor* out) {
    Full<Type>(context, value, out);
}

template <C_DataType Type>
void RegisterFull(const char* device_type) {
    Argument attributes[] = {kIntArray, kScalar, kDataType};
    Argument outputs[] = {kTensor};
    paddle.PD_RegisterPhiKernel(
        "full", device_type, Type, kAnyLayout, 0, nullptr, 3, attributes, 1, outputs,
        [](const PD_KernelKey*, PD_Kernel*) {}, RunFull<Type>, reinterpret_cast<void*>(RunFullDirectly<Type>));
}

template <C_DataType... Types>
void RegisterFullFor(const char* device_type) {
    (RegisterFull<Types>(device_type), ...);
}

}  // namespace

void RegisterKernels(const char* device_type, int column, bool has_cpu_kernels) {
    if (!FindFunctions()) return;
    if (!has_cpu_kernels) {
        RegisterFullFor<BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, COMPLEX64,
                        COMPLEX128>(device_type);
    }
    // The CPU has none for these.
    if (kReleases[column].table >= kTableWithUnsigned) {
        RegisterFullFor<UINT16, UINT32, UINT64>(device_type);
    }
}

}  // namespace portacl_paddle
