//! Attributes of the library's threads: the size of the stack, and the scheduling.
//!
//! Both are fixed when the library opens a session, and not by the thread that happens to start another one. So a
//! program that pins one of its threads, or changes its priority, does not change the library's threads by a later call
//! from that thread.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::per_thread::per_thread;
use crate::host::system_call::process_limit;

/// The number of bytes of the smallest stack of a thread of the library, even if the system's default is smaller.
pub const LEAST_STACK: usize = 256 << 10;
/// The number of bytes of the stack if the system sets no limit (`ulimit -s unlimited`): the default of Linux.
const UNLIMITED_STACK: usize = 8 << 20;
/// The divisor of a stack's length: a stack has room for a kernel if at most this part of it is in use.
const USED_PART: usize = 8;

/// The number of bytes of new threads' stacks, or 0 if not fixed yet.
static STACK: AtomicUsize = AtomicUsize::new(0);
/// The scheduling of new threads, or `None` if they inherit it from the thread that starts them.
static SCHEDULING: Mutex<Option<Scheduling>> = Mutex::new(None);

/// Fixes the attributes of new threads: stacks of `stack` bytes, or of the system's default, and the scheduling of the
/// calling thread.
pub fn fix(stack: Option<usize>) {
    STACK.store(stack.unwrap_or_else(default_stack), Ordering::Relaxed);
    *SCHEDULING.lock() = Some(Scheduling::of_this_thread());
}

/// Returns the number of bytes of stack that a new thread gets.
pub fn stack() -> usize {
    match STACK.load(Ordering::Relaxed) {
        0 => default_stack(),
        stack => stack,
    }
}

unsafe extern "C" {
    /// A function of glibc since 2.18, which the crate `libc` does not declare.
    fn pthread_getattr_default_np(attributes: *mut libc::pthread_attr_t) -> libc::c_int;
}

/// Returns the stack that `pthread_create` gives a thread of the program. It follows `ulimit -s` at the start of the
/// process and `pthread_setattr_default_np`.
fn default_stack() -> usize {
    let mut bytes = 0;
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: pthread_getattr_default_np initialises the attributes when it returns 0; only then
    // are they read and destroyed.
    unsafe {
        if pthread_getattr_default_np(attributes.as_mut_ptr()) == 0 {
            libc::pthread_attr_getstacksize(attributes.as_ptr(), &raw mut bytes);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
        }
    }
    // The C library then uses 2 MiB, a quarter of what a limited thread has.
    let is_unlimited = process_limit(libc::RLIMIT_STACK) == Some(libc::RLIM_INFINITY);
    bytes.max(if is_unlimited { UNLIMITED_STACK } else { LEAST_STACK })
}

per_thread! {
    /// The first address of this thread's stack and the first one after it, or 0 if not queried yet.
    static BOUNDS: Cell<(usize, usize)> = Cell::new((0, 0));
}

/// Whether the calling thread has about as much stack left as a new thread of the library: at least seven eighths.
/// Always false on a foreign stack, such as a fiber's.
pub fn has_deep_stack() -> bool {
    stack_left() >= stack() - stack() / USED_PART
}

/// Returns the number of bytes of the calling thread's stack that are left, or 0 on a foreign stack.
pub fn stack_left() -> usize {
    let here = 0_u8;
    let here = (&raw const here).addr();
    let mut bounds = BOUNDS.get();
    if bounds.1 == 0 {
        bounds = stack_bounds().unwrap_or((0, 1));
        BOUNDS.set(bounds);
    }
    let (low, end) = bounds;
    if (low..end).contains(&here) { here - low } else { 0 }
}

fn stack_bounds() -> Option<(usize, usize)> {
    let (mut low, mut len) = (std::ptr::null_mut(), 0);
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: the attributes are read and destroyed only after pthread_getattr_np has initialised
    // them for this thread.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let known = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut low, &raw mut len);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        (known == 0).then(|| (low.addr(), low.addr() + len))
    }
}

/// The scheduling policy and the processors of a thread.
#[derive(Clone)]
struct Scheduling {
    /// The policy, priority and nice value, or `None` if unknown, or of a kind that threads cannot share.
    attributes: Option<libc::sched_attr>,
    /// The processors, or `None` if unknown, as on a machine with more processors than a set has room for.
    processors: Option<CpuSet>,
}

/// Sets the fixed scheduling for the calling thread, as far as the system allows that. If it does not, the thread keeps
/// the scheduling that it inherited.
pub fn adopt_scheduling() {
    let fixed = SCHEDULING.lock().clone();
    if let Some(fixed) = fixed {
        fixed.apply();
    }
}

impl Scheduling {
    fn of_this_thread() -> Self {
        Self { attributes: attributes(), processors: sched_getaffinity(None).ok() }
    }

    fn apply(&self) {
        // Most threads have all of it already.
        if let Some(wanted) = &self.attributes
            && attributes().is_none_or(|now| key(&now) != key(wanted))
        {
            // SAFETY: the attributes are those that the kernel has filled in. Failure changes nothing.
            unsafe { libc::syscall(libc::SYS_sched_setattr, 0, std::ptr::from_ref(wanted), 0) };
        }
        if let Some(wanted) = &self.processors
            && sched_getaffinity(None).as_ref() != Ok(wanted)
        {
            // A failure changes nothing.
            let _ = sched_setaffinity(None, wanted);
        }
    }
}

fn key(one: &libc::sched_attr) -> (u32, u32, i32) {
    (one.sched_policy, one.sched_priority, one.sched_nice)
}

fn attributes() -> Option<libc::sched_attr> {
    let mut found = MaybeUninit::<libc::sched_attr>::zeroed();
    let size = size_of::<libc::sched_attr>();
    // SAFETY: room of this size for the answer; zeros are a valid value also where the kernel fills
    // in less.
    let found = unsafe {
        let code = libc::syscall(libc::SYS_sched_getattr, 0, found.as_mut_ptr(), size, 0);
        (code == 0).then(|| found.assume_init())?
    };
    let shared = [libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE, libc::SCHED_FIFO, libc::SCHED_RR];
    shared.contains(&(found.sched_policy as libc::c_int)).then_some(found)
}

#[cfg(test)]
#[path = "thread_attributes_tests.rs"]
mod tests;
