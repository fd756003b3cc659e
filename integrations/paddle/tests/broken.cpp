// A plug-in that breaks one of the rules of rules_test.cpp: PORTACL_TEST_BREAKS names the rule. It
// keeps the others, because it is the plug-in itself with some slots replaced. A test double that
// proves that the tests detect it.
#include <acl/acl.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/callbacks.h"
#include "base/layout.h"
#include "kernel/kernels.h"
#include "runtime/device.h"
#include "stream/event.h"
#include "stream/stream.h"

extern "C" void InitPluginAsItIs(CustomRuntimeParams* params);

using namespace portacl_paddle;

namespace {

std::string Broken() {
    const char* rule = std::getenv("PORTACL_TEST_BREAKS");
    return rule == nullptr ? "" : rule;
}

// 1: treats a null pointer as an error, whatever the size is.
template <typename... Before>
C_Status Strict(C_Status (*copy)(Before..., void*, const void*, std::size_t), Before... before, void* dst,
                const void* src, std::size_t size) {
    return dst == nullptr || src == nullptr ? C_ERROR : copy(before..., dst, src, size);
}

C_Status StrictH2D(C_Device device, void* dst, const void* src, std::size_t size) {
    return Strict<C_Device>(memory_copy_h2d, device, dst, src, size);
}

// 2 and 3: a thread makes the copy late; synchronizing waits for it.
std::vector<std::thread> late;

void Later(C_Device device, void (*copy)(C_Device, void*, const void*, std::size_t), void* dst, const void* src,
           std::size_t size) {
    late.emplace_back([=, device = *device]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        copy(&device, dst, src, size);
    });
}

C_Status LateH2D(C_Device device, C_Stream, void* dst, const void* src, std::size_t size) {
    Later(
        device, [](C_Device on, void* to, const void* from, std::size_t n) { memory_copy_h2d(on, to, from, n); }, dst,
        src, size);
    return C_SUCCESS;
}

C_Status LateD2H(C_Device device, C_Stream, void* dst, const void* src, std::size_t size) {
    Later(
        device, [](C_Device on, void* to, const void* from, std::size_t n) { memory_copy_d2h(on, to, from, n); }, dst,
        src, size);
    return C_SUCCESS;
}

C_Status SynchronizeWithLate(C_Device device, C_Stream stream) {
    for (std::thread& thread : late) thread.join();
    late.clear();
    return synchronize_stream(device, stream);
}

// 4: enqueues the copy on the destination's stream without ordering the devices.
C_Status UnorderedP2P(C_Device dst_device, C_Device, C_Stream stream, void* dst, const void* src, std::size_t size) {
    Enter(dst_device);
    return aclrtMemcpyAsync(dst, size, src, size, ACL_MEMCPY_DEVICE_TO_DEVICE, Handle(stream)) == ACL_SUCCESS
               ? C_SUCCESS
               : C_ERROR;
}

// 5: stores a wait, and checks its event at the stream's next operation: too late.
std::map<C_Stream, C_Event> noted;

C_Status NoteWait(C_Device, C_Stream stream, C_Event event) {
    noted[stream] = event;
    return C_SUCCESS;
}

C_Status CopyAfterNoted(C_Device device, C_Stream stream, void* dst, const void* src, std::size_t size) {
    if (const auto found = noted.find(stream); found != noted.end()) {
        Enter(device);
        stream_wait_event(device, stream, found->second);
        noted.erase(found);
    }
    return async_memory_copy_d2d(device, stream, dst, src, size);
}

// 5, never recorded: such an event is not complete.
C_Status QueryLatest(C_Device device, C_Event event) {
    const auto found = Find(event);
    return found == nullptr || found->Latest() == nullptr ? C_FAILED : query_event(device, event);
}

// 6: does too much in the most frequent calls, or too little at the end.
C_Status SetAndSynchronize(C_Device device) {
    const C_Status status = set_device(device);
    return status == C_SUCCESS ? synchronize_device(device) : status;
}

C_Status LeaveThreads() {
    return C_SUCCESS;
}

template <typename Callback>
void Replace(CustomRuntimeParams* params, const std::size_t* offsets, Callback callback) {
    const int column = ColumnOf(params->interface->size);
    auto* table = reinterpret_cast<unsigned char*>(params->interface);
    std::memcpy(table + offsets[column], &callback, sizeof callback);
}

}  // namespace

// 7: registers no kernels.
namespace portacl_paddle {
void RegisterKernelsAsTheyAre(const char* device_type, int column, bool has_cpu_kernels);
void RegisterKernels(const char* device_type, int column, bool has_cpu_kernels) {
    if (Broken() != "7") RegisterKernelsAsTheyAre(device_type, column, has_cpu_kernels);
}
}  // namespace portacl_paddle

extern "C" __attribute__((visibility("default"))) void InitPlugin(CustomRuntimeParams* params) {
    InitPluginAsItIs(params);
    const std::string rule = Broken();
    if (rule == "1") Replace(params, slot_of::memory_copy_h2d, StrictH2D);
    if (rule == "2") Replace(params, slot_of::async_memory_copy_h2d, LateH2D);
    if (rule == "3") Replace(params, slot_of::async_memory_copy_d2h, LateD2H);
    if (rule == "2" || rule == "3") {
        Replace(params, slot_of::synchronize_stream, SynchronizeWithLate);
    }
    if (rule == "4") Replace(params, slot_of::async_memory_copy_p2p, UnorderedP2P);
    if (rule == "5") {
        Replace(params, slot_of::stream_wait_event, NoteWait);
        Replace(params, slot_of::async_memory_copy_d2d, CopyAfterNoted);
    }
    if (rule == "5-unrecorded") Replace(params, slot_of::query_event, QueryLatest);
    if (rule == "6-set-device") Replace(params, slot_of::set_device, SetAndSynchronize);
    if (rule == "6-finalize") Replace(params, slot_of::finalize, LeaveThreads);
}
