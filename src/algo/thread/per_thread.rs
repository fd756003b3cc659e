//! Thread-local values that last until the very end of the thread.
//!
//! Rust destroys a thread-local value with a destructor while the thread still runs code of the program: destructors of
//! other thread-local objects and of pthread keys, and in the main thread static destructors and functions of `atexit`.
//! A later access panics. A value without a destructor stays, and product code has no others: `per_thread!` rejects
//! them at compile time, and a test forbids `thread_local!` outside of this file.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::mem::{self, ManuallyDrop};

/// Declares thread-local values, each with a constant initial value. Access to them never fails.
#[macro_export]
macro_rules! per_thread {
    ($($(#[$meta:meta])* $vis:vis static $name:ident: $type:ty = $init:expr;)+) => {
        ::std::thread_local! {
            $($(#[$meta])* $vis static $name: $type = const {
                assert!(!::std::mem::needs_drop::<$type>(), "it would be gone before the thread is");
                $init
            };)+
        }
    };
}

/// Declares a function that registers `$end` to be called once when the calling thread ends. Returns false, without
/// effect, if the thread is already ending, or there is no memory to register it.
#[macro_export]
macro_rules! at_thread_end {
    ($(#[$meta:meta])* fn $name:ident() -> bool => $end:path;) => {
        $(#[$meta])*
        fn $name() -> bool {
            $crate::thread::per_thread::per_thread! {
                static REGISTERED: ::std::cell::Cell<Option<bool>> = ::std::cell::Cell::new(None);
            }
            extern "C" fn end(_: *mut ::std::ffi::c_void) {
                REGISTERED.set(Some(false));
                $end();
            }
            REGISTERED.get().unwrap_or_else(|| {
                let registered = $crate::thread::per_thread::register(end);
                if registered {
                    REGISTERED.set(Some(true));
                }
                registered
            })
        }
    };
}

unsafe extern "C" {
    /// Registers a destructor of the calling thread. Returns 0 or a code of the system.
    fn portacl_at_thread_end(end: extern "C" fn(*mut c_void)) -> c_int;
}

/// Registers a function that is called when the calling thread ends, before the thread's earlier destructors. Returns
/// false if there is no memory for that.
pub fn register(end: extern "C" fn(*mut c_void)) -> bool {
    // SAFETY: a function that accepts every argument. The C library keeps this library loaded until it was called.
    unsafe { portacl_at_thread_end(end) == 0 }
}

pub use {at_thread_end, per_thread};

/// A thread-local list. It has no destructor, and keeps no memory while it is empty.
pub struct ThreadList<T>(RefCell<ManuallyDrop<Vec<T>>>);

impl<T> ThreadList<T> {
    /// Creates an empty list.
    #[expect(clippy::new_without_default, reason = "it begins as a constant")]
    pub const fn new() -> Self {
        Self(RefCell::new(ManuallyDrop::new(Vec::new())))
    }

    /// Adds an element.
    pub fn push(&self, element: T) {
        self.0.borrow_mut().push(element);
    }

    /// Removes the latest element.
    pub fn pop(&self) -> Option<T> {
        let popped = self.0.borrow_mut().pop();
        if self.0.borrow().is_empty() {
            self.take();
        }
        popped
    }

    /// Removes all elements.
    pub fn take(&self) -> Vec<T> {
        let empty = ManuallyDrop::new(Vec::new());
        ManuallyDrop::into_inner(mem::replace(&mut *self.0.borrow_mut(), empty))
    }

    /// Calls `look` with the elements, the latest last. `look` does not change the list.
    pub fn with<R>(&self, look: impl FnOnce(&[T]) -> R) -> R {
        look(&self.0.borrow())
    }

    /// Changes the latest element, if there is one.
    pub fn with_last<R>(&self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.borrow_mut().last_mut().map(change)
    }

    /// Changes the element with this index, if there is one.
    pub fn change<R>(&self, index: usize, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.borrow_mut().get_mut(index).map(change)
    }
}

#[cfg(all(test, not(loom)))]
#[path = "per_thread_tests.rs"]
mod tests;
