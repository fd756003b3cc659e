//! Records of events that an interceptor took: they do not run, and do not change the event for streams that run.

use std::any::Any;
use std::sync::atomic::Ordering;

use super::Event;
use crate::algo::map::slot_table::Handle;
use crate::backend::Position;
use crate::core::base::error::Result;
use crate::core::stream::interceptor::{self, Awaited};

/// What an interceptor keeps with a record that it took.
pub type Kept = Box<dyn Any + Send + Sync>;

/// A record that an interceptor took.
pub struct Intercepted {
    kept: Kept,
    /// The latest record in a running stream at that time. A later one replaces the record that was taken.
    before: Option<(Handle, Position)>,
}

impl Event {
    /// Whether an interceptor took a record of it. It may have been replaced since.
    #[inline(always)]
    pub(super) fn may_be_intercepted(&self) -> bool {
        // Relaxed: threads that share an event order their uses of it.
        self.was_intercepted.load(Ordering::Relaxed)
    }

    /// An interceptor takes a record: `take` returns what it keeps. Of two concurrent records the one taken last is
    /// kept.
    pub fn intercept(&self, take: impl FnOnce() -> Result<Kept>) -> Result<()> {
        let mut uses = self.uses.lock();
        let kept = take()?;
        uses.intercepted = Some(Intercepted { kept, before: self.recorded.get() });
        self.was_intercepted.store(true, Ordering::Relaxed);
        self.is_plain.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// What `read` returns for what the interceptor keeps with the latest record. `None` if another record
    /// replaced it, or if `read` returns `None`: then the interceptor has done with it.
    pub fn intercepted<T>(&self, read: impl FnOnce(&(dyn Any + Send + Sync)) -> Option<T>) -> Option<T> {
        let mut uses = self.uses.lock();
        let latest = uses.intercepted.as_ref()?;
        let found = if latest.before == self.recorded.get() { read(&*latest.kept) } else { None };
        if found.is_none() {
            uses.intercepted = None;
            self.was_intercepted.store(false, Ordering::Relaxed);
        }
        found
    }

    /// Fails if the host cannot wait for its latest record, because an interceptor took that.
    #[inline]
    pub(super) fn check_runs(&self) -> Result<()> {
        if self.may_be_intercepted() { interceptor::installed().check_wait(Awaited::Event(self)) } else { Ok(()) }
    }
}
