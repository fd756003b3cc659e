//! The calling thread's state: its current context.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::algo::map::slot_table::{Handle, Ref};
use crate::algo::thread::per_thread::per_thread;
use crate::backend::{self, Position};
use crate::base::error::{Code, Error, Result, param_invalid};
use crate::base::handles::Object;
use crate::runtime::context::Context;
use crate::runtime::{self, Session, device};

per_thread! {
    /// The handle of the current context, if one was set. It is plain memory, so it is usable until the process ends.
    static CURRENT: Cell<Option<Handle>> = Cell::new(None);
    /// The result of [`number`].
    static NUMBER: Cell<usize> = Cell::new(usize::MAX);
    /// The position of the operation that this thread submitted most recently; 0: none yet.
    static LAST_TASK: Cell<u32> = Cell::new(0);
}

/// Notes the position of an operation that this thread submitted.
#[inline]
pub(crate) fn note_task(position: Position) {
    LAST_TASK.set(position as u32);
}

/// Implements aclrtGetThreadLastTaskId: returns the number of the task that this thread submitted most recently, 0
/// before the first.
pub fn last_task() -> u32 {
    LAST_TASK.get()
}

/// Returns the context that this thread set most recently, whether it is still alive or not.
#[inline]
pub(crate) fn current_handle() -> Option<Handle> {
    CURRENT.get()
}

/// Whether `context` is the current context.
#[inline(always)]
pub fn is_current(context: Handle) -> bool {
    // No check is needed whether there is one: a handle is not 0.
    CURRENT.get().map_or(0, Handle::raw) == context.raw()
}

/// Sets the current context of this thread; `None` removes it.
#[inline]
pub fn set_current(context: Option<Handle>) {
    CURRENT.set(context);
}

/// Returns this thread's current context. With a configured default device, a thread without a context gets that device
/// now.
#[inline]
pub fn current() -> Result<Ref<'static, Context>> {
    match current_now() {
        Some(context) => Ok(context),
        None => current_slow(),
    }
}

/// Returns this thread's current context if it is live. Never waits.
#[inline]
pub(crate) fn current_now() -> Option<Ref<'static, Context>> {
    CURRENT.get().and_then(|handle| Context::table().get(handle))
}

#[cold]
fn current_slow() -> Result<Ref<'static, Context>> {
    if CURRENT.get().is_none()
        && let Some(id) = runtime::default_device()
    {
        device::set(id)?;
        if let Some(context) = current_now() {
            return Ok(context);
        }
    }
    let why = if runtime::is_finalized() {
        "the runtime was finalized; call aclInit and aclrtSetDevice again"
    } else if CURRENT.get().is_some() {
        "the current context of this thread was destroyed or released with its device; call aclrtSetDevice or \
         aclrtSetCurrentContext"
    } else {
        "this thread has no current context; call aclrtSetDevice or aclrtSetCurrentContext first (each \
         thread needs its own)"
    };
    Err(Error::new(Code::ContextNull, why))
}

/// Refuses calls that would deadlock: user code that a stream runs may not allocate, free, wait, submit work, or create
/// and destroy objects.
#[inline]
pub(crate) fn refuse_inside_host_function() -> Result<()> {
    if backend::inside_host_function() { Err(inside_host_function()) } else { Ok(()) }
}

/// Returns the session as [`runtime::session`] does, for a call that is refused inside host functions.
pub(crate) fn session_outside_host_functions() -> Result<Arc<Session>> {
    refuse_inside_host_function()?;
    runtime::session()
}

/// Returns the context as [`current`] does, for a call that is refused inside host functions.
pub(crate) fn current_outside_host_functions() -> Result<Ref<'static, Context>> {
    refuse_inside_host_function()?;
    current()
}

#[cold]
fn inside_host_function() -> Error {
    param_invalid!(
        "called inside a host function, or a callback or task that a stream runs, where this call could deadlock; call \
         it after the stream was synchronized, or on another thread"
    )
}

/// Returns the unique number of this thread. It is small for the first threads that call this.
#[inline]
pub fn number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    if NUMBER.get() == usize::MAX {
        NUMBER.set(NEXT.fetch_add(1, Ordering::Relaxed) & (usize::MAX >> 1));
    }
    NUMBER.get()
}
