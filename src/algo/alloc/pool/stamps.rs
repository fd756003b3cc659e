//! The frees of cached blocks. Their uses are complete, so every stream may have them. But the host has not seen that
//! yet, and until then they count as in use when memory is released to the device.

use std::collections::HashMap;

use super::memory::Memory;
use super::{Books, Card, Freed, Order, Place, StreamKey};

/// Streams are distinguished by this many remainders.
const PLACES: usize = 16;
/// At this number, superseded frees are removed.
const MANY: usize = 4096;

/// The frees of cached blocks, by number. Few of them differ, because the frees of a stream between two submissions
/// have one position.
pub(super) struct Stamps {
    /// `None`: the stream is destroyed, and its work is complete.
    frees: Vec<Option<Freed>>,
    /// The latest free of streams, and its number.
    latest: [(Freed, u32); PLACES],
}

/// A key that no stream has.
const NOWHERE: Freed = Freed { stream: StreamKey(u64::MAX), position: 0 };

impl Stamps {
    pub(super) const fn new() -> Self {
        Self { frees: Vec::new(), latest: [(NOWHERE, 0); PLACES] }
    }

    /// The number of this free, if it is the latest of a stream.
    #[inline(always)]
    fn find(&self, freed: Freed) -> Option<u32> {
        let (last, number) = self.latest[freed.stream.0 as usize % PLACES];
        (last == freed).then_some(number)
    }

    /// Adds a number for this free.
    fn add(&mut self, freed: Freed) -> u32 {
        let number = self.frees.len() as u32;
        self.frees.push(Some(freed));
        self.latest[freed.stream.0 as usize % PLACES] = (freed, number);
        number
    }

    /// The free with this number.
    pub(super) fn get(&self, number: u32) -> Option<Freed> {
        self.frees[number as usize]
    }

    /// The stream is destroyed, and all its work is complete.
    pub(super) fn forget(&mut self, stream: StreamKey) {
        let of_stream = |freed: &&mut Option<Freed>| freed.is_some_and(|it| it.stream == stream);
        self.frees.iter_mut().filter(of_stream).for_each(|freed| *freed = None);
        let latest = self.latest.iter_mut().filter(|(freed, _)| freed.stream == stream);
        latest.for_each(|last| *last = (NOWHERE, 0));
    }
}

impl<B: Books> Memory<B> {
    /// Notes the free of a block that is cached.
    #[inline(always)]
    pub(super) fn stamp(&mut self, card: &Card, freed: Freed) {
        let number = match self.stamps.find(freed) {
            Some(number) => number,
            None => self.new_stamp(freed),
        };
        card.set_stamp(number);
    }

    #[cold]
    #[inline(never)]
    fn new_stamp(&mut self, freed: Freed) -> u32 {
        if self.stamps.frees.len() == MANY {
            self.keep_last_stamps();
        }
        self.stamps.add(freed)
    }

    /// Keeps only the last free of each stream, which then counts for all its blocks: fewer of them may be released to
    /// the device.
    fn keep_last_stamps(&mut self) {
        let old = std::mem::replace(&mut self.stamps, Stamps::new());
        let mut last: HashMap<Option<StreamKey>, Option<Freed>> = HashMap::new();
        for &freed in &old.frees {
            let last = last.entry(freed.map(|freed| freed.stream)).or_insert(freed);
            if last.map(|last| last.position) < freed.map(|freed| freed.position) {
                *last = freed;
            }
        }
        let mut numbers: HashMap<Option<StreamKey>, u32> = HashMap::new();
        for (stream, freed) in last {
            numbers.insert(stream, self.stamps.frees.len() as u32);
            self.stamps.frees.push(freed);
        }
        for number in self.cache.numbers::<B>() {
            let place = B::place(number);
            let card = place.card();
            let stream = old.get(card.stamp()).map(|freed| freed.stream);
            card.set_stamp(numbers[&stream]);
        }
    }

    /// Empties the cache: merges blocks whose frees the host has seen, as `order` knows, and makes the rest pending.
    pub(super) fn flush_cache(&mut self, order: &impl Order) {
        let kept: Vec<u32> = self.cache.take_all::<B>();
        for number in kept {
            let place = B::place(number);
            match self.stamps.get(place.card().stamp()) {
                Some(freed) if order.passed(freed.stream).is_none_or(|passed| passed < freed.position) => {
                    self.make_pending(place, freed);
                }
                _ => self.merge(place),
            }
        }
        self.stamps = Stamps::new();
    }
}
