//! Writes the trace: by a thread while a trace is open, and by calls that need something to be written now.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::file::TraceFile;
use super::lane::Lane;
use super::timeline::{End, Timeline};
use super::{call, dependency, host};
use crate::algo::host::notice::notice;
use crate::algo::host::system_call::named;
use crate::algo::thread::quiet_thread;
use crate::at_exit;
use crate::stream::decorators;

/// The interval at which the thread writes.
const PERIOD: Duration = Duration::from_millis(5);
/// The time that a submission waits for a writer that is late.
const PATIENCE: Duration = Duration::from_millis(20);
/// The time that the end of the process waits for a write in progress.
const PATIENCE_AT_EXIT: Duration = Duration::from_millis(500);

/// Reports a size that changes over time: the device whose memory it is (`None`: host memory), its name, and its bytes.
pub type Report<'a> = &'a mut dyn FnMut(Option<u32>, &str, u64);

/// Reports the current sizes. It is called by the thread that writes, and does not wait.
pub(super) type Gauges = fn(Report<'_>);

/// An open trace.
struct Recorder {
    file: TraceFile,
    timeline: Timeline,
    gauges: Gauges,
    /// The maximum number of bytes of the file.
    limit: u64,
    /// True if an error has ended the trace.
    failed: bool,
    thread: Option<quiet_thread::Handle>,
}

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);
/// The process that has opened the trace: a forked child must not overwrite its parent's trace, and may find its locks
/// held by threads that it does not have.
static PROCESS: AtomicU32 = AtomicU32::new(0);
static LANES: Mutex<Vec<Arc<Lane>>> = Mutex::new(Vec::new());
/// The minimum number of rows at which a new one waits for the writer.
const MANY_LANES: usize = 1024;
/// The number of rows at which a new one waits until the writer has removed those of streams that no longer exist.
static MOST_LANES: AtomicUsize = AtomicUsize::new(MANY_LANES);
/// The closed traces of this process, each with the length at which it continues.
static CLOSED: Mutex<BTreeMap<PathBuf, u64>> = Mutex::new(BTreeMap::new());

/// The requests to the thread.
#[derive(Default)]
struct Orders {
    now: bool,
    stop: bool,
}

static ORDERS: Mutex<Orders> = Mutex::new(Orders { now: false, stop: false });
static ORDERED: Condvar = Condvar::new();
/// Notified when something was written.
static WRITTEN: Condvar = Condvar::new();

/// Whether a trace is open.
pub fn is_open() -> bool {
    RECORDER.lock().is_some()
}

/// Opens a trace, and starts its thread. No trace is open. Nothing is recorded before [`record`]. A trace that this
/// process has closed continues; a file that another process writes is not changed.
pub fn open(path: &Path, limit: Option<u64>, gauges: Gauges) -> io::Result<()> {
    let mut recorder = RECORDER.lock();
    ensure!(recorder.is_none(), io::Error::other("a trace is open"));
    let known = CLOSED.lock().get(path).copied();
    let file = TraceFile::create(path, known)?;
    host::forget();
    *ORDERS.lock() = Orders::default();
    let thread = quiet_thread::spawn("portacl-trace", run);
    let thread = thread.map_err(|error| named("no thread can be started to write it", error))?;
    at_exit(finish_at_exit);
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    let (timeline, limit, thread) = (Timeline::default(), limit.unwrap_or(u64::MAX), Some(thread));
    *recorder = Some(Recorder { file, timeline, gauges, limit, failed: false, thread });
    Ok(())
}

/// Records the work of these devices ([`super::bit`]) from now on, and threads while there are any devices. Operations
/// that were enqueued before are not recorded.
pub fn record(devices: u64) {
    if !super::is_on() {
        call::forget_earlier();
    }
    decorators::set_traced(devices);
    if let Some(recorder) = &mut *RECORDER.lock() {
        recorder.write(if devices == 0 { End::Pause } else { End::Open });
    }
}

/// Ends the trace, if one is open. All complete work is in it.
pub fn close() {
    let Some(thread) = RECORDER.lock().as_mut().map(|recorder| recorder.thread.take()) else { return };
    decorators::set_traced(0);
    ORDERS.lock().stop = true;
    ORDERED.notify_one();
    if let Some(thread) = thread {
        thread.join();
    }
    let Some(recorder) = RECORDER.lock().take() else { return };
    recorder.finish();
}

/// Drops all objects of a device that is about to be closed.
pub fn at_end_of_device(device: u32) {
    let mut recorder = RECORDER.lock();
    let of_device = |lane: &&Arc<Lane>| lane.device == device;
    let lanes: Vec<_> = LANES.lock().iter().filter(of_device).cloned().collect();
    if let Some(recorder) = &mut *recorder {
        recorder.write(End::Open);
    }
    for lane in lanes {
        match &mut *recorder {
            Some(recorder) => recorder.timeline.lane(&lane, true),
            None => lane.forget(),
        }
        lane.release();
    }
    drop(recorder);
    LANES.lock().retain(|lane| lane.device != device);
}

/// Adds a row.
pub(super) fn add(lane: &Arc<Lane>) {
    let count = {
        let mut lanes = LANES.lock();
        lanes.push(Arc::clone(lane));
        lanes.len()
    };
    if count >= MOST_LANES.load(Ordering::Relaxed) {
        // A writer that is late for longer gets them all later.
        wait_for(|| LANES.lock().len() < MOST_LANES.load(Ordering::Relaxed));
    }
}

/// Wakes the thread, because there is much to write.
pub(super) fn wake() {
    ORDERS.lock().now = true;
    ORDERED.notify_one();
}

/// Wakes the thread, and waits briefly until `enough`. Returns whether it is.
#[cold]
pub(super) fn wait_for(enough: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    wake();
    let mut orders = ORDERS.lock();
    WRITTEN.wait_while_until(&mut orders, |orders| !orders.stop && !enough(), deadline);
    enough()
}

/// The main function of the thread.
fn run() {
    loop {
        let mut orders = ORDERS.lock();
        ORDERED.wait_while_for(&mut orders, |orders| !orders.now && !orders.stop, PERIOD);
        if orders.stop {
            return;
        }
        orders.now = false;
        drop(orders);
        if let Some(recorder) = &mut *RECORDER.lock() {
            recorder.write(End::Open);
        }
        let _orders = ORDERS.lock();
        WRITTEN.notify_all();
    }
}

/// Finishes the trace that is open when the process ends. The thread may be running, or stopped.
fn finish_at_exit() {
    if PROCESS.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    let Some(mut recorder) = RECORDER.try_lock_for(PATIENCE_AT_EXIT) else { return };
    decorators::set_traced(0);
    if let Some(recorder) = recorder.take() {
        recorder.finish();
    }
}

impl Recorder {
    /// Writes everything that is complete.
    fn write(&mut self, end: End) {
        // A row without other references gets no more entries.
        let is_over = |lane: &mut Arc<Lane>| Arc::strong_count(lane) == 1 && lane.backlog.load(Ordering::Relaxed) == 0;
        let (over, lanes) = {
            let mut lanes = LANES.lock();
            let over: Vec<_> = lanes.extract_if(.., is_over).collect();
            MOST_LANES.store(MANY_LANES.max(2 * lanes.len()), Ordering::Relaxed);
            (over, lanes.clone())
        };
        self.timeline.host();
        for lane in over.iter().chain(&lanes) {
            self.timeline.lane(lane, end == End::Close);
        }
        over.iter().for_each(|lane| self.timeline.end_row(lane));
        self.timeline.gauges(self.gauges);
        self.timeline.end(end);
        let text = std::mem::take(&mut self.timeline.text);
        if self.failed {
            return;
        }
        let written = if self.file.len().saturating_add(text.len() as u64) > self.limit {
            Err(format!("the file would exceed the {} bytes of ACL_PROF_STORAGE_LIMIT", self.limit))
        } else {
            self.file.append(text).map_err(|why| why.to_string())
        };
        if let Err(why) = written {
            notice(format_args!("portacl: the trace {} ends early: {why}\n", self.file.path.display()));
            self.failed = true;
        }
    }

    /// Writes the rest.
    fn finish(mut self) {
        self.write(End::Close);
        CLOSED.lock().insert(self.file.path.clone(), self.file.end);
        dependency::forget_all();
        let lanes = std::mem::take(&mut *LANES.lock());
        // Streams that still exist have their rows in the next trace, too.
        LANES.lock().extend(lanes.into_iter().filter(|lane| Arc::strong_count(lane) > 1));
    }
}
