//! One object that any thread may read, replaced as a whole.
//!
//! A reader takes no lock and writes no shared memory: it pins the thread (see [`super::reclaim`]).

use std::any::Any;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::reclaim;
use crate::map::slot_table::Ref;
use crate::sync::primitives::atomic::{AtomicPtr, Ordering};
use crate::sync::primitives::const_unless_loom;

/// A place for one object.
pub struct Published<T> {
    /// The object, from `Arc::into_raw`, or null if the place is empty.
    value: AtomicPtr<T>,
    owns: PhantomData<Arc<T>>,
}

impl<T: Any + Send + Sync> Published<T> {
    const_unless_loom! {
        /// Creates an empty place.
        #[expect(clippy::new_without_default, reason = "its type outside of models is made by a constant, not by a default")]
        pub fn new() -> Self {
            Self { value: AtomicPtr::new(ptr::null_mut()), owns: PhantomData }
        }
    }

    /// Returns the object's address, for readers with a pin, or null if the place is empty.
    #[inline]
    pub(crate) fn load(&self) -> *mut T {
        self.value.load(Ordering::Acquire)
    }

    /// Puts an object into the empty place.
    pub(crate) fn fill(&self, object: Arc<T>) {
        // Release: a reader that sees this object sees that the previous ones are gone.
        self.value.store(Arc::into_raw(object).cast_mut(), Ordering::Release);
    }

    /// Returns the object. Hold it briefly, not across a call that blocks.
    pub fn get(&self) -> Option<Ref<'_, T>> {
        let pin = reclaim::pin();
        let value = NonNull::new(self.load())?;
        // SAFETY: from `Arc::into_raw`; the place's reference is released after all pins that began before its removal
        // have ended.
        Some(unsafe { Ref::new(value, pin) })
    }

    /// Returns a counted reference to the object, for longer use.
    pub fn get_arc(&self) -> Option<Arc<T>> {
        self.get().map(|found| found.to_arc())
    }

    /// Replaces the object, or removes it. Returns the previous one. [`super::reclaim::flush_deferred`] releases the
    /// place's reference to that when no reader is left.
    pub fn replace(&self, object: Option<Arc<T>>) -> Option<Arc<T>> {
        let new = object.map_or(ptr::null(), Arc::into_raw);
        let pin = reclaim::pin();
        let old = self.value.swap(new.cast_mut(), Ordering::AcqRel);
        // SAFETY: from `Arc::into_raw`, and the swap made this thread the only one to take over the place's reference.
        let old = (!old.is_null()).then(|| unsafe { Arc::from_raw(old) })?;
        pin.defer_drop(old.clone());
        Some(old)
    }
}

impl<T> Drop for Published<T> {
    fn drop(&mut self) {
        let value = self.value.load(Ordering::Acquire);
        if !value.is_null() {
            // SAFETY: the place's reference; a `Ref` borrows the place, so there are no readers.
            drop(unsafe { Arc::from_raw(value) });
        }
    }
}

#[cfg(test)]
#[path = "published_tests.rs"]
mod tests;
