//! Thread-local values that last until the very end of the thread.
//!
//! Rust destroys a thread-local value that needs it while the thread still runs code of the program: destructors of
//! other thread-local objects and of pthread keys, and in the main thread static destructors and functions of `atexit`.
//! A later access panics. A value without a destructor stays, and product code has no others: `per_thread!` rejects
//! them at compile time, and a test forbids `thread_local!` outside of this file.

use std::cell::RefCell;
use std::mem::{self, ManuallyDrop};

/// Declares thread-local values, each with a constant initial value. Access to them never fails.
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
/// effect, if the thread is already ending.
macro_rules! at_thread_end {
    ($(#[$meta:meta])* fn $name:ident() -> bool => $end:path;) => {
        $(#[$meta])*
        fn $name() -> bool {
            struct End;
            impl Drop for End {
                fn drop(&mut self) {
                    $end();
                }
            }
            ::std::thread_local! {
                static END: End = const { End };
            }
            END.try_with(|_| ()).is_ok()
        }
    };
}

pub(crate) use {at_thread_end, per_thread};

/// A thread-local list. It has no destructor, and keeps no memory while it is empty.
pub struct ThreadList<T>(RefCell<ManuallyDrop<Vec<T>>>);

impl<T> ThreadList<T> {
    /// An empty one.
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

    /// Calls `look` with the elements, the latest last. It does not change the list.
    pub fn with<R>(&self, look: impl FnOnce(&[T]) -> R) -> R {
        look(&self.0.borrow())
    }

    /// Changes the latest element, if there is one.
    pub fn with_last<R>(&self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.borrow_mut().last_mut().map(change)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    per_thread! {
        static NUMBER: Cell<u32> = Cell::new(1);
        static LIST: ThreadList<String> = ThreadList::new();
    }

    static ENDED: AtomicUsize = AtomicUsize::new(0);
    static LATE: AtomicUsize = AtomicUsize::new(0);

    fn count() {
        ENDED.fetch_add(1, Ordering::Relaxed);
    }

    at_thread_end! {
        fn counts_the_end() -> bool => count;
    }

    #[test]
    fn values_last_to_the_very_end_of_a_thread() {
        struct Owner;
        impl Drop for Owner {
            fn drop(&mut self) {
                NUMBER.set(NUMBER.get() + 1);
                LIST.with(|list| list.push("late".to_owned()));
                let all = LIST.with(ThreadList::take);
                assert_eq!((NUMBER.get(), all.as_slice()), (3, &["early".to_owned(), "late".to_owned()][..]));
                assert_eq!(ENDED.load(Ordering::Relaxed), 1);
                assert!(!counts_the_end());
                LATE.fetch_add(1, Ordering::Relaxed);
            }
        }
        // Used first, so destroyed last.
        thread_local! {
            static OWNER: Owner = const { Owner };
        }
        let thread = std::thread::spawn(|| {
            OWNER.with(|_| ());
            NUMBER.set(2);
            LIST.with(|list| list.push("early".to_owned()));
            assert!(counts_the_end() && counts_the_end());
        });
        thread.join().expect("a thread panicked");
        assert_eq!((ENDED.load(Ordering::Relaxed), LATE.load(Ordering::Relaxed)), (1, 1));
    }

    #[test]
    fn a_list_gives_its_memory_back_with_its_last_element() {
        let (list, element) = (ThreadList::new(), std::sync::Arc::new(1));
        list.push(element.clone());
        list.push(element.clone());
        assert_eq!(list.with(<[_]>::len), 2);
        assert_eq!(list.with_last(|last| **last), Some(1));
        drop((list.pop(), list.pop()));
        assert_eq!(list.0.borrow().capacity(), 0);
        assert_eq!(list.pop(), None);
        assert_eq!(std::sync::Arc::strong_count(&element), 1);
    }
}
