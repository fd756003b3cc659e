//! Callbacks of streams that a thread of the program runs, inside a call that it makes.
//!
//! There are two families of calls with the same rules; a stream uses one of them. A stream has at most one thread, a
//! thread any number of streams of one device.

mod reader;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

pub use self::reader::Subscription;
use self::reader::{Link, Reader};
use crate::algo::map::slot_table::Handle;
use crate::algo::thread::pause::pause;
use crate::backend::{self, HostFn, Op, Payload};
use crate::base::error::{Code, Error, Result, arguments, error_with, param_invalid};
use crate::base::handles;
use crate::runtime::thread;
use crate::stream::stream::synchronize::deadline;
use crate::stream::stream::{Stream, resolve};

/// Maximum number of threads of a family.
const MAX_THREADS: usize = 1024;
/// Interval of the checks whether threads have left.
const PAUSE: Duration = Duration::from_micros(100);

/// One of the two families: the names of its calls, and its threads.
pub struct Family {
    /// The noun for what it runs.
    what: &'static str,
    /// The name of the argument for a thread.
    argument: &'static str,
    subscribe: &'static str,
    unsubscribe: &'static str,
    process: &'static str,
    /// The threads with streams, by their pthread_t.
    threads: RwLock<BTreeMap<u64, Arc<Reader>>>,
}

/// The family of aclrtSubscribeReport and its variants.
pub static REPORTS: Family =
    Family::new("callbacks", "threadId", ["aclrtSubscribeReport", "aclrtUnSubscribeReport", "aclrtProcessReport"]);

/// The family of aclrtSubscribeHostFunc and its variants.
pub static HOST_FUNCTIONS: Family = Family::new(
    "host functions",
    "hostFuncThreadId",
    ["aclrtSubscribeHostFunc", "aclrtUnSubscribeHostFunc", "aclrtProcessHostFunc"],
);

/// Each process call that a thread is inside of holds a clone. Calls that are left from an earlier session hold another
/// one.
static INSIDE: Mutex<Option<Arc<()>>> = Mutex::new(None);

/// Longest time that a call waits before it returns that the thread serves no stream. Without it, programs that call it
/// in a loop and ignore the error would keep a core busy.
const NAP: Duration = Duration::from_millis(10);

impl Family {
    const fn new(what: &'static str, argument: &'static str, calls: [&'static str; 3]) -> Self {
        let [subscribe, unsubscribe, process] = calls;
        Self { what, argument, subscribe, unsubscribe, process, threads: RwLock::new(BTreeMap::new()) }
    }

    fn check_thread(&self, thread: u64) -> Result<()> {
        arguments::not_zero(self.argument, thread, "pass the thread's pthread_self()")
    }

    #[cold]
    fn thread_not_subscribed(&self, thread: u64) -> Error {
        let Self { what, subscribe, .. } = self;
        error_with!(
            Code::ThreadSubscribe,
            "thread {thread:#x} is not subscribed to run {what} of a stream (a subscription ends with its stream, its \
             device or aclFinalize); call {subscribe} with this thread's pthread_self() first"
        )
    }

    #[cold]
    fn stream_not_subscribed(&self, stream: Handle) -> Error {
        let Self { what, subscribe, .. } = self;
        error_with!(Code::StreamNoCbReg, "stream {stream} has no thread that runs its {what}; call {subscribe} first")
    }
}

/// Implements aclrtSubscribeReport and aclrtSubscribeHostFunc.
pub fn subscribe(family: &'static Family, thread: u64, stream: u64) -> Result<()> {
    let Family { argument, what, .. } = family;
    family.check_thread(thread)?;
    let stream = resolve(stream)?;
    let mut link = stream.callbacks.link.lock();
    match &*link {
        Link::NoThread => {}
        Link::Thread(reader) => {
            let Family { what, unsubscribe, .. } = reader.family;
            return Err(error_with!(
                Code::StreamSubscribe,
                "thread {:#x} already runs the {what} of {stream}; call {unsubscribe} first",
                reader.thread
            ));
        }
        Link::Over => {
            return Err(param_invalid!(
                "another thread is destroying {stream} or its context, or resetting its device; let it do so after \
                 this call, or subscribe to another stream"
            ));
        }
    }
    let mut threads = family.threads.write();
    let count = threads.len();
    let reader = match threads.get(&thread) {
        Some(reader) => Arc::clone(reader),
        None if count < MAX_THREADS => Reader::new(family, thread, stream.device.id),
        None => {
            return Err(error_with!(
                Code::ThreadSubscribe,
                "with {argument} {thread:#x}, {} threads would run {what}; allowed: at most {MAX_THREADS}; let one \
                 thread serve several streams",
                count + 1
            ));
        }
    };
    if reader.device != stream.device.id {
        return Err(error_with!(
            Code::ThreadSubscribe,
            "{argument} {thread:#x} serves streams of device {}, but this stream is on device {}; use another thread \
             for it",
            reader.device,
            stream.device.id
        ));
    }
    reader.add(stream.handle);
    threads.insert(thread, Arc::clone(&reader));
    stream.callbacks.set(&mut link, Link::Thread(reader));
    Ok(())
}

/// Implements aclrtUnSubscribeReport and aclrtUnSubscribeHostFunc, called in the thread `caller`.
pub fn unsubscribe(family: &'static Family, thread: u64, stream: u64, caller: u64) -> Result<()> {
    let Family { argument, what, .. } = family;
    family.check_thread(thread)?;
    // A `Ref` of the stream may not live across the wait.
    let stream: Arc<Stream> = match resolve(stream) {
        Ok(found) => found.to_arc(),
        // The subscription went with the stream, which the program destroys next.
        Err(_) if handles::is_late::<Stream>(stream) => return Ok(()),
        Err(error) => return Err(error),
    };
    let handle = stream.handle;
    let reader = stream.callbacks.reader_of(family).ok_or_else(|| {
        error_with!(
            Code::StreamNoCbReg,
            "stream {handle} has no thread that runs its {what}, so there is nothing to unsubscribe; omit the call"
        )
    })?;
    if reader.thread != thread {
        return Err(error_with!(
            Code::ThreadSubscribe,
            "{argument} {thread:#x} does not run the {what} of {stream}; pass thread {:#x}, which runs them",
            reader.thread
        ));
    }
    reader.drain(handle, caller)?;
    let mut link = stream.callbacks.link.lock();
    // Another thread may have ended the subscription meanwhile.
    if matches!(&*link, Link::Thread(present) if Arc::ptr_eq(present, &reader)) {
        stream.callbacks.set(&mut link, Link::NoThread);
        reader.remove(handle);
    }
    Ok(())
}

/// Implements aclrtLaunchCallback. `block`: later operations of the stream wait for it.
pub fn launch_callback(function: HostFn, block: bool, stream: u64) -> Result<()> {
    let stream = resolve(stream)?;
    let reader = stream.callbacks.reader_of(&REPORTS);
    let callback = reader.and_then(|reader| reader.admit(stream.handle, function));
    let callback = callback.ok_or_else(|| REPORTS.stream_not_subscribed(stream.handle))?;
    stream.submit(Op::HandOver { delivery: Payload::new(&mut Some(Box::new(callback))), wait: block }).map(drop)
}

/// Implements aclrtLaunchHostFunc: runs the function in the thread that subscribed to the stream's host functions, or
/// in a thread of the backend.
pub fn launch_host_function(function: HostFn, stream: u64) -> Result<()> {
    let stream = resolve(stream)?;
    let Some(reader) = stream.callbacks.reader() else {
        return stream.submit(Op::HostFn(Payload::new(&mut Some(function)))).map(drop);
    };
    if !std::ptr::eq(reader.family, &HOST_FUNCTIONS) {
        return Err(error_with!(
            Code::StreamSubscribe,
            "{stream} is subscribed with aclrtSubscribeReport, which excludes host functions; use \
             aclrtLaunchCallback, or another stream"
        ));
    }
    let callback =
        reader.admit(stream.handle, function).ok_or_else(|| HOST_FUNCTIONS.stream_not_subscribed(stream.handle))?;
    stream.submit(Op::HandOver { delivery: Payload::new(&mut Some(Box::new(callback))), wait: true }).map(drop)
}

/// Returns the number of launched, incomplete callbacks that only the calling thread can run, and the call that runs
/// them; `None` if there are none. Streams for which `ends` (device, handle) is true do not count.
pub(crate) fn pending_here(ends: &dyn Fn(u32, u64) -> bool) -> Option<(usize, &'static str)> {
    let thread = backend::pthread();
    [&REPORTS, &HOST_FUNCTIONS].into_iter().find_map(|family| {
        let reader = family.threads.read().get(&thread).cloned()?;
        Some((reader.pending(ends), family.process)).filter(|(count, _)| *count != 0)
    })
}

/// Implements aclrtProcessReport and aclrtProcessHostFunc, called in `thread`.
pub fn process(family: &'static Family, thread: u64, timeout_ms: i32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let deadline = deadline(timeout_ms).map_err(|error| error.recoded(Code::ParamInvalid, Code::InvalidParam))?;
    let threads = family.threads.read();
    let reader = threads.get(&thread).cloned();
    let Some(reader) = reader else {
        drop(threads);
        let left = deadline.map_or(NAP, |deadline| deadline.saturating_duration_since(Instant::now()));
        pause(left.min(NAP));
        return Err(family.thread_not_subscribed(thread));
    };
    // The clone is made under the lock: a thread that has ended all subscriptions sees every call that still knows one.
    let _call = Arc::clone(INSIDE.lock().get_or_insert_default());
    drop(threads);
    reader.process(timeout_ms, deadline)
}

/// Waits, after the end of all streams, until all threads, which were woken, have left their process calls. Returns
/// false if one still runs a callback at the deadline; that thread is left running.
pub(crate) fn wait_until_left(deadline: Instant) -> bool {
    loop {
        let mut inside = INSIDE.lock();
        if inside.as_mut().is_none_or(|calls| Arc::get_mut(calls).is_some()) {
            return true;
        }
        if Instant::now() >= deadline {
            *inside = None;
            return false;
        }
        drop(inside);
        pause(PAUSE);
    }
}
