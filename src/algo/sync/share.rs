//! A counted reference to an object that is used often.

use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

/// A counted reference like [`Arc`] that points to the object itself. An `Arc` points to the counts before the object,
/// at an offset that depends on the type; for a trait object it is computed at each use.
pub struct Share<T: ?Sized> {
    /// The object, from [`Arc::into_raw`].
    object: NonNull<T>,
    _owns: PhantomData<Arc<T>>,
}

// SAFETY: moving a `Share` moves an Arc's count and may drop the object there, so T needs Send and
// Sync.
unsafe impl<T: ?Sized + Send + Sync> Send for Share<T> {}
// SAFETY: shared references to a `Share` give `&T` and clones, as Arc does, so T needs Send and Sync.
unsafe impl<T: ?Sized + Send + Sync> Sync for Share<T> {}

impl<T: ?Sized> Share<T> {
    /// Returns a counted reference, for others.
    pub fn to_arc(&self) -> Arc<T> {
        // SAFETY: from `Arc::into_raw`; this reference is kept, and another one is created here.
        unsafe {
            Arc::increment_strong_count(self.object.as_ptr());
            Arc::from_raw(self.object.as_ptr())
        }
    }
}

impl<T: ?Sized> From<Arc<T>> for Share<T> {
    fn from(object: Arc<T>) -> Self {
        // SAFETY: the address of an `Arc`'s object is not null.
        let object = unsafe { NonNull::new_unchecked(Arc::into_raw(object).cast_mut()) };
        Self { object, _owns: PhantomData }
    }
}

impl<T: ?Sized> Deref for Share<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: this reference keeps it alive, and no exclusive reference exists.
        unsafe { self.object.as_ref() }
    }
}

impl<T: ?Sized> Drop for Share<T> {
    fn drop(&mut self) {
        // SAFETY: from `Arc::into_raw`, and released once.
        drop(unsafe { Arc::from_raw(self.object.as_ptr()) });
    }
}

#[cfg(test)]
#[path = "share_tests.rs"]
mod tests;
