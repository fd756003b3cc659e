//! The blocks that were freed since the last allocation.

use super::{Fresh, Memory};
use crate::algo::alloc::pool::cache::LONGEST;
use crate::algo::alloc::pool::{Books, Order, Place, StreamKey};

impl<B: Books> Memory<B> {
    /// A block that the stream itself has just freed, if it fits: a program that frees and allocates in turn gets its
    /// block back at once. Otherwise all fresh blocks are sorted.
    #[inline(never)]
    pub(super) fn find_fresh(&mut self, wanted: u32, stream: StreamKey, order: &impl Order) -> Option<B::Place> {
        // Mostly it is the only one.
        if let [fresh] = *self.fresh {
            self.fresh.clear();
            if fresh.is_snug(wanted, stream) {
                return Some(B::place(fresh.number));
            }
            self.sort(fresh, || order.passed(fresh.freed.stream));
            return None;
        }
        match self.fresh.iter().rposition(|fresh| fresh.is_snug(wanted, stream)) {
            // The others stay in order, because the frees of a stream are ordered.
            Some(at) => Some(B::place(self.fresh.remove(at).number)),
            None => {
                self.sort_fresh(order);
                None
            }
        }
    }

    /// Sorts the fresh blocks: complete frees are cached, the others are pending.
    pub(in super::super) fn sort_fresh(&mut self, order: &impl Order) {
        // Mostly all of them belong to one stream.
        let mut asked = None;
        for i in 0..self.fresh.len() {
            let fresh = self.fresh[i];
            let stream = fresh.freed.stream;
            self.sort(fresh, || match asked {
                Some((other, position)) if stream == other => position,
                _ => asked.insert((stream, order.passed(stream))).1,
            });
        }
        self.fresh.clear();
    }

    /// Sorts a block; `passed` returns the position that its stream has passed.
    #[inline(always)]
    fn sort(&mut self, fresh: Fresh, passed: impl FnOnce() -> Option<u64>) {
        let Fresh { number, freed, has_passed, .. } = fresh;
        let place = B::place(number);
        if !has_passed && passed().is_none_or(|position| position < freed.position) {
            return self.make_pending(place, freed);
        }
        match place.card().len.get() {
            len if len <= LONGEST => self.keep(number, place.card(), len, freed),
            _ => self.merge(place),
        }
    }

    /// Makes all fresh blocks pending, complete or not.
    pub(super) fn make_fresh_pending(&mut self) {
        for i in 0..self.fresh.len() {
            let fresh = self.fresh[i];
            self.make_pending(B::place(fresh.number), fresh.freed);
        }
        self.fresh.clear();
    }
}
