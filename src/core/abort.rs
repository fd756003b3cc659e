//! Dropping what is queued, with the streams going on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::device;
use super::error::{Code, Error, Result};
use super::handles::Object;
use super::stream::{self, Stream};
use super::{runtime, thread};
use crate::backend::{Fault, FaultKind, Wait};

/// aclrtStreamAbort: waits for an operation on memory that has begun, not for user code.
pub fn stream(raw: u64) -> Result<()> {
    let stream = stream::resolve(raw)?.to_arc();
    let why = format!(
        "aclrtStreamAbort dropped what stream {:#x} had queued, and with it what was waited for",
        stream.handle.raw()
    );
    // Without a deadline it does not time out.
    let _ = stream.abort(Fault::new(FaultKind::Aborted, why), None);
    Ok(())
}

/// aclrtDeviceTaskAbort: the same for all streams of a device, for at most `timeout_ms`
/// milliseconds; 0 is for ever.
pub fn device(id: i32, timeout_ms: u32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let session = runtime::session()?;
    let device = device::slot(&session, "deviceId", id)?.device().ok_or_else(|| {
        Error::param_invalid(format_args!(
            "deviceId {id} is not set, so it has no work; call aclrtSetDevice first"
        ))
    })?;
    let mut streams = Stream::table().snapshot();
    streams.retain(|(_, stream)| Arc::ptr_eq(&stream.device, &device));
    let why = Fault::new(
        FaultKind::DeviceAborted,
        format!(
            "aclrtDeviceTaskAbort dropped what device {id} had queued, and with it what was waited for"
        ),
    );
    // All are stopped first, then what has begun is waited for. What was queued meanwhile goes, too.
    let deadline =
        (timeout_ms != 0).then(|| Instant::now() + Duration::from_millis(u64::from(timeout_ms)));
    for (_, stream) in &streams {
        let _ = stream.abort(why.clone(), Some(Instant::now()));
    }
    for (_, stream) in &streams {
        if stream.abort(why.clone(), deadline) == Wait::TimedOut {
            return Err(Error::new(
                Code::StreamSyncTimeout,
                format_args!(
                    "an operation on memory that stream {:#x} of device {id} has begun was not over after \
                     {timeout_ms} ms; what was queued behind it is dropped",
                    stream.handle.raw()
                ),
            ));
        }
    }
    Ok(())
}
