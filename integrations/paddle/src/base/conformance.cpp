// Compiled if a Paddle wheel is available, and never run: checks that the plug-in's declarations
// match the wheel's headers.
#include <cstddef>
#include <type_traits>

#include "base/callbacks.h"
#include "base/layout.h"
#include "base/scalar.h"
#include "profiling/trace_event.h"
#include "runtime/device_properties.h"

// Ignores warnings in Paddle's headers.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <paddle/phi/api/profiler/trace_event.h>
#include <paddle/phi/backends/device_base.h>
#include <paddle/phi/core/enforce.h>
// The members of a scalar are private, and their offsets have to be compared.
#define private public
#include <paddle/phi/common/scalar.h>
#undef private
#pragma GCC diagnostic pop

namespace phi {
struct DeviceProp;  // which 3.0 does not have
}

namespace portacl_paddle {
namespace {

constexpr int kColumn = ColumnOf(sizeof(C_DeviceInterface));
static_assert(kColumn >= 0, "slots.inc has no table of this size: run tools/paddle_slots.py");
static_assert(kReleases[kColumn].params == sizeof(CustomRuntimeParams));

// Checks that `slot` has the offset of slots.inc and the type of `callback`; or that there is no
// slot of this name and type, and slots.inc has none.
#define PORTACL_PADDLE_CHECK_SLOT(callback, slot)                                                              \
    template <typename Table, typename = void>                                                                 \
    struct callback##_slot {                                                                                   \
        static constexpr std::size_t kOffset = 0;                                                              \
    };                                                                                                         \
    template <typename Table>                                                                                  \
    struct callback##_slot<                                                                                    \
        Table, std::enable_if_t<std::is_same_v<decltype(Table::slot), decltype(&portacl_paddle::callback)>>> { \
        static constexpr std::size_t kOffset = offsetof(Table, slot);                                          \
    };                                                                                                         \
    static_assert(callback##_slot<C_DeviceInterface>::kOffset == slot_of::callback[kColumn],                   \
                  "slot or type of " #callback);
#define PORTACL_PADDLE_CHECK(name) PORTACL_PADDLE_CHECK_SLOT(name, name)
PORTACL_PADDLE_CALLBACKS_BY_NAME(PORTACL_PADDLE_CHECK)
PORTACL_PADDLE_CALLBACKS_OF_CURRENT(PORTACL_PADDLE_CHECK_SLOT)
#undef PORTACL_PADDLE_CHECK
#undef PORTACL_PADDLE_CHECK_SLOT

// Members after a std::string: offsetof works for them with all known compilers.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

static_assert(sizeof(RuntimeEvent) == sizeof(phi::RuntimeTraceEvent));
static_assert(offsetof(RuntimeEvent, type) == offsetof(phi::RuntimeTraceEvent, type));
static_assert(offsetof(RuntimeEvent, start_ns) == offsetof(phi::RuntimeTraceEvent, start_ns));
static_assert(offsetof(RuntimeEvent, thread_id) == offsetof(phi::RuntimeTraceEvent, thread_id));
static_assert(offsetof(RuntimeEvent, callback_id) == offsetof(phi::RuntimeTraceEvent, callback_id));
static_assert(static_cast<int>(TraceType::kRuntime) == static_cast<int>(phi::TracerEventType::CudaRuntime));
static_assert(static_cast<int>(TraceType::kMemcpy) == static_cast<int>(phi::TracerEventType::Memcpy));
static_assert(static_cast<int>(TraceType::kMemset) == static_cast<int>(phi::TracerEventType::Memset));

template <typename Paddles, typename = void>
struct Properties {
    static constexpr bool kAsWritten = slot_of::get_device_properties[kColumn] == 0;
};
template <typename Paddles>
struct Properties<Paddles, std::void_t<decltype(sizeof(Paddles))>> {
    static constexpr bool kAsWritten =
        sizeof(DeviceProperties) == sizeof(Paddles) &&
        offsetof(DeviceProperties, major) == offsetof(Paddles, deviceMajor) &&
        offsetof(DeviceProperties, minor) == offsetof(Paddles, deviceMinor) &&
        offsetof(DeviceProperties, total_memory) == offsetof(Paddles, totalGlobalMem) &&
        offsetof(DeviceProperties, processors) == offsetof(Paddles, multiProcessorCount) &&
        offsetof(DeviceProperties, is_multi_gpu_board) == offsetof(Paddles, isMultiGpuBoard) &&
        offsetof(DeviceProperties, integrated) == offsetof(Paddles, integrated);
};
static_assert(Properties<phi::DeviceProp>::kAsWritten);

// The size of Paddle's union, whose largest member is the one for copies.
static_assert(sizeof(DeviceEvent) == sizeof(phi::DeviceTraceEvent));
static_assert(offsetof(DeviceEvent, correlation_id) == offsetof(phi::DeviceTraceEvent, correlation_id));
static_assert(offsetof(DeviceEvent, copy) == offsetof(phi::DeviceTraceEvent, memcpy_info));
static_assert(sizeof(CopyDetail) == sizeof(phi::MemcpyEventInfo));
static_assert(offsetof(CopyDetail, destination) == offsetof(phi::MemcpyEventInfo, dst_kind));
static_assert(sizeof(FillDetail) == sizeof(phi::MemsetEventInfo));
static_assert(offsetof(FillDetail, value) == offsetof(phi::MemsetEventInfo, value));

using PaddleScalar = paddle::experimental::Scalar;
static_assert(sizeof(Scalar) == sizeof(PaddleScalar) && alignof(Scalar) == alignof(PaddleScalar));
static_assert(offsetof(Scalar, type) == offsetof(PaddleScalar, dtype_));
static_assert(offsetof(Scalar, complex64) == offsetof(PaddleScalar, data_.c64));
static_assert(offsetof(Scalar, complex128) == offsetof(PaddleScalar, data_.c128));
static_assert(sizeof(Scalar::type) == sizeof(phi::DataType));
static_assert(static_cast<int>(Scalar::Type::kComplex64) == static_cast<int>(phi::DataType::COMPLEX64));
static_assert(static_cast<int>(Scalar::Type::kComplex128) == static_cast<int>(phi::DataType::COMPLEX128));

}  // namespace
}  // namespace portacl_paddle
