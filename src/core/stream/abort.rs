//! Aborts: pending work is dropped, and the streams go on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::backend::{Fault, FaultKind, Wait};
use crate::base::error::{Code, Result, arguments, error_with, param_invalid};
use crate::runtime::device::{self, Device};
use crate::runtime::state_callback::Registry;
use crate::runtime::{self, thread};
use crate::stream;
use crate::stream::stream::set::StreamSet;

/// Implements aclrtStreamAbort: waits for an operation on memory that has begun, not for user code.
pub fn stream(raw: u64) -> Result<()> {
    drop_queued(raw, "aclrtStreamAbort")
}

/// Implements aclrtStreamStop: drops the pending work of a stream that the program created.
pub fn stop(raw: u64) -> Result<()> {
    let advice = "pass a stream from aclrtCreateStream, or call aclrtStreamAbort, which takes the default stream";
    arguments::not_null("stream", raw, advice)?;
    drop_queued(raw, "aclrtStreamStop")
}

fn drop_queued(raw: u64, call: &str) -> Result<()> {
    let stream = stream::resolve(raw)?.to_arc();
    let why = format!(
        "{call} dropped the enqueued work of stream {:#x}, including the work that this call waited for",
        stream.handle.raw()
    );
    // A wait without a deadline cannot time out.
    let _ = stream.abort(Fault::new(FaultKind::Aborted, why), None);
    Ok(())
}

/// The moments at which a program is notified of an abort of a device.
#[derive(Clone, Copy)]
pub enum Stage {
    /// The abort is about to begin.
    Before,
    /// The abort has ended, with or without success.
    After,
}

/// A callback of the program. It gets device, stage and timeout in milliseconds, and returns 0 for success.
pub type AbortCallback = Arc<dyn Fn(u32, Stage, u32) -> i32 + Send + Sync>;

static WATCHERS: Registry<AbortCallback> = Registry::new();

/// Implements aclrtSetDeviceTaskAbortCallback; `None` unregisters the callback with this name.
pub fn watch(name: &str, watcher: Option<AbortCallback>) -> Result<()> {
    WATCHERS.set(name, watcher)
}

/// Calls all callbacks and returns the first result that is not 0.
fn notify(id: u32, stage: Stage, timeout_ms: u32) -> i32 {
    let mut failed = 0;
    WATCHERS.notify("task-abort callback", |watcher| {
        let result = watcher(id, stage, timeout_ms);
        if failed == 0 {
            failed = result;
        }
    });
    failed
}

/// Implements aclrtDeviceTaskAbort: drops the pending work of all streams of a device, and waits at most `timeout_ms`
/// milliseconds; 0 is no timeout.
pub fn device(id: i32, timeout_ms: u32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    // No reference to the device may be held while the program is notified.
    let ordinal = open_device(id)?.id;
    let before = notify(ordinal, Stage::Before, timeout_ms);
    let outcome = open_device(id).and_then(|device| drop_all(&device, timeout_ms));
    let after = notify(ordinal, Stage::After, timeout_ms);
    outcome?;
    for (result, stage) in [(before, "PRE"), (after, "POST")] {
        if result != 0 {
            return Err(error_with!(
                Code::Failure,
                "the enqueued work of device {id} is dropped, but a callback of aclrtSetDeviceTaskAbortCallback \
                 returned {result} at ACL_RT_DEVICE_TASK_ABORT_{stage}"
            ));
        }
    }
    Ok(())
}

fn open_device(id: i32) -> Result<Arc<Device>> {
    let session = runtime::session()?;
    device::slot(&session, "deviceId", id)?.device().ok_or_else(|| {
        param_invalid!(
            "deviceId is {id}, a device that is not set (aclrtSetDevice), so it has no work; pass a device that is \
             set, or omit the call"
        )
    })
}

fn drop_all(device: &Arc<Device>, timeout_ms: u32) -> Result<()> {
    let id = device.id;
    let streams = StreamSet::of(device).all();
    let why = Fault::new(
        FaultKind::DeviceAborted,
        format!(
            "aclrtDeviceTaskAbort dropped the enqueued work of device {id}, including the work that this call waited \
             for"
        ),
    );
    // All streams are stopped first, then running operations are awaited. Work that is submitted meanwhile is dropped,
    // too.
    let deadline = (timeout_ms != 0).then(|| Instant::now() + Duration::from_millis(u64::from(timeout_ms)));
    for stream in &streams {
        let _ = stream.abort(why.clone(), Some(Instant::now()));
    }
    for stream in &streams {
        if stream.abort(why.clone(), deadline) == Wait::TimedOut {
            return Err(error_with!(
                Code::StreamSyncTimeout,
                "{stream} of device {id} did not complete a running memory operation within {timeout_ms} ms; the work \
                 enqueued after this operation is dropped; synchronize the stream to wait for the operation"
            ));
        }
    }
    Ok(())
}
