// Compiled where a wheel of Paddle's is, and never run: what the plug-in has written down about
// Paddle is what the wheel's headers say.
#include <cstddef>
#include <type_traits>

#include "callbacks.h"
#include "device_properties.h"
#include "layout.h"
#include "trace_event.h"

// A warning of Paddle's headers is Paddle's business.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <paddle/phi/api/profiler/trace_event.h>
#pragma GCC diagnostic pop

namespace portacl_paddle {
namespace {

constexpr int kColumn = ColumnOf(sizeof(C_DeviceInterface));
static_assert(kColumn >= 0, "slots.inc has no table of this size: run tools/paddle_slots.py");
static_assert(kReleases[kColumn].params == sizeof(CustomRuntimeParams));

// Each callback has the type of its slot, and the slot is where slots.inc says; or there is none,
// and slots.inc says so.
#define PORTACL_PADDLE_CHECK(name)                                                  \
    template <typename Table, typename = void>                                      \
    struct name##_slot {                                                            \
        static constexpr bool kAsWritten = slot_of::name[kColumn] == 0;             \
    };                                                                              \
    template <typename Table>                                                       \
    struct name##_slot<Table, std::void_t<decltype(Table::name)>> {                 \
        static constexpr bool kAsWritten =                                          \
            offsetof(Table, name) == slot_of::name[kColumn] &&                      \
            std::is_same_v<decltype(Table::name), decltype(&portacl_paddle::name)>; \
    };                                                                              \
    static_assert(name##_slot<C_DeviceInterface>::kAsWritten, "slot or type of " #name);
PORTACL_PADDLE_CALLBACKS(PORTACL_PADDLE_CHECK)
#undef PORTACL_PADDLE_CHECK

// Members behind a std::string: what offsetof gives for them is right in every compiler we know.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

static_assert(sizeof(RuntimeEvent) == sizeof(phi::RuntimeTraceEvent));
static_assert(offsetof(RuntimeEvent, type) == offsetof(phi::RuntimeTraceEvent, type));
static_assert(offsetof(RuntimeEvent, start_ns) == offsetof(phi::RuntimeTraceEvent, start_ns));
static_assert(offsetof(RuntimeEvent, thread_id) == offsetof(phi::RuntimeTraceEvent, thread_id));
static_assert(offsetof(RuntimeEvent, callback_id) == offsetof(phi::RuntimeTraceEvent, callback_id));
static_assert(static_cast<int>(TraceType::kRuntime) ==
              static_cast<int>(phi::TracerEventType::CudaRuntime));
static_assert(static_cast<int>(TraceType::kMemcpy) ==
              static_cast<int>(phi::TracerEventType::Memcpy));
static_assert(static_cast<int>(TraceType::kMemset) ==
              static_cast<int>(phi::TracerEventType::Memset));

// Of Paddle's union, whose largest member is that of copies.
static_assert(sizeof(DeviceEvent) == sizeof(phi::DeviceTraceEvent));
static_assert(offsetof(DeviceEvent, correlation_id) ==
              offsetof(phi::DeviceTraceEvent, correlation_id));
static_assert(offsetof(DeviceEvent, copy) == offsetof(phi::DeviceTraceEvent, memcpy_info));
static_assert(sizeof(CopyDetail) == sizeof(phi::MemcpyEventInfo));
static_assert(offsetof(CopyDetail, destination) == offsetof(phi::MemcpyEventInfo, dst_kind));
static_assert(sizeof(FillDetail) == sizeof(phi::MemsetEventInfo));
static_assert(offsetof(FillDetail, value) == offsetof(phi::MemsetEventInfo, value));

}  // namespace
}  // namespace portacl_paddle
