//! Records work of the program's threads: ranges and marks, and synchronous operations.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::call::{CallPart, end_part};
use super::operation::What;
use super::{is_on, now, recorder};
use crate::{Device, Op, Result, thread_number};

/// The number of buffers that threads share.
const STRIPES: usize = 16;
/// The maximum number of unwritten notes in a buffer. Ranges that begin beyond that are counted, and not recorded.
const MOST_NOTES: usize = 32 << 10;
/// The number of notes at which the writer is woken.
const MANY_NOTES: usize = MOST_NOTES / 4;

/// A property of a range or a mark: its name and its text.
pub type Detail = (&'static str, String);

/// A note of a thread.
pub(super) struct HostNote {
    pub(super) thread: u32,
    pub(super) at: u64,
    pub(super) what: HostWhat,
}

/// What a thread does.
pub enum HostWhat {
    /// A range begins, inside those that are open.
    Begin(String, Vec<Detail>),
    /// The innermost range ends.
    End,
    /// A mark.
    Mark(String, Vec<Detail>),
    /// An independent range with a number begins.
    Start(u32, String, Vec<Detail>),
    /// The range with this number ends, on any thread.
    Stop(u32),
    /// A synchronous operation ends now, which began at this time, inside of a call.
    Operation(What, u64, Option<CallPart>),
    /// A call has waited.
    Call(CallPart),
}

#[derive(Default)]
pub(super) struct Stripe {
    pub(super) notes: Vec<HostNote>,
    pub(super) lost: u64,
    /// The number of open ranges of each thread that are not recorded.
    skipped: BTreeMap<u32, u32>,
}

static NOTES: [Mutex<Stripe>; STRIPES] =
    [const { Mutex::new(Stripe { notes: Vec::new(), lost: 0, skipped: BTreeMap::new() }) }; STRIPES];

impl Stripe {
    fn is_full(&self) -> bool {
        self.notes.len() >= MOST_NOTES
    }

    /// Whether this may be noted: an end must match its beginning.
    fn takes(&mut self, thread: u32, what: &HostWhat) -> bool {
        let skipped_now = match (what, self.skipped.get(&thread).copied().unwrap_or(0)) {
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
            (
                HostWhat::Begin(..)
                | HostWhat::Mark(..)
                | HostWhat::Start(..)
                | HostWhat::Operation(..)
                | HostWhat::Call(_),
                _,
            ) => return true,
        };
        self.skipped.insert(thread, skipped_now);
        false
    }
}

/// Adds a note while anything is recorded.
pub fn note(what: HostWhat) {
    if is_on() {
        add(what);
    }
}

/// Adds a note of an operation that began before, even if recording has just ended.
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

/// Returns, for the writer, all notes, by thread in order, and how many were lost.
pub(super) fn collect() -> (Vec<HostNote>, u64) {
    let (mut all, mut lost) = (Vec::new(), 0);
    for stripe in &NOTES {
        let mut stripe = stripe.lock();
        all.append(&mut stripe.notes);
        lost += std::mem::take(&mut stripe.lost);
    }
    (all, lost)
}

/// Removes all notes of an old trace, because a new one begins.
pub(super) fn forget() {
    for stripe in &NOTES {
        *stripe.lock() = Stripe::default();
    }
}

/// Notes that the calling thread's call has waited for work, while anything is recorded.
pub fn waited() {
    if is_on()
        && let Some(call) = end_part(now())
    {
        add(HostWhat::Call(call));
    }
}

/// Runs an operation of the device that is ordered with no stream, and records it on the calling thread's row.
pub fn synchronous(device: &dyn Device, op: Op<'_>) -> Result<()> {
    let noted = is_on().then(|| (What::of(&op), now()));
    if let Op::Copy(copy) = op {
        device.copy(copy)?;
    } else if let Op::CopyBatch(copies) = op {
        device.copy_batch(copies)?;
    } else if let Op::Copy2d(copy) = op {
        device.copy_2d(copy)?;
    } else if let Op::Fill(fill) = op {
        device.fill(fill)?;
    } else {
        unreachable!("a device has only copies and fills without a stream");
    }
    if let Some((Some(what), begin)) = noted {
        add(HostWhat::Operation(what, begin, end_part(now())));
    }
    Ok(())
}
