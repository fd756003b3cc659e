//! Host code in a stream.

use std::ffi::c_void;
use std::sync::Arc;

use super::stream::StreamState;
use crate::backend::Result;

/// What the driver is given to call back.
struct Call<F> {
    stream: Arc<StreamState>,
    function: F,
}

/// Queues a call of `function` on a thread of the driver; later work of the stream waits for it.
/// The function may make no driver call. It is left out when the stream is abandoned before its
/// turn comes, and on a device that fails before (the driver then forgets the call, and the few
/// bytes that describe it).
pub(super) fn queue<F: FnOnce() + Send + 'static>(
    stream: &Arc<StreamState>,
    function: F,
) -> Result<()> {
    let call = Box::into_raw(Box::new(Call { stream: Arc::clone(stream), function }));
    let queued = stream.submit(|| {
        // SAFETY: a live stream, and a function that fits its argument, which is given away here.
        stream.device().call(|api| unsafe {
            api.launch_host_func(stream.raw().0, Some(run::<F>), call.cast())
        })
    });
    if queued.is_err() {
        // SAFETY: the driver did not take it, so it is still ours.
        drop(unsafe { Box::from_raw(call) });
    }
    queued
}

unsafe extern "C" fn run<F: FnOnce()>(call: *mut c_void) {
    // SAFETY: the box of `queue`; the driver calls once.
    let call = unsafe { Box::from_raw(call.cast::<Call<F>>()) };
    if !call.stream.is_abandoned() {
        (call.function)();
    }
}
