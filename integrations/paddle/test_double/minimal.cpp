// The smallest plug-in that Paddle trains with: malloc, memcpy, and streams that complete at once.
// A test double, and the baseline of the benchmark.
#include <cstdlib>
#include <cstring>

#include "base/interface.h"
#include "base/layout.h"

using namespace portacl_paddle;

namespace {

char device_type[] = "minimal";

thread_local int current = 0;

C_Status Allocate(C_Device, void** pointer, std::size_t size) {
    *pointer = std::aligned_alloc(256, (size + 255) / 256 * 256);
    return *pointer == nullptr ? C_FAILED : C_SUCCESS;
}
C_Status Deallocate(C_Device, void* pointer, std::size_t) {
    std::free(pointer);
    return C_SUCCESS;
}
C_Status Copy(C_Device, void* dst, const void* src, std::size_t size) {
    if (size != 0) std::memcpy(dst, src, size);
    return C_SUCCESS;
}
C_Status CopyBetween(C_Device, C_Device, void* dst, const void* src, std::size_t size) {
    return Copy(nullptr, dst, src, size);
}
C_Status CopyInStream(C_Device, C_Stream, void* dst, const void* src, std::size_t size) {
    return Copy(nullptr, dst, src, size);
}
C_Status CopyBetweenInStream(C_Device, C_Device, C_Stream, void* dst, const void* src, std::size_t size) {
    return Copy(nullptr, dst, src, size);
}
C_Status Set(C_Device device) {
    current = device->id;
    return C_SUCCESS;
}
C_Status Get(C_Device device) {
    device->id = current;
    return C_SUCCESS;
}
C_Status Nothing() {
    return C_SUCCESS;
}
C_Status NothingOnDevice(C_Device) {
    return C_SUCCESS;
}
C_Status NothingInStream(C_Device, C_Stream) {
    return C_SUCCESS;
}
C_Status NothingWithEvent(C_Device, C_Event) {
    return C_SUCCESS;
}
C_Status NothingWithBoth(C_Device, C_Stream, C_Event) {
    return C_SUCCESS;
}
C_Status CreateStream(C_Device, C_Stream* stream) {
    static int one;
    *stream = reinterpret_cast<C_Stream>(&one);
    return C_SUCCESS;
}
C_Status CreateEvent(C_Device, C_Event* event) {
    static int one;
    *event = reinterpret_cast<C_Event>(&one);
    return C_SUCCESS;
}
C_Status Count(std::size_t* count) {
    *count = 1;
    return C_SUCCESS;
}
C_Status List(std::size_t* devices) {
    *devices = 0;
    return C_SUCCESS;
}
C_Status Stats(C_Device, std::size_t* total, std::size_t* free) {
    *total = std::size_t{4} << 30;
    *free = std::size_t{4} << 30;
    return C_SUCCESS;
}
C_Status MinChunk(C_Device, std::size_t* size) {
    *size = 256;
    return C_SUCCESS;
}

template <typename Callback>
void Fill(CustomRuntimeParams* params, const std::size_t* offsets, Callback callback) {
    auto* table = reinterpret_cast<unsigned char*>(params->interface);
    std::memcpy(table + offsets[ColumnOf(params->interface->size)], &callback, sizeof callback);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void InitPlugin(CustomRuntimeParams* params) {
    if (ColumnOf(params->interface->size) < 0) return;
    Fill(params, slot_of::initialize, Nothing);
    Fill(params, slot_of::finalize, Nothing);
    Fill(params, slot_of::init_device, NothingOnDevice);
    Fill(params, slot_of::deinit_device, NothingOnDevice);
    Fill(params, slot_of::set_device, Set);
    Fill(params, slot_of::get_device, Get);
    Fill(params, slot_of::synchronize_device, NothingOnDevice);
    Fill(params, slot_of::get_device_count, Count);
    Fill(params, slot_of::get_device_list, List);
    Fill(params, slot_of::create_stream, CreateStream);
    Fill(params, slot_of::destroy_stream, NothingInStream);
    Fill(params, slot_of::query_stream, NothingInStream);
    Fill(params, slot_of::synchronize_stream, NothingInStream);
    Fill(params, slot_of::create_event, CreateEvent);
    Fill(params, slot_of::destroy_event, NothingWithEvent);
    Fill(params, slot_of::record_event, NothingWithBoth);
    Fill(params, slot_of::query_event, NothingWithEvent);
    Fill(params, slot_of::synchronize_event, NothingWithEvent);
    Fill(params, slot_of::stream_wait_event, NothingWithBoth);
    Fill(params, slot_of::device_memory_allocate, Allocate);
    Fill(params, slot_of::device_memory_deallocate, Deallocate);
    Fill(params, slot_of::memory_copy_h2d, Copy);
    Fill(params, slot_of::memory_copy_d2h, Copy);
    Fill(params, slot_of::memory_copy_d2d, Copy);
    Fill(params, slot_of::memory_copy_p2p, CopyBetween);
    Fill(params, slot_of::async_memory_copy_h2d, CopyInStream);
    Fill(params, slot_of::async_memory_copy_d2h, CopyInStream);
    Fill(params, slot_of::async_memory_copy_d2d, CopyInStream);
    Fill(params, slot_of::async_memory_copy_p2p, CopyBetweenInStream);
    Fill(params, slot_of::device_memory_stats, Stats);
    Fill(params, slot_of::device_min_chunk_size, MinChunk);
    params->version = {0, 1, 1};
    params->sub_device_type = device_type;
    params->device_type = device_type;
}
