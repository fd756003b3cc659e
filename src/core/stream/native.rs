//! The driver's native objects, for programs that call the driver as well.

use crate::backend::Priority;
use crate::base::error::{Error, Result, invalid_param, unsupported};
use crate::base::handles;
use crate::runtime::context::Context;
use crate::runtime::device::slot;
use crate::runtime::{self, thread};
use crate::stream::event::Event;
use crate::stream::{self, StreamFlags};

/// Returns the error of the cpu backend, which has no native objects.
fn no_driver(what: &str) -> Error {
    unsupported!(
        "the cpu backend has no driver, so there is no native {what}; make this call only if portaclBackendName \
         returns \"cuda\""
    )
}

/// Implements portaclDeviceGetNative.
pub fn device(id: i32) -> Result<i32> {
    let session = runtime::session()?;
    slot(&session, "deviceId", id)?;
    session.driver.native_device(id as u32).ok_or_else(|| no_driver("device"))
}

/// Implements portaclContextGetNative; 0 is the current context.
pub fn context(raw: u64) -> Result<usize> {
    let device = match raw {
        0 => thread::current()?.device.clone(),
        _ => handles::get::<Context>("context", raw)?.device.clone(),
    };
    device.native.native_context().ok_or_else(|| no_driver("context"))
}

/// Implements portaclStreamGetNative; 0 is the default stream of the current context.
pub fn stream(raw: u64) -> Result<usize> {
    stream::resolve(raw)?.native().native().ok_or_else(|| no_driver("stream"))
}

/// Implements portaclEventGetNative.
pub fn event(raw: u64) -> Result<usize> {
    let event = handles::get::<Event>("event", raw)?;
    event.native.native().ok_or_else(|| match event.shared() {
        Some(_) => unsupported!(
            "event {raw:#x} was created with ACL_EVENT_IPC and has no native event; pass an event without this flag, \
             and only if portaclBackendName returns \"cuda\""
        ),
        None => no_driver("event"),
    })
}

/// Implements portaclStreamWrapNative: creates a stream in the current context around a stream of the driver.
pub fn wrap_stream(native: usize) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let default_stream = match native {
        0 => "null, which is the driver's legacy default stream: it waits for all blocking streams",
        1 => "1, the driver's name of its legacy default stream, which waits for all blocking streams",
        2 => "2, the driver's name of the per-thread default stream, which is a different stream on each thread",
        _ => {
            let device = thread::current()?.device.clone();
            return stream::create_on(device, Priority::Plain, StreamFlags::default(), Some(native));
        }
    };
    Err(invalid_param!("native is {default_stream}; pass a stream from cuStreamCreate or cudaStreamCreate"))
}
