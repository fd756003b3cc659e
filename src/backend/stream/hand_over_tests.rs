//! Collects deliveries, for the tests of the backends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{Delivery, Ticket};

/// The parcels that were delivered, in order.
#[derive(Clone, Default)]
pub struct Inbox(Arc<Mutex<Vec<Parcel>>>);

struct Parcel {
    name: u32,
    /// The ticket, until the test takes it.
    ticket: Option<Ticket>,
}

struct Sent {
    inbox: Inbox,
    name: u32,
}

impl Delivery for Sent {
    fn deliver(self: Box<Self>, ticket: Ticket) {
        self.inbox.0.lock().push(Parcel { name: self.name, ticket: Some(ticket) });
    }
}

impl Inbox {
    /// Returns a parcel for a stream to hand over.
    pub fn parcel(&self, name: u32) -> Box<dyn Delivery> {
        Box::new(Sent { inbox: self.clone(), name })
    }

    /// Returns the names of all parcels so far.
    pub fn names(&self) -> Vec<u32> {
        self.0.lock().iter().map(|parcel| parcel.name).collect()
    }

    /// Waits until `count` parcels have arrived.
    pub fn await_count(&self, count: usize) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.0.lock().len() < count {
            assert!(Instant::now() < deadline, "{:?} of {count} delivered", self.names());
            std::thread::yield_now();
        }
    }

    /// Takes the ticket of a parcel. This works once.
    pub fn take(&self, index: usize) -> Ticket {
        self.0.lock()[index].ticket.take().expect("taken once")
    }

    /// Returns the number of parcels that were not delivered yet.
    pub fn outstanding(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }
}
