//! Threads of the library: all of them start here, with the stack and the scheduling of [`thread_attributes`], and
//! leave signals to the threads of the program.
//!
//! A program that takes a signal in a thread of its choice (`sigwait`, `signalfd`) blocks it in all other threads that
//! it knows; and a handler expects to interrupt code of the program. So signals for the whole process must not be
//! delivered to a thread of the library. Faults of the thread itself are delivered to it, and so are the ticks of a
//! sampling profiler.

use std::cell::Cell;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::thread::{Builder, JoinHandle};

use super::per_thread::per_thread;
use super::thread_attributes;

/// Signals that threads of the library do not block.
const HEARD: [libc::c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS, libc::SIGPROF];

/// Starts a thread with all signals blocked but those of `HEARD`. `name`: 15 bytes at most.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    debug_assert!(name.len() <= 15, "the kernel cuts {name} off");
    let stack = thread_attributes::stack();
    // A thread inherits the signal mask of its creator.
    let _quiet = Quiet::begin();
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

/// Whether the calling thread is one of these.
pub fn is_current() -> bool {
    IS_OURS.get()
}

/// Blocks the calling thread's signals until dropped.
pub struct Quiet {
    /// `None` if the system call failed.
    before: Option<libc::sigset_t>,
}

impl Quiet {
    /// Blocks them.
    pub fn begin() -> Self {
        let mut all = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: the calls fill the sets before they are read; `HEARD` are signals. Only where the last one
        // succeeds has it filled its set.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            for signal in HEARD {
                libc::sigdelset(all.as_mut_ptr(), signal);
            }
            let blocked = libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr());
            Self { before: (blocked == 0).then(|| before.assume_init()) }
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: a set that the thread had.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, ptr::null_mut()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_blocked(signal: libc::c_int) -> bool {
        let mut now = MaybeUninit::uninit();
        // SAFETY: asks for the mask of this thread, which fills the set.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), now.as_mut_ptr());
            libc::sigismember(now.as_ptr(), signal) == 1
        }
    }

    #[test]
    fn it_leaves_signals_of_the_process_to_others_and_hears_its_own() {
        let thread = spawn("portacl-test", || {
            for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGALRM, libc::SIGCHLD, libc::SIGUSR1] {
                assert!(is_blocked(signal), "{signal}");
            }
            for signal in HEARD {
                assert!(!is_blocked(signal), "{signal}");
            }
            assert!(is_current());
        });
        thread.unwrap().join().unwrap();
        assert!(!is_current());
    }

    #[test]
    fn its_creator_is_as_before() {
        let own = std::thread::spawn(|| {
            let mut one = MaybeUninit::uninit();
            // SAFETY: fills a set, and blocks what is in it for this thread.
            unsafe {
                libc::sigemptyset(one.as_mut_ptr());
                libc::sigaddset(one.as_mut_ptr(), libc::SIGUSR2);
                libc::pthread_sigmask(libc::SIG_SETMASK, one.as_ptr(), ptr::null_mut());
            }
            spawn("portacl-test", || {}).unwrap().join().unwrap();
            assert!(is_blocked(libc::SIGUSR2));
            assert!(!is_blocked(libc::SIGTERM) && !is_blocked(libc::SIGUSR1));
        });
        own.join().unwrap();
    }
}
