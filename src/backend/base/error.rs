//! Failures of a backend.

use std::any::Any;
use std::sync::Arc;

/// Why an operation of a backend failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The device (or its configured limit) has no memory left for this request.
    OutOfDeviceMemory,
    /// The host has no memory left for this request.
    OutOfHostMemory,
    /// Streams, events or threads have run out.
    OutOfResources,
    /// This device, or its driver's version, cannot do it; the text says what to do instead.
    Unsupported,
    /// There is no usable device (no driver, or a driver without devices).
    NoDevice,
    /// Work that was queued earlier failed on the device.
    Execution,
    /// [`crate::backend::Stream::abandon`] was called before: the stream accepts no work, and pending work is dropped.
    Abandoned,
    /// A kernel reported a failure with this code.
    Kernel(i32),
    /// A wait of a stream exceeded its timeout, and the stream went on.
    WaitTimedOut,
    /// An argument that only the backend can check is invalid: a damaged program, an unknown kernel, wrong parameters.
    InvalidArgument,
    /// Another library in the process has registered this host memory with the driver.
    AlreadyRegistered,
    /// [`crate::backend::Stream::abort`] of one stream dropped it.
    Aborted,
    /// [`crate::backend::Stream::abort`] of all streams of a device dropped it.
    DeviceAborted,
    /// The driver returned a code that means none of the above.
    Driver,
}

/// A failure as a backend reports it: its kind, and a text with the driver's code and message.
///
/// One pointer, so that small results are returned in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<Detail>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Detail {
    kind: FaultKind,
    text: String,
}

impl Fault {
    /// A fault of `kind` with this text.
    #[cold]
    pub fn new(kind: FaultKind, text: impl Into<String>) -> Self {
        Self(Box::new(Detail { kind, text: text.into() }))
    }

    /// The device cannot do it; `text` says what to do instead.
    pub fn unsupported(text: impl Into<String>) -> Self {
        Self::new(FaultKind::Unsupported, text)
    }

    /// An argument is invalid in a way that only the backend can see; `text` says how.
    #[cold]
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::new(FaultKind::InvalidArgument, text)
    }

    /// The host has no memory left for this.
    #[cold]
    pub fn out_of_host_memory(text: impl Into<String>) -> Self {
        Self::new(FaultKind::OutOfHostMemory, text)
    }

    /// The device has no memory left for this, or none of that kind.
    pub fn out_of_device_memory(text: impl Into<String>) -> Self {
        Self::new(FaultKind::OutOfDeviceMemory, text)
    }

    /// A thread could not be started; `details`: what it is for, or how many there are.
    #[cold]
    pub(in crate::backend) fn no_thread(details: &str, error: &std::io::Error) -> Self {
        let text = format!("no thread can be started {details}: {error}");
        Self::new(FaultKind::OutOfResources, text)
    }

    /// What kind of failure; the core maps it to an error code.
    pub fn kind(&self) -> FaultKind {
        self.0.kind
    }

    /// What failed, for an error text: values, bounds, and the driver's message.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The same failure with the text that `new` makes of this one's.
    pub fn with_text(mut self, new: impl FnOnce(&str) -> String) -> Self {
        self.0.text = new(&self.0.text);
        self
    }

    /// The same text, for a failure of another kind.
    pub fn with_kind(mut self, kind: FaultKind) -> Self {
        self.0.kind = kind;
        self
    }
}

/// The result of a backend call.
pub type Result<T> = std::result::Result<T, Fault>;

/// The object behind one of the traits, which has this type if the backend made it; otherwise a fault with this text.
pub(in crate::backend) fn downcast<'a, T: Any>(object: &'a dyn Any, foreign: &str) -> Result<&'a T> {
    object.downcast_ref().ok_or_else(|| Fault::new(FaultKind::Driver, foreign))
}

/// As [`downcast`], of an object with several owners.
pub(in crate::backend) fn downcast_shared<T: Any + Send + Sync>(
    object: Arc<dyn Any + Send + Sync>,
    foreign: &str,
) -> Result<Arc<T>> {
    object.downcast().map_err(|_| Fault::new(FaultKind::Driver, foreign))
}
