//! Inspection of graphs: their names, ids, streams and tasks.

use std::ffi::{c_char, c_void};

use crate::base::{Out, guard, guard_out, handle, text};
use crate::core::base::error::Result;
use crate::core::graph::inspect;
use crate::types::{aclError, aclmdlRI, aclmdlRITask, aclrtStream};

/// Sets the name of a graph. The name appears in aclmdlRIGetName and in printed graphs.
///
/// @param modelRI a graph; it may still be captured.
/// @param name a text of at most 512 bytes without the terminating zero, which is copied; "" removes the name. Invalid
///     UTF-8 is replaced.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or a name that is too long.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
/// @note Thread-safe. Follows aclmdlRISetName of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRISetName(modelRI: aclmdlRI, name: *const c_char) -> aclError {
    guard("aclmdlRISetName", || {
        // SAFETY: by the contract of the C boundary it is null or a text.
        let name = unsafe { text::required("name", name) }?;
        inspect::set_name(handle::from_c(modelRI), name)
    })
}

/// Returns the name of a graph; "" if it has none.
///
/// @param modelRI a graph; it may still be captured.
/// @param maxLen size of `name` in bytes, at least 1; a longer name is truncated, and the text always ends with a zero.
///     513 bytes are enough for every name in UTF-8.
/// @param name receives the name.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or `maxLen` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
/// @note Thread-safe. Follows aclmdlRIGetName of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetName(modelRI: aclmdlRI, maxLen: u32, name: *mut c_char) -> aclError {
    guard("aclmdlRIGetName", || {
        text::Buffer::new("name", name, "maxLen", maxLen as usize)?.write(&inspect::name(handle::from_c(modelRI))?);
        Ok(())
    })
}

/// Returns the number of a graph. It is unique in this process, also among destroyed graphs.
///
/// @param modelRI a graph; it may still be captured.
/// @param modelRIId receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
/// @note Thread-safe. Follows aclmdlRIGetId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetId(modelRI: aclmdlRI, modelRIId: *mut u32) -> aclError {
    guard_out("aclmdlRIGetId", "modelRIId", modelRIId, || inspect::id(handle::from_c(modelRI)))
}

/// Lists the streams of a graph, ordered by the first task of each; a graph without tasks has none. They are not the
/// captured streams, which may be destroyed before the graph: each contains what one of those recorded in this graph,
/// and is accepted only by aclmdlRIGetTasksByStream. They are valid until the graph is destroyed.
///
/// @param modelRI a graph.
/// @param streams array for the streams; null: only returns their number.
/// @param numStreams the length of `streams`; receives the number of streams.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` or `numStreams` is null.
/// @retval ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039: the array is too short; only `numStreams` is written.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more handles are available.
/// @note Thread-safe. Follows aclmdlRIGetStreams of the Ascend runtime API.
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

/// Lists the tasks of a graph's stream, in the order of their calls. Each captured call is a task, and so is each copy
/// of a batch; tasks of other graphs that were copied belong to the stream that launched them. The tasks are valid
/// until the graph is destroyed.
///
/// @param stream a stream of aclmdlRIGetStreams; or a stream of the program: it stands for what it recorded in the
///     latest graph that still exists.
/// @param tasks array for the tasks; null: only returns their number.
/// @param numTasks the length of `tasks`; receives the number of tasks.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `stream` or `numTasks` is null.
/// @retval ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039: the array is too short; only `numTasks` is written.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or part of no graph.
/// @retval ACL_ERROR_RT_STREAM_CAPTURED 107027: a stream of the program that is being captured, or is bound to a graph
///     that is being built.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more handles are available.
/// @note Thread-safe. Follows aclmdlRIGetTasksByStream of the Ascend runtime API.
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

/// Writes handles, or only their number.
///
/// # Safety
///
/// `array` is null or has room for `count` handles.
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
    // SAFETY: there is room, by this function's contract and the check.
    unsafe { Out::new(argument, array)?.write_all(all.into_iter().map(handle::to_c)) };
    Ok(())
}
