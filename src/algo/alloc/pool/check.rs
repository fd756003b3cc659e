//! Checks invariants after each step in debug builds.

use std::collections::HashSet;

use super::memory::Memory;
use super::pending::NONE;
use super::{GRAIN, Stats};

impl Memory {
    /// Checks everything. Large pools are checked only from time to time.
    pub(super) fn check(&mut self) {
        const SMALL: usize = 128;
        self.unchecked += 1;
        if self.unchecked > (self.counts.used.blocks as usize + self.pending.blocks) / SMALL {
            self.unchecked = 0;
            self.check_all();
        }
    }

    fn check_all(&self) {
        let (mut live, mut used, mut blocks, mut pending, mut cached) = (0, 0, 0, 0, 0);
        let kept: HashSet<u32> = self.cache.numbers().collect();
        let mut end = 0;
        for (&start, island) in &self.islands {
            assert!(start >= end, "islands overlap");
            let mut len = 0;
            self.heap.check(island.region, |node| {
                len += u64::from(self.heap[node].len);
                let of = &self.heap[node].of;
                if self.heap.is_free(node) {
                } else if of.slot != NONE {
                    blocks += 1;
                    pending += u64::from(self.heap[node].len);
                } else {
                    let place = self.place(of.number);
                    let card = place.card();
                    assert_eq!((card.node.get(), card.len.get()), (node, self.heap[node].len));
                    if kept.contains(&of.number) {
                        cached += u64::from(card.len.get());
                        return;
                    }
                    assert!(card.used.get() != 0 && card.used.get() <= card.len.get());
                    if let Some(fresh) = self.fresh.iter().find(|it| it.number == of.number) {
                        assert_eq!(fresh.used, card.used.get());
                    } else {
                        live += 1;
                        used += u64::from(card.used.get()) * GRAIN as u64;
                    }
                }
            });
            end = start + len;
            assert_eq!(end, island.end);
        }
        let mut stats = Stats::default();
        self.counts.add_to(&mut stats);
        assert!(live == stats.blocks && used == stats.used);
        assert_eq!((blocks, pending), (self.pending.blocks, self.pending.units));
        assert_eq!(cached, self.cache.units);
        let mut queued = 0;
        for (slot, _) in self.pending.busy() {
            let nodes = || self.pending.of_slot(&self.heap, slot);
            assert!(nodes().all(|node| self.heap[node].of.slot == slot), "in the queue of another stream");
            assert!(nodes().is_sorted_by_key(|node| self.heap[node].of.position), "not in order of age");
            queued += nodes().count();
        }
        assert_eq!(queued, blocks);
        let reserved: u64 = self.segments.values().map(|segment| segment.len as u64).sum();
        assert_eq!(reserved, stats.reserved);
        let islands = self.islands.iter().map(|(start, island)| island.end - start).sum::<u64>();
        assert_eq!(islands * GRAIN as u64, reserved);
        let Stats { reserved_high, used_high, blocks_high, .. } = stats;
        assert!(reserved <= reserved_high && used <= used_high && live <= blocks_high);
    }
}
