/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Error codes of the runtime.
 */

#ifndef PORTACL_ERROR_CODES_RT_ERROR_CODES_H
#define PORTACL_ERROR_CODES_RT_ERROR_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED 507910 /**< The host memory is already registered. */
#define ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911 /**< The host memory is not registered. */
#define ACL_ERROR_RT_ADDR_UNALIGNED 107008 /**< The address is not aligned. */
#define ACL_ERROR_RT_AICORE_EXCEPTION 507015 /**< Work failed on an AI core. */
#define ACL_ERROR_RT_AICORE_OVER_FLOW 207003 /**< An overflow on an AI core. */
#define ACL_ERROR_RT_AICORE_TIMEOUT 507014 /**< An AI core timed out. */
#define ACL_ERROR_RT_AICORE_TRAP_EXCEPTION 507016 /**< A trap on an AI core. */
#define ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW 507042 /**< An AI core read outside its memory. */
#define ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW 507043 /**< An AI core wrote outside its memory. */
#define ACL_ERROR_RT_AICPU_DATADUMP_RSP_ERR 507019 /**< A CPU of the device failed to dump. */
#define ACL_ERROR_RT_AICPU_EXCEPTION 507018 /**< Work failed on a CPU of the device. */
#define ACL_ERROR_RT_AICPU_INFO_LOAD_RSP_ERR 507902 /**< A CPU of the device failed to load. */
#define ACL_ERROR_RT_AICPU_INTERNAL_ERROR 507900 /**< A defect of the software on the device's CPUs. */
#define ACL_ERROR_RT_AICPU_MODEL_RSP_ERR 507020 /**< A CPU of the device failed to respond about a graph. */
#define ACL_ERROR_RT_AICPU_TIMEOUT 507017 /**< A CPU of the device timed out. */
#define ACL_ERROR_RT_AIVEC_OVER_FLOW 207016 /**< An overflow on a vector core. */
#define ACL_ERROR_RT_CAPTURE_DEPENDENCY 107024 /**< A captured stream depends on work outside of the capture. */
#define ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC 107041 /**< The mode of the capture forbids the asynchronous call. */
#define ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT 107030 /**< The mode of the capture forbids the call. */
#define ACL_ERROR_RT_CCU_EXCEPTION 507916 /**< The communication unit failed. */
#define ACL_ERROR_RT_CCU_TIMEOUT 507915 /**< The communication unit timed out. */
#define ACL_ERROR_RT_CDQ_BATCH_ABNORMAL 507037 /**< A batch of descriptors failed. */
#define ACL_ERROR_RT_COMM_OP_RETRY_FAIL 507904 /**< Communication failed after several attempts. */
#define ACL_ERROR_RT_CONTEXT_NULL 107002 /**< The thread has no current context. */
#define ACL_ERROR_RT_CONTEXT_RELEASE_ERROR 507007 /**< The context cannot be released. */
#define ACL_ERROR_RT_COPY_DATA 507052 /**< Data cannot be copied. */
#define ACL_ERROR_RT_DEBUG_REGISTER_FAIL 507029 /**< Debugging cannot be enabled. */
#define ACL_ERROR_RT_DEBUG_UNREGISTER_FAIL 507030 /**< Debugging cannot be disabled. */
#define ACL_ERROR_RT_DEVICE_MEM_ERROR 507053 /**< The device's memory has an error. */
#define ACL_ERROR_RT_DEVICE_OOM 207018 /**< The device ran out of memory. */
#define ACL_ERROR_RT_DEVICE_TASK_ABORT 107022 /**< The device's work was dropped. */
#define ACL_ERROR_RT_DEV_SETUP_ERROR 507033 /**< The device cannot be started. */
#define ACL_ERROR_RT_DIE_MODE_CHANGE_ERROR 507038 /**< The mode of the dies cannot be changed. */
#define ACL_ERROR_RT_DIE_MODE_NOT_SET 507041 /**< The mode of the dies was not set. */
#define ACL_ERROR_RT_DIE_SET_ERROR 507039 /**< The die cannot be selected. */
#define ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899 /**< The driver refused. */
#define ACL_ERROR_RT_END_OF_SEQUENCE 507005 /**< The end of the data is reached. */
#define ACL_ERROR_RT_EVENT_CAPTURED 107028 /**< The event is part of a capture. */
#define ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006 /**< The event is not complete. */
#define ACL_ERROR_RT_EVENT_SYNC_TIMEOUT 507047 /**< A wait for an event timed out. */
#define ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006 /**< The event has no timestamp. */
#define ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL 107007 /**< The end comes before the start. */
#define ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000 /**< The feature is not available here. */
#define ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP 207019 /**< The operator cannot be updated. */
#define ACL_ERROR_RT_FFTS_PLUS_EXCEPTION 507049 /**< A group of scheduled tasks failed. */
#define ACL_ERROR_RT_FFTS_PLUS_TIMEOUT 507048 /**< A group of scheduled tasks timed out. */
#define ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION 507050 /**< A trap in a group of scheduled tasks. */
#define ACL_ERROR_RT_FILE_OPEN 107009 /**< A file cannot be opened. */
#define ACL_ERROR_RT_FILE_WRITE 107010 /**< A file cannot be written. */
#define ACL_ERROR_RT_GROUP_NOT_CREATE 107014 /**< The group was not created. */
#define ACL_ERROR_RT_GROUP_NOT_SET 107013 /**< No group was set. */
#define ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR 507054 /**< The device's memory has an uncorrectable error. */
#define ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039 /**< The array is too short. */
#define ACL_ERROR_RT_INTERNAL_ERROR 507000 /**< A defect of the runtime. */
#define ACL_ERROR_RT_INVALID_DEVICEID 107001 /**< No such device. */
#define ACL_ERROR_RT_INVALID_DEVICE_FUNCTION 107044 /**< An invalid kernel. */
#define ACL_ERROR_RT_INVALID_DIEID 507040 /**< No such die. */
#define ACL_ERROR_RT_INVALID_HANDLE 107017 /**< An invalid handle. */
#define ACL_ERROR_RT_INVALID_MALLOC_TYPE 107018 /**< An unknown kind of allocation. */
#define ACL_ERROR_RT_INVALID_MEMORY_TYPE 107016 /**< An unknown kind of memory. */
#define ACL_ERROR_RT_INVALID_SYMBOL 107043 /**< An invalid symbol. */
#define ACL_ERROR_RT_IPC_ERROR 507022 /**< Sharing between processes failed. */
#define ACL_ERROR_RT_KERNEL_DUPLICATE 507028 /**< The kernel exists twice. */
#define ACL_ERROR_RT_KERNEL_LOOKUP 507027 /**< The kernel was not found. */
#define ACL_ERROR_RT_KERNEL_UNREGISTERING 507024 /**< The kernel is being removed. */
#define ACL_ERROR_RT_L3_PORT_ERROR 507914 /**< A port of the level-3 network has an error. */
#define ACL_ERROR_RT_LABEL_CONTEXT 507031 /**< The label belongs to another context. */
#define ACL_ERROR_RT_LINK_ERROR 507056 /**< A connection has an error. */
#define ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED 207021 /**< The connection is not supported. */
#define ACL_ERROR_RT_LOST_HEARTBEAT 507010 /**< The device does not respond. */
#define ACL_ERROR_RT_MEMORY_ALLOCATION 207001 /**< No device memory left. */
#define ACL_ERROR_RT_MEMORY_FREE 207002 /**< Memory cannot be freed. */
#define ACL_ERROR_RT_MODEL_ABORT_NORMAL 507023 /**< The graph ended early, as requested. */
#define ACL_ERROR_RT_MODEL_CAPTURED 107026 /**< The graph is being captured. */
#define ACL_ERROR_RT_MODEL_CONTEXT 107004 /**< The graph belongs to another context. */
#define ACL_ERROR_RT_MODEL_EXECUTE 507011 /**< The graph failed. */
#define ACL_ERROR_RT_MODEL_RUNNING 107037 /**< The graph is running. */
#define ACL_ERROR_RT_MODEL_UPDATE_FAILED 107040 /**< The graph cannot be changed. */
#define ACL_ERROR_RT_NO_CDQ_RESOURCE 207011 /**< No descriptor queue is available. */
#define ACL_ERROR_RT_NO_DEVICE 207004 /**< There is no device. */
#define ACL_ERROR_RT_NO_EVENT_RESOURCE 207007 /**< No more events can be created. */
#define ACL_ERROR_RT_NO_MODEL_RESOURCE 207010 /**< No more graphs can be created. */
#define ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009 /**< No more notifies can be created. */
#define ACL_ERROR_RT_NO_PERMISSION 207006 /**< The call is not permitted. */
#define ACL_ERROR_RT_NO_STREAM_RESOURCE 207008 /**< No more streams can be created. */
#define ACL_ERROR_RT_OVER_FLOW 207017 /**< An overflow was detected. */
#define ACL_ERROR_RT_OVER_LIMIT 207012 /**< A limit is reached. */
#define ACL_ERROR_RT_PARAM_INVALID 107000 /**< An argument that is invalid because of the state of an object. */
#define ACL_ERROR_RT_PROFILING_ERROR 507021 /**< Profiling failed. */
#define ACL_ERROR_RT_PROGRAM_USE_OUT 507032 /**< No more binaries can be loaded. */
#define ACL_ERROR_RT_QUEUE_EMPTY 207013 /**< The queue is empty. */
#define ACL_ERROR_RT_QUEUE_FULL 207014 /**< The queue is full. */
#define ACL_ERROR_RT_REPEATED_INIT 207015 /**< It is already initialized. */
#define ACL_ERROR_RT_REPORT_TIMEOUT 507012 /**< No report arrived in time. */
#define ACL_ERROR_RT_RESOURCE_ALLOC_FAIL 207005 /**< No resources left. */
#define ACL_ERROR_RT_RINGBUFFER_NOT_INIT 507025 /**< The ring buffer is not initialized. */
#define ACL_ERROR_RT_RINGBUFFER_NO_DATA 507026 /**< The ring buffer is empty. */
#define ACL_ERROR_RT_SEND_MSG 507051 /**< A message cannot be sent. */
#define ACL_ERROR_RT_SOCKET_CLOSE 507901 /**< A connection was closed. */
#define ACL_ERROR_RT_SOC_VERSION 507008 /**< The chip's version is wrong. */
#define ACL_ERROR_RT_STREAM_ABORT 107023 /**< The stream's work was dropped. */
#define ACL_ERROR_RT_STREAM_CAPTURED 107027 /**< The stream is being captured. */
#define ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031 /**< The default stream cannot be captured. */
#define ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903 /**< The capture was invalidated. */
#define ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED 107036 /**< The capture began with another stream. */
#define ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD 107038 /**< The capture was begun by another thread. */
#define ACL_ERROR_RT_STREAM_CONTEXT 107003 /**< The stream belongs to another context. */
#define ACL_ERROR_RT_STREAM_MODEL 107005 /**< The stream does not belong to the graph. */
#define ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029 /**< The stream is not being captured. */
#define ACL_ERROR_RT_STREAM_NOT_COMPLETE 507004 /**< The stream is not complete. */
#define ACL_ERROR_RT_STREAM_NO_CB_REG 107015 /**< No thread is subscribed to the stream's callbacks. */
#define ACL_ERROR_RT_STREAM_SUBSCRIBE 107011 /**< The stream is already subscribed, or not subscribed. */
#define ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046 /**< A wait for a stream or device timed out. */
#define ACL_ERROR_RT_STREAM_TASK_EMPTY 507003 /**< The stream is empty. */
#define ACL_ERROR_RT_STREAM_TASK_FULL 507002 /**< The stream is full. */
#define ACL_ERROR_RT_STREAM_UNJOINED 107025 /**< The first stream does not wait for a stream that joined the capture. */
#define ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING 107045 /**< A graph inside this graph is being captured. */
#define ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR 507055 /**< The device's memory may have an error. */
#define ACL_ERROR_RT_SUSPECT_REMOTE_ERROR 507057 /**< Another device may have an error. */
#define ACL_ERROR_RT_SYMBOL_NOT_FOUND 107042 /**< No such symbol. */
#define ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021 /**< The option was never set. */
#define ACL_ERROR_RT_SYS_DMA 507013 /**< A copy inside the system failed. */
#define ACL_ERROR_RT_TASK_ABORT_STOP 107035 /**< The abort of work was stopped. */
#define ACL_ERROR_RT_TASK_TIMEOUT 107020 /**< A task timed out. */
#define ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT 507009 /**< The task is not supported. */
#define ACL_ERROR_RT_THREAD_SUBSCRIBE 107012 /**< The thread is already subscribed, or not subscribed. */
#define ACL_ERROR_RT_TIMEOUT 207020 /**< A timeout expired. */
#define ACL_ERROR_RT_TS_ERROR 507001 /**< The scheduler failed. */
#define ACL_ERROR_RT_VECTOR_CORE_EXCEPTION 507035 /**< Work failed on a vector core. */
#define ACL_ERROR_RT_VECTOR_CORE_TIMEOUT 507034 /**< A vector core timed out. */
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION 507036 /**< A trap on a vector core. */
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW 507044 /**< A vector core read outside its memory. */
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW 507045 /**< A vector core wrote outside its memory. */
#define ACL_ERROR_RT_WAIT_TIMEOUT 107019 /**< A wait timed out. */
#define ACL_ERROR_SNAPSHOT_BACKUP_FAILED 507908 /**< The devices' state cannot be saved. */
#define ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912 /**< A snapshot callback failed. */
#define ACL_ERROR_SNAPSHOT_LOCK_FAILED 507906 /**< A process cannot be locked. */
#define ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT 507905 /**< Locking a process timed out. */
#define ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED 507913 /**< A snapshot callback cannot be registered. */
#define ACL_ERROR_SNAPSHOT_RESTORE_FAILED 507909 /**< The devices' state cannot be restored. */
#define ACL_ERROR_SNAPSHOT_UNLOCK_FAILED 507907 /**< A process cannot be unlocked. */
#define ACL_ERROR_STREAM_CAPTURE_CONFLICT 107032 /**< Two captures would mix. */
#define ACL_ERROR_STREAM_TASK_GROUP_INTR 107034 /**< The task group was interrupted. */
#define ACL_ERROR_STREAM_TASK_GROUP_STATUS 107033 /**< The task group is in a wrong state. */
#define ACL_RT_SUCCESS 0 /**< Success. */

#endif  /* PORTACL_ERROR_CODES_RT_ERROR_CODES_H */
