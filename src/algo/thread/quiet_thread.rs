//! Starts all threads of the library, with the stack and the scheduling of [`thread_attributes`]. They leave signals to
//! the threads of the program.
//!
//! A program that takes a signal in a thread of its choice (`sigwait`, `signalfd`) blocks it in all other threads that
//! it knows, and a handler expects to interrupt code of the program. So signals for the whole process must not be
//! delivered to a thread of the library. Faults of the thread itself are delivered to it, and so are the ticks of a
//! sampling profiler.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::mem::{self, MaybeUninit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::{io, ptr};

use super::per_thread::per_thread;
use super::thread_attributes;

/// The signals that threads of the library do not block.
const HEARD: [libc::c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS, libc::SIGPROF];

/// Whether [`spawn`] was called.
static HAS_STARTED_ONE: AtomicBool = AtomicBool::new(false);

/// Whether this process has or had a thread of the library. A forked child inherits the answer.
pub fn has_started_one() -> bool {
    HAS_STARTED_ONE.load(Ordering::Relaxed)
}

/// Starts a thread with all signals blocked but those of `HEARD`. `name` has at most 15 bytes.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    debug_assert!(name.len() <= 15, "the kernel cuts {name} off");
    HAS_STARTED_ONE.store(true, Ordering::Relaxed);
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

/// Starts a thread that is never joined, with all signals blocked but those of `HEARD`. Other software may end it by
/// unwinding (`pthread_exit`), which a thread of Rust's standard library does not survive. It
/// begins with a call of [`adopt`].
pub fn spawn_raw(body: extern "C-unwind" fn(*mut c_void) -> *mut c_void) -> io::Result<()> {
    let _quiet = Blocked::all();
    let (mut attributes, mut thread) = (MaybeUninit::uninit(), 0);
    // SAFETY: the attributes are initialised before they are used. The two types of functions differ only in what may
    // unwind through them.
    let code = unsafe {
        let body = mem::transmute::<
            extern "C-unwind" fn(*mut c_void) -> *mut c_void,
            extern "C" fn(*mut c_void) -> *mut c_void,
        >(body);
        libc::pthread_attr_init(attributes.as_mut_ptr());
        libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), thread_attributes::stack());
        libc::pthread_attr_setdetachstate(attributes.as_mut_ptr(), libc::PTHREAD_CREATE_DETACHED);
        let code = libc::pthread_create(&raw mut thread, attributes.as_ptr(), body, ptr::null_mut());
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        code
    };
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

/// Makes the calling thread one of the library's, after [`spawn_raw`].
pub fn adopt(name: &'static CStr) {
    // SAFETY: a name with a zero at its end, for the thread that runs.
    unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr()) };
    thread_attributes::adopt_scheduling();
    IS_OURS.set(true);
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
