//! Callbacks of streams that a thread of the program runs, inside a call that it makes.
//!
//! There are two families of calls with the same rules; a stream uses one of them. A stream has at most one thread, a
//! thread any number of streams of one device.

mod reader;
pub mod subscription;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use self::reader::Reader;
use self::subscription::Link;
use crate::algo::map::slot_table::Handle;
use crate::algo::thread::pause::pause;
use crate::backend::{self, HostFn, Op, Payload};
use crate::core::base::error::{Code, Error, Result, arguments, error_with, invalid_param, param_invalid};
use crate::core::runtime::thread;
use crate::core::stream::stream::Stream;
use crate::core::stream::stream::resolve::resolve;

/// The largest number of threads of a family.
const MAX_THREADS: usize = 1024;
/// How often this checks whether threads have left.
const PAUSE: Duration = Duration::from_micros(100);

/// One of the two families: the names of its calls, and its threads.
pub struct Family {
    /// What it runs.
    what: &'static str,
    subscribe: &'static str,
    unsubscribe: &'static str,
    process: &'static str,
    /// The threads with streams, by their pthread_t.
    threads: RwLock<BTreeMap<u64, Arc<Reader>>>,
    inside: Mutex<Inside>,
}

/// Process calls that threads are inside of.
struct Inside {
    /// Counts sessions. Calls that an earlier session left do not count.
    life: u64,
    calls: usize,
}

/// aclrtSubscribeReport and its variants.
pub static REPORTS: Family = Family {
    what: "callbacks",
    subscribe: "aclrtSubscribeReport",
    unsubscribe: "aclrtUnSubscribeReport",
    process: "aclrtProcessReport",
    threads: RwLock::new(BTreeMap::new()),
    inside: Mutex::new(Inside { life: 0, calls: 0 }),
};

/// aclrtSubscribeHostFunc and its variants.
pub static HOST_FUNCTIONS: Family = Family {
    what: "host functions",
    subscribe: "aclrtSubscribeHostFunc",
    unsubscribe: "aclrtUnSubscribeHostFunc",
    process: "aclrtProcessHostFunc",
    threads: RwLock::new(BTreeMap::new()),
    inside: Mutex::new(Inside { life: 0, calls: 0 }),
};

/// The longest wait of a call before it returns that the thread serves no stream: programs that call it in a loop and
/// ignore the error would keep a core busy.
const NAP: Duration = Duration::from_millis(10);

impl Family {
    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }

    #[cold]
    fn thread_not_subscribed(&self, thread: u64) -> Error {
        let Self { what, subscribe, .. } = self;
        error_with!(
            Code::ThreadSubscribe,
            "thread {thread:#x} runs the {what} of no stream: call {subscribe} with this thread's \
                 pthread_self() first; a subscription ends with its stream or device, or by aclFinalize"
        )
    }

    #[cold]
    fn stream_not_subscribed(&self, stream: Handle) -> Error {
        let Self { what, subscribe, .. } = self;
        error_with!(Code::StreamNoCbReg, "stream {stream} has no thread that runs its {what}; call {subscribe} first")
    }
}

fn check_thread(argument: &str, thread: u64) -> Result<()> {
    arguments::not_zero(argument, thread, "it must be what pthread_self() gives in the thread")
}

/// aclrtSubscribeReport, aclrtSubscribeHostFunc.
pub fn subscribe(family: &'static Family, argument: &str, thread: u64, stream: u64) -> Result<()> {
    check_thread(argument, thread)?;
    let stream = resolve(stream)?;
    let mut link = stream.callbacks.link.lock();
    match &*link {
        Link::Nobody => {}
        Link::Thread(reader) => {
            let Family { what, unsubscribe, .. } = reader.family;
            return Err(error_with!(
                Code::StreamSubscribe,
                "{stream}: thread {:#x} runs its {what} already; call {unsubscribe} first",
                reader.thread
            ));
        }
        Link::Over => {
            return Err(param_invalid!("{stream} is being destroyed by another thread"));
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
                "{argument} {thread:#x} would be thread {} with {}; at most {MAX_THREADS} can have \
                     them, let one thread serve more streams",
                count + 1,
                family.what
            ));
        }
    };
    if reader.device != stream.device.id {
        return Err(error_with!(
            Code::ThreadSubscribe,
            "{argument} {thread:#x} serves streams of device {}, and this stream is on device {}; use \
                 another thread for it",
            reader.device,
            stream.device.id
        ));
    }
    reader.add(stream.handle);
    threads.insert(thread, Arc::clone(&reader));
    stream.callbacks.set(&mut link, Link::Thread(reader));
    Ok(())
}

/// aclrtUnSubscribeReport, aclrtUnSubscribeHostFunc, called in the thread `caller`.
pub fn unsubscribe(family: &'static Family, argument: &str, thread: u64, stream: u64, caller: u64) -> Result<()> {
    check_thread(argument, thread)?;
    // No `Ref` of it may live across the wait.
    let stream: Arc<Stream> = resolve(stream)?.to_arc();
    let handle = stream.handle;
    let reader = stream.callbacks.reader_of(family).ok_or_else(|| family.stream_not_subscribed(handle))?;
    if reader.thread != thread {
        return Err(error_with!(
            Code::ThreadSubscribe,
            "{argument} {thread:#x} does not run the {} of {stream}, thread {:#x} does; pass that",
            family.what,
            reader.thread
        ));
    }
    reader.drain(handle, caller)?;
    let mut link = stream.callbacks.link.lock();
    // Another thread may have ended it meanwhile.
    if matches!(&*link, Link::Thread(present) if Arc::ptr_eq(present, &reader)) {
        stream.callbacks.set(&mut link, Link::Nobody);
        reader.remove(handle);
    }
    Ok(())
}

/// aclrtLaunchCallback. `block`: later operations of the stream wait for it.
pub fn launch_callback(function: HostFn, block: bool, stream: u64) -> Result<()> {
    let stream = resolve(stream)?;
    let reader = stream.callbacks.reader_of(&REPORTS);
    let callback = reader.and_then(|reader| reader.admit(stream.handle, function));
    let callback = callback.ok_or_else(|| REPORTS.stream_not_subscribed(stream.handle))?;
    stream.submit(Op::HandOver { delivery: Payload::new(&mut Some(Box::new(callback))), wait: block }).map(drop)
}

/// aclrtLaunchHostFunc: in the thread that subscribed to the stream's host functions, or in a thread of the backend.
pub fn launch_host_function(function: HostFn, stream: u64) -> Result<()> {
    let stream = resolve(stream)?;
    let Some(reader) = stream.callbacks.reader() else {
        return stream.submit(Op::HostFn(Payload::new(&mut Some(function)))).map(drop);
    };
    if !reader.family.is(&HOST_FUNCTIONS) {
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

/// How many launched callbacks that are not complete only the calling thread can run, and the call that runs them;
/// `None`: none. Streams for which `ends` (device, handle) is true do not count.
pub fn pending_here(ends: &dyn Fn(u32, u64) -> bool) -> Option<(usize, &'static str)> {
    let thread = backend::pthread();
    [&REPORTS, &HOST_FUNCTIONS].into_iter().find_map(|family| {
        let reader = family.threads.read().get(&thread).cloned()?;
        Some((reader.pending(ends), family.process)).filter(|(count, _)| *count != 0)
    })
}

/// A process call.
struct Call {
    family: &'static Family,
    life: u64,
}

impl Call {
    fn begin(family: &'static Family) -> Self {
        let mut inside = family.inside.lock();
        inside.calls += 1;
        Self { family, life: inside.life }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut inside = self.family.inside.lock();
        if inside.life == self.life {
            inside.calls -= 1;
        }
    }
}

/// aclrtProcessReport, aclrtProcessHostFunc, called in `thread`.
pub fn process(family: &'static Family, thread: u64, timeout_ms: i32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let deadline = match timeout_ms {
        -1 => None,
        1.. => Some(Instant::now() + Duration::from_millis(timeout_ms as u64)),
        _ => {
            return Err(invalid_param!("timeout is {timeout_ms}; allowed: -1 (wait for ever) or milliseconds above 0"));
        }
    };
    let threads = family.threads.read();
    let reader = threads.get(&thread).cloned();
    let Some(reader) = reader else {
        drop(threads);
        let left = deadline.map_or(NAP, |deadline| deadline.saturating_duration_since(Instant::now()));
        pause(left.min(NAP));
        return Err(family.thread_not_subscribed(thread));
    };
    // Under the lock: a thread that has ended all subscriptions sees every call that still knows one.
    let _call = Call::begin(family);
    drop(threads);
    reader.process(timeout_ms, deadline)
}

/// After the end of all streams: waits until all threads, which were woken, have left their process calls. False if one
/// still runs a callback at the deadline; the thread is left running.
pub fn wait_until_left(deadline: Instant) -> bool {
    let mut all = true;
    for family in [&REPORTS, &HOST_FUNCTIONS] {
        loop {
            let mut inside = family.inside.lock();
            if inside.calls == 0 {
                break;
            }
            if Instant::now() >= deadline {
                *inside = Inside { life: inside.life + 1, calls: 0 };
                all = false;
                break;
            }
            drop(inside);
            pause(PAUSE);
        }
    }
    all
}
