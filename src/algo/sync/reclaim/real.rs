//! Implements readers and releasers outside of models.

use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, compiler_fence, fence};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use crate::algo::thread::pause::pause;
use crate::algo::thread::per_thread::{at_thread_end, per_thread};

/// The number of times that [`flush_deferred`] checks whether readers have left: they stay for nanoseconds.
const ROUNDS: usize = 64;
/// The number of objects that justifies the barrier in [`flush_if_many`].
const MANY: usize = 32;

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
    /// Whether a thread uses this reader.
    taken: AtomicBool,
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
        reader.taken.store(false, Ordering::Release);
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
    // This finds the oldest one, which has the lowest number.
    let free = || readers().filter(|reader| !reader.taken.load(Ordering::Relaxed)).last();
    let reader = loop {
        let Some(reader) = free() else { break add_reader() };
        if reader.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            break reader;
        }
    };
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
    static MADE: AtomicUsize = AtomicUsize::new(0);
    if READERS.load(Ordering::Relaxed).is_null() {
        KERNEL_BARRIER.store(membarrier(REGISTER_PRIVATE_EXPEDITED), Ordering::Relaxed);
    }
    let fenced = if KERNEL_BARRIER.load(Ordering::Relaxed) { 0 } else { FENCED };
    let reader = Box::leak(Box::new(Reader {
        state: AtomicUsize::new(fenced),
        taken: AtomicBool::new(true),
        number: MADE.fetch_add(1, Ordering::Relaxed),
        next: READERS.load(Ordering::Acquire),
    }));
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
    fn drop(&mut self) {
        let reader = self.reader;
        let state = reader.state.load(Ordering::Relaxed) - 1;
        // Release: what was read while pinned comes before the release of it.
        if state & (DEPTH | PASSING) == 0 {
            reader.state.store(state.wrapping_add(TURN), Ordering::Release);
        } else if state & DEPTH != 0 {
            // An outer pin continues.
            reader.state.store(state, Ordering::Release);
        } else {
            reader.state.store(state.wrapping_add(TURN), Ordering::Release);
            reader.taken.store(false, Ordering::Release);
        }
    }
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

/// The deferred objects.
struct Garbage {
    /// Objects that were deferred since the last barrier.
    fresh: Vec<Object>,
    /// Objects that were deferred before it, with the readers that were pinned then.
    batches: Vec<(Vec<Pinned>, Vec<Object>)>,
}

/// A reader, and its turn when it was found pinned.
type Pinned = (&'static Reader, usize);

static GARBAGE: Mutex<Garbage> = Mutex::new(Garbage { fresh: Vec::new(), batches: Vec::new() });

impl Pin {
    /// Releases `object`, which new readers cannot find any more, when the current readers are gone.
    pub fn defer_drop<T: Any + Send + Sync>(&self, object: Arc<T>) {
        GARBAGE.lock().fresh.push(object);
    }
}

impl Garbage {
    /// Takes the objects that no reader can use any more. Returns true if none is left.
    fn sweep(&mut self, dead: &mut Vec<Object>) -> bool {
        if !self.fresh.is_empty() {
            heavy_barrier();
            // Acquire: what a reader did before it left comes before the release.
            let pinned = |reader: &'static Reader| {
                let state = reader.state.load(Ordering::Acquire);
                (state & DEPTH != 0).then_some((reader, state / TURN))
            };
            self.batches.push((readers().filter_map(pinned).collect(), std::mem::take(&mut self.fresh)));
        }
        self.batches.retain_mut(|(pinned, objects)| {
            pinned.retain(|(reader, turn)| reader.state.load(Ordering::Acquire) / TURN == *turn);
            if pinned.is_empty() {
                dead.append(objects);
            }
            !pinned.is_empty()
        });
        self.batches.is_empty()
    }
}

/// Drops the deferred objects that no reader can see any more. Returns `true` if none is left.
///
/// In a quiet process one call drops everything. A thread that is looking something up (including this one, while it
/// holds a [`Pin`]) keeps later objects alive: then call again some time. Destructors run here, on the calling thread;
/// hold no lock that they need.
pub fn flush_deferred() -> bool {
    let mut dead = Vec::new();
    let mut clean = false;
    for _ in 0..ROUNDS {
        clean = GARBAGE.lock().sweep(&mut dead);
        if clean {
            break;
        }
        std::hint::spin_loop();
    }
    drop(dead);
    clean
}

/// Keeps the deferred objects as they are, in other threads, while it lives: for a fork.
pub struct Unchanged {
    _garbage: MutexGuard<'static, Garbage>,
}

impl Unchanged {
    /// Waits for threads that change them.
    pub fn begin() -> Self {
        Self { _garbage: GARBAGE.lock() }
    }
}

/// Ends the pins of all other threads, in a forked child, which does not have these threads.
pub fn forget_other_threads() {
    let own = MINE.get().map(ptr::from_ref);
    for reader in readers().filter(|reader| Some(ptr::from_ref(*reader)) != own) {
        let state = reader.state.load(Ordering::Relaxed);
        reader.state.store((state & !(DEPTH | PASSING)).wrapping_add(TURN), Ordering::Relaxed);
        reader.taken.store(false, Ordering::Relaxed);
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

/// Does the same as [`flush_deferred`], if the number of objects justifies its barrier: for objects that are created
/// and removed often, and that may stay for a while.
pub fn flush_if_many() {
    if GARBAGE.lock().fresh.len() >= MANY {
        flush_deferred();
    }
}

#[cfg(test)]
#[path = "real_tests.rs"]
mod tests;
