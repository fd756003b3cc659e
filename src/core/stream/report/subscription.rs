//! The thread of the program that runs the callbacks of one stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::Family;
use super::reader::Reader;
use crate::algo::map::slot_table::Handle;

/// The thread that runs the callbacks of a stream, if there is one.
#[derive(Default)]
pub struct Subscription {
    /// There is a thread. Read without the lock by calls that work either way.
    active: AtomicBool,
    pub(super) link: Mutex<Link>,
}

#[derive(Default)]
pub(super) enum Link {
    #[default]
    Nobody,
    Thread(Arc<Reader>),
    /// The stream is being destroyed.
    Over,
}

impl Subscription {
    pub(super) fn reader(&self) -> Option<Arc<Reader>> {
        // Relaxed: a concurrent subscription may come before or after.
        if !self.active.load(Ordering::Relaxed) {
            return None;
        }
        match &*self.link.lock() {
            Link::Thread(reader) => Some(Arc::clone(reader)),
            Link::Nobody | Link::Over => None,
        }
    }

    pub(super) fn reader_of(&self, family: &Family) -> Option<Arc<Reader>> {
        self.reader().filter(|reader| reader.family.is(family))
    }

    pub(super) fn set(&self, link: &mut Link, to: Link) -> Link {
        self.active.store(matches!(to, Link::Thread(_)), Ordering::Relaxed);
        std::mem::replace(link, to)
    }

    /// The stream was aborted: drops callbacks that have not started.
    pub fn drop_pending(&self, stream: Handle) {
        if let Some(reader) = self.reader() {
            reader.drop_pending(stream);
        }
    }

    /// The stream is being destroyed: callbacks that have not started are dropped, so that it completes. Returns the
    /// reader that may still run one.
    pub fn end(&self, stream: Handle) -> Option<Arc<Reader>> {
        let Link::Thread(reader) = self.set(&mut self.link.lock(), Link::Over) else { return None };
        reader.remove(stream);
        Some(reader)
    }
}
