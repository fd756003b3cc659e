//! Starts all threads of the library, with the stack and the scheduling of [`thread_attributes`]. They leave signals to
//! the threads of the program.
//!
//! A program that takes a signal in a thread of its choice (`sigwait`, `signalfd`) blocks it in all other threads that
//! it knows, and a handler expects to interrupt code of the program. So signals for the whole process must not be
//! delivered to a thread of the library. Faults of the thread itself are delivered to it, and so are the ticks of a
//! sampling profiler.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::thread::{Builder, JoinHandle};
use std::{io, ptr};

use super::per_thread::per_thread;
use super::thread_attributes;

/// The signals that threads of the library do not block.
const HEARD: [libc::c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS, libc::SIGPROF];

/// Starts a thread with all signals blocked but those of `HEARD`. `name` has at most 15 bytes.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    debug_assert!(name.len() <= 15, "the kernel cuts {name} off");
    let stack = thread_attributes::stack();
    // A thread inherits the signal mask of its creator.
    let _quiet = Blocked::all();
    let spawned = Builder::new().name(name.to_owned()).stack_size(stack).spawn(|| {
        thread_attributes::adopt_scheduling();
        IS_OURS.set(true);
        body();
    });
    spawned.map_err(|error| {
        let text = format!("{error}; its stack takes {stack} bytes (PORTACL_THREAD_STACK)");
        io::Error::new(error.kind(), text)
    })
}

per_thread! {
    static IS_OURS: Cell<bool> = Cell::new(false);
}

/// Whether the calling thread is one of the library's.
pub fn is_current() -> bool {
    IS_OURS.get()
}

/// Signals that the calling thread blocks until this is dropped.
pub struct Blocked {
    /// The signals that the thread blocked before, or `None` if the system call failed.
    before: Option<libc::sigset_t>,
}

impl Blocked {
    /// Blocks all signals but those of `HEARD`.
    pub fn all() -> Self {
        let mut all = MaybeUninit::uninit();
        // SAFETY: the first call fills the set; `HEARD` are signals.
        Self::of(&unsafe {
            libc::sigfillset(all.as_mut_ptr());
            for signal in HEARD {
                libc::sigdelset(all.as_mut_ptr(), signal);
            }
            all.assume_init()
        })
    }

    /// Blocks the signals of a set.
    pub fn of(set: &libc::sigset_t) -> Self {
        let mut before = MaybeUninit::uninit();
        // SAFETY: two sets that live; only where the call succeeds has it filled the second one.
        let before = unsafe {
            let blocked = libc::pthread_sigmask(libc::SIG_BLOCK, set, before.as_mut_ptr());
            (blocked == 0).then(|| before.assume_init())
        };
        Self { before }
    }

    /// Whether a signal of the set was not blocked before.
    pub fn is_new(&self, signal: libc::c_int) -> bool {
        // SAFETY: a set that was filled.
        self.before.is_some_and(|before| unsafe { libc::sigismember(&raw const before, signal) } == 0)
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: a set that the thread had.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, ptr::null_mut()) };
        }
    }
}

#[cfg(test)]
#[path = "quiet_thread_tests.rs"]
mod tests;
