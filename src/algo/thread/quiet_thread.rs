//! Starts all threads of the library, with the stack and the scheduling of [`thread_attributes`]. They leave signals to
//! the threads of the program.
//!
//! A program that takes a signal in a thread of its choice (`sigwait`, `signalfd`) blocks it in all other threads that
//! it knows, and a handler expects to interrupt code of the program. So signals for the whole process must not be
//! delivered to a thread of the library. Faults of the thread itself are delivered to it, and so are the ticks of a
//! sampling profiler.

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::mem::{self, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, ptr};

use super::per_thread::per_thread;
use super::thread_attributes;

/// The number of bytes of a thread's name that the kernel keeps.
const NAME_LEN: usize = 15;

/// The signals that threads of the library do not block.
const HEARD: [libc::c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS, libc::SIGPROF];

/// Whether [`spawn`] was called.
static HAS_STARTED_ONE: AtomicBool = AtomicBool::new(false);

/// Whether this process has or had a thread of the library. A forked child inherits the answer.
pub fn has_started_one() -> bool {
    HAS_STARTED_ONE.load(Ordering::Relaxed)
}

/// The body of a thread. Only a thread of [`spawn_raw`] is unwound.
type Body = extern "C-unwind" fn(*mut c_void) -> *mut c_void;

unsafe extern "C" {
    /// Starts a thread and waits until glibc has what it needs of memory for it. Returns 0 or a code of the system.
    fn portacl_start_thread(
        thread: *mut libc::pthread_t,
        stack: usize,
        detached: c_int,
        body: Body,
        argument: *mut c_void,
    ) -> c_int;
}

/// What a new thread gets.
struct Start {
    /// With a zero at its end.
    name: [u8; NAME_LEN + 1],
    body: Box<dyn FnOnce() + Send>,
    ended: Arc<AtomicBool>,
}

/// A thread of the library. If it is dropped without [`Self::join`], nothing waits for the thread.
pub struct Handle {
    thread: Option<libc::pthread_t>,
    ended: Arc<AtomicBool>,
}

impl Handle {
    /// Waits until the thread has ended.
    pub fn join(mut self) {
        if let Some(thread) = self.thread.take() {
            // SAFETY: a thread that can be joined, once.
            unsafe { libc::pthread_join(thread, ptr::null_mut()) };
        }
    }

    /// Whether the thread has nothing left to do.
    pub fn is_finished(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // SAFETY: a thread that nothing has joined or detached.
            unsafe { libc::pthread_detach(thread) };
        }
    }
}

/// Starts a thread with all signals blocked but those of `HEARD`. `name` has at most 15 bytes. A panic of `body` ends
/// only the thread.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<Handle> {
    HAS_STARTED_ONE.store(true, Ordering::Relaxed);
    start(name, thread_attributes::stack(), Box::new(body))
}

/// Runs `body` on a new thread with so much stack, and waits for its end.
pub fn run(name: &str, stack: usize, body: impl FnOnce() + Send) -> io::Result<()> {
    let body: Box<dyn FnOnce() + Send + '_> = Box::new(body);
    // SAFETY: the thread has ended when this function returns, so what `body` refers to lives as long as it runs.
    let body = unsafe { mem::transmute::<Box<dyn FnOnce() + Send + '_>, Box<dyn FnOnce() + Send>>(body) };
    start(name, stack, body)?.join();
    Ok(())
}

fn start(name: &str, stack: usize, body: Box<dyn FnOnce() + Send>) -> io::Result<Handle> {
    debug_assert!(name.len() <= NAME_LEN, "the kernel cuts {name} off");
    let mut start = Start { name: [0; NAME_LEN + 1], body, ended: Arc::default() };
    start.name.iter_mut().zip(name.bytes().take(NAME_LEN)).for_each(|(to, from)| *to = from);
    let ended = Arc::clone(&start.ended);
    let start = Box::into_raw(Box::new(start));
    start_raw(stack, false, serve, start.cast()).map(|thread| Handle { thread: Some(thread), ended }).inspect_err(
        |_| {
            // SAFETY: no thread has taken it.
            drop(unsafe { Box::from_raw(start) });
        },
    )
}

/// The main function of a thread of [`start`].
extern "C-unwind" fn serve(start: *mut c_void) -> *mut c_void {
    // SAFETY: `start` passes it to this thread alone.
    let Start { name, body, ended } = *unsafe { Box::from_raw(start.cast::<Start>()) };
    adopt(CStr::from_bytes_until_nul(&name).unwrap_or_default());
    // A panic has been reported.
    let _ = catch_unwind(AssertUnwindSafe(body));
    ended.store(true, Ordering::Release);
    ptr::null_mut()
}

/// Starts a thread that is never joined, with all signals blocked but those of `HEARD`. Other software may end it by
/// unwinding (`pthread_exit`), which a thread of [`spawn`] does not survive. It begins with a call of [`adopt`].
pub fn spawn_raw(body: Body) -> io::Result<()> {
    start_raw(thread_attributes::stack(), true, body, ptr::null_mut()).map(drop)
}

fn start_raw(stack: usize, detached: bool, body: Body, argument: *mut c_void) -> io::Result<libc::pthread_t> {
    // A thread inherits the signal mask of its creator.
    let _quiet = Blocked::all();
    let mut thread = 0;
    // SAFETY: the body expects this argument.
    let code = unsafe { portacl_start_thread(&raw mut thread, stack, detached.into(), body, argument) };
    let error = io::Error::from_raw_os_error(code);
    match code {
        0 => Ok(thread),
        libc::ENOMEM => {
            let text = format!("{error}: the C library has no memory for the data of another thread; free host memory");
            Err(io::Error::new(error.kind(), text))
        }
        _ => Err(io::Error::new(
            error.kind(),
            format!(
                "{error}; end other threads, raise their limit (ulimit -u, or pids.max in a container), or free \
                 memory: the stack of the new thread has {stack} bytes (PORTACL_THREAD_STACK)"
            ),
        )),
    }
}

/// Makes the calling thread one of the library's, after [`spawn_raw`].
pub fn adopt(name: &CStr) {
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
