//! Typed slots: state that features of higher layers keep with an object.
//!
//! The object does not know its features. A slot is filled when its key is first used on that object, and dropped with
//! the object.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum number of keys.
const KEYS: usize = 32;
/// The index of a key that has not been used.
const UNUSED: usize = usize::MAX;

/// The key of the state of type `T` of one feature. It is a static.
pub struct Key<T> {
    index: AtomicUsize,
    state: PhantomData<fn() -> T>,
}

/// The state of all features of one object.
#[derive(Default)]
pub struct Slots {
    values: [OnceLock<Box<dyn Any + Send + Sync>>; KEYS],
}

impl<T: Default + Send + Sync + 'static> Key<T> {
    /// Creates a key.
    #[expect(clippy::new_without_default, reason = "a key is a static, made in a constant")]
    pub const fn new() -> Self {
        Self { index: AtomicUsize::new(UNUSED), state: PhantomData }
    }

    /// Returns the state in `slots`, which is created at its first use.
    #[inline]
    pub fn of<'a>(&'static self, slots: &'a Slots) -> &'a T {
        let index = self.index.load(Ordering::Relaxed);
        match slots.values.get(index).and_then(OnceLock::get) {
            // SAFETY: `index` belongs to this key alone, and `fill` stores nothing but a `T` there.
            Some(value) => unsafe { &*(&raw const **value).cast::<T>() },
            None => self.fill(slots),
        }
    }

    #[cold]
    fn fill<'a>(&'static self, slots: &'a Slots) -> &'a T {
        let index = self.number();
        assert!(index < KEYS, "there are more keys than slots: raise KEYS");
        let value = slots.values[index].get_or_init(|| Box::<T>::default());
        value.downcast_ref().expect("a slot holds what its key put there")
    }

    /// Returns the index of this key, which is assigned at its first use.
    fn number(&self) -> usize {
        static NEXT: parking_lot::Mutex<usize> = parking_lot::Mutex::new(0);
        let mut next = NEXT.lock();
        if self.index.load(Ordering::Relaxed) == UNUSED {
            self.index.store(*next, Ordering::Relaxed);
            *next += 1;
        }
        self.index.load(Ordering::Relaxed)
    }
}

/// Defines the function that returns the `Type` of an `Owner`, in its slots `features`: `state! { pub Type::of(Owner);
/// }`. Several functions return several values.
#[macro_export]
macro_rules! state {
    ($($(#[$doc:meta])* $visible:vis $type:ident::$name:ident($owner:ty);)+) => {
        $(impl $type {
            $(#[$doc])*
            $visible fn $name(owner: &$owner) -> &Self {
                static KEY: $crate::map::typed_slots::Key<$type> = $crate::map::typed_slots::Key::new();
                KEY.of(&owner.features)
            }
        })+
    };
}
pub use state;

#[cfg(test)]
#[path = "typed_slots_tests.rs"]
mod tests;
