//! Tasks of the host: functions of the program that a stream runs, with access to device memory.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::algo::thread::cancellation;
use crate::backend::stream::host_fn::as_user_code;
use crate::base::{
    Array, Callback, address, check_struct_size, enum_from, enum_value, function as required, guard, guard_out, handle,
    text,
};
use crate::core::base::error::{Result, invalid_param};
use crate::core::transfer::host_task::{self, Buffer, TaskFunction};
use crate::types::{
    aclError, aclrtStream, portaclTask, portaclTaskBuffer, portaclTaskFlag, portaclTaskFunction, portaclTaskOptions,
    portaclTaskRelease, portaclTaskState, portaclTaskStop,
};

/// The functions of a task from C.
struct Program {
    function: unsafe extern "C" fn(portaclTask, *const *mut c_void, *mut c_void) -> aclError,
    user_data: *mut c_void,
    name: Box<str>,
    stop: portaclTaskStop,
    release: portaclTaskRelease,
    /// Whether the launch has succeeded, so that `release` is called.
    owns: AtomicBool,
}

// SAFETY: who launches a task promises that its functions may be called on any thread, with the user data.
unsafe impl Send for Program {}
// SAFETY: portaclLaunchTask requires that `stop` may be called while the function runs.
unsafe impl Sync for Program {}

impl TaskFunction for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, task: u64, addresses: &[usize]) -> i32 {
        let addresses: Vec<*mut c_void> = addresses.iter().map(|addr| address::to_c(*addr)).collect();
        // SAFETY: who launches a task promises that it may be called; the array lives until it returns.
        unsafe { (self.function)(handle::to_c(task), addresses.as_ptr(), self.user_data) }
    }

    fn stop(&self, state: i32) {
        if let Some(stop) = self.stop {
            // SAFETY: who launches a task promises that it may be called while the function runs.
            unsafe { stop.may_unwind()(self.user_data, enum_from(state)) };
        }
    }

    fn own(&self, owns: bool) {
        self.owns.store(owns, Ordering::Relaxed);
    }
}

/// Releases the user data, when nothing runs the task again.
impl Drop for Program {
    fn drop(&mut self) {
        if let Some(release) = self.release.filter(|_| *self.owns.get_mut()) {
            // SAFETY: who launches a task promises that it may be called once, after the function.
            let code = || unsafe { release(self.user_data) };
            cancellation::without(|| as_user_code(code));
        }
    }
}

/// The options of a task, and its flags.
///
/// # Safety
///
/// `options` is null or points to a structure that begins with its size, with a name that is null or a C string.
unsafe fn read_options(
    options: *const portaclTaskOptions,
) -> Result<(Box<str>, bool, portaclTaskStop, portaclTaskRelease)> {
    const DEVICE_ADDRESSES: u32 = portaclTaskFlag::PORTACL_TASK_DEVICE_ADDRESSES as u32;
    if options.is_null() {
        return Ok(("task".into(), false, None, None));
    }
    // SAFETY: not null, and it begins with its size.
    unsafe { check_struct_size("options", options) }?;
    let options: portaclTaskOptions = Array::new(options, 1).get(0);
    ensure!(
        options.flags & !DEVICE_ADDRESSES == 0,
        invalid_param!(
            "options->flags is {:#x}; allowed: 0 and PORTACL_TASK_DEVICE_ADDRESSES {DEVICE_ADDRESSES:#x}",
            options.flags
        )
    );
    ensure!(options.reserved == 0, invalid_param!("options->reserved is {}; it must be 0", options.reserved));
    // SAFETY: null or a C string, which is copied.
    let name = unsafe { text::optional(options.name) };
    let name = name.map_or_else(|| "task".into(), |name| name.to_string_lossy().into());
    Ok((name, options.flags & DEVICE_ADDRESSES != 0, options.stop, options.release))
}

/// Enqueues a task: a call of `function` on a stream, after the stream's earlier operations, with access to memory of
/// the device. The later operations of the stream wait until it returns; other streams do not. It differs from a host
/// function (aclrtLaunchHostFunc) in four ways:
///
/// - It gets an address for each buffer that it may read or write on the host, as `access` says. On CPUs that is the
///   memory itself, also in guard mode, where other host code has no access. On GPUs the stream copies the buffers to
///   page-locked memory of the library before the call, and after it copies back those that `access` lets the task
///   write. Page-locked host memory is passed as it is. With PORTACL_TASK_DEVICE_ADDRESSES nothing is copied, and the
///   function gets the addresses as they were passed.
/// - It can fail: portaclTaskFail, or another result than ACL_SUCCESS, fails the stream as a failed operation does,
///   with that code. The next wait for the stream returns it.
/// - It has a thread of its own, never one that waits in a call of this library or runs other operations. So tasks of
///   different streams that wait for each other go on. The threads are the library's: one for each task that runs,
///   and idle ones for the next tasks, which end after 5 seconds, except one. If the system refuses a thread for a
///   task, the task runs when another one has returned.
/// - It is notified when its stream is destroyed or aborted, or its device is reset: `options->stop` and
///   portaclTaskGetState. A task that is pending then is dropped by an abort and by aclrtDestroyStreamForce, and runs
///   otherwise.
///
/// After an abort, later operations of the stream wait for a task that still runs. What a task has written when it
/// fails, or is aborted, stays in the buffers. Memory that is freed while a task is pending or runs stays until it
/// has returned.
///
/// Inside the function, calls of this library that allocate, free, wait, enqueue, create or destroy return an error,
/// as inside host functions. The function must return, and must not throw. In a capture the task becomes a part of
/// the graph, which runs it in each launch; keep its buffers allocated as long. The tasks of a graph run one after
/// the other. Graphs with control flow and task groups cannot contain tasks.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param function the function.
/// @param userData argument of the functions; may be null. The caller keeps it valid until `options->release` is
///     called, or without that until the function has returned, or the graph is destroyed.
/// @param buffers the memory; copied, so the caller need not keep the array. Null if `count` is 0. Two buffers may
///     share bytes only if both are PORTACL_TASK_READ.
/// @param count number of buffers, at most 1024.
/// @param options name, flags, and functions for stop and release; copied. Null: none.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `function` is null, `buffers` is null and `count` is not 0, `count` is too
///     large, a buffer with a size has a null address, an unknown access, buffers that overlap and are written,
///     `structSize` is not the size of the structure, unknown flags, or `reserved` is not 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: a buffer is not memory from this library, is freed, is on another
///     device than the stream, or reaches past the end of its allocation; not a stream, destroyed, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no host memory left.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the stream is captured into a graph that cannot contain it, or
///     the CUDA driver does not let streams wait for words in memory.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: the system refuses the first thread for tasks.
/// @note Thread-safe. A function of portacl.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclLaunchTask(
    stream: aclrtStream,
    r#function: portaclTaskFunction,
    userData: *mut c_void,
    buffers: *const portaclTaskBuffer,
    count: usize,
    options: *const portaclTaskOptions,
) -> aclError {
    guard("portaclLaunchTask", || {
        let function = required("function", r#function, "pass the function of the task")?;
        host_task::check_count(count)?;
        let buffers = Array::checked("buffers", buffers, "count", count)?;
        // SAFETY: the caller of portaclLaunchTask passes null or such options.
        let (name, takes_device_addresses, stop, release) = unsafe { read_options(options) }?;
        let buffer = |it: portaclTaskBuffer| Buffer {
            addr: address::from_c(it.data),
            len: it.size,
            access: enum_value(it.access),
        };
        let buffers: Vec<Buffer> = buffers.iter().map(buffer).collect();
        let owns = AtomicBool::new(false);
        let program: Arc<dyn TaskFunction> =
            Arc::new(Program { function, user_data: userData, name, stop, release, owns });
        host_task::launch(&program, &buffers, takes_device_addresses, handle::from_c(stream))
    })
}

/// Makes a task fail: its stream fails with this code and this text when the function returns, whatever it returns. The
/// first call counts.
///
/// @param task the task, as its function got it, in any thread while the function runs.
/// @param code not 0; calls that wait for the stream return it.
/// @param text what failed, for aclGetRecentErrMsg; copied. Null: the name of the task and the code.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `task` is null, or `code` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task whose function runs.
/// @note Thread-safe. A function of portacl.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclTaskFail(task: portaclTask, code: aclError, text: *const c_char) -> aclError {
    guard("portaclTaskFail", || {
        // SAFETY: null or a C string, which is copied.
        let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
        host_task::fail(handle::from_c(task), code, text)
    })
}

/// Returns whether a task should return, because its stream ends or was aborted. It never changes to a smaller value.
///
/// @param task the task, as its function got it, in any thread while the function runs.
/// @param state receives the state.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task whose function runs.
/// @note Thread-safe. A function of portacl.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclTaskGetState(task: portaclTask, state: *mut MaybeUninit<portaclTaskState>) -> aclError {
    guard_out("portaclTaskGetState", "state", state, || host_task::state(handle::from_c(task)).map(enum_from))
}
