//! A thread of the program that runs callbacks, and the streams that it serves.
//!
//! Lock order: a stream's subscription, then a family's threads, then a reader. None of them is held while a callback
//! runs, or while a stream resumes.

mod posted;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use self::posted::Posted;
use super::Family;
use crate::algo::map::slot_table::Handle;
use crate::backend::{Delivery, HostFn, Ticket};
use crate::base::error::{Code, Error, Result, error_with, param_invalid};

/// Time without a completed callback after which the end of a subscription fails.
const PATIENCE: Duration = Duration::from_secs(2);

/// The callbacks of one thread.
pub struct Reader {
    pub(super) family: &'static Family,
    /// The pthread_t of the thread.
    pub(super) thread: u64,
    /// The device of all its streams.
    pub(super) device: u32,
    state: Mutex<Inbox>,
    /// Signalled after each change of `state`.
    changed: Condvar,
}

#[derive(Default)]
struct Inbox {
    /// The streams that the thread serves, by handle.
    lines: BTreeMap<u64, ServedStream>,
    /// The callbacks that streams have handed over, in that order.
    posted: Posted,
    /// The stream whose callback runs now.
    running: Option<u64>,
}

/// A stream that the thread serves.
#[derive(Default)]
struct ServedStream {
    /// Number of callbacks that were launched and are not complete.
    pending: usize,
    /// True while the stream accepts no more callbacks.
    draining: bool,
    /// Number of times that callbacks that had not started were dropped.
    drops: u64,
}

/// A launched callback.
pub(super) struct LaunchedCallback {
    reader: Arc<Reader>,
    stream: u64,
    /// The value of [`ServedStream::drops`] at the launch.
    drops: u64,
    function: Option<HostFn>,
    /// What the stream waits for, once it has delivered the callback.
    ticket: Option<Ticket>,
    /// The next one in a list of [`Posted`].
    next: Option<Box<LaunchedCallback>>,
}

/// Dropped when the thread ends inside a callback: the callback is complete. The state is not locked.
struct ThreadEnds<'a>(&'a Reader);

impl Drop for ThreadEnds<'_> {
    fn drop(&mut self) {
        self.0.state.lock().running = None;
        self.0.changed.notify_all();
    }
}

impl Reader {
    pub(super) fn new(family: &'static Family, thread: u64, device: u32) -> Arc<Self> {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Arc::new(Self { family, thread, device, state, changed })
    }

    /// Adds a stream that the thread serves.
    pub(super) fn add(&self, stream: Handle) {
        self.state.lock().lines.insert(stream.raw(), ServedStream::default());
    }

    /// Counts a callback that is about to be enqueued on `stream`. `None`: its subscription has ended, or is ending.
    pub(super) fn admit(self: &Arc<Self>, stream: Handle, function: HostFn) -> Option<LaunchedCallback> {
        let stream = stream.raw();
        let mut state = self.state.lock();
        let line = state.lines.get_mut(&stream).filter(|line| !line.draining)?;
        line.pending += 1;
        let drops = line.drops;
        let (reader, function) = (Arc::clone(self), Some(function));
        Some(LaunchedCallback { reader, stream, drops, function, ticket: None, next: None })
    }

    /// Runs the posted callbacks in the calling thread. If there are none, waits until the deadline for the first one.
    pub(super) fn process(&self, timeout_ms: i32, deadline: Option<Instant>) -> Result<()> {
        let mut state = self.state.lock();
        while state.posted.len() == 0 {
            ensure!(!state.lines.is_empty(), self.family.thread_not_subscribed(self.thread));
            match deadline {
                None => self.changed.wait(&mut state),
                Some(deadline) if Instant::now() >= deadline => return Err(self.nothing_came(timeout_ms)),
                Some(deadline) => _ = self.changed.wait_until(&mut state, deadline),
            }
        }
        // Callbacks that arrive meanwhile are left for the next call, so that this one ends.
        for _ in 0..state.posted.len() {
            let Some(mut callback) = state.posted.pop() else { break };
            state.running = Some(callback.stream);
            MutexGuard::unlocked(&mut state, || {
                let ends = ThreadEnds(self);
                if let Some(function) = callback.function.take() {
                    function.run_on_thread_of_program();
                }
                std::mem::forget(ends);
                drop(callback.ticket.take());
                drop(callback);
            });
            state.running = None;
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Returns the number of callbacks that were launched and are not complete, without those of streams for which
    /// `ends` is true.
    pub(super) fn pending(&self, ends: &dyn Fn(u32, u64) -> bool) -> usize {
        let state = self.state.lock();
        let counted = state.lines.iter().filter(|(stream, _)| !ends(self.device, **stream));
        counted.map(|(_, line)| line.pending).sum()
    }

    fn nothing_came(&self, timeout_ms: i32) -> Error {
        let Family { what, process, .. } = self.family;
        error_with!(
            Code::ReportTimeout,
            "no {what} arrived for thread {:#x} within {timeout_ms} ms; call {process} again",
            self.thread
        )
    }

    /// Accepts no more callbacks of `stream`, and waits until all are complete. If none completes for some time, or if
    /// only the calling thread could run them, it fails and accepts callbacks again.
    pub(super) fn drain(&self, stream: Handle, caller: u64) -> Result<()> {
        let mut state = self.state.lock();
        let line = state.line(stream)?;
        if std::mem::replace(&mut line.draining, true) {
            return Err(self.still_pending(stream, line, "that another thread's unsubscribe call already waits for"));
        }
        loop {
            let before = state.line(stream)?.pending;
            if before == 0 {
                return Ok(());
            }
            let why = if caller == self.thread {
                "that only the calling thread runs".to_owned()
            } else {
                let is_same = |state: &mut Inbox| state.line(stream).is_ok_and(|line| line.pending == before);
                self.changed.wait_while_for(&mut state, is_same, PATIENCE);
                format!("and their thread completed none of them in {} s", PATIENCE.as_secs())
            };
            let line = state.line(stream)?;
            if line.pending == before {
                line.draining = false;
                return Err(self.still_pending(stream, line, &why));
            }
        }
    }

    fn still_pending(&self, stream: Handle, line: &ServedStream, why: &str) -> Error {
        let Family { what, process, .. } = self.family;
        let (stream, thread) = (stream.raw(), self.thread);
        param_invalid!(
            "stream {stream:#x} stays subscribed, because it has pending {what} ({}) {why}; call {process} in thread \
             {thread:#x}, or call aclrtStreamAbort, which drops all work of the stream",
            line.pending
        )
    }

    /// Stops serving the stream. Callbacks that have not started are dropped, now or when the stream reaches them; the
    /// stream continues after them.
    pub(super) fn remove(&self, stream: Handle) {
        let mut threads = self.family.threads.write();
        let mut state = self.state.lock();
        let line = state.lines.remove(&stream.raw());
        if line.is_some() && state.lines.is_empty() {
            threads.remove(&self.thread);
        }
        drop(threads);
        let dropped = state.take_posted(stream);
        drop(state);
        self.changed.notify_all();
        drop(dropped);
    }

    /// Drops the callbacks that were launched on the stream and have not started, now or when the stream reaches them.
    /// The stream continues after them, and is served as before.
    pub(super) fn drop_pending(&self, stream: Handle) {
        let mut state = self.state.lock();
        if let Some(line) = state.lines.get_mut(&stream.raw()) {
            line.drops += 1;
        }
        let dropped = state.take_posted(stream);
        drop(state);
        drop(dropped);
    }

    /// Waits until no callback of `stream` runs; the thread no longer serves the stream. Returns false if the deadline
    /// passed.
    pub(crate) fn wait_for_running(&self, stream: Handle, deadline: Option<Instant>) -> bool {
        let mut state = self.state.lock();
        while state.running == Some(stream.raw()) {
            match deadline {
                None => self.changed.wait(&mut state),
                Some(deadline) if Instant::now() >= deadline => return false,
                Some(deadline) => _ = self.changed.wait_until(&mut state, deadline),
            }
        }
        true
    }
}

impl Inbox {
    /// Takes what that stream has handed over. The caller drops it after it has released the lock.
    fn take_posted(&mut self, stream: Handle) -> Posted {
        let (mut of_stream, mut others) = (Posted::default(), Posted::default());
        while let Some(callback) = self.posted.pop() {
            let list = if callback.stream == stream.raw() { &mut of_stream } else { &mut others };
            list.push(callback);
        }
        self.posted = others;
        of_stream
    }

    fn line(&mut self, stream: Handle) -> Result<&mut ServedStream> {
        self.lines.get_mut(&stream.raw()).ok_or_else(|| {
            param_invalid!(
                "stream {:#x} was unsubscribed, destroyed, or released with its device by another thread during this \
                 call",
                stream.raw()
            )
        })
    }
}

impl Delivery for LaunchedCallback {
    fn deliver(mut self: Box<Self>, ticket: Ticket) {
        self.ticket = Some(ticket);
        let reader = Arc::clone(&self.reader);
        let mut state = reader.state.lock();
        let line = state.lines.get(&self.stream);
        if line.is_none_or(|line| line.drops != self.drops) {
            // The lock is released first: the drop resumes the stream, and the callback updates the counts.
            drop(state);
            drop(self);
            return;
        }
        state.posted.push(self);
        drop(state);
        reader.changed.notify_all();
    }
}

impl Drop for LaunchedCallback {
    /// Counts the callback as complete: it has run, or was dropped.
    fn drop(&mut self) {
        let mut state = self.reader.state.lock();
        if let Some(line) = state.lines.get_mut(&self.stream) {
            line.pending -= 1;
        }
        drop(state);
        self.reader.changed.notify_all();
    }
}

/// The thread that runs the callbacks of a stream, if there is one.
#[derive(Default)]
pub struct Subscription {
    /// True if there is a thread. Calls for which either value is correct read it without the lock.
    active: AtomicBool,
    pub(super) link: Mutex<Link>,
}

#[derive(Default)]
pub(super) enum Link {
    #[default]
    NoThread,
    Thread(Arc<Reader>),
    /// The stream is being destroyed.
    Over,
}

impl Subscription {
    pub(super) fn reader(&self) -> Option<Arc<Reader>> {
        // Relaxed: a concurrent subscription may come before or after.
        if !self.active.load(Ordering::Relaxed) {
            return None;
        }
        match &*self.link.lock() {
            Link::Thread(reader) => Some(Arc::clone(reader)),
            Link::NoThread | Link::Over => None,
        }
    }

    pub(super) fn reader_of(&self, family: &Family) -> Option<Arc<Reader>> {
        self.reader().filter(|reader| std::ptr::eq(reader.family, family))
    }

    pub(super) fn set(&self, link: &mut Link, to: Link) -> Link {
        self.active.store(matches!(to, Link::Thread(_)), Ordering::Relaxed);
        std::mem::replace(link, to)
    }

    /// Drops the callbacks that have not started, because the stream was aborted.
    pub(crate) fn drop_pending(&self, stream: Handle) {
        if let Some(reader) = self.reader() {
            reader.drop_pending(stream);
        }
    }

    /// Ends the subscription, because the stream is being destroyed: drops callbacks that have not started, so that the
    /// stream completes. Returns the reader that may still run one.
    pub fn end(&self, stream: Handle) -> Option<Arc<Reader>> {
        let Link::Thread(reader) = self.set(&mut self.link.lock(), Link::Over) else { return None };
        reader.remove(stream);
        Some(reader)
    }
}
