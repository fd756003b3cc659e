//! Capturing graphs: streams whose work is recorded instead of run.

use std::mem::MaybeUninit;

use crate::core::graph::{capture, mode};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, enum_from, enum_value, handle};
use crate::ffi::types::{
    aclError, aclmdlRI, aclmdlRICaptureMode, aclmdlRICaptureStatus, aclrtStream,
};

/// Begins to record what a stream is given, instead of running it: copies, fills, reductions, random numbers, kernels, host
/// functions, values, notifies, records of events and waits for them, and runs of other graphs, whose tasks are
/// taken over. What
/// the stream was given before runs on. Another stream of the device joins when it waits for an event that was
/// recorded in the capture; before the end the first stream has to wait for what the others were given last.
///
/// The mode says whom the capture forbids what cannot be recorded: calls that work on memory at once
/// (aclrtMemcpy, aclrtMemset and their kin), asynchronous copies of pageable memory, and aclmdlRIExecute. Whoever
/// makes such a call makes the capture invalid, and so does whoever waits for, or asks about, a captured
/// stream, an event recorded there, or their device. Memory of pools belongs to the graph.
///
/// @param stream a stream; not a default stream.
/// @param mode ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 0: all threads, but those that have exchanged their mode;
/// ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL 1: the calling thread; ACL_MODEL_RI_CAPTURE_MODE_RELAXED 2: nobody.
/// Copies of pageable memory are then recorded, and read and write it in each run.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another mode; ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031:
/// a default stream; ACL_ERROR_RT_STREAM_CAPTURED 107027: it is captured already; ACL_ERROR_RT_PARAM_INVALID
/// 107000: not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device; ACL_ERROR_BAD_ALLOC 200000: no
/// more graphs can be made. Thread-safe. Follows aclmdlRICaptureBegin of the Ascend runtime API; what is
/// forbidden, and that it makes the capture invalid, follows CUDA's stream capture.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureBegin(
    stream: aclrtStream,
    mode: MaybeUninit<aclmdlRICaptureMode>,
) -> aclError {
    guard("aclmdlRICaptureBegin", || capture::begin(handle::from_c(stream), enum_value(mode)))
}

/// Ends a capture; gives the graph that was recorded. Its streams run again what they are given. Where it
/// fails with one of the codes 107025, 507903, 507899 and 207000 the capture has ended without a graph.
///
/// @param stream the stream that the capture began with.
/// @param modelRI receives the graph; the caller destroys it with aclmdlRIDestroy, unless it is a body
/// (aclmdlRICaptureToModelRIBegin).
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029:
/// the stream is not captured; ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED 107036: the capture began with another
/// stream; ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD 107038: another thread began it, in a mode other than
/// ACL_MODEL_RI_CAPTURE_MODE_RELAXED; ACL_ERROR_RT_STREAM_UNJOINED 107025: the work of a stream that has joined is not
/// waited for; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: something has made the capture invalid;
/// ACL_ERROR_DRV_INTERNAL_ERROR 507899, ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver refuses the graph, or has
/// none, or a graph with conditional tasks, or a body, has task groups or waits for what is outside;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, the graph around a body was destroyed, or called inside a
/// host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one of another
/// device. Thread-safe. Follows aclmdlRICaptureEnd of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureEnd(
    stream: aclrtStream,
    modelRI: *mut aclmdlRI,
) -> aclError {
    guard("aclmdlRICaptureEnd", || {
        let out = Out::new("modelRI", modelRI)?;
        out.write(handle::to_c(capture::end(handle::from_c(stream))?));
        Ok(())
    })
}

/// Tells whether a stream is captured, and into which graph. It changes nothing, and costs a few instructions
/// for a stream that is not captured.
///
/// @param stream a stream; null: the default stream of the current context, which is never captured.
/// @param status receives ACL_MODEL_RI_CAPTURE_STATUS_NONE 0, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE 1, or
/// ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED 2 for a capture that can only be ended.
/// @param modelRI receives the graph that is recorded, which cannot run yet; null for a stream that is not
/// captured.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device. Thread-safe. Follows
/// aclmdlRICaptureGetInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureGetInfo(
    stream: aclrtStream,
    status: *mut aclmdlRICaptureStatus,
    modelRI: *mut aclmdlRI,
) -> aclError {
    guard("aclmdlRICaptureGetInfo", || {
        let status = Out::new("status", status.cast::<i32>())?;
        let graph = Out::new("modelRI", modelRI)?;
        let (number, raw) = capture::info(handle::from_c(stream))?;
        status.write(number);
        graph.write(handle::to_c(raw));
        Ok(())
    })
}

/// Exchanges this thread's mode, which is ACL_MODEL_RI_CAPTURE_MODE_GLOBAL at first: by which captures it lets
/// itself be forbidden what cannot be recorded. A program that allocates and copies between the calls of a
/// capture exchanges it before and back afterwards.
///
/// @param mode the new mode; receives the one before. ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 0: by the thread's own
/// captures and by global ones of other threads; ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL 1: by its own;
/// ACL_MODEL_RI_CAPTURE_MODE_RELAXED 2: by none. Captures that were begun with the last one forbid nothing.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another mode. Concerns the calling thread only.
/// Follows aclmdlRICaptureThreadExchangeMode of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureThreadExchangeMode(
    mode: *mut aclmdlRICaptureMode,
) -> aclError {
    guard("aclmdlRICaptureThreadExchangeMode", || {
        let place = mode.cast::<MaybeUninit<aclmdlRICaptureMode>>();
        let out = Out::new("mode", place)?;
        // SAFETY: not null, and by the contract of the C boundary it points to a value; C may choose
        // any number, and pack it.
        let wanted = enum_value(unsafe { place.read_unaligned() });
        out.write(enum_from(mode::exchange(wanted)?));
        Ok(())
    })
}
