//! The one place where data structures take their synchronisation primitives from: the real ones,
//! or loom's when its model checker runs the tests (`RUSTFLAGS="--cfg loom"`).
//!
//! Loom's primitives cannot be made in constants, so constructors that are `const` in the real
//! build are ordinary functions under loom: [`const_unless_loom`] writes both.

#[cfg(not(loom))]
pub use std::sync::atomic;

#[cfg(loom)]
pub use loom::sync::atomic;

#[cfg(not(loom))]
pub use parking_lot::{Mutex, MutexGuard};

#[cfg(loom)]
pub use self::model::{Mutex, MutexGuard};

/// Declares a function that is `const` except under loom.
macro_rules! const_unless_loom {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),*) -> $ret:ty $body:block) => {
        $(#[$meta])*
        #[cfg(not(loom))]
        $vis const fn $name($($arg: $type),*) -> $ret $body

        $(#[$meta])*
        #[cfg(loom)]
        $vis fn $name($($arg: $type),*) -> $ret $body
    };
}
pub(crate) use const_unless_loom;

/// An array whose elements are all the value of one expression, which is `const` except under loom.
macro_rules! array_of {
    ($value:expr) => {{
        #[cfg(not(loom))]
        let array = [const { $value }; _];
        #[cfg(loom)]
        let array = std::array::from_fn(|_| $value);
        array
    }};
}
pub(crate) use array_of;

#[cfg(loom)]
mod model {
    /// Loom's mutex with `parking_lot`'s interface: no poisoning.
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    /// Holds a [`Mutex`].
    pub type MutexGuard<'a, T> = loom::sync::MutexGuard<'a, T>;

    impl<T> Mutex<T> {
        /// An unlocked mutex.
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        /// Locks.
        pub fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
        }

        /// The value, without locking: nobody else can hold a reference.
        pub fn get_mut(&mut self) -> &mut T {
            self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
        }
    }
}
