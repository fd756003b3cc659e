//! Types of `acl_rt.h` about streams, events, notifies and callbacks.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use super::super::base::aclrtStream;

/// The result of aclrtQueryEvent.
#[repr(C)]
pub enum aclrtEventStatus {
    /// It is complete.
    ACL_EVENT_STATUS_COMPLETE = 0,
    /// It is not complete.
    ACL_EVENT_STATUS_NOT_READY = 1,
    /// Not a state.
    ACL_EVENT_STATUS_RESERVED = 2,
}

/// The result of aclrtQueryEventStatus. Note the numbers: 1 is complete.
#[repr(C)]
pub enum aclrtEventRecordedStatus {
    /// The record is not complete or was reset, or the event was never recorded.
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    /// The record is complete, or an event of aclrtCreateEventExWithFlag was never recorded.
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
}

/// The result of aclrtQueryEventWaitStatus.
#[repr(C)]
pub enum aclrtEventWaitStatus {
    /// All waits are complete.
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
    /// A wait is pending.
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
    /// Not a state.
    ACL_EVENT_WAIT_STATUS_RESERVED = 65535,
}

/// The result of aclrtStreamQuery.
#[repr(C)]
pub enum aclrtStreamStatus {
    /// All work is complete.
    ACL_STREAM_STATUS_COMPLETE = 0,
    /// Work is pending.
    ACL_STREAM_STATUS_NOT_READY = 1,
    /// Not a state.
    ACL_STREAM_STATUS_RESERVED = 65535,
}

/// Whether a stream waits for a callback.
#[repr(C)]
pub enum aclrtCallbackBlockType {
    /// Later work continues at once.
    ACL_CALLBACK_NO_BLOCK = 0,
    /// Later work waits until the callback has returned.
    ACL_CALLBACK_BLOCK = 1,
}

/// Fields of a stream configuration.
#[repr(C)]
pub enum aclrtStreamConfigAttr {
    /// Working memory: its address.
    ACL_RT_STREAM_WORK_ADDR_PTR = 0,
    /// Working memory: its size.
    ACL_RT_STREAM_WORK_SIZE = 1,
    /// ACL_STREAM_* flags.
    ACL_RT_STREAM_FLAG = 2,
    /// The priority.
    ACL_RT_STREAM_PRIORITY = 3,
}

/// The configuration of a stream to create.
#[repr(C)]
pub struct aclrtStreamConfigHandle {
    /// Working memory, or null.
    pub workptr: *mut c_void,
    /// Size of the working memory.
    pub workSize: usize,
    /// ACL_STREAM_* flags.
    pub flag: usize,
    /// The priority.
    pub priority: u32,
}

/// Called with the caller's argument.
pub type aclrtCallback = Option<unsafe extern "C" fn(*mut c_void)>;

/// Called in stream order with the caller's argument.
pub type aclrtHostFunc = Option<unsafe extern "C" fn(*mut c_void)>;

/// Attributes of a stream.
#[repr(C)]
pub enum aclrtStreamAttr {
    /// The behaviour after a failure.
    ACL_STREAM_ATTR_FAILURE_MODE = 1,
    /// Whether overflows are detected.
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
    /// A user-defined number.
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
    /// Whether operator information is stored.
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
    /// The priority.
    ACL_STREAM_ATTR_PRIORITY = 5,
}

/// The value of an attribute of a stream.
#[repr(C)]
pub union aclrtStreamAttrValue {
    /// ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE.
    pub failureMode: u64,
    /// 1 to detect overflows.
    pub overflowSwitch: u32,
    /// The user-defined number.
    pub userCustomTag: u32,
    /// 1 to store operator information.
    pub cacheOpInfoSwitch: u32,
    /// The priority.
    pub streamPriority: u32,
    /// Reserved.
    pub reserve: [u32; 4],
}

/// How two values are compared.
#[repr(C)]
pub enum aclrtCondition {
    /// Equal.
    ACL_RT_EQUAL = 0,
    /// Not equal.
    ACL_RT_NOT_EQUAL = 1,
    /// The left one is greater.
    ACL_RT_GREATER = 2,
    /// The left one is not less.
    ACL_RT_GREATER_OR_EQUAL = 3,
    /// The left one is less.
    ACL_RT_LESS = 4,
    /// The left one is not greater.
    ACL_RT_LESS_OR_EQUAL = 5,
}

/// The type of values that are compared.
#[repr(C)]
pub enum aclrtCompareDataType {
    /// 32-bit signed.
    ACL_RT_SWITCH_INT32 = 0,
    /// 64-bit signed.
    ACL_RT_SWITCH_INT64 = 1,
}

/// The time of a stream-state callback.
#[repr(C)]
pub enum aclrtStreamState {
    /// The call after the stream's creation.
    ACL_RT_STREAM_STATE_CREATE_POST = 1,
    /// The call before the stream's destruction.
    ACL_RT_STREAM_STATE_DESTROY_PRE = 2,
}

/// Called with a stream, its state, and the caller's argument.
pub type aclrtStreamStateCallback =
    Option<unsafe extern "C" fn(aclrtStream, MaybeUninit<aclrtStreamState>, *mut c_void)>;

/// How a record changes the count of a notify.
#[repr(C)]
pub enum aclrtCntNotifyRecordMode {
    /// Sets it.
    ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
    /// Adds to it.
    ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
    /// Sets bits in it.
    ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,
    /// Clears bits in it.
    ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4,
}

/// A change of the count of a notify.
#[repr(C)]
pub struct aclrtCntNotifyRecordInfo {
    /// The kind of change.
    pub mode: MaybeUninit<aclrtCntNotifyRecordMode>,
    /// The operand.
    pub value: u32,
}

/// The condition on the count of a notify that ends a wait.
#[repr(C)]
pub enum aclrtCntNotifyWaitMode {
    /// Less than the value.
    ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,
    /// The value.
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,
    /// Greater than the value.
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
    /// Not less than the value.
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,
    /// All bits of the value are set.
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4,
}

/// A wait for the count of a notify.
#[repr(C)]
pub struct aclrtCntNotifyWaitInfo {
    /// The condition.
    pub mode: MaybeUninit<aclrtCntNotifyWaitMode>,
    /// The value to compare the count with.
    pub value: u32,
    /// Timeout in seconds; 0 for no timeout.
    pub timeout: u32,
    /// 1 to set the count to 0 afterwards.
    pub isClear: u8,
    /// Reserved.
    pub rsv: [u8; 3],
}

/// The handle of an event for other processes.
#[repr(C)]
pub struct aclrtIpcEventHandle {
    /// Opaque.
    pub reserved: [c_char; 64],
}
