//! One object that any thread may read, replaced as a whole.
//!
//! A reader takes no lock and writes no shared memory: it pins the thread (see [`super::reclaim`]).

use std::any::Any;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::reclaim;
use crate::algo::map::slot_table::Ref;
use crate::algo::sync::primitives::atomic::{AtomicPtr, Ordering};
use crate::algo::sync::primitives::const_unless_loom;

/// A place for one object.
pub struct Published<T> {
    /// From `Arc::into_raw`; null: empty.
    value: AtomicPtr<T>,
    owns: PhantomData<Arc<T>>,
}

impl<T: Any + Send + Sync> Published<T> {
    const_unless_loom! {
        /// An empty place.
        #[expect(clippy::new_without_default, reason = "its type outside of models is made by a constant, not by a default")]
        pub fn new() -> Self {
            Self { value: AtomicPtr::new(ptr::null_mut()), owns: PhantomData }
        }
    }

    /// The object. Hold it briefly, not across a call that blocks.
    #[inline]
    pub fn get(&self) -> Option<Ref<'_, T>> {
        let pin = reclaim::pin();
        let value = NonNull::new(self.value.load(Ordering::Acquire))?;
        // SAFETY: from `Arc::into_raw`; the place's reference is released after all pins that began before its removal
        // have ended.
        Some(unsafe { Ref::new(value, pin) })
    }

    /// A counted reference to the object, for longer use.
    pub fn get_arc(&self) -> Option<Arc<T>> {
        self.get().map(|found| found.to_arc())
    }

    /// Replaces the object, or removes it. Returns the previous one. The place's reference to that is released by
    /// [`super::reclaim::flush_deferred`] when no reader is left.
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
mod tests {
    use super::*;
    use crate::algo::sync::reclaim::flush_deferred;

    #[cfg(not(loom))]
    #[test]
    fn what_is_replaced_lives_as_long_as_somebody_looks() {
        let place = Published::new();
        assert!(place.get().is_none());
        assert!(place.replace(Some(Arc::new(1))).is_none());
        let seen = place.get().expect("put there above");
        let old = place.replace(Some(Arc::new(2))).expect("put there above");
        flush_deferred();
        assert_eq!((*seen, *old, Arc::strong_count(&old)), (1, 1, 2));
        drop(seen);
        while Arc::strong_count(&old) > 1 {
            flush_deferred();
        }
        assert_eq!(place.get_arc().as_deref(), Some(&2));
        assert_eq!(place.replace(None).as_deref(), Some(&2));
        assert!(place.get().is_none());
    }

    /// A reader sees the old object or the new one, whole, and neither is released under it.
    #[cfg(loom)]
    #[test]
    fn a_reader_keeps_what_it_sees() {
        use crate::algo::tests::model;
        use loom::cell::UnsafeCell;

        /// Loom reports an access that races with the destructor's.
        struct Watched(UnsafeCell<u32>);
        // SAFETY: the cell is how loom finds out whether this is true.
        unsafe impl Sync for Watched {}
        // SAFETY: loom reports a drop of `Watched` on another thread that races with a read.
        unsafe impl Send for Watched {}
        impl Drop for Watched {
            fn drop(&mut self) {
                self.0.with_mut(|_| ());
            }
        }
        let watched = |value| Arc::new(Watched(UnsafeCell::new(value)));

        model(move || {
            let place = Arc::new(Published::new());
            place.replace(Some(watched(1)));
            let reader = {
                let place = place.clone();
                loom::thread::spawn(move || {
                    if let Some(seen) = place.get() {
                        // SAFETY: loom checks that it does not change.
                        let value = seen.0.with(|value| unsafe { *value });
                        assert!(value == 1 || value == 2);
                    }
                })
            };
            drop(place.replace(Some(watched(2))));
            flush_deferred();
            reader.join().expect("the reader panicked");
            flush_deferred();
        });
    }
}
