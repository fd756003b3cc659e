//! What graphs tell: their names, numbers, streams and tasks.

use std::ffi::{c_char, c_void};

use crate::core::base::error::Result;
use crate::core::graph::inspect;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, handle, text};
use crate::ffi::types::{aclError, aclmdlRI, aclmdlRITask, aclrtStream};

/// Gives a graph a name, in the place of the one that it has. Only aclmdlRIGetName and what is printed of the
/// graph tell it.
///
/// @param modelRI a graph; it may still be captured.
/// @param name a text of at most 512 bytes without its zero, which is copied; "" takes the name away. What is not
/// UTF-8 is replaced.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, or a name that is too long;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed. Thread-safe. Follows aclmdlRISetName of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRISetName(modelRI: aclmdlRI, name: *const c_char) -> aclError {
    guard("aclmdlRISetName", || {
        // SAFETY: by the contract of the C boundary it is null or a text.
        let name = unsafe { text::required("name", name) }?;
        inspect::set_name(handle::from_c(modelRI), name)
    })
}

/// Tells the name of a graph; "" if it has none.
///
/// @param modelRI a graph; it may still be captured.
/// @param maxLen room at `name` in bytes, 1 or more; a longer name is cut off, and always ends with a zero. 513 are
/// enough for all that fits into ASCII.
/// @param name receives the name.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument or `maxLen` 0; ACL_ERROR_RT_PARAM_INVALID
/// 107000: not a graph, or destroyed. Thread-safe. Follows aclmdlRIGetName of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetName(
    modelRI: aclmdlRI,
    maxLen: u32,
    name: *mut c_char,
) -> aclError {
    guard("aclmdlRIGetName", || {
        let out = text::Buffer::new("name", name, "maxLen", maxLen as usize)?;
        out.write(&inspect::name(handle::from_c(modelRI))?);
        Ok(())
    })
}

/// Tells the number of a graph: no other graph of this process has it, also of those that were destroyed.
///
/// @param modelRI a graph; it may still be captured.
/// @param modelRIId receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// graph, or destroyed. Thread-safe. Follows aclmdlRIGetId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetId(modelRI: aclmdlRI, modelRIId: *mut u32) -> aclError {
    guard("aclmdlRIGetId", || {
        let out = Out::new("modelRIId", modelRIId)?;
        out.write(inspect::id(handle::from_c(modelRI))?);
        Ok(())
    })
}

/// Lists the streams of a graph, by the first task of each; a graph without tasks has none. They are not the streams
/// that were captured, which may be destroyed before the graph: each stands for what one of those was given in this
/// graph, and serves only aclmdlRIGetTasksByStream. They go with the graph.
///
/// @param modelRI a graph.
/// @param streams room for the streams; null: only their number is asked for.
/// @param numStreams how many fit into `streams`; receives how many there are.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` or `numStreams` is null;
/// ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039: too little room; only `numStreams` is written;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being
/// captured; ACL_ERROR_BAD_ALLOC 200000: no more handles can be had. Thread-safe. Follows aclmdlRIGetStreams of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetStreams(
    modelRI: aclmdlRI,
    streams: *mut aclrtStream,
    numStreams: *mut u32,
) -> aclError {
    guard("aclmdlRIGetStreams", || {
        let list = || inspect::streams(handle::from_c(modelRI));
        // SAFETY: `streams` has room for as many handles as `numStreams` says, or is null.
        unsafe { write_list("streams", streams, "numStreams", numStreams, list) }
    })
}

/// Lists the tasks of a graph's stream, in the order in which they were given to it. Each call that was recorded is a
/// task, and each copy of a batch; tasks of graphs that were taken over belong to the stream that was to run them.
/// The tasks go with the graph.
///
/// @param stream a stream of aclmdlRIGetStreams; or one of the program: it stands for what it was given in the
/// latest graph that is alive.
/// @param tasks room for the tasks; null: only their number is asked for.
/// @param numTasks how many fit into `tasks`; receives how many there are.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `stream` or `numTasks` is null;
/// ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039: too little room; only `numTasks` is written;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or part of no graph;
/// ACL_ERROR_RT_STREAM_CAPTURED 107027: a stream of the program that is being captured; ACL_ERROR_BAD_ALLOC 200000: no
/// more handles can be had. Thread-safe. Follows aclmdlRIGetTasksByStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetTasksByStream(
    stream: aclrtStream,
    tasks: *mut aclmdlRITask,
    numTasks: *mut u32,
) -> aclError {
    guard("aclmdlRIGetTasksByStream", || {
        let list = || inspect::tasks(handle::from_c(stream));
        // SAFETY: `tasks` has room for as many handles as `numTasks` says, or is null.
        unsafe { write_list("tasks", tasks, "numTasks", numTasks, list) }
    })
}

/// Stores handles, or only how many there are.
///
/// # Safety
/// `array` is null or has room for as many handles as `count` says.
unsafe fn write_list(
    argument: &str,
    array: *mut *mut c_void,
    count_argument: &str,
    count: *mut u32,
    list: impl FnOnce() -> Result<Vec<u64>>,
) -> Result<()> {
    let out = Out::new(count_argument, count)?;
    // SAFETY: not null, and by the contract of the C boundary it points to a number.
    let room = unsafe { count.read_unaligned() };
    let all = list()?;
    out.write(all.len() as u32);
    if array.is_null() {
        return Ok(());
    }
    inspect::check_room(count_argument, room, all.len())?;
    let handles: Vec<_> = all.into_iter().map(handle::to_c).collect();
    // SAFETY: there is room, by this function's contract and the check.
    unsafe { Out::new(argument, array)?.write_all(&handles) };
    Ok(())
}
