//! Watches memory that changes without a notification: other processes, devices and threads of the program write there.
//! One thread checks all conditions, often at first, then less and less. It exists only while there are waits. Code of
//! this process that knows about a change calls `Watcher::check`, which completes the wait at once. The thread also
//! ends waits whose timeout has passed, including waits for events, for which it has no memory to check.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::algo::thread::pause::Backoff;
use crate::algo::thread::serving_thread::ServingThread;
use crate::{Comparison, Fault, FaultKind, Notify, NotifyWait, Result, Span, ValueWait};

/// The time without waits after which the thread ends.
const LINGER: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1000 });

/// The condition of a wait: true when it holds, an error if it cannot become true. It is called under the watcher's
/// lock, and only until the wait is complete. It takes no lock, and what it reads must exist for as long.
pub(crate) type Condition = Box<dyn FnMut() -> Result<bool> + Send>;
/// A function that is called when a wait is complete, with no lock held, on any thread; if the wait is late, on the
/// watcher's.
pub(crate) type OnComplete = Box<dyn FnOnce(Result<()>) + Send>;

/// The memory that a condition reads: first byte and length.
pub type ByteRange = (usize, usize);
/// The range of all addresses.
pub const ANYWHERE: ByteRange = (0, usize::MAX);
/// The range of no address.
const NOWHERE: ByteRange = (0, 0);

/// The condition that a stream waits for.
pub enum Expected {
    /// The record of an event, for at most this time from when the stream first reaches the wait. What completes it
    /// cancels the wait.
    Event(Duration),
    /// A notify.
    Notify(Arc<Notify>, NotifyWait),
    /// A value in memory that the host reaches.
    Value(ValueWait),
}

impl Expected {
    /// Returns the memory that the condition reads.
    fn range(&self) -> ByteRange {
        match self {
            Self::Event(_) => NOWHERE,
            Self::Notify(notify, _) => notify.range(),
            Self::Value(wait) => (wait.src.addr, wait.src.len),
        }
    }

    /// Whether this is an event: the watcher has no memory to check for it, and the wait does not end with its device.
    fn is_event(&self) -> bool {
        matches!(self, Self::Event(_))
    }

    /// Returns when a wait that begins now ends in any case: by its own timeout, or with its device, which ends at
    /// `device_ends`.
    fn deadline(&self, device_ends: Option<Instant>) -> Option<Deadline> {
        let ends = device_ends.filter(|_| !self.is_event()).map(|ends| (ends, None));
        let limit = match self {
            Self::Event(limit) => Some(*limit),
            Self::Notify(_, wait) => wait.limit,
            Self::Value(_) => None,
        };
        match limit.map(|limit| (Instant::now() + limit, Some(limit))) {
            Some(own) if ends.is_none_or(|ends| own.0 <= ends.0) => Some(own),
            _ => ends,
        }
    }

    /// Returns texts for what the stream waits for, and for what completes it.
    fn in_words(&self) -> (Cow<'static, str>, &'static str) {
        match self {
            Self::Event(_) => ("an event".into(), "record the event"),
            Self::Notify(..) => {
                ("a notify, or an event with ACL_EVENT_IPC or ACL_EVENT_EXTERNAL,".into(), "record the notify or event")
            }
            Self::Value(ValueWait { src, value, comparison }) => {
                let how = match comparison {
                    Comparison::GreaterOrEqual => "ACL_STREAM_WAIT_VALUE_GEQ",
                    Comparison::Equal => "ACL_STREAM_WAIT_VALUE_EQ",
                    Comparison::And => "ACL_STREAM_WAIT_VALUE_AND",
                    Comparison::Nor => "ACL_STREAM_WAIT_VALUE_NOR",
                };
                (format!("the value {value:#x} ({how}) at {:#x}", src.addr).into(), "write the value")
            }
        }
    }

    #[cold]
    fn timed_out(&self, limit: Duration) -> Fault {
        let (what, remedy) = self.in_words();
        let text = format!(
            "the stream's wait for {what} timed out after {limit:?}, and the stream continued; {remedy} earlier, or \
             raise the timeout"
        );
        Fault::new(FaultKind::WaitTimedOut, text)
    }

    /// Returns the fault of a wait that ended because its device ends.
    #[cold]
    pub fn never_came(&self) -> Fault {
        let (what, remedy) = self.in_words();
        let text = format!(
            "a stream still waited for {what} when the stream's device was reset or the library was finalized, and \
             continued without it; before that call, {remedy}, or abort the stream"
        );
        Fault::new(FaultKind::WaitTimedOut, text)
    }
}

/// # Safety
/// There is a word at the address for as long as the result is used.
pub unsafe fn word_at<'a>(addr: usize) -> &'a AtomicU64 {
    // SAFETY: the caller vouches for a word that the host reaches, and the core checked that it is aligned. Programs,
    // devices and other processes may write it at any time, hence an atomic.
    unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(addr)) }
}

/// Checks the conditions of waits.
#[derive(Default)]
pub struct Watcher {
    state: Mutex<Waits>,
    /// Notified when a wait has begun or has a new deadline, or when the thread must end.
    changed: Condvar,
    /// The number of waits with memory to check. It is read without the lock.
    waiting: AtomicUsize,
}

#[derive(Default)]
struct Waits {
    /// The waits for memory.
    waits: BTreeMap<u64, Waiting>,
    /// The waits for events, which a change of memory does not end.
    events: BTreeMap<u64, Waiting>,
    /// The number of [`Watched`] that exist.
    seats: usize,
    /// The number of [`Watched`] that were created so far.
    made: u64,
    /// True if a wait for memory has begun since the last check.
    begun: bool,
    /// The time at which the thread checks next. `None`: it is about to, or does not exist.
    wakes: Option<Instant>,
    thread: ServingThread,
}

struct Waiting {
    expected: Arc<Expected>,
    condition: Condition,
    deadline: Option<Deadline>,
    end: OnComplete,
}

/// The time at which a wait ends in any case, and its timeout. Without a timeout its device ends then.
type Deadline = (Instant, Option<Duration>);

/// A wait of a stream, pending or in progress. While one exists, the thread exists.
pub struct Watched {
    watcher: Arc<Watcher>,
    number: u64,
    expected: Arc<Expected>,
}

/// A completed wait, and its result.
type Ended = Vec<(Waiting, Result<()>)>;

impl Waits {
    /// Returns the waits that contain one for `expected`.
    fn waits_for(&mut self, expected: &Expected) -> &mut BTreeMap<u64, Waiting> {
        if expected.is_event() { &mut self.events } else { &mut self.waits }
    }

    /// Removes waits that read `range` and are complete, and those whose deadline is not after `late`.
    fn take_over(&mut self, range: ByteRange, late: Option<Instant>) -> Ended {
        let overlaps =
            |other: ByteRange| range.0 < other.0.saturating_add(other.1) && other.0 < range.0.saturating_add(range.1);
        let mut outcomes = Vec::new();
        let mut is_over = |_: &u64, waiting: &mut Waiting| {
            let checked = if overlaps(waiting.expected.range()) { (waiting.condition)() } else { Ok(false) };
            let is_late = |deadline| checked == Ok(false) && late.is_some_and(|late| deadline <= late);
            let expired = waiting.deadline.take_if(|(deadline, _)| is_late(*deadline));
            let outcome = expired.map_or(checked, |(_, limit)| {
                Err(limit.map_or_else(|| waiting.expected.never_came(), |limit| waiting.expected.timed_out(limit)))
            });
            let is_over = outcome != Ok(false);
            outcomes.extend(is_over.then(|| outcome.map(drop)));
            is_over
        };
        let mut ended: Vec<_> = self.waits.extract_if(.., &mut is_over).collect();
        if late.is_some() {
            ended.extend(self.events.extract_if(.., is_over));
        }
        ended.into_iter().map(|(_, waiting)| waiting).zip(outcomes).collect()
    }
}

impl Watcher {
    /// Completes waits for memory in this range, which may have changed. Without waits this is one load of a counter.
    /// The caller holds no lock.
    #[inline]
    pub fn check(&self, range: ByteRange) {
        // Relaxed: the thread checks a wait that is missed here.
        if self.waiting.load(Ordering::Relaxed) != 0 {
            self.check_range(range);
        }
    }

    #[cold]
    fn check_range(&self, range: ByteRange) {
        // Only the thread ends late waits: the calling thread may be one of the driver's, on which the driver accepts
        // no calls.
        let ended = self.state.lock().take_over(range, None);
        self.end(ended);
    }

    fn end(&self, ended: Ended) {
        for (waiting, outcome) in ended {
            self.uncount(&waiting);
            (waiting.end)(outcome);
        }
    }

    fn uncount(&self, waiting: &Waiting) {
        self.waiting.fetch_sub(usize::from(!waiting.expected.is_event()), Ordering::Relaxed);
    }

    fn serve(&self) {
        let mut pauses = Backoff::default();
        let mut idle_since = Instant::now();
        let mut state = self.state.lock();
        while !state.thread.is_stopping() {
            let now = Instant::now();
            let ended = state.take_over(ANYWHERE, Some(now));
            if std::mem::take(&mut state.begun) || !ended.is_empty() {
                pauses = Backoff::default();
            }
            if !ended.is_empty() {
                parking_lot::MutexGuard::unlocked(&mut state, || self.end(ended));
                continue;
            }
            if state.seats > 0 {
                idle_since = now;
            } else if now >= idle_since + LINGER {
                break;
            }
            let next = now + if self.waiting.load(Ordering::Relaxed) > 0 { pauses.length() } else { LINGER };
            let all = state.waits.values().chain(state.events.values());
            let deadlines = all.filter_map(|waiting| Some(waiting.deadline?.0));
            let wake = deadlines.fold(next, Instant::min);
            state.wakes = Some(wake);
            let _ = self.changed.wait_until(&mut state, wake);
            state.wakes = None;
        }
        state.thread.has_ended();
    }

    /// Ends the thread. There must be no waits, because they would never complete.
    pub fn stop(&self) {
        let mut state = self.state.lock();
        let ending = state.thread.stop();
        drop(state);
        self.changed.notify_one();
        ending.join();
    }

    /// Whether its thread runs.
    #[cfg(any(test, debug_assertions))]
    pub fn has_thread(&self) -> bool {
        self.state.lock().thread.is_there()
    }
}

impl Watched {
    /// Creates a wait that is about to be enqueued.
    pub fn new(watcher: &Arc<Watcher>, expected: Expected) -> Result<Self> {
        let mut state = watcher.state.lock();
        let serving = Arc::clone(watcher);
        let ended = state.thread.need("portacl-watcher", move || serving.serve());
        let ended = ended.map_err(|error| Fault::no_thread("that watches and ends waits", &error))?;
        state.seats += 1;
        state.made += 1;
        let number = state.made;
        drop(state);
        ended.join();
        Ok(Self { watcher: Arc::clone(watcher), number, expected: Arc::new(expected) })
    }

    /// Waits for `condition` until the deadline, which ends the wait with a fault. Returns false, and does not call
    /// `end`, if the condition holds already. Replaces a pending wait of this one, and keeps its deadline. The caller
    /// may hold any locks but those that `condition` takes.
    fn wait_for(&self, mut condition: Condition, deadline: Option<Deadline>, end: OnComplete) -> bool {
        let expected = &self.expected;
        let mut state = self.watcher.state.lock();
        // The thread, which checks at once, reports an error of the condition.
        if condition() == Ok(true) {
            return false;
        }
        // The wait is dropped without the lock.
        let before = state.waits_for(expected).remove(&self.number);
        if before.is_none() {
            self.watcher.waiting.fetch_add(usize::from(!expected.is_event()), Ordering::Relaxed);
        }
        let deadline = before.as_ref().and_then(|before| before.deadline).or(deadline);
        let wake = match deadline {
            Some((deadline, _)) if expected.is_event() => state.wakes.is_some_and(|wakes| deadline < wakes),
            _ => !std::mem::replace(&mut state.begun, true),
        };
        let waiting = Waiting { expected: Arc::clone(expected), condition, deadline, end };
        state.waits_for(expected).insert(self.number, waiting);
        drop(state);
        if wake {
            self.watcher.changed.notify_one();
        }
        true
    }

    /// Returns the memory of programs that the wait uses.
    pub fn memory(&self) -> ByteRange {
        if let Expected::Value(_) = *self.expected { self.expected.range() } else { NOWHERE }
    }

    /// Begins the timeout of a wait for an event, which the stream has reached.
    pub fn begin_limit(&self, end: OnComplete) {
        self.wait_for(Box::new(|| Ok(false)), self.expected.deadline(None), end);
    }

    /// Begins the wait, which the stream has reached. The stream ends with its device at `device_ends`. Returns false
    /// if the wait is complete already. If it is not, `end` is called later.
    ///
    /// # Safety
    /// `host_addr` returns where the host reaches the word of a value, until the wait is complete or cancelled.
    pub unsafe fn begin(
        &self,
        host_addr: impl FnOnce(&Span) -> usize,
        device_ends: Option<Instant>,
        end: OnComplete,
    ) -> bool {
        let condition: Condition = match &*self.expected {
            Expected::Event(_) => Box::new(|| Ok(false)),
            Expected::Notify(notify, wait) => notify.condition(*wait),
            Expected::Value(wait) => {
                let ValueWait { src, value, comparison } = *wait;
                let addr = host_addr(&src);
                Box::new(move || {
                    // SAFETY: the host reaches the word there while the wait uses it, as the caller vouches.
                    let word = unsafe { word_at(addr) };
                    // Acquire: a thread that reads the value sees earlier writes.
                    Ok(comparison.holds(word.load(Ordering::Acquire), value))
                })
            }
        };
        self.wait_for(condition, self.expected.deadline(device_ends), end)
    }

    /// Limits a wait in progress for a notify or a value: it ends at this time at the latest, with a fault, because the
    /// device ends.
    pub fn limit(&self, device_ends: Instant) {
        let mut state = self.watcher.state.lock();
        if let Some(waiting) = state.waits.get_mut(&self.number)
            && waiting.deadline.is_none_or(|(before, _)| device_ends < before)
        {
            waiting.deadline = Some((device_ends, None));
            drop(state);
            self.watcher.changed.notify_one();
        }
    }

    /// Cancels the wait, if there is one: its condition is not called any more.
    pub fn cancel(&self) {
        let waiting = self.watcher.state.lock().waits_for(&self.expected).remove(&self.number);
        if let Some(waiting) = waiting {
            self.watcher.uncount(&waiting);
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.cancel();
        self.watcher.state.lock().seats -= 1;
    }
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
