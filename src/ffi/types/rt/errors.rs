//! Error codes of `error_codes/rt_error_codes.h`: those of the runtime.

/// The host memory is already registered.
pub const ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED: i32 = 507_910;
/// The host memory is not registered.
pub const ACL_ERROR_HOST_MEMORY_NOT_REGISTERED: i32 = 507_911;
/// The address is not aligned.
pub const ACL_ERROR_RT_ADDR_UNALIGNED: i32 = 107_008;
/// Work failed on an AI core.
pub const ACL_ERROR_RT_AICORE_EXCEPTION: i32 = 507_015;
/// An overflow on an AI core.
pub const ACL_ERROR_RT_AICORE_OVER_FLOW: i32 = 207_003;
/// An AI core timed out.
pub const ACL_ERROR_RT_AICORE_TIMEOUT: i32 = 507_014;
/// A trap on an AI core.
pub const ACL_ERROR_RT_AICORE_TRAP_EXCEPTION: i32 = 507_016;
/// An AI core read outside its memory.
pub const ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW: i32 = 507_042;
/// An AI core wrote outside its memory.
pub const ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW: i32 = 507_043;
/// A CPU of the device failed to dump.
pub const ACL_ERROR_RT_AICPU_DATADUMP_RSP_ERR: i32 = 507_019;
/// Work failed on a CPU of the device.
pub const ACL_ERROR_RT_AICPU_EXCEPTION: i32 = 507_018;
/// A CPU of the device failed to load.
pub const ACL_ERROR_RT_AICPU_INFO_LOAD_RSP_ERR: i32 = 507_902;
/// A defect of the software on the device's CPUs.
pub const ACL_ERROR_RT_AICPU_INTERNAL_ERROR: i32 = 507_900;
/// A CPU of the device failed to respond about a graph.
pub const ACL_ERROR_RT_AICPU_MODEL_RSP_ERR: i32 = 507_020;
/// A CPU of the device timed out.
pub const ACL_ERROR_RT_AICPU_TIMEOUT: i32 = 507_017;
/// An overflow on a vector core.
pub const ACL_ERROR_RT_AIVEC_OVER_FLOW: i32 = 207_016;
/// A captured stream depends on work outside of the capture.
pub const ACL_ERROR_RT_CAPTURE_DEPENDENCY: i32 = 107_024;
/// The mode of the capture forbids the asynchronous call.
pub const ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC: i32 = 107_041;
/// The mode of the capture forbids the call.
pub const ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT: i32 = 107_030;
/// The communication unit failed.
pub const ACL_ERROR_RT_CCU_EXCEPTION: i32 = 507_916;
/// The communication unit timed out.
pub const ACL_ERROR_RT_CCU_TIMEOUT: i32 = 507_915;
/// A batch of descriptors failed.
pub const ACL_ERROR_RT_CDQ_BATCH_ABNORMAL: i32 = 507_037;
/// Communication failed after several attempts.
pub const ACL_ERROR_RT_COMM_OP_RETRY_FAIL: i32 = 507_904;
/// The thread has no current context.
pub const ACL_ERROR_RT_CONTEXT_NULL: i32 = 107_002;
/// The context cannot be released.
pub const ACL_ERROR_RT_CONTEXT_RELEASE_ERROR: i32 = 507_007;
/// Data cannot be copied.
pub const ACL_ERROR_RT_COPY_DATA: i32 = 507_052;
/// Debugging cannot be enabled.
pub const ACL_ERROR_RT_DEBUG_REGISTER_FAIL: i32 = 507_029;
/// Debugging cannot be disabled.
pub const ACL_ERROR_RT_DEBUG_UNREGISTER_FAIL: i32 = 507_030;
/// The device's memory has an error.
pub const ACL_ERROR_RT_DEVICE_MEM_ERROR: i32 = 507_053;
/// The device ran out of memory.
pub const ACL_ERROR_RT_DEVICE_OOM: i32 = 207_018;
/// The device's work was dropped.
pub const ACL_ERROR_RT_DEVICE_TASK_ABORT: i32 = 107_022;
/// The device cannot be started.
pub const ACL_ERROR_RT_DEV_SETUP_ERROR: i32 = 507_033;
/// The mode of the dies cannot be changed.
pub const ACL_ERROR_RT_DIE_MODE_CHANGE_ERROR: i32 = 507_038;
/// The mode of the dies was not set.
pub const ACL_ERROR_RT_DIE_MODE_NOT_SET: i32 = 507_041;
/// The die cannot be selected.
pub const ACL_ERROR_RT_DIE_SET_ERROR: i32 = 507_039;
/// The driver refused.
pub const ACL_ERROR_RT_DRV_INTERNAL_ERROR: i32 = 507_899;
/// The end of the data is reached.
pub const ACL_ERROR_RT_END_OF_SEQUENCE: i32 = 507_005;
/// The event is part of a capture.
pub const ACL_ERROR_RT_EVENT_CAPTURED: i32 = 107_028;
/// The event is not complete.
pub const ACL_ERROR_RT_EVENT_NOT_COMPLETE: i32 = 507_006;
/// A wait for an event timed out.
pub const ACL_ERROR_RT_EVENT_SYNC_TIMEOUT: i32 = 507_047;
/// The event has no timestamp.
pub const ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID: i32 = 107_006;
/// The end comes before the start.
pub const ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL: i32 = 107_007;
/// The feature is not available here.
pub const ACL_ERROR_RT_FEATURE_NOT_SUPPORT: i32 = 207_000;
/// The operator cannot be updated.
pub const ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP: i32 = 207_019;
/// A group of scheduled tasks failed.
pub const ACL_ERROR_RT_FFTS_PLUS_EXCEPTION: i32 = 507_049;
/// A group of scheduled tasks timed out.
pub const ACL_ERROR_RT_FFTS_PLUS_TIMEOUT: i32 = 507_048;
/// A trap in a group of scheduled tasks.
pub const ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION: i32 = 507_050;
/// A file cannot be opened.
pub const ACL_ERROR_RT_FILE_OPEN: i32 = 107_009;
/// A file cannot be written.
pub const ACL_ERROR_RT_FILE_WRITE: i32 = 107_010;
/// The group was not created.
pub const ACL_ERROR_RT_GROUP_NOT_CREATE: i32 = 107_014;
/// No group was set.
pub const ACL_ERROR_RT_GROUP_NOT_SET: i32 = 107_013;
/// The device's memory has an uncorrectable error.
pub const ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR: i32 = 507_054;
/// The array is too short.
pub const ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY: i32 = 107_039;
/// A defect of the runtime.
pub const ACL_ERROR_RT_INTERNAL_ERROR: i32 = 507_000;
/// No such device.
pub const ACL_ERROR_RT_INVALID_DEVICEID: i32 = 107_001;
/// An invalid kernel.
pub const ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: i32 = 107_044;
/// No such die.
pub const ACL_ERROR_RT_INVALID_DIEID: i32 = 507_040;
/// An invalid handle.
pub const ACL_ERROR_RT_INVALID_HANDLE: i32 = 107_017;
/// An unknown kind of allocation.
pub const ACL_ERROR_RT_INVALID_MALLOC_TYPE: i32 = 107_018;
/// An unknown kind of memory.
pub const ACL_ERROR_RT_INVALID_MEMORY_TYPE: i32 = 107_016;
/// An invalid symbol.
pub const ACL_ERROR_RT_INVALID_SYMBOL: i32 = 107_043;
/// Sharing between processes failed.
pub const ACL_ERROR_RT_IPC_ERROR: i32 = 507_022;
/// The kernel exists twice.
pub const ACL_ERROR_RT_KERNEL_DUPLICATE: i32 = 507_028;
/// The kernel was not found.
pub const ACL_ERROR_RT_KERNEL_LOOKUP: i32 = 507_027;
/// The kernel is being removed.
pub const ACL_ERROR_RT_KERNEL_UNREGISTERING: i32 = 507_024;
/// A port of the level-3 network has an error.
pub const ACL_ERROR_RT_L3_PORT_ERROR: i32 = 507_914;
/// The label belongs to another context.
pub const ACL_ERROR_RT_LABEL_CONTEXT: i32 = 507_031;
/// A connection has an error.
pub const ACL_ERROR_RT_LINK_ERROR: i32 = 507_056;
/// The connection is not supported.
pub const ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED: i32 = 207_021;
/// The device does not respond.
pub const ACL_ERROR_RT_LOST_HEARTBEAT: i32 = 507_010;
/// No device memory left.
pub const ACL_ERROR_RT_MEMORY_ALLOCATION: i32 = 207_001;
/// Memory cannot be freed.
pub const ACL_ERROR_RT_MEMORY_FREE: i32 = 207_002;
/// The graph ended early, as requested.
pub const ACL_ERROR_RT_MODEL_ABORT_NORMAL: i32 = 507_023;
/// The graph is being captured.
pub const ACL_ERROR_RT_MODEL_CAPTURED: i32 = 107_026;
/// The graph belongs to another context.
pub const ACL_ERROR_RT_MODEL_CONTEXT: i32 = 107_004;
/// The graph failed.
pub const ACL_ERROR_RT_MODEL_EXECUTE: i32 = 507_011;
/// The graph is running.
pub const ACL_ERROR_RT_MODEL_RUNNING: i32 = 107_037;
/// The graph cannot be changed.
pub const ACL_ERROR_RT_MODEL_UPDATE_FAILED: i32 = 107_040;
/// No descriptor queue is available.
pub const ACL_ERROR_RT_NO_CDQ_RESOURCE: i32 = 207_011;
/// There is no device.
pub const ACL_ERROR_RT_NO_DEVICE: i32 = 207_004;
/// No more events can be created.
pub const ACL_ERROR_RT_NO_EVENT_RESOURCE: i32 = 207_007;
/// No more graphs can be created.
pub const ACL_ERROR_RT_NO_MODEL_RESOURCE: i32 = 207_010;
/// No more notifies can be created.
pub const ACL_ERROR_RT_NO_NOTIFY_RESOURCE: i32 = 207_009;
/// The call is not permitted.
pub const ACL_ERROR_RT_NO_PERMISSION: i32 = 207_006;
/// No more streams can be created.
pub const ACL_ERROR_RT_NO_STREAM_RESOURCE: i32 = 207_008;
/// An overflow was detected.
pub const ACL_ERROR_RT_OVER_FLOW: i32 = 207_017;
/// A limit is reached.
pub const ACL_ERROR_RT_OVER_LIMIT: i32 = 207_012;
/// An argument that is invalid because of the state of an object.
pub const ACL_ERROR_RT_PARAM_INVALID: i32 = 107_000;
/// Profiling failed.
pub const ACL_ERROR_RT_PROFILING_ERROR: i32 = 507_021;
/// No more binaries can be loaded.
pub const ACL_ERROR_RT_PROGRAM_USE_OUT: i32 = 507_032;
/// The queue is empty.
pub const ACL_ERROR_RT_QUEUE_EMPTY: i32 = 207_013;
/// The queue is full.
pub const ACL_ERROR_RT_QUEUE_FULL: i32 = 207_014;
/// It is already initialized.
pub const ACL_ERROR_RT_REPEATED_INIT: i32 = 207_015;
/// No report arrived in time.
pub const ACL_ERROR_RT_REPORT_TIMEOUT: i32 = 507_012;
/// No resources left.
pub const ACL_ERROR_RT_RESOURCE_ALLOC_FAIL: i32 = 207_005;
/// The ring buffer is not initialized.
pub const ACL_ERROR_RT_RINGBUFFER_NOT_INIT: i32 = 507_025;
/// The ring buffer is empty.
pub const ACL_ERROR_RT_RINGBUFFER_NO_DATA: i32 = 507_026;
/// A message cannot be sent.
pub const ACL_ERROR_RT_SEND_MSG: i32 = 507_051;
/// A connection was closed.
pub const ACL_ERROR_RT_SOCKET_CLOSE: i32 = 507_901;
/// The chip's version is wrong.
pub const ACL_ERROR_RT_SOC_VERSION: i32 = 507_008;
/// The stream's work was dropped.
pub const ACL_ERROR_RT_STREAM_ABORT: i32 = 107_023;
/// The stream is being captured.
pub const ACL_ERROR_RT_STREAM_CAPTURED: i32 = 107_027;
/// The default stream cannot be captured.
pub const ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT: i32 = 107_031;
/// The capture was invalidated.
pub const ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED: i32 = 507_903;
/// The capture began with another stream.
pub const ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED: i32 = 107_036;
/// The capture was begun by another thread.
pub const ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD: i32 = 107_038;
/// The stream belongs to another context.
pub const ACL_ERROR_RT_STREAM_CONTEXT: i32 = 107_003;
/// The stream does not belong to the graph.
pub const ACL_ERROR_RT_STREAM_MODEL: i32 = 107_005;
/// The stream is not being captured.
pub const ACL_ERROR_RT_STREAM_NOT_CAPTURED: i32 = 107_029;
/// The stream is not complete.
pub const ACL_ERROR_RT_STREAM_NOT_COMPLETE: i32 = 507_004;
/// No thread is subscribed to the stream's callbacks.
pub const ACL_ERROR_RT_STREAM_NO_CB_REG: i32 = 107_015;
/// The stream is already subscribed, or not subscribed.
pub const ACL_ERROR_RT_STREAM_SUBSCRIBE: i32 = 107_011;
/// A wait for a stream or device timed out.
pub const ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: i32 = 507_046;
/// The stream is empty.
pub const ACL_ERROR_RT_STREAM_TASK_EMPTY: i32 = 507_003;
/// The stream is full.
pub const ACL_ERROR_RT_STREAM_TASK_FULL: i32 = 507_002;
/// The first stream does not wait for a stream that joined the capture.
pub const ACL_ERROR_RT_STREAM_UNJOINED: i32 = 107_025;
/// A graph inside this graph is being captured.
pub const ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING: i32 = 107_045;
/// The device's memory may have an error.
pub const ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR: i32 = 507_055;
/// Another device may have an error.
pub const ACL_ERROR_RT_SUSPECT_REMOTE_ERROR: i32 = 507_057;
/// No such symbol.
pub const ACL_ERROR_RT_SYMBOL_NOT_FOUND: i32 = 107_042;
/// The option was never set.
pub const ACL_ERROR_RT_SYSPARAMOPT_NOT_SET: i32 = 107_021;
/// A copy inside the system failed.
pub const ACL_ERROR_RT_SYS_DMA: i32 = 507_013;
/// The abort of work was stopped.
pub const ACL_ERROR_RT_TASK_ABORT_STOP: i32 = 107_035;
/// A task timed out.
pub const ACL_ERROR_RT_TASK_TIMEOUT: i32 = 107_020;
/// The task is not supported.
pub const ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT: i32 = 507_009;
/// The thread is already subscribed, or not subscribed.
pub const ACL_ERROR_RT_THREAD_SUBSCRIBE: i32 = 107_012;
/// A timeout expired.
pub const ACL_ERROR_RT_TIMEOUT: i32 = 207_020;
/// The scheduler failed.
pub const ACL_ERROR_RT_TS_ERROR: i32 = 507_001;
/// Work failed on a vector core.
pub const ACL_ERROR_RT_VECTOR_CORE_EXCEPTION: i32 = 507_035;
/// A vector core timed out.
pub const ACL_ERROR_RT_VECTOR_CORE_TIMEOUT: i32 = 507_034;
/// A trap on a vector core.
pub const ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION: i32 = 507_036;
/// A vector core read outside its memory.
pub const ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW: i32 = 507_044;
/// A vector core wrote outside its memory.
pub const ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW: i32 = 507_045;
/// A wait timed out.
pub const ACL_ERROR_RT_WAIT_TIMEOUT: i32 = 107_019;
/// The devices' state cannot be saved.
pub const ACL_ERROR_SNAPSHOT_BACKUP_FAILED: i32 = 507_908;
/// A snapshot callback failed.
pub const ACL_ERROR_SNAPSHOT_CALLBACK_FAILED: i32 = 507_912;
/// A process cannot be locked.
pub const ACL_ERROR_SNAPSHOT_LOCK_FAILED: i32 = 507_906;
/// Locking a process timed out.
pub const ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT: i32 = 507_905;
/// A snapshot callback cannot be registered.
pub const ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED: i32 = 507_913;
/// The devices' state cannot be restored.
pub const ACL_ERROR_SNAPSHOT_RESTORE_FAILED: i32 = 507_909;
/// A process cannot be unlocked.
pub const ACL_ERROR_SNAPSHOT_UNLOCK_FAILED: i32 = 507_907;
/// Two captures would mix.
pub const ACL_ERROR_STREAM_CAPTURE_CONFLICT: i32 = 107_032;
/// The task group was interrupted.
pub const ACL_ERROR_STREAM_TASK_GROUP_INTR: i32 = 107_034;
/// The task group is in a wrong state.
pub const ACL_ERROR_STREAM_TASK_GROUP_STATUS: i32 = 107_033;
/// Success.
pub const ACL_RT_SUCCESS: i32 = 0;
