//! What has to be so after each step; debug builds look.

use super::memory::Memory;
use super::pending::{CACHED, NONE};
use super::{GRAIN, Stats};

impl Memory {
    /// Checks everything, in large pools now and then only.
    pub(super) fn check(&mut self) {
        const SMALL: usize = 128;
        self.unchecked += 1;
        if self.unchecked > (self.counts.used().blocks as usize + self.pending.blocks) / SMALL {
            self.unchecked = 0;
            self.check_all();
        }
    }

    fn check_all(&self) {
        let (mut live, mut used, mut blocks, mut pending, mut cached) = (0, 0, 0, 0, 0);
        let mut end = 0;
        for (&start, island) in &self.islands {
            assert!(start >= end, "islands overlap");
            let mut len = 0;
            self.heap.check(island.region, |node| {
                len += u64::from(self.heap.len_of(node));
                let of = self.heap.of(node);
                if self.heap.is_free(node) {
                } else if let Some(fresh) = self.fresh.iter().find(|fresh| fresh.node == node) {
                    assert_eq!(fresh.used, of.used);
                } else if of.slot == NONE {
                    assert!(of.used != 0 && of.used <= self.heap.len_of(node));
                    live += 1;
                    used += u64::from(of.used) * GRAIN as u64;
                } else if of.slot == CACHED {
                    cached += u64::from(self.heap.len_of(node));
                } else {
                    blocks += 1;
                    pending += u64::from(self.heap.len_of(node));
                }
            });
            end = start + len;
            assert_eq!(end, island.end);
        }
        let mut stats = Stats::default();
        self.counts.add_to(&mut stats);
        assert_eq!((live, used), (stats.blocks, stats.used));
        assert_eq!((blocks, pending), (self.pending.blocks, self.pending.units));
        assert_eq!(cached, self.cache.units);
        let queued = self.pending.busy().map(|(slot, _)| self.check_queue(slot)).sum::<usize>();
        assert_eq!(queued, blocks);
        let reserved: u64 = self.segments.values().map(|segment| segment.len as u64).sum();
        assert_eq!(reserved, stats.reserved);
        let islands = self.islands.iter().map(|(start, island)| island.end - start).sum::<u64>();
        assert_eq!(islands * GRAIN as u64, reserved);
        let Stats { reserved_high, used_high, blocks_high, .. } = stats;
        assert!(reserved <= reserved_high && used <= used_high && live <= blocks_high);
    }

    /// How many blocks a stream has pending.
    fn check_queue(&self, slot: u32) -> usize {
        let mut last = 0;
        let queued = self.pending.of_slot(&self.heap, slot).inspect(|&node| {
            let of = self.heap.of(node);
            assert!(of.slot == slot && of.position >= last, "not in order of age");
            last = of.position;
        });
        queued.count()
    }
}
