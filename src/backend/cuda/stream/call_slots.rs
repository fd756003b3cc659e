//! Slots for the arguments of calls by the driver, in stream order.
//!
//! The calls of a stream begin in the order in which they were queued, and each writes the stream's
//! word when it is complete. So the word alone shows which slots are free again. A submission reads it once in a chunk,
//! and nothing else that another thread has written. A box for each call would be allocated on one thread and freed on
//! another.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// What fits into a slot.
pub const ROOM: usize = 64;

/// How many slots come and go together.
const CHUNK: usize = 64;

/// How many chunks stay when nothing is queued any more.
const KEPT: usize = 4;

/// A cache line of its own: the next one may be in use on another processor.
#[repr(align(64))]
struct Slot {
    _room: UnsafeCell<MaybeUninit<[u8; ROOM]>>,
}

/// Slots that are used one after the other. The driver has pointers into them, so they are behind
/// one as well.
struct Chunk {
    slots: NonNull<Slot>,
    /// The number of the latest call in it, once it is full.
    last: u32,
}

// SAFETY: it owns the slots; what is in them was given away to the driver.
unsafe impl Send for Chunk {}

impl Chunk {
    fn new() -> Self {
        let slots: Box<[MaybeUninit<Slot>]> = Box::new_uninit_slice(CHUNK);
        let slots = NonNull::from(Box::leak(slots)).cast();
        Self { slots, last: 0 }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        let slots = NonNull::slice_from_raw_parts(self.slots.cast::<MaybeUninit<Slot>>(), CHUNK);
        // SAFETY: from `new`, and dropped once.
        drop(unsafe { Box::from_raw(slots.as_ptr()) });
    }
}

/// The slots of a stream.
#[derive(Default)]
pub struct CallSlots {
    /// The oldest first; the last one is being filled.
    chunks: VecDeque<Chunk>,
    /// How many slots of the last chunk are left.
    left: usize,
}

/// Whether a word with the value `reached` has reached `number`, as the driver compares: numbers wrap around.
pub fn is_reached(reached: u32, number: u32) -> bool {
    reached.wrapping_sub(number) <= u32::MAX / 2
}

impl CallSlots {
    /// A slot for the call after the one with the number `latest`. It is free again when the word
    /// has reached that call's number; `reached` looks what it says.
    #[inline(always)]
    pub fn take(&mut self, latest: u32, reached: impl FnOnce() -> u32) -> NonNull<[u8; ROOM]> {
        if self.left == 0 {
            self.renew(latest, reached());
        }
        let chunk = self.chunks.back().expect("renewed above");
        let index = CHUNK - self.left;
        self.left -= 1;
        // SAFETY: within the chunk.
        unsafe { chunk.slots.add(index) }.cast()
    }

    /// Begins a chunk: the oldest, if its calls are done, or a new one.
    #[cold]
    fn renew(&mut self, latest: u32, reached: u32) {
        if let Some(full) = self.chunks.back_mut() {
            full.last = latest;
        }
        let done = self.chunks.iter().take_while(|chunk| is_reached(reached, chunk.last)).count();
        if done == 0 {
            self.chunks.push_back(Chunk::new());
        } else {
            // All but one of them may go.
            let too_many = self.chunks.len().saturating_sub(KEPT);
            self.chunks.drain(..too_many.min(done - 1));
            self.chunks.rotate_left(1);
        }
        self.left = CHUNK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Takes a slot for each number after `latest`, up to `until`.
    fn fill(slots: &mut CallSlots, latest: u32, count: u32, reached: u32) -> HashSet<usize> {
        let numbers = (0..count).map(|i| latest.wrapping_add(i));
        numbers.map(|latest| slots.take(latest, || reached).as_ptr().addr()).collect()
    }

    #[test]
    fn slots_are_apart_while_their_calls_are_queued() {
        let mut slots = CallSlots::default();
        // Numbers go round meanwhile.
        let begin = u32::MAX - 100;
        let taken = fill(&mut slots, begin, 1000, begin);
        assert_eq!(taken.len(), 1000);
        let mut sorted: Vec<_> = taken.into_iter().collect();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= ROOM));
        assert_eq!(sorted[0] % ROOM, 0);
    }

    #[test]
    fn slots_are_used_again_when_their_calls_are_done_and_not_before() {
        let mut slots = CallSlots::default();
        let first = fill(&mut slots, 0, CHUNK as u32, 0);
        // The chunk's latest call has the number 64.
        let second = fill(&mut slots, 64, CHUNK as u32, 63);
        assert!(first.is_disjoint(&second));
        let third = fill(&mut slots, 128, CHUNK as u32, 64);
        assert_eq!(third, first);
        let fourth = fill(&mut slots, 192, CHUNK as u32, 127);
        assert!(fourth.is_disjoint(&first) && fourth.is_disjoint(&second));
    }

    #[test]
    fn what_a_burst_needed_is_given_back() {
        let mut slots = CallSlots::default();
        fill(&mut slots, 0, 20 * CHUNK as u32, 0);
        assert_eq!(slots.chunks.len(), 20);
        // All are done but those of the last two chunks.
        let latest = 20 * CHUNK as u32;
        fill(&mut slots, latest, 1, latest - 2 * CHUNK as u32);
        assert_eq!(slots.chunks.len(), KEPT);
        fill(&mut slots, latest + 1, CHUNK as u32, latest + 1);
        assert_eq!(slots.chunks.len(), KEPT);
    }

    #[test]
    fn slots_stay_apart_while_those_of_a_burst_are_given_back() {
        const ALL: u32 = 10 * CHUNK as u32;
        for done_chunks in 1..10 {
            let mut slots = CallSlots::default();
            let reached = done_chunks * CHUNK as u32;
            fill(&mut slots, 0, reached, 0);
            let queued = fill(&mut slots, reached, ALL - reached, 0);
            // More than all those that are free now.
            let next = fill(&mut slots, ALL, ALL, reached);
            assert_eq!(next.len(), ALL as usize);
            assert!(queued.is_disjoint(&next), "{done_chunks} chunks were done");
        }
    }

    #[test]
    fn a_word_is_compared_as_the_driver_does() {
        assert!(is_reached(5, 5) && is_reached(6, 5) && !is_reached(4, 5));
        assert!(is_reached(1, u32::MAX) && !is_reached(u32::MAX, 1));
    }
}
