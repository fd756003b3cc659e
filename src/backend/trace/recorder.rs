//! When the trace is written: by a thread while a trace is open, and by calls that need something to be written now.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::file::TraceFile;
use super::lane::Lane;
use super::timeline::{End, Timeline};
use super::{dependency, host};
use crate::algo::host::notice::notice;
use crate::algo::host::system_call::named;
use crate::algo::thread::quiet_thread;
use crate::backend::at_exit;
use crate::backend::stream::decorators;

/// How often the thread writes.
const PERIOD: Duration = Duration::from_millis(5);
/// How long a submission waits for a writer that is behind.
const PATIENCE: Duration = Duration::from_millis(20);
/// How long the end of the process waits for a write in progress.
const PATIENCE_AT_EXIT: Duration = Duration::from_millis(500);

/// The limits of a trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Most bytes of the file; `None`: no limit.
    pub file: Option<u64>,
}

/// A size that changes over time.
pub struct Gauge {
    /// The device whose memory it is; `None`: host memory.
    pub device: Option<u32>,
    /// Its name.
    pub name: String,
    /// Its current size.
    pub bytes: u64,
}

/// Reports the current sizes. It is called by the thread that writes, and does not wait.
pub type Gauges = fn(&mut dyn FnMut(Gauge));

/// An open trace.
struct Recorder {
    file: TraceFile,
    timeline: Timeline,
    limits: Limits,
    /// The write error.
    failed: Option<String>,
    thread: Option<JoinHandle<()>>,
}

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);
/// The process that has opened it: a forked child must not overwrite its parent's trace, and may find its locks held by
/// threads that it does not have.
static PROCESS: AtomicU32 = AtomicU32::new(0);
static LANES: Mutex<Vec<Arc<Lane>>> = Mutex::new(Vec::new());
static GAUGES: Mutex<Option<Gauges>> = Mutex::new(None);
/// Closed traces of this process: they continue where they ended.
static CLOSED: Mutex<Vec<TraceFileEnd>> = Mutex::new(Vec::new());

/// The end of a closed trace.
type TraceFileEnd = (PathBuf, u64);

/// The requests to the thread.
#[derive(Default)]
struct Orders {
    now: bool,
    stop: bool,
}

static ORDERS: Mutex<Orders> = Mutex::new(Orders { now: false, stop: false });
static ORDERED: Condvar = Condvar::new();
/// Something was written.
static WRITTEN: Condvar = Condvar::new();

/// Sets the function that reports sizes while a trace is open.
pub fn set_gauges(gauges: Gauges) {
    *GAUGES.lock() = Some(gauges);
}

/// Whether a trace is open.
pub fn is_open() -> bool {
    RECORDER.lock().is_some()
}

/// Opens a trace, and starts its thread. Nothing is recorded before [`record`]. None is open. A trace that this process
/// has closed continues; a file that another process writes is not touched. Returns the path.
pub fn open(path: &Path, limits: Limits) -> io::Result<PathBuf> {
    let mut recorder = RECORDER.lock();
    if recorder.is_some() {
        return Err(io::Error::other("a trace is open"));
    }
    let known = CLOSED.lock().iter().find(|(known, _)| known == path).map(|(_, end)| *end);
    let file = TraceFile::create(path, known)?;
    host::forget();
    *ORDERS.lock() = Orders::default();
    let thread = quiet_thread::spawn("portacl-trace", run);
    let thread = thread.map_err(|error| named("no thread can be started to write it", error))?;
    at_exit(finish_at_exit);
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    let at = file.path().to_owned();
    *recorder = Some(Recorder { file, timeline: Timeline::default(), limits, failed: None, thread: Some(thread) });
    Ok(at)
}

/// Records the work of these devices ([`super::bit`]) from now on, and threads while there are any. Operations that
/// were queued before are not recorded.
pub fn record(devices: u64) {
    decorators::set_traced(devices);
    if let Some(recorder) = &mut *RECORDER.lock() {
        recorder.write(if devices == 0 { End::Pause } else { End::Open });
    }
}

/// Ends the trace, if one is open: all complete work is in it. Returns its summary.
pub fn close() -> Option<String> {
    let mut thread = RECORDER.lock().as_mut()?.thread.take();
    decorators::set_traced(0);
    ORDERS.lock().stop = true;
    ORDERED.notify_one();
    if let Some(thread) = thread.take() {
        // The thread does not panic; if it did, there is nothing to wait for.
        let _ = thread.join();
    }
    let recorder = RECORDER.lock().take()?;
    Some(recorder.finish())
}

/// A device is about to be closed: drops everything of it.
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
    LANES.lock().push(Arc::clone(lane));
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
    while !enough() {
        if orders.stop || WRITTEN.wait_until(&mut orders, deadline).timed_out() {
            return enough();
        }
    }
    true
}

/// The main function of the thread.
fn run() {
    loop {
        let stop = {
            let mut orders = ORDERS.lock();
            if !orders.now && !orders.stop {
                ORDERED.wait_for(&mut orders, PERIOD);
            }
            orders.now = false;
            orders.stop
        };
        if stop {
            return;
        }
        if let Some(recorder) = &mut *RECORDER.lock() {
            recorder.write(End::Open);
        }
        let _orders = ORDERS.lock();
        WRITTEN.notify_all();
    }
}

/// The process ends with a trace open. The thread may be running, or stopped.
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
        let gauges = *GAUGES.lock();
        // A row without other references gets no more entries.
        let lanes = {
            let mut lanes = LANES.lock();
            let all = lanes.clone();
            lanes.retain(|lane| Arc::strong_count(lane) > 2 || !lane.is_written());
            all
        };
        self.timeline.host();
        for lane in &lanes {
            self.timeline.lane(lane, end == End::Close);
        }
        if let Some(gauges) = gauges {
            self.timeline.gauges(gauges);
        }
        self.timeline.end(end);
        let text = self.timeline.take_text();
        if self.failed.is_some() {
            return;
        }
        let limit = self.limits.file.unwrap_or(u64::MAX);
        if self.file.len().saturating_add(text.len() as u64) > limit {
            self.fail(format!("the file would be longer than {limit} bytes"));
        } else if let Err(why) = self.file.append(text) {
            self.fail(why.to_string());
        }
    }

    /// Stops writing after an error.
    fn fail(&mut self, why: String) {
        let path = self.file.path().display();
        notice(format_args!("portacl: the trace {path} ends here: {why}\n"));
        self.failed = Some(why);
    }

    /// Writes the rest. Returns the summary.
    fn finish(mut self) -> String {
        self.write(End::Close);
        let path = self.file.path().to_owned();
        let mut closed = CLOSED.lock();
        closed.retain(|(known, _)| *known != path);
        closed.push((path.clone(), self.file.end()));
        drop(closed);
        dependency::forget_all();
        let lost = self.timeline.lost();
        let lanes = std::mem::take(&mut *LANES.lock());
        // Streams that still exist have their rows in the next trace, too.
        LANES.lock().extend(lanes.into_iter().filter(|lane| Arc::strong_count(lane) > 1));
        format!("{} ({lost} operations were not recorded)", path.display())
    }
}
