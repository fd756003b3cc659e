//! Where blocks were freed that are kept. What is in them has happened, so anybody may have them; but the host has
//! not seen that yet, and until it has they count as in use where memory goes back to the device.

use std::collections::HashMap;

use super::memory::Memory;
use super::{Books, Card, Freed, Order, Place, StreamKey};

/// Streams are told apart by this many remainders.
const PLACES: usize = 16;
/// When there are so many, those that are older than need be go.
const MANY: usize = 4096;

/// The frees of blocks that are kept, by number. Few of them differ: what a stream frees while nothing is
/// submitted has one position.
pub(super) struct Stamps {
    /// None: the stream is gone, and the host knows.
    frees: Vec<Option<Freed>>,
    /// What streams freed last, and its number.
    latest: [(Freed, u32); PLACES],
}

/// No stream is called that.
const NOWHERE: Freed = Freed { stream: StreamKey(u64::MAX), position: 0 };

impl Stamps {
    pub(super) const fn new() -> Self {
        Self { frees: Vec::new(), latest: [(NOWHERE, 0); PLACES] }
    }

    /// The number of this free, if a stream had it last.
    #[inline(always)]
    fn find(&self, freed: Freed) -> Option<u32> {
        let (last, number) = self.latest[freed.stream.0 as usize % PLACES];
        (last == freed).then_some(number)
    }

    /// A number for this free.
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

    /// The stream is gone, and all that it did has happened.
    pub(super) fn forget(&mut self, stream: StreamKey) {
        let of_stream = |freed: &&mut Option<Freed>| freed.is_some_and(|it| it.stream == stream);
        self.frees.iter_mut().filter(of_stream).for_each(|freed| *freed = None);
        let latest = self.latest.iter_mut().filter(|(freed, _)| freed.stream == stream);
        latest.for_each(|last| *last = (NOWHERE, 0));
    }
}

impl<B: Books> Memory<B> {
    /// Notes where a block was freed that is kept from now on.
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
            self.stamp_anew();
        }
        self.stamps.add(freed)
    }

    /// Forgets all frees of a stream but the last one, which counts for all its blocks: fewer go back to the
    /// device then than might.
    fn stamp_anew(&mut self) {
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

    /// Keeps nothing: merges what the host has seen freed, as `order` knows, and makes the rest pending.
    pub(super) fn settle_kept(&mut self, order: &impl Order) {
        let kept: Vec<u32> = self.cache.take_all::<B>();
        for number in kept {
            let place = B::place(number);
            match self.stamps.get(place.card().stamp()) {
                Some(freed)
                    if order.passed(freed.stream).is_none_or(|passed| passed < freed.position) =>
                {
                    self.make_pending(place, freed);
                }
                _ => self.merge(place),
            }
        }
        self.stamps = Stamps::new();
    }
}
