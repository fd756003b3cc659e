//! Capture modes: which calls threads may make while streams are captured.

use std::cell::Cell;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::Capture;
use crate::algo::thread::per_thread::per_thread;
use crate::backend::thread_number;
use crate::base::error::{Code, Error, Result, arguments, error_with};
use crate::runtime::device::Device;
use crate::stream::interceptor::{CallClass, Capturing};

/// An `aclmdlRICaptureMode`. The mode of a capture says which threads may not make calls that it cannot record. The
/// mode of a thread says which captures it obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A capture forbids the calls to all threads. A thread obeys its captures, and global ones of other threads.
    Global,
    /// A capture forbids the calls to the thread that began it. A thread obeys its captures.
    ThreadLocal,
    /// A capture forbids nothing. A thread obeys no capture.
    Relaxed,
}

impl Mode {
    /// Converts the number of C.
    pub fn from_number(number: i32) -> Result<Self> {
        let allowed = "ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 0, _THREAD_LOCAL 1 and _RELAXED 2";
        arguments::numbered("mode", number, &[Self::Global, Self::ThreadLocal, Self::Relaxed], allowed)
    }
}

per_thread! {
    static MODE: Cell<Mode> = Cell::new(Mode::Global);
}

/// The captures that have not ended, and some that have.
static ACTIVE: Mutex<Vec<Weak<Capture>>> = Mutex::new(Vec::new());

/// Lists a capture as active while the result exists.
pub fn list(capture: Weak<Capture>) -> Capturing {
    let mut active = ACTIVE.lock();
    active.retain(|other| other.strong_count() > 0);
    active.push(capture);
    Capturing::begin()
}

/// Implements aclmdlRICaptureThreadExchangeMode: returns the previous mode of the thread.
pub fn exchange(number: i32) -> Result<i32> {
    Ok(MODE.replace(Mode::from_number(number)?) as i32)
}

/// Returns the active captures.
fn active() -> Vec<Arc<Capture>> {
    let active = ACTIVE.lock();
    active.iter().filter_map(Weak::upgrade).filter(|capture| !capture.is_over()).collect()
}

/// Returns the captures that forbid the calling thread calls that they cannot record.
fn forbidding() -> Vec<Arc<Capture>> {
    let mode = MODE.get();
    let thread = thread_number();
    let forbids = |capture: &Capture| match (mode, capture.mode) {
        (Mode::Relaxed, _) | (_, Mode::Relaxed) => false,
        _ if capture.thread == thread => true,
        (own, of_other) => own == Mode::Global && of_other == Mode::Global,
    };
    active().into_iter().filter(|capture| forbids(capture)).collect()
}

/// Fails if captures forbid the calling thread such a call, and invalidates them.
pub(crate) fn check_call(call: CallClass) -> Result<()> {
    let (code, what) = match call {
        CallClass::Unordered => (
            Code::CaptureModeNotSupport,
            "this call accesses memory immediately, which cannot be recorded. Use its asynchronous form",
        ),
        CallClass::Waiting => (
            Code::CaptureModeBlockAsync,
            "this call waits until its work is complete. Use aclmdlRIExecuteAsync instead of aclmdlRIExecute, and \
             pinned memory (aclrtMallocHost) for asynchronous copies",
        ),
    };
    let forbidding = forbidding();
    let Some(first) = forbidding.first() else { return Ok(()) };
    let text = format!(
        "stream {:#x} is being captured with {}: {what}. Or make this call after aclmdlRICaptureEnd, or first call \
         aclmdlRICaptureThreadExchangeMode with ACL_MODEL_RI_CAPTURE_MODE_RELAXED. The capture is invalid now",
        first.origin.raw(),
        match first.mode {
            Mode::Global => "ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, which forbids this call in all threads",
            Mode::ThreadLocal | Mode::Relaxed =>
                "ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, which forbids this call in this thread",
        },
    );
    forbidding.iter().for_each(|capture| capture.spoil("a call that its mode forbids was made"));
    Err(Error::new(code, text))
}

/// Returns the error of a wait or query for captured work: `code` says what was captured, unless a mode forbids all
/// waits.
pub(crate) fn refuse_wait(capture: &Capture, code: Code, what: &str) -> Error {
    if capture.is_built {
        return error_with!(
            code,
            "{what} is recorded in modelRI {:#x}, which is being built: recorded work does not run, so no call can \
             wait for it or query it; call aclmdlRIBuildEnd, run the graph, and synchronize the stream that runs it",
            capture.graph.raw()
        );
    }
    let forbidden = !forbidding().is_empty();
    capture.spoil("a call tried to wait for its work, or to query it");
    error_with!(
        if forbidden { Code::CaptureModeBlockAsync } else { code },
        "{what} takes part in the capture of stream {:#x}: recorded work does not run, so no call can wait for it or \
         query it; make this call after aclmdlRICaptureEnd. The capture is invalid now",
        capture.origin.raw()
    )
}

/// Fails if streams of the device are captured. Those captures are then invalid.
pub(crate) fn refuse_device(device: &Device) -> Result<()> {
    let captures = active().into_iter().filter(|capture| capture.owner == device.owner);
    let refused = captures.map(|capture| Err(refuse_wait(&capture, Code::StreamCaptured, "a stream of the device")));
    refused.fold(Ok(()), Result::and)
}
