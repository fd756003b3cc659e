//! Implements readers and releasers outside of models.

use std::any::Any;
use std::cell::Cell;
use std::cmp::Ordering as Order;
use std::collections::BinaryHeap;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, compiler_fence, fence};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use crate::thread::pause::pause;
use crate::thread::per_thread::{at_thread_end, per_thread};

/// The number of times that [`flush_deferred`] checks whether a reader has left: readers stay for nanoseconds.
const ROUNDS: usize = 64;
/// The number of objects that justifies the barrier in [`flush_if_many`].
const MANY: usize = 32;
/// The number of readers that a flush checks for each object, if it need not release all of them.
const CHECKS: usize = 64;

/// A command of `membarrier(2)` for the threads of this process, as Linux numbers it.
const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;
/// A time far longer than a processor delays a store (nanoseconds), and than a thread runs on it.
const VISIBLE: Duration = Duration::from_millis(10);

/// Runs a command of `membarrier`. Returns false if the kernel does not have the command, or fails.
fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: the call takes two numbers and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0) == 0 }
}

/// A thread that has pinned. It is never freed, and another thread reuses it after this one's end.
#[repr(align(128))]
struct Reader {
    /// The number of the thread's pins, in the lowest bits; then the two flags; then the number of times that its
    /// outermost pin has ended. Only that thread writes it.
    state: AtomicUsize,
    /// The number of readers that were created before it.
    number: usize,
    next: *const Reader,
}

/// The bits of [`Reader::state`] for the number of pins.
const DEPTH: usize = (1 << 16) - 1;
/// The flag of readers that need a fence, because the kernel has no barrier for them.
const FENCED: usize = 1 << 16;
/// The flag of a reader that a thread which is ending uses for one pin.
const PASSING: usize = 1 << 17;
/// The number that is added at the end of an outermost pin.
const TURN: usize = 1 << 18;

// SAFETY: `next` is written before the reader is published, and points to what is never freed.
unsafe impl Sync for Reader {}

/// All readers: a list that only grows.
static READERS: AtomicPtr<Reader> = AtomicPtr::new(ptr::null_mut());
/// Their number.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The readers that no thread uses. There is room for all, because the end of a thread cannot report a failure.
static VACANT: Mutex<BinaryHeap<Vacant>> = Mutex::new(BinaryHeap::new());

/// A reader that no thread uses. The greatest one has the lowest number.
struct Vacant(&'static Reader);

impl Ord for Vacant {
    fn cmp(&self, other: &Self) -> Order {
        other.0.number.cmp(&self.0.number)
    }
}

impl PartialOrd for Vacant {
    fn partial_cmp(&self, other: &Self) -> Option<Order> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Vacant {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Vacant {}

/// Whether `membarrier` serves as the readers' barrier. It is set before the first reader exists.
static KERNEL_BARRIER: AtomicBool = AtomicBool::new(false);

per_thread! {
    static MINE: Cell<Option<&'static Reader>> = Cell::new(None);
}

at_thread_end! {
    /// Registers the release of the reader for the end of the thread.
    fn is_released() -> bool => release;
}

fn release() {
    if let Some(reader) = MINE.take() {
        VACANT.lock().push(Vacant(reader));
    }
}

fn readers() -> impl Iterator<Item = &'static Reader> {
    // SAFETY: readers are never freed, and were complete when they were published.
    let next = |reader: &&'static Reader| unsafe { reader.next.as_ref() };
    // SAFETY: readers are leaked, so the head of the list and all that follow it live as long
    // as the process.
    std::iter::successors(unsafe { READERS.load(Ordering::Acquire).as_ref() }, next)
}

#[cold]
fn join() -> &'static Reader {
    let vacant = VACANT.lock().pop();
    let reader = vacant.map_or_else(add_reader, |vacant| vacant.0);
    // A thread at its very end could not release it later.
    let state = reader.state.load(Ordering::Relaxed) & !PASSING;
    if is_released() {
        reader.state.store(state, Ordering::Relaxed);
        MINE.set(Some(reader));
    } else {
        reader.state.store(state | PASSING, Ordering::Relaxed);
    }
    reader
}

fn add_reader() -> &'static Reader {
    if READERS.load(Ordering::Relaxed).is_null() {
        KERNEL_BARRIER.store(membarrier(REGISTER_PRIVATE_EXPEDITED), Ordering::Relaxed);
    }
    let fenced = if KERNEL_BARRIER.load(Ordering::Relaxed) { 0 } else { FENCED };
    let reader = Box::leak(Box::new(Reader {
        state: AtomicUsize::new(fenced),
        number: COUNT.fetch_add(1, Ordering::Relaxed),
        next: READERS.load(Ordering::Acquire),
    }));
    let mut vacant = VACANT.lock();
    let more = COUNT.load(Ordering::Relaxed) - vacant.len();
    vacant.reserve(more);
    drop(vacant);
    while let Err(first) = READERS.compare_exchange(reader.next.cast_mut(), reader, Ordering::AcqRel, Ordering::Acquire)
    {
        reader.next = first;
    }
    reader
}

/// Keeps objects that this thread can find from being released, while it lives.
pub struct Pin {
    reader: &'static Reader,
    /// Keeps the pin on its thread.
    _stays: PhantomData<*const ()>,
}

/// Pins the current thread. This costs about a nanosecond and writes only memory of this thread.
pub fn pin() -> Pin {
    let reader = MINE.get().unwrap_or_else(join);
    let state = reader.state.load(Ordering::Relaxed);
    // Release, as at the end of a pin: a releaser may read this store instead.
    reader.state.store(state + 1, Ordering::Release);
    // The store above comes before the thread's later reads: either a releaser reads it, or this thread sees what the
    // releaser has unlinked.
    compiler_fence(Ordering::SeqCst);
    if state & FENCED != 0 {
        fence(Ordering::SeqCst);
    }
    Pin { reader, _stays: PhantomData }
}

impl Drop for Pin {
    #[inline]
    fn drop(&mut self) {
        let reader = self.reader;
        let state = reader.state.load(Ordering::Relaxed) - 1;
        // Release: what was read while pinned comes before the release of it.
        // With a depth left, an outer pin continues.
        let turn = if state & DEPTH == 0 { TURN } else { 0 };
        reader.state.store(state.wrapping_add(turn), Ordering::Release);
        if state & (DEPTH | PASSING) == PASSING {
            vacate(reader);
        }
    }
}

/// Lets a later thread have the reader of one that ends.
#[cold]
fn vacate(reader: &'static Reader) {
    VACANT.lock().push(Vacant(reader));
}

/// Orders two threads. One stores, calls this and loads; the other stores, calls [`heavy_barrier`] and loads. At least
/// one sees the other's store. The caller must be pinned.
pub fn light_barrier() {
    compiler_fence(Ordering::SeqCst);
    if !KERNEL_BARRIER.load(Ordering::Relaxed) {
        fence(Ordering::SeqCst);
    }
}

/// Orders two threads at the cost of the calling one, see [`light_barrier`].
pub fn heavy_barrier() {
    // Without readers the kernel's barrier is not registered, and no thread has called the light one.
    if KERNEL_BARRIER.load(Ordering::Relaxed) && !membarrier(PRIVATE_EXPEDITED) {
        // The call fails in a sandbox that was closed since, or without memory. After a while all threads have had a
        // barrier.
        let began = Instant::now();
        while began.elapsed() < VISIBLE {
            pause(VISIBLE);
        }
    }
    fence(Ordering::SeqCst);
}

type Object = Arc<dyn Any + Send + Sync>;

/// A reader, and its turn when it was found pinned.
struct Pinned(&'static Reader, usize);

impl Pinned {
    fn find(reader: &'static Reader) -> Option<Self> {
        // Acquire: what a reader did before it left comes before the release.
        let state = reader.state.load(Ordering::Acquire);
        (state & DEPTH != 0).then_some(Self(reader, state / TURN))
    }

    fn has_left(&self) -> bool {
        self.0.state.load(Ordering::Acquire) / TURN != self.1
    }
}

/// The objects that were deferred since the last barrier.
static FRESH: Mutex<Vec<Object>> = Mutex::new(Vec::new());
/// The objects that were deferred before it. Its lock is never taken under that of [`FRESH`].
static BATCH: Mutex<Batch> = Mutex::new(Batch { objects: Vec::new(), pinned: Vec::new(), has_waited: false });

/// Objects that were deferred before a barrier. There is one batch at a time, whose readers are found in one pass over
/// all threads: what many threads defer meanwhile is the next batch, and needs one pass again.
struct Batch {
    objects: Vec<Object>,
    /// The readers that were pinned at the barrier, without those at the end that were found to have left.
    pinned: Vec<Pinned>,
    /// True if a flush has waited for the last of them: it stays for longer, and no other flush waits for it.
    has_waited: bool,
}

impl Pin {
    /// Releases `object`, which new readers cannot find any more, when the current readers are gone. Ends this pin
    /// first: a thread that waits for a lock would keep all objects.
    pub fn defer_drop<T: Any + Send + Sync>(self, object: Arc<T>) {
        drop(self);
        FRESH.lock().push(object);
    }
}

impl Batch {
    /// Moves the objects of this batch to `dead`, and then those of the next one if there are at least `least`. Returns
    /// false if a reader stays.
    fn sweep(&mut self, least: usize, dead: &mut Vec<Object>) -> bool {
        self.release(dead) && {
            self.begin(least);
            self.release(dead)
        }
    }

    /// Begins the next batch, of at least `least` objects.
    fn begin(&mut self, least: usize) {
        let mut fresh = FRESH.lock();
        if fresh.len() >= least {
            std::mem::swap(&mut self.objects, &mut fresh);
        }
        drop(fresh);
        if !self.objects.is_empty() {
            heavy_barrier();
            note_checks(COUNT.load(Ordering::Relaxed));
            self.pinned.extend(readers().filter_map(Pinned::find));
            self.has_waited = false;
        }
    }

    /// Moves the objects to `dead` if no reader can use them any more.
    fn release(&mut self, dead: &mut Vec<Object>) -> bool {
        let is_unused = self.wait();
        if is_unused {
            dead.append(&mut self.objects);
        }
        is_unused
    }

    /// Waits until the readers have left, for a short time. Returns whether they have.
    fn wait(&mut self) -> bool {
        for _ in 0..ROUNDS {
            note_checks(1);
            while self.pinned.pop_if(|reader| reader.has_left()).is_some() {
                self.has_waited = false;
                note_checks(1);
            }
            if self.pinned.is_empty() || self.has_waited {
                break;
            }
            std::hint::spin_loop();
        }
        self.has_waited = !self.pinned.is_empty();
        self.pinned.is_empty()
    }
}

/// Drops the deferred objects that no reader can see any more. Returns `true` if none is left.
///
/// In a quiet process one call drops everything. A thread that is looking something up (including this one, while it
/// holds a [`Pin`]) keeps later objects alive: then call again some time. Destructors run here, on the calling thread;
/// hold no lock that they need. One call checks every thread once, however many threads call at once.
pub fn flush_deferred() -> bool {
    flush(1)
}

fn flush(least: usize) -> bool {
    let mut dead = Vec::new();
    let all = BATCH.lock().sweep(least, &mut dead) && FRESH.lock().is_empty();
    drop(dead);
    all
}

/// Drops the deferred objects that no reader can see, if their number justifies a check of every thread: for objects
/// whose memory is worth one check of `CHECKS` threads, so that some stay in processes with more threads.
pub fn flush_in_turn() {
    flush_if(COUNT.load(Ordering::Relaxed).div_ceil(CHECKS));
}

/// Drops the deferred objects that no reader can see, if there are at least `MANY`: for objects that are created and
/// removed often, and that may stay for a while.
pub fn flush_if_many() {
    flush_if(MANY.max(COUNT.load(Ordering::Relaxed).div_ceil(CHECKS)));
}

fn flush_if(least: usize) {
    if FRESH.lock().len() >= least {
        // Other threads may have seen the same objects. Then this one finds fewer.
        flush(least);
    }
}

/// Counts the checks of readers by this thread, for tests.
#[inline]
fn note_checks(_checks: usize) {
    #[cfg(test)]
    tests::CHECKS_HERE.set(tests::CHECKS_HERE.get() + _checks);
}

/// Keeps the deferred objects as they are, in other threads, while it lives: for a fork.
pub struct Unchanged {
    _batch: MutexGuard<'static, Batch>,
    _fresh: MutexGuard<'static, Vec<Object>>,
    _vacant: MutexGuard<'static, BinaryHeap<Vacant>>,
}

impl Unchanged {
    /// Waits for threads that change them.
    pub fn begin() -> Self {
        Self { _batch: BATCH.lock(), _fresh: FRESH.lock(), _vacant: VACANT.lock() }
    }
}

/// Ends the pins of all other threads, in a forked child, which does not have these threads.
pub fn forget_other_threads() {
    let own = MINE.get().map(ptr::from_ref);
    let mut vacant = VACANT.lock();
    vacant.clear();
    for reader in readers().filter(|reader| Some(ptr::from_ref(*reader)) != own) {
        let state = reader.state.load(Ordering::Relaxed);
        reader.state.store((state & !(DEPTH | PASSING)).wrapping_add(TURN), Ordering::Relaxed);
        vacant.push(Vacant(reader));
    }
}

/// Returns the number of pinned threads. A thread that is not counted sees earlier writes of this thread when it pins
/// next.
pub fn count_pinned() -> usize {
    heavy_barrier();
    readers().filter(|reader| reader.state.load(Ordering::Acquire) & DEPTH != 0).count()
}

/// Returns the number of this thread, which no other thread has until its end. It is low for the first threads that
/// pin. Returns `None` if the thread has not pinned yet, or is ending.
#[inline]
pub fn number() -> Option<usize> {
    MINE.get().map(|reader| reader.number)
}

/// Whether this thread is pinned.
pub fn is_pinned() -> bool {
    MINE.get().is_some_and(|reader| reader.state.load(Ordering::Relaxed) & DEPTH != 0)
}

#[cfg(test)]
#[path = "real_tests.rs"]
mod tests;
