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
    /// Work that was submitted earlier failed on the device.
    Execution,
    /// [`crate::Stream::abandon`] was called before. The stream accepts no work, and pending work is dropped.
    Abandoned,
    /// A kernel, or a task of the host, reported a failure with this code.
    Program(i32),
    /// A wait of a stream exceeded its timeout, and the stream went on.
    WaitTimedOut,
    /// An argument that only the backend can check is invalid: a damaged program, an unknown kernel, wrong parameters.
    InvalidArgument,
    /// Another library in the process has registered this host memory with the driver.
    AlreadyRegistered,
    /// [`crate::Stream::abort`] of one stream dropped the operation.
    Aborted,
    /// [`crate::Stream::abort`] of all streams of a device dropped the operation.
    DeviceAborted,
    /// The driver returned a code that means none of the above.
    Driver,
}

/// A failure as a backend reports it: its kind, and a text with the driver's code and message.
///
/// It is one pointer, so that small results are returned in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<Detail>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Detail {
    kind: FaultKind,
    text: String,
}

impl Fault {
    /// Creates a fault of `kind` with this text.
    #[cold]
    pub fn new(kind: FaultKind, text: impl Into<String>) -> Self {
        Self(Box::new(Detail { kind, text: text.into() }))
    }

    /// Creates the fault that the device cannot do something. `text` says what to do instead.
    pub fn unsupported(text: impl Into<String>) -> Self {
        Self::new(FaultKind::Unsupported, text)
    }

    /// Creates the fault that an argument is invalid in a way that only the backend detects. `text` says how.
    #[cold]
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::new(FaultKind::InvalidArgument, text)
    }

    /// Creates the fault that the host has no memory left for this.
    #[cold]
    pub fn out_of_host_memory(text: impl Into<String>) -> Self {
        Self::new(FaultKind::OutOfHostMemory, text)
    }

    /// Creates the fault that the device has no memory left for this, or none of that kind.
    pub fn out_of_device_memory(text: impl Into<String>) -> Self {
        Self::new(FaultKind::OutOfDeviceMemory, text)
    }

    /// Creates the fault that a stream has ended while a call used it.
    #[cold]
    pub fn abandoned() -> Self {
        let text = "another thread destroyed the stream during the call, or it was released with its device; destroy a \
                    stream after its last use";
        Self::new(FaultKind::Abandoned, text)
    }

    /// Creates the fault that a thread could not start. `details` says what it is for, or how many there are.
    #[cold]
    pub fn no_thread(details: &str, error: &std::io::Error) -> Self {
        let text = format!("no thread can be started {details}: {error}");
        Self::new(FaultKind::OutOfResources, text)
    }

    /// Returns the kind of the failure. The core maps it to an error code.
    pub fn kind(&self) -> FaultKind {
        self.0.kind
    }

    /// Returns what failed, for an error text: values, bounds, and the driver's message.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Returns the same failure with the text that `new` makes of this failure's text.
    pub fn with_text(mut self, new: impl FnOnce(&str) -> String) -> Self {
        self.0.text = new(&self.0.text);
        self
    }

    /// Returns a failure of another kind with the same text.
    pub fn with_kind(mut self, kind: FaultKind) -> Self {
        self.0.kind = kind;
        self
    }
}

/// The result of a backend call.
pub type Result<T> = std::result::Result<T, Fault>;

/// Downcasts the object behind one of the traits. Returns a fault with the text `foreign` if another backend created
/// it.
pub fn downcast<'a, T: Any>(object: &'a dyn Any, foreign: &str) -> Result<&'a T> {
    object.downcast_ref().ok_or_else(|| Fault::new(FaultKind::Driver, foreign))
}

/// Downcasts an object with several owners, as [`downcast`] does.
pub fn downcast_shared<T: Any + Send + Sync>(object: Arc<dyn Any + Send + Sync>, foreign: &str) -> Result<Arc<T>> {
    object.downcast().map_err(|_| Fault::new(FaultKind::Driver, foreign))
}
