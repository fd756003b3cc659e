//! A stream's state for host functions: a word, and slots for the arguments of calls by the driver, in stream order.
//!
//! The calls of a stream begin in the order in which they were enqueued, and each writes the stream's word when it is
//! complete. A call for which the stream does not wait takes the word and the slots with it (`note_unordered`). So the
//! word alone shows which slots are free again. A submission reads the word once in a chunk, and nothing else that
//! another thread has written. Separate boxes would be allocated on one thread and freed on another.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::mem::{self, MaybeUninit};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::room::Room;
use super::{StreamState, Submitting};
use crate::backend::Result;
use crate::stream::words::{Word, Words, at};

/// The number of bytes that fit into a slot.
pub(crate) const ROOM: usize = 64;

/// The number of slots that are allocated and freed together.
const CHUNK: usize = 64;

/// The number of chunks that stay when nothing is enqueued any more.
const KEPT: usize = 4;

/// A slot. It is a whole cache line, because the next one may be in use on another processor.
#[repr(align(64))]
struct Slot {
    _room: UnsafeCell<MaybeUninit<[u8; ROOM]>>,
}

/// Slots that are used one after the other. They are not in a `Box`, which may have the only pointers into it: the
/// driver has some.
struct Chunk {
    slots: Arc<[MaybeUninit<Slot>]>,
    /// The number of the latest call in the chunk, once the chunk is full.
    last: u32,
}

// SAFETY: a slot is used by the thread that took it, and then by the one on which the driver calls.
unsafe impl Send for Chunk {}

/// The slots of a stream.
#[derive(Default)]
pub(crate) struct CallSlots {
    /// The chunks, the oldest first. The last one is being filled.
    chunks: VecDeque<Chunk>,
    /// The number of unused slots of the last chunk.
    left: usize,
}

/// Whether a word with the value `reached` has reached `number`, as the driver compares them: numbers wrap around.
pub(super) fn is_reached(reached: u32, number: u32) -> bool {
    reached.wrapping_sub(number) <= u32::MAX / 2
}

impl CallSlots {
    /// Returns a slot for the call after the one with the number `latest`. The slot is free again when the word has
    /// reached that call's number. `reached` reads the word.
    #[inline(always)]
    pub(crate) fn take(&mut self, latest: u32, reached: impl FnOnce() -> u32) -> NonNull<[u8; ROOM]> {
        if self.left == 0 {
            self.renew(latest, reached());
        }
        let chunk = self.chunks.back().expect("renewed above");
        let index = CHUNK - self.left;
        self.left -= 1;
        // SAFETY: within the chunk.
        unsafe { NonNull::from(&*chunk.slots).cast::<Slot>().add(index) }.cast()
    }

    /// Begins a chunk: the oldest, if its calls are complete, or a new one.
    #[cold]
    fn renew(&mut self, latest: u32, reached: u32) {
        if let Some(full) = self.chunks.back_mut() {
            full.last = latest;
        }
        let done = self.chunks.iter().take_while(|chunk| is_reached(reached, chunk.last)).count();
        if done == 0 {
            self.chunks.push_back(Chunk { slots: Arc::new_uninit_slice(CHUNK), last: 0 });
        } else {
            // All but one of them can be freed.
            let too_many = self.chunks.len().saturating_sub(KEPT);
            self.chunks.drain(..too_many.min(done - 1));
            self.chunks.rotate_left(1);
        }
        self.left = CHUNK;
    }
}

/// The state that a stream needs for the calls that it waits for.
pub(crate) struct StreamCalls {
    pub word: Word,
    pub slots: CallSlots,
    /// What is submitted behind the calls for which the library calls the driver.
    pub(super) room: Room,
    /// The stream. Calls in the slots point to it and hold no reference.
    stream: Arc<StreamState>,
}

impl StreamCalls {
    #[cold]
    pub(crate) fn new(words: &Words, stream: &Arc<StreamState>) -> Result<Self> {
        let word = words.lend(&stream.device.context)?;
        Ok(Self { word, slots: CallSlots::default(), room: Room::default(), stream: Arc::clone(stream) })
    }

    /// Releases the state of a stream whose work is complete. A driver whose device has failed may have dropped calls,
    /// or may still make them: then nothing is released.
    pub(crate) fn end(self) {
        match self.stream.device.words.get() {
            Some(words) if !self.are_pending() => words.return_word(self.word),
            _ => mem::forget(self),
        }
    }

    /// Whether a call is not complete.
    pub(super) fn are_pending(&self) -> bool {
        // Acquire: pairs with the Release of the jobs.
        !is_reached(at(self.word.addr).load(Ordering::Acquire), self.word.number)
    }
}

impl StreamState {
    /// Notes that the driver's stream does not wait for the latest call. The call may write its word after later ones,
    /// so these get another word.
    pub(crate) fn note_unordered(&self, submitting: &mut Submitting) {
        // Relaxed: for the reason given in `has_finished`.
        self.shared.store(true, Ordering::Relaxed);
        self.unordered.lock().extend(submitting.calls.take());
    }

    /// Whether a call runs for which the driver's stream does not wait.
    pub(crate) fn runs_unordered(&self) -> bool {
        self.is_shared() && {
            let mut unordered = self.unordered.lock();
            unordered.extract_if(.., |calls| !calls.are_pending()).for_each(StreamCalls::end);
            !unordered.is_empty()
        }
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
