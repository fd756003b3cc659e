//! The synchronization primitives of all data structures: the real ones, or loom's when its model checker runs the
//! tests (`RUSTFLAGS="--cfg loom"`).
//!
//! Loom's primitives cannot be created in constants, so constructors that are `const` in the real build are ordinary
//! functions under loom. `const_unless_loom` defines both.

#[cfg(not(loom))]
pub use std::sync::atomic;

#[cfg(loom)]
pub use loom::sync::atomic;

#[cfg(not(loom))]
pub use self::real::{Condvar, Mutex, MutexGuard, Turns, UnsafeCell, wait_until};

#[cfg(loom)]
pub use self::model::{Condvar, Mutex, MutexGuard, Turns, UnsafeCell, wait_until};

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

#[cfg(not(loom))]
mod real {
    use std::time::{Duration, Instant};

    use crate::thread::pause::Backoff;

    pub use parking_lot::{Condvar, Mutex, MutexGuard};

    /// Lets spinning threads yield.
    pub struct Turns;

    /// The number of times that a thread yields before it sleeps.
    const YIELDS: u32 = 256;

    impl Turns {
        /// Creates the state without spinning threads.
        #[expect(clippy::new_without_default, reason = "each loop that spins creates its own counter")]
        pub const fn new() -> Self {
            Self
        }

        /// Tries until there is a result. In between it yields, and then sleeps for longer and longer.
        pub fn wait_for<T>(&self, attempt: impl Fn() -> Option<T>) -> T {
            let (mut yields, mut sleeps) = (0, Backoff::default());
            loop {
                if let Some(result) = attempt() {
                    return result;
                }
                if yields < YIELDS {
                    yields += 1;
                    std::thread::yield_now();
                } else {
                    sleeps.sleep(Duration::MAX);
                }
            }
        }

        /// Notes that an attempt may succeed now.
        pub fn pass(&self) {}
    }

    /// The standard library's cell, with the interface of loom's, which detects races.
    pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        /// Creates a cell with this value.
        pub const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        /// Reads by a pointer.
        pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        /// Reads and writes by a pointer.
        pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }

    /// Unlocks, sleeps until woken or until the deadline (then returns `false`), and locks.
    pub fn wait_until<'a, T>(
        condvar: &Condvar,
        mut lock: MutexGuard<'a, T>,
        deadline: Option<Instant>,
    ) -> (MutexGuard<'a, T>, bool) {
        let in_time = match deadline {
            Some(deadline) => !condvar.wait_until(&mut lock, deadline).timed_out(),
            None => {
                condvar.wait(&mut lock);
                true
            }
        };
        (lock, in_time)
    }
}

#[cfg(loom)]
mod model {
    use std::sync::PoisonError;
    use std::time::Instant;

    pub use loom::cell::UnsafeCell;
    pub use loom::sync::Condvar;

    /// Lets spinning threads sleep: loom would spin forever.
    pub struct Turns(Mutex<()>, Condvar);

    impl Turns {
        /// Creates the state without spinning threads.
        pub fn new() -> Self {
            Self(Mutex::new(()), Condvar::new())
        }

        /// Tries until there is a result.
        pub fn wait_for<T>(&self, attempt: impl Fn() -> Option<T>) -> T {
            if let Some(result) = attempt() {
                return result;
            }
            let mut turn = self.0.lock();
            loop {
                if let Some(result) = attempt() {
                    return result;
                }
                turn = wait_until(&self.1, turn, None).0;
            }
        }

        /// Notes that an attempt may succeed now.
        pub fn pass(&self) {
            let _turn = self.0.lock();
            self.1.notify_all();
        }
    }

    /// Loom's mutex with `parking_lot`'s interface: no poisoning.
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    /// Holds a [`Mutex`].
    pub type MutexGuard<'a, T> = loom::sync::MutexGuard<'a, T>;

    impl<T> Mutex<T> {
        /// Creates an unlocked mutex.
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        /// Locks.
        pub fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    /// Unlocks, sleeps until woken, and locks. Loom has no time, so a deadline never passes.
    pub fn wait_until<'a, T>(
        condvar: &Condvar,
        lock: MutexGuard<'a, T>,
        _deadline: Option<Instant>,
    ) -> (MutexGuard<'a, T>, bool) {
        (condvar.wait(lock).unwrap_or_else(PoisonError::into_inner), true)
    }
}
