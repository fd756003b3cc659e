//! Work that a stream hands over to the core. The stream goes on, or waits until it is complete.

/// Delivered when the stream reaches it. Dropped undelivered if the stream was abandoned before.
pub trait Delivery: Send {
    /// The stream has reached it. Called once, on any thread, with no lock of the backend held. It returns soon: it
    /// runs no user code and calls no backend.
    fn deliver(self: Box<Self>, ticket: Ticket);
}

/// A stream that has handed something over waits for this: it resumes when this is dropped, on any thread, without a
/// lock.
#[must_use = "the stream goes on when this is dropped"]
pub struct Ticket(Option<Box<dyn FnOnce() + Send>>);

impl Ticket {
    /// A ticket without a waiting stream.
    pub const fn unawaited() -> Self {
        Self(None)
    }

    /// `go_on` is called once, when the ticket is dropped.
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

#[cfg(test)]
#[path = "hand_over_tests.rs"]
pub mod inbox;
