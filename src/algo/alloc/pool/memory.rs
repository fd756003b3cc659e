//! The memory of one part of a pool, under one lock.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use super::cache::{Cache, LONGEST};
use super::class::{round_up, suits};
use super::counts::Counts;
use super::pending::{Block, NONE, Pending, Queue};
use super::search;
use super::segments::Island;
use super::stamps::Stamps;
use super::{
    Back, Books, Drained, Enter, Freed, GRAIN, Hide, MOST, Order, Place, Segment, Shortage,
    StreamKey, Taken,
};
use crate::algo::alloc::heap::Heap;

/// Pending bytes above which those that have passed become plain without need.
const CACHED: u64 = 64 << 20;
/// How many blocks do so at a time.
const SETTLED_AT_ONCE: usize = 16;
/// A block that was freed may be longer by this part than what it is given for: cutting the rest
/// off costs more than it is worth.
const SLACK: u32 = 16;
/// So many frees wait for the next allocation to look at them.
const FRESH: usize = 64;

pub(super) struct Memory<B: Books> {
    pub(super) heap: Heap<Block>,
    /// What was freed last, not looked at yet.
    pub(super) fresh: Vec<Fresh>,
    pub(super) pending: Pending,
    pub(super) stamps: Stamps,
    pub(super) cache: Cache,
    /// Numbers of the books that no block has yet.
    numbers: Vec<u32>,
    /// By their first unit.
    pub(super) segments: BTreeMap<u64, Segment>,
    pub(super) islands: BTreeMap<u64, Island>,
    /// Units of the shortest segment that there was.
    pub(super) shortest: u32,
    /// Which queue is asked next whether it has passed.
    turn: u32,
    /// Pending blocks that may be looked at one by one; less than 0: a debt.
    pub(super) scans: isize,
    pub(super) counts: Counts,
    /// Which part it is.
    part: u32,
    /// Steps since the last check.
    #[cfg(debug_assertions)]
    pub(super) unchecked: usize,
    _books: PhantomData<B>,
}

/// Units that nobody else can have any more.
pub(super) struct Found<P> {
    wanted: u32,
    at: At<P>,
}

/// Where they are.
enum At<P> {
    /// In a block that the owner has hidden in this place.
    Place(P),
    /// In this range.
    Node(u32),
}

/// A block that was freed since the last allocation. Its owner has hidden it.
#[derive(Clone, Copy)]
pub(super) struct Fresh {
    /// Of its place in the owner's books.
    pub(super) number: u32,
    /// Its units, and those that its taker had of it.
    len: u32,
    pub(super) used: u32,
    freed: Freed,
    /// See [`Back::has_passed`].
    has_passed: bool,
}

impl Fresh {
    /// Whether it serves a request of the stream that has freed it, as it is.
    #[inline]
    fn is_snug(&self, wanted: u32, stream: StreamKey) -> bool {
        self.used.wrapping_sub(wanted) <= wanted / SLACK
            && self.freed.stream == stream
            && suits(self.len, wanted)
    }
}

/// Units for a request; more than [`MOST`] bytes have never room.
#[inline]
pub(super) fn units_for(len: usize) -> Option<u32> {
    (len <= MOST).then(|| len.max(1).div_ceil(GRAIN) as u32)
}

impl<B: Books> Memory<B> {
    pub(super) fn new(part: u32) -> Self {
        Self {
            heap: Heap::new(),
            fresh: Vec::with_capacity(FRESH),
            pending: Pending::default(),
            stamps: Stamps::new(),
            cache: Cache::new(),
            numbers: Vec::new(),
            segments: BTreeMap::new(),
            islands: BTreeMap::new(),
            shortest: u32::MAX,
            turn: 0,
            scans: search::SCANS,
            counts: Counts::default(),
            part,
            #[cfg(debug_assertions)]
            unchecked: 0,
            _books: PhantomData,
        }
    }

    pub(super) fn alloc(
        &mut self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Result<Found<B::Place>, Shortage> {
        match self.find_ready(len, stream, order) {
            Some((place, wanted)) => Ok(Found { wanted, at: At::Place(place) }),
            None => {
                let (node, wanted) = self.cut(len, stream, order)?;
                Ok(Found { wanted, at: At::Node(node) })
            }
        }
    }

    /// A block that is as it has to be, and where it has to be in the owner's books.
    #[inline(always)]
    pub(super) fn find_ready(
        &mut self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Option<(B::Place, u32)> {
        let wanted = units_for(len)?;
        let fresh = match self.fresh.is_empty() {
            true => None,
            false => self.find_fresh(wanted, stream, order),
        };
        let place = match fresh {
            Some(place) => place,
            None => self.find_kept(wanted)?,
        };
        Some((place, wanted))
    }

    /// Cuts units off what is free, or a longer pending block: their range, and how many are wanted of it.
    #[inline(always)]
    pub(super) fn cut(
        &mut self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Result<(u32, u32), Shortage> {
        let Some(wanted) = units_for(len) else {
            return Err(Shortage { least: usize::MAX, better: usize::MAX });
        };
        if !self.heap.make_room() {
            return Err(Shortage::OF_HOST_MEMORY);
        }
        if self.pending.units > CACHED / GRAIN as u64 {
            self.settle_some(order);
        }
        self.cache.note_used(&self.counts);
        let node = match self.pending.blocks {
            0 => self.find_plain(wanted),
            _ => self.find(wanted, stream),
        };
        match node {
            Some(node) => Ok((node, wanted)),
            None => Ok((self.search(wanted, stream, order)?, wanted)),
        }
    }

    /// As [`Self::find_fresh`], of what alone was freed since the last allocation: as when a program frees and
    /// allocates in turn.
    fn find_only_fresh(
        &mut self,
        fresh: Fresh,
        wanted: u32,
        stream: StreamKey,
        order: &impl Order,
    ) -> Option<B::Place> {
        self.fresh.clear();
        if fresh.is_snug(wanted, stream) {
            return Some(B::place(fresh.number));
        }
        self.sort(fresh, || order.passed(fresh.freed.stream));
        None
    }

    /// What the stream itself has freed just now, if it is neither too short nor much too long: a
    /// program that frees and allocates in turn has its block back without more. Else all are sorted.
    #[inline(never)]
    fn find_fresh(
        &mut self,
        wanted: u32,
        stream: StreamKey,
        order: &impl Order,
    ) -> Option<B::Place> {
        if let [fresh] = *self.fresh {
            return self.find_only_fresh(fresh, wanted, stream, order);
        }
        match self.fresh.iter().rposition(|fresh| fresh.is_snug(wanted, stream)) {
            // The others stay in order: of a stream's frees a later one never counts before an earlier one.
            Some(at) => Some(B::place(self.fresh.remove(at).number)),
            None => {
                self.sort_fresh(|stream| order.passed(stream));
                None
            }
        }
    }

    /// What was freed since the last allocation becomes plain, and is kept, if it has passed, else
    /// pending.
    pub(super) fn sort_fresh(&mut self, passed: impl Fn(StreamKey) -> Option<u64>) {
        // Mostly all of them are one stream's.
        let mut asked = None;
        for i in 0..self.fresh.len() {
            let fresh = self.fresh[i];
            let stream = fresh.freed.stream;
            self.sort(fresh, || match asked {
                Some((other, position)) if stream == other => position,
                _ => asked.insert((stream, passed(stream))).1,
            });
        }
        self.fresh.clear();
    }

    /// Sorts a block, of whose stream it is asked what it has passed.
    #[inline(always)]
    fn sort(&mut self, fresh: Fresh, passed: impl FnOnce() -> Option<u64>) {
        let Fresh { number, freed, has_passed, .. } = fresh;
        let place = B::place(number);
        if !has_passed && passed().is_none_or(|position| position < freed.position) {
            return self.make_pending(place, freed);
        }
        match place.card().len() {
            len if len <= LONGEST => self.keep(number, place.card(), len, freed),
            _ => self.merge(place),
        }
    }

    /// What was freed since the last allocation becomes pending, whether it has passed or not.
    fn make_fresh_pending(&mut self) {
        for i in 0..self.fresh.len() {
            let fresh = self.fresh[i];
            self.make_pending(B::place(fresh.number), fresh.freed);
        }
        self.fresh.clear();
    }

    #[inline(never)]
    pub(super) fn make_pending(&mut self, place: B::Place, freed: Freed) {
        let node = place.card().node();
        place.vacate();
        self.pending.put(&mut self.heap, node, freed.stream, freed.position);
    }

    /// Plain memory.
    #[inline(always)]
    fn find_plain(&mut self, wanted: u32) -> Option<u32> {
        let (_, node) = self.heap.fit(wanted)?;
        Some(self.heap.take_up_to(node, round_up(wanted)))
    }

    /// What the stream has freed, or plain memory, whichever fits better.
    #[inline(never)]
    pub(super) fn find(&mut self, wanted: u32, stream: StreamKey) -> Option<u32> {
        let plain = self.heap.fit(wanted);
        let slot = self.pending.slot_of(stream);
        let queue = slot.and_then(|slot| self.pending.queue(slot));
        let own = queue.and_then(|queue| self.heap.fit_in(&queue.bins, wanted));
        match (own, plain) {
            (Some((bin, node)), plain) if plain.is_none_or(|(other, _)| bin <= other) => {
                Some(self.take_pending(node, wanted))
            }
            (_, Some((_, node))) => Some(self.heap.take_up_to(node, round_up(wanted))),
            _ => None,
        }
    }

    /// Takes `wanted` units, or somewhat more, of a pending block.
    #[inline]
    pub(super) fn take_pending(&mut self, node: u32, wanted: u32) -> u32 {
        let len = round_up(wanted);
        if self.heap.len_of(node) <= len.saturating_add(wanted / SLACK) {
            self.pending.take(&mut self.heap, node);
            return node;
        }
        self.pending.take_front(&mut self.heap, node, len)
    }

    /// Gives units to their taker.
    pub(super) fn given<E: Enter<B::Place>>(
        &mut self,
        Found { wanted, at }: Found<B::Place>,
        enter: E,
    ) -> E::Entered {
        match at {
            At::Place(place) => self.give_again(place, wanted, enter),
            At::Node(node) => self.give_cut(node, wanted, enter),
        }
    }

    /// Gives a range to its taker that was just taken.
    #[inline(always)]
    pub(super) fn give_cut<E: Enter<B::Place>>(
        &mut self,
        node: u32,
        wanted: u32,
        enter: E,
    ) -> E::Entered {
        self.counts.take(wanted);
        let (taken, number) = self.new_block(node, wanted);
        enter.new_block(taken, number)
    }

    /// Gives a block to its taker that its owner has hidden.
    #[inline(always)]
    pub(super) fn give_again<E: Enter<B::Place>>(
        &mut self,
        place: B::Place,
        wanted: u32,
        enter: E,
    ) -> E::Entered {
        self.counts.take(wanted);
        place.card().set_used(wanted);
        enter.again(place, wanted as usize * GRAIN)
    }

    /// Makes a block of a range that was just taken.
    #[inline(always)]
    fn new_block(&mut self, node: u32, wanted: u32) -> (Taken, u32) {
        let addr = self.heap.start_of(node) as usize * GRAIN;
        let len = self.heap.len_of(node);
        let of = self.heap.of_mut(node);
        of.slot = NONE;
        if of.number == 0 {
            if self.numbers.is_empty() {
                B::supply(&mut self.numbers);
            }
            of.number = self.numbers.pop().unwrap_or(0);
        }
        let number = of.number;
        if number != 0 {
            B::place(number).card().write(node, len, wanted);
        }
        let note = u64::from(self.part) << 32 | u64::from(node);
        let [room, taken] = [len, wanted].map(|units| units as usize * GRAIN);
        (Taken { addr, len: taken, room, note }, number)
    }

    /// Takes a block back that is still its taker's, as `hide` says, which hides it in the owner's books.
    #[inline(always)]
    pub(super) fn free(&mut self, back: Back<B::Place>, freed: Freed, hide: impl Hide) -> bool {
        if !hide.hide() {
            return false;
        }
        let (number, card) = (back.number, back.place.card());
        let (len, used) = (card.len(), card.used());
        self.counts.free(used);
        // A long one is merged if it is kept, and the next request may be just for it.
        if back.has_passed && len <= LONGEST {
            self.keep(number, card, len, freed);
            return true;
        }
        // Its record may be far away, and nobody waits for it here: the next allocation needs it.
        self.heap.prefetch(back.note as u32);
        if self.fresh.len() == FRESH {
            self.make_fresh_pending();
        }
        self.fresh.push(Fresh { number, len, used, freed, has_passed: back.has_passed });
        true
    }

    /// As [`Self::free`], of a block that nothing uses any more, and that `leave` takes out of the books.
    pub(super) fn free_now(&mut self, note: u64, len: usize, leave: impl FnOnce() -> bool) -> bool {
        if !leave() {
            return false;
        }
        self.counts.free((len / GRAIN) as u32);
        self.heap.give(note as u32);
        true
    }

    pub(super) fn forget(&mut self, stream: StreamKey) {
        self.make_fresh_pending();
        self.stamps.forget(stream);
        if let Some(slot) = self.pending.slot_of(stream) {
            self.settle_queue(slot, u64::MAX, usize::MAX);
            self.pending.remove_slot(slot);
        }
    }

    /// What a stream has freed up to `position` becomes plain, as far as `most` blocks: how many.
    fn settle_queue(&mut self, slot: u32, position: u64, most: usize) -> usize {
        for settled in 0..most {
            let oldest = self.pending.queue(slot).and_then(Queue::oldest);
            let Some(node) = oldest.filter(|&node| self.heap.of(node).position <= position) else {
                return settled;
            };
            self.pending.take(&mut self.heap, node);
            self.heap.give(node);
        }
        most
    }

    /// All pending that has passed becomes plain: whether something has.
    pub(super) fn settle(&mut self, order: &impl Order) -> bool {
        let mut settled = 0;
        self.make_fresh_pending();
        for slot in 0..self.pending.slots() {
            let queue = self.pending.queue(slot).filter(|queue| queue.oldest().is_some());
            if let Some(position) = queue.and_then(|queue| order.passed(queue.key)) {
                settled += self.settle_queue(slot, position, usize::MAX);
            }
        }
        settled != 0
    }

    /// Some of what has passed becomes plain; each stream has its turn.
    #[cold]
    fn settle_some(&mut self, order: &impl Order) {
        for _ in 0..self.pending.slots() {
            self.turn = (self.turn + 1) % self.pending.slots();
            let queue = self.pending.queue(self.turn).filter(|queue| queue.oldest().is_some());
            if let Some(queue) = queue {
                if let Some(position) = order.passed(queue.key) {
                    self.settle_queue(self.turn, position, SETTLED_AT_ONCE);
                }
                return;
            }
        }
    }

    pub(super) fn drain(&mut self, drained: &mut Drained) {
        self.fresh.iter().for_each(|fresh| B::place(fresh.number).vacate());
        self.merge_kept();
        self.counts.end();
        drained.segments.extend(std::mem::take(&mut self.segments).into_values());
        let numbers = self.heap.all_of().map(|block| block.number);
        drained.kept.extend(numbers.filter(|&number| number != 0));
        drained.kept.append(&mut self.numbers);
        let counts = std::mem::take(&mut self.counts);
        *self = Self { counts, ..Self::new(self.part) };
    }
}

#[cfg(test)]
impl<B: Books> Memory<B> {
    pub(super) fn extent(&self, note: u64) -> (usize, usize) {
        let node = note as u32;
        let start = self.heap.start_of(node) as usize;
        (start * GRAIN, self.heap.len_of(node) as usize * GRAIN)
    }
}
