// The structures that profiler_add_runtime_trace_event and profiler_add_device_trace_event of
// Paddle read through their void pointers: phi::RuntimeTraceEvent and phi::DeviceTraceEvent, the
// same in Paddle 3.0.0 to 3.3.1. conformance.cpp compares them with the wheel's header.
#pragma once

#include <cstdint>
#include <string>

namespace portacl_paddle {

enum class TraceType { kRuntime = 3, kMemcpy = 5, kMemset = 6 };

// The common beginning of both.
struct TraceEvent {
    std::string name;
    TraceType type;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
};

struct RuntimeEvent : TraceEvent {
    std::uint64_t process_id = 0;
    std::uint64_t thread_id = 0;
    std::uint32_t correlation_id = 0;
    std::uint32_t callback_id = 0;
    RuntimeEvent() : TraceEvent{{}, TraceType::kRuntime} {}
};

struct CopyDetail {
    std::uint64_t bytes;
    char kind[50];
    char source[50];
    char destination[50];
};

struct FillDetail {
    std::uint64_t bytes;
    char memory[50];
    std::uint32_t value;
};

struct DeviceEvent : TraceEvent {
    std::uint64_t device_id = 0;
    std::uint64_t context_id = 0;
    std::uint64_t stream_id = 0;
    std::uint32_t correlation_id = 0;
    union {
        CopyDetail copy;
        FillDetail fill;
    };
    DeviceEvent() : TraceEvent{{}, TraceType::kMemcpy}, copy{} {}
};

}  // namespace portacl_paddle
