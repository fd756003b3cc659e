// The callbacks, each with the name of its slot. Paddle calls them from any thread.
#pragma once

#include <array>
#include <cstdint>

#include "base/interface.h"

namespace portacl_paddle {

// device.cpp
C_Status initialize();
C_Status finalize();
C_Status init_device(C_Device device);
C_Status deinit_device(C_Device device);
C_Status set_device(C_Device device);
C_Status get_device(C_Device device);
C_Status synchronize_device(C_Device device);
C_Status get_device_count(std::size_t* count);
C_Status get_device_list(std::size_t* devices);

// capability.cpp
C_Status get_compute_capability(C_Device device, std::size_t* capability);
C_Status get_device_properties(C_Device device, void* properties);
C_Status get_runtime_version(C_Device device, std::size_t* version);
C_Status get_driver_version(C_Device device, std::size_t* version);
C_Status get_multi_process(C_Device device, std::size_t* processors);
C_Status get_max_threads_per_mp(C_Device device, std::size_t* threads);
C_Status get_max_threads_per_block(C_Device device, std::size_t* threads);
C_Status get_max_grid_dim_size(C_Device device, std::array<unsigned, 3>* size);
C_Status is_float16_supported(C_Device device, bool* supported);
C_Status is_bfloat16_supported(C_Device device, bool* supported);
C_Status is_dnn_supported(C_Device device, bool* supported);
// For Paddle 3.0, which passes no device: refers to the device that the thread has set.
C_Status get_compute_capability_of_current(std::size_t* capability);
C_Status get_runtime_version_of_current(std::size_t* version);
C_Status get_driver_version_of_current(std::size_t* version);

// memory.cpp
C_Status device_memory_allocate(C_Device device, void** pointer, std::size_t size);
C_Status device_memory_deallocate(C_Device device, void* pointer, std::size_t size);
C_Status host_memory_allocate(C_Device device, void** pointer, std::size_t size);
C_Status host_memory_deallocate(C_Device device, void* pointer, std::size_t size);
C_Status unified_memory_allocate(C_Device device, void** pointer, std::size_t size);
C_Status unified_memory_deallocate(C_Device device, void* pointer, std::size_t size);
C_Status device_memory_set(C_Device device, void* pointer, unsigned char value, std::size_t size);
C_Status device_memory_stats(C_Device device, std::size_t* total, std::size_t* free);

// chunk_size.cpp
C_Status device_min_chunk_size(C_Device device, std::size_t* size);
C_Status device_max_chunk_size(C_Device device, std::size_t* size);
C_Status device_max_alloc_size(C_Device device, std::size_t* size);
C_Status device_extra_padding_size(C_Device device, std::size_t* size);
C_Status device_init_alloc_size(C_Device device, std::size_t* size);
C_Status device_realloc_size(C_Device device, std::size_t* size);

// copy.cpp
C_Status memory_copy_h2d(C_Device device, void* dst, const void* src, std::size_t size);
C_Status memory_copy_d2h(C_Device device, void* dst, const void* src, std::size_t size);
C_Status memory_copy_d2d(C_Device device, void* dst, const void* src, std::size_t size);
C_Status memory_copy_p2p(C_Device dst_device, C_Device src_device, void* dst, const void* src, std::size_t size);
C_Status async_memory_copy_h2d(C_Device device, C_Stream stream, void* dst, const void* src, std::size_t size);
C_Status async_memory_copy_d2h(C_Device device, C_Stream stream, void* dst, const void* src, std::size_t size);
C_Status async_memory_copy_d2d(C_Device device, C_Stream stream, void* dst, const void* src, std::size_t size);
C_Status async_memory_copy_p2p(C_Device dst_device, C_Device src_device, C_Stream stream, void* dst, const void* src,
                               std::size_t size);

// stream.cpp
C_Status create_stream(C_Device device, C_Stream* stream);
C_Status destroy_stream(C_Device device, C_Stream stream);
C_Status query_stream(C_Device device, C_Stream stream);
C_Status synchronize_stream(C_Device device, C_Stream stream);
C_Status stream_add_callback(C_Device device, C_Stream stream, C_Callback callback, void* user_data);

// event.cpp
C_Status create_event(C_Device device, C_Event* event);
C_Status destroy_event(C_Device device, C_Event event);
C_Status record_event(C_Device device, C_Stream stream, C_Event event);
C_Status query_event(C_Device device, C_Event event);
C_Status synchronize_event(C_Device device, C_Event event);
C_Status stream_wait_event(C_Device device, C_Stream stream, C_Event event);

// profiler.cpp
C_Status profiler_initialize(C_Profiler profiler, void** user_data);
C_Status profiler_finalize(C_Profiler profiler, void* user_data);
C_Status profiler_prepare_tracing(C_Profiler profiler, void* user_data);
C_Status profiler_start_tracing(C_Profiler profiler, void* user_data);
C_Status profiler_stop_tracing(C_Profiler profiler, void* user_data);
C_Status profiler_collect_trace_data(C_Profiler profiler, std::uint64_t start_ns, void* user_data);

// collective/
C_Status xccl_get_comm_name(C_CCLComm communicator, char* name);
C_Status xccl_get_unique_id_size(std::size_t* size);
C_Status xccl_get_unique_id(C_CCLRootId* id);
C_Status xccl_comm_init_rank(std::size_t ranks, C_CCLRootId* id, std::size_t rank, C_CCLComm* communicator);
C_Status xccl_destroy_comm(C_CCLComm communicator);
C_Status xccl_all_reduce(void* send, void* recv, std::size_t count, C_DataType type, C_CCLReduceOp op,
                         C_CCLComm communicator, C_Stream stream);
C_Status xccl_broadcast(void* buffer, std::size_t count, C_DataType type, std::size_t root, C_CCLComm communicator,
                        C_Stream stream);
C_Status xccl_reduce(void* send, void* recv, std::size_t count, C_DataType type, C_CCLReduceOp op, std::size_t root,
                     C_CCLComm communicator, C_Stream stream);
C_Status xccl_all_gather(void* send, void* recv, std::size_t count, C_DataType type, C_CCLComm communicator,
                         C_Stream stream);
C_Status xccl_reduce_scatter(void* send, void* recv, std::size_t count, C_DataType type, C_CCLReduceOp op,
                             C_CCLComm communicator, C_Stream stream);
C_Status xccl_group_start();
C_Status xccl_group_end();
C_Status xccl_send(void* send, std::size_t count, C_DataType type, std::size_t peer, C_CCLComm communicator,
                   C_Stream stream);
C_Status xccl_recv(void* recv, std::size_t count, C_DataType type, std::size_t peer, C_CCLComm communicator,
                   C_Stream stream);
C_Status xccl_all_to_all(const void** send, const std::size_t* send_count, const C_DataType* send_type, void** recv,
                         const std::size_t* recv_count, const C_DataType* recv_type, std::size_t rank,
                         std::size_t ranks, C_CCLComm communicator, C_Stream stream);

}  // namespace portacl_paddle

// All callbacks above, for code that handles each of them: callbacks with the name of their slot,
// and callbacks of another type followed by the name of the slot.
// clang-format off
#define PORTACL_PADDLE_CALLBACKS(_) \
    PORTACL_PADDLE_CALLBACKS_BY_NAME(_) PORTACL_PADDLE_CALLBACKS_OF_CURRENT(_)
#define PORTACL_PADDLE_CALLBACKS_OF_CURRENT(_) \
    _(get_compute_capability_of_current, get_compute_capability) \
    _(get_runtime_version_of_current, get_runtime_version) \
    _(get_driver_version_of_current, get_driver_version)
#define PORTACL_PADDLE_CALLBACKS_BY_NAME(_) \
    _(initialize) _(finalize) _(init_device) _(deinit_device) _(set_device) _(get_device) \
    _(synchronize_device) _(get_device_count) _(get_device_list) \
    _(get_compute_capability) _(get_device_properties) _(get_runtime_version) \
    _(get_driver_version) _(get_multi_process) _(get_max_threads_per_mp) \
    _(get_max_threads_per_block) _(get_max_grid_dim_size) _(is_float16_supported) \
    _(is_bfloat16_supported) _(is_dnn_supported) \
    _(device_memory_allocate) _(device_memory_deallocate) _(host_memory_allocate) \
    _(host_memory_deallocate) _(unified_memory_allocate) _(unified_memory_deallocate) \
    _(device_memory_set) _(device_memory_stats) \
    _(device_min_chunk_size) _(device_max_chunk_size) _(device_max_alloc_size) \
    _(device_extra_padding_size) _(device_init_alloc_size) _(device_realloc_size) \
    _(memory_copy_h2d) _(memory_copy_d2h) _(memory_copy_d2d) _(memory_copy_p2p) \
    _(async_memory_copy_h2d) _(async_memory_copy_d2h) _(async_memory_copy_d2d) \
    _(async_memory_copy_p2p) \
    _(create_stream) _(destroy_stream) _(query_stream) _(synchronize_stream) \
    _(stream_add_callback) _(stream_wait_event) \
    _(create_event) _(destroy_event) _(record_event) _(query_event) _(synchronize_event) \
    _(xccl_get_comm_name) _(xccl_get_unique_id_size) _(xccl_get_unique_id) _(xccl_comm_init_rank) \
    _(xccl_destroy_comm) _(xccl_all_reduce) _(xccl_broadcast) _(xccl_reduce) _(xccl_all_gather) \
    _(xccl_reduce_scatter) _(xccl_group_start) _(xccl_group_end) _(xccl_send) _(xccl_recv) \
    _(xccl_all_to_all) \
    _(profiler_initialize) _(profiler_finalize) _(profiler_prepare_tracing) \
    _(profiler_start_tracing) _(profiler_stop_tracing) _(profiler_collect_trace_data)
