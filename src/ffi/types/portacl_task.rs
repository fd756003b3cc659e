//! Types of `portacl.h`: tasks.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use super::base::aclError;

/// A task whose function runs. It is valid until that function returns, in every thread.
pub type portaclTask = *mut c_void;

/// What a task does with a buffer.
#[repr(C)]
pub enum portaclTaskAccess {
    /// It reads the buffer, and does not change it.
    PORTACL_TASK_READ = 1,
    /// It writes the buffer, and does not read what was there.
    PORTACL_TASK_WRITE = 2,
    /// It reads the buffer, and changes any part of it.
    PORTACL_TASK_READ_WRITE = 3,
}

/// What happens with the stream of a task.
#[repr(C)]
pub enum portaclTaskState {
    /// The task may take any time.
    PORTACL_TASK_RUNS = 0,
    /// A call destroys the stream or its context, resets its device, or finalizes, and waits for the task: a task that
    /// waits for something which may not come should return.
    PORTACL_TASK_STREAM_ENDS = 1,
    /// The stream was aborted, destroyed by force, or stopped by a failure of its context, or its device was released
    /// before the task returned: the task should return soon, and its result is not used.
    PORTACL_TASK_DROPPED = 2,
}

/// Flags of a task.
#[repr(C)]
pub enum portaclTaskFlag {
    /// The function gets the buffers' addresses on the device, as they were passed, for other libraries that use the
    /// device. Nothing is copied. Host code cannot read or write there on GPUs and in guard mode.
    PORTACL_TASK_DEVICE_ADDRESSES = 1,
}

/// A buffer of a task.
#[repr(C)]
pub struct portaclTaskBuffer {
    /// Device memory of the stream's device, managed memory, or page-locked host memory. Ignored if `size` is 0.
    pub data: *mut c_void,
    /// Bytes. They lie in one allocation.
    pub size: usize,
    /// What the task does with them.
    pub access: MaybeUninit<portaclTaskAccess>,
}

/// The function of a task: gets the task, an array with an address for each buffer in their order, and the user data.
/// The address is null for a buffer of size 0. The array is valid until the function returns. Returns ACL_SUCCESS, or a
/// code with which the stream fails.
pub type portaclTaskFunction = Option<unsafe extern "C" fn(portaclTask, *const *mut c_void, *mut c_void) -> aclError>;

/// Called with the user data and the new state while the function runs, on the thread that makes the call or that
/// detects the failure. For a task that was pending then, its own thread calls this before the function.
pub type portaclTaskStop = Option<unsafe extern "C" fn(*mut c_void, MaybeUninit<portaclTaskState>)>;

/// Called with the user data when the task will not run again.
pub type portaclTaskRelease = Option<unsafe extern "C" fn(*mut c_void)>;

/// Options of a task.
#[repr(C)]
pub struct portaclTaskOptions {
    /// sizeof(portaclTaskOptions).
    pub structSize: usize,
    /// Name for traces, texts and pictures of graphs; copied. Null: "task".
    pub name: *const c_char,
    /// Values of portaclTaskFlag, combined by `|`.
    pub flags: u32,
    /// Must be 0.
    pub reserved: u32,
    /// Wakes the function; may be null. It is called at most once for each state, on any thread, also inside the call
    /// that ends the stream; calls for two states may overlap. It must return soon, must not wait for the function,
    /// and may call only functions that host functions may call.
    pub stop: portaclTaskStop,
    /// Releases the user data; may be null. It is called once after a successful launch, on any thread: when the
    /// function has returned, when the stream drops the task, or, for a captured task, when the graph is destroyed.
    /// This may be shortly after a wait for the stream has returned. It may call only functions that host functions may
    /// call.
    pub release: portaclTaskRelease,
}
