//! Plain blocks that are kept as they are for the next request of their length, whoever makes it: not
//! merged with their neighbours, and in the owner's books where they were.
//!
//! A request is cut so that its length is the least of its class. So all blocks of a class are as good as each
//! other, one look tells whether there is one, and a class is a stack. Where that is empty the next class
//! serves. What is kept is a small part of what is in use, the shorter blocks of it; nearly all of it is merged
//! before a pool grows, and the rest when it cannot grow: it costs little memory.

use super::class::{class_for, class_of};
use super::counts::Counts;
use super::memory::Memory;
use super::stamps::Stamps;
use super::{Books, Card, Freed, GRAIN, Place};

/// Longer blocks are merged, not kept: there are few of them, and each is much memory.
pub(super) const LONGEST: u32 = (3 << 20) / GRAIN as u32;
/// This part of what is in use may be kept at most, in bytes, or so many units if that is more.
const SHARE: u64 = 9;
const ANYWAY: u64 = (2 << 20) / GRAIN as u64;
/// This part of what is in use stays kept when a pool grows, the shorter blocks.
const REST: u64 = 128;

const CLASSES: usize = class_of(LONGEST) + 1;

/// The blocks that are kept.
pub(super) struct Cache {
    /// The number of the last one of each class; 0: there is none. The one before is below it. Behind the last
    /// class is one that stays empty.
    tops: [u32; CLASSES + 1],
    pub(super) units: u64,
    /// So many units may be kept, as of the last time that it was asked what is in use.
    most: u64,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self { tops: [0; CLASSES + 1], units: 0, most: ANYWAY }
    }

    /// What is in use decides how much may be kept.
    #[inline]
    pub(super) fn note_used(&mut self, counts: &Counts) {
        self.most = (counts.used().units / SHARE).max(ANYWAY);
    }

    /// Takes all blocks out: their numbers.
    pub(super) fn take_all<B: Books>(&mut self) -> Vec<u32> {
        let all = self.numbers::<B>().collect();
        (self.tops, self.units) = ([0; CLASSES + 1], 0);
        all
    }

    /// The numbers of all blocks that are kept.
    pub(super) fn numbers<B: Books>(&self) -> impl Iterator<Item = u32> {
        let step = |number: u32| (number != 0).then_some(number);
        let class = move |&top: &u32| {
            std::iter::successors(step(top), move |&number| step(B::place(number).card().below()))
        };
        self.tops.iter().flat_map(class)
    }
}

impl<B: Books> Memory<B> {
    /// Keeps a block of so many units, [`LONGEST`] at most, that is plain now.
    #[inline(always)]
    pub(super) fn keep(&mut self, number: u32, card: &Card, len: u32, freed: Freed) {
        self.stamp(card, freed);
        let top = &mut self.cache.tops[class_of(len)];
        card.set_below(std::mem::replace(top, number));
        self.cache.units += u64::from(len);
        if self.cache.units > self.cache.most {
            self.merge_longest();
        }
    }

    /// The place of a block that is kept and has at least `wanted` units, and few more.
    #[inline(always)]
    pub(super) fn find_kept(&mut self, wanted: u32) -> Option<B::Place> {
        let class = class_for(wanted);
        let top = *self.cache.tops[..CLASSES].get(class)?;
        // Added, because whether there is one is as good as random, and a branch would be guessed wrong.
        self.pop(class + usize::from(top == 0))
    }

    #[inline(always)]
    fn pop(&mut self, class: usize) -> Option<B::Place> {
        let top = self.cache.tops.get_mut(class).filter(|top| **top != 0)?;
        let place = B::place(*top);
        let card = place.card();
        *top = card.below();
        self.cache.units -= u64::from(card.len());
        Some(place)
    }

    /// Keeps fewer units than it may.
    #[cold]
    #[inline(never)]
    fn merge_longest(&mut self) {
        self.cache.note_used(&self.counts);
        if self.cache.units > self.cache.most {
            self.merge_down_to(self.cache.most - self.cache.most / 8);
        }
    }

    /// Keeps only what a growing pool keeps; false if it kept no more before.
    pub(super) fn merge_most(&mut self) -> bool {
        let rest = self.counts.used().units / REST;
        let kept_more = self.cache.units > rest;
        self.merge_down_to(rest);
        kept_more
    }

    /// Keeps nothing; false if it kept nothing before.
    pub(super) fn merge_kept(&mut self) -> bool {
        let kept_some = self.cache.units != 0;
        self.merge_down_to(0);
        self.stamps = Stamps::new();
        kept_some
    }

    /// Keeps no more than so many units, the shorter ones.
    fn merge_down_to(&mut self, units: u64) {
        for class in (0..CLASSES).rev() {
            while self.cache.units > units
                && let Some(place) = self.pop(class)
            {
                self.merge(place);
            }
        }
    }

    /// Merges a plain block that still is in its owner's books.
    #[inline(never)]
    pub(super) fn merge(&mut self, place: B::Place) {
        let node = place.card().node();
        place.vacate();
        self.heap.give(node);
    }
}
