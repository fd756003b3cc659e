//! Work that a stream hands over to the core. The stream goes on at once, or waits until the work is complete.

/// An object that a stream delivers when it reaches it. It is dropped undelivered if the stream was abandoned before.
pub trait Delivery: Send {
    /// Delivers the object, because the stream has reached it. Called once, on any thread, with no lock of the backend
    /// held. It returns soon: it runs no user code and calls no backend.
    fn deliver(self: Box<Self>, ticket: Ticket);
}

/// The right of a waiting stream to go on. A stream that has handed something over resumes when this is dropped, on any
/// thread, without a lock.
#[must_use = "the stream continues when this is dropped"]
pub struct Ticket(Option<Box<dyn FnOnce() + Send>>);

impl Ticket {
    /// Creates a ticket without a waiting stream.
    pub const fn unawaited() -> Self {
        Self(None)
    }

    /// Creates a ticket that calls `go_on` once, when it is dropped.
    pub fn new(go_on: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(go_on)))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(go_on) = self.0.take() {
            go_on();
        }
    }
}

#[cfg(any(test, debug_assertions))]
#[path = "hand_over_tests.rs"]
pub mod inbox;
