//! Work of the program's threads: ranges and marks, and synchronous operations.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::operation::What;
use super::{is_on, now, recorder};
use crate::backend::{Copy, Copy2d, Device, Fill, Result, thread_number};

/// The buffers that threads share.
const STRIPES: usize = 16;
/// Most unwritten notes in one of them. Ranges that begin beyond that are counted, and not recorded.
const MOST_NOTES: usize = 32 << 10;
/// At this number the writer is woken.
const MANY_NOTES: usize = MOST_NOTES / 4;

/// A property of a range or a mark: its name and its text.
pub type Detail = (&'static str, String);
/// Properties of a range or a mark.
pub type Details = Vec<Detail>;

/// A note of a thread.
pub(super) struct HostNote {
    pub(super) thread: u32,
    pub(super) at: u64,
    pub(super) what: HostWhat,
}

pub(super) enum HostWhat {
    /// A range begins, inside those that are open.
    Begin(String, Details),
    /// The innermost one ends.
    End,
    Mark(String, Details),
    /// An independent range with a number begins.
    Start(u32, String, Details),
    Stop(u32),
    /// A synchronous operation that began at this time, and ended now.
    Operation(What, u64),
}

#[derive(Default)]
pub(super) struct Stripe {
    pub(super) notes: Vec<HostNote>,
    pub(super) lost: u64,
    /// How many open ranges of a thread are not recorded, if there are any.
    skipped: Option<HashMap<u32, u32>>,
}

static NOTES: [Mutex<Stripe>; STRIPES] =
    [const { Mutex::new(Stripe { notes: Vec::new(), lost: 0, skipped: None }) }; STRIPES];

impl Stripe {
    fn is_full(&self) -> bool {
        self.notes.len() >= MOST_NOTES
    }

    /// Whether this may be noted: an end must match its beginning.
    fn takes(&mut self, thread: u32, what: &HostWhat) -> bool {
        let skipped = self.skipped.as_ref().and_then(|skipped| skipped.get(&thread)).copied();
        let skipped_now = match (what, skipped.unwrap_or(0)) {
            (HostWhat::End, 0) | (HostWhat::Stop(_), _) => return true,
            (HostWhat::End, depth) => depth - 1,
            (HostWhat::Begin(..), depth) if depth > 0 || self.is_full() => {
                self.lost += 1;
                depth + 1
            }
            _ if self.is_full() => {
                self.lost += 1;
                return false;
            }
            _ => return true,
        };
        self.skipped.get_or_insert_default().insert(thread, skipped_now);
        false
    }
}

/// Adds a note while anything is recorded.
fn note(what: HostWhat) {
    if is_on() {
        add(what);
    }
}

/// Adds a note, also if recording has just ended: of an operation that began before.
fn add(what: HostWhat) {
    let (thread, at) = (thread_number(), now());
    let mut stripe = NOTES[thread as usize % STRIPES].lock();
    if stripe.takes(thread, &what) {
        stripe.notes.push(HostNote { thread, at, what });
        if stripe.notes.len() == MANY_NOTES {
            drop(stripe);
            recorder::wake();
        }
    }
}

/// For the writer: all notes, by thread in order, and how many were lost.
pub(super) fn collect() -> (Vec<HostNote>, u64) {
    let (mut all, mut lost) = (Vec::new(), 0);
    for stripe in &NOTES {
        let mut stripe = stripe.lock();
        all.append(&mut stripe.notes);
        lost += std::mem::take(&mut stripe.lost);
    }
    (all, lost)
}

/// A new trace begins: removes all notes of an old one.
pub(super) fn forget() {
    for stripe in &NOTES {
        *stripe.lock() = Stripe::default();
    }
}

/// A range of the calling thread begins, inside those that are open there.
pub fn begin_range(name: String, details: Details) {
    note(HostWhat::Begin(name, details));
}

/// The innermost open range of the calling thread ends.
pub fn end_range() {
    note(HostWhat::End);
}

/// A mark of the calling thread.
pub fn mark(text: String, details: Details) {
    note(HostWhat::Mark(text, details));
}

/// A range begins that any thread may end, by its number.
pub fn start_range(id: u32, name: String, details: Details) {
    note(HostWhat::Start(id, name, details));
}

/// A range with a number ends.
pub fn stop_range(id: u32) {
    note(HostWhat::Stop(id));
}

/// A device for synchronous operations, which are recorded on the calling thread's row.
#[derive(Clone, Copy)]
pub struct Synchronous<'a>(&'a dyn Device);

/// Synchronous operations on this device.
#[inline]
pub fn synchronous(device: &dyn Device) -> Synchronous<'_> {
    Synchronous(device)
}

impl Synchronous<'_> {
    /// As [`Device::copy`].
    #[inline]
    pub fn copy(self, copy: Copy) -> Result<()> {
        if is_on() { noted(What::copies(std::slice::from_ref(&copy)), || self.0.copy(copy)) } else { self.0.copy(copy) }
    }

    /// As [`Device::copy_batch`].
    #[inline]
    pub fn copy_batch(self, copies: &[Copy]) -> Result<()> {
        let copy = || self.0.copy_batch(copies);
        if is_on() { noted(What::copies(copies), copy) } else { copy() }
    }

    /// As [`Device::copy_2d`].
    #[inline]
    pub fn copy_2d(self, copy: Copy2d) -> Result<()> {
        if is_on() { noted(What::copy_2d(&copy), || self.0.copy_2d(copy)) } else { self.0.copy_2d(copy) }
    }

    /// As [`Device::fill`].
    #[inline]
    pub fn fill(self, fill: Fill) -> Result<()> {
        if is_on() { noted(What::fill(&fill), || self.0.fill(fill)) } else { self.0.fill(fill) }
    }
}

/// Runs an operation, and notes how long it took.
#[cold]
fn noted(what: What, operation: impl FnOnce() -> Result<()>) -> Result<()> {
    let begin = now();
    operation()?;
    add(HostWhat::Operation(what, begin));
    Ok(())
}
