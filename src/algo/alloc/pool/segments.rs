//! The segments of a pool. Adjacent segments are one region of its heap, so that blocks may cross their borders.

use super::memory::Memory;
use super::{Books, GRAIN, Order, Segment};
use crate::algo::alloc::heap::Region;

/// Adjacent segments.
pub(super) struct Island {
    pub(super) end: u64,
    pub(super) region: Region,
}

fn units(bytes: usize) -> u64 {
    (bytes / GRAIN) as u64
}

impl<B: Books> Memory<B> {
    pub(super) fn add_segment(&mut self, segment: Segment) {
        let start = units(segment.addr);
        let len = u32::try_from(units(segment.len)).expect("segments are not that long");
        self.shortest = self.shortest.min(len);
        self.counts.reserve(segment.len as u64);
        self.segments.insert(start, segment);
        let region = self.heap.add_region(start, len);
        self.add_island(start, start + u64::from(len), region);
    }

    /// Adds a region, joined with its neighbours.
    fn add_island(&mut self, mut start: u64, mut end: u64, mut region: Region) {
        let fits = |start: u64, end: u64| end - start <= u64::from(u32::MAX);
        if let Some((&before, island)) = self.islands.range(..start).next_back()
            && island.end == start
            && fits(before, end)
        {
            region = self.heap.join(island.region, region);
            self.islands.remove(&before);
            start = before;
        }
        if let Some(island) = self.islands.get(&end)
            && fits(start, island.end)
        {
            region = self.heap.join(region, island.region);
            let behind = island.end;
            self.islands.remove(&end);
            end = behind;
        }
        self.islands.insert(start, Island { end, region });
    }

    /// Those that are entirely free.
    pub(super) fn free_segments(&mut self, order: &impl Order) -> Vec<Segment> {
        self.flush_cache(order);
        self.reclaim(order);
        let mut free = Vec::new();
        for (start, len) in self.heap.free_ranges(self.shortest) {
            let end = start + u64::from(len);
            let segments = self.segments.range(start..end).map(|(_, &segment)| segment);
            free.extend(segments.filter(|it| units(it.addr) + units(it.len) <= end));
        }
        free
    }

    pub(super) fn remove_segment(&mut self, segment: Segment) {
        let start = units(segment.addr);
        let len = units(segment.len);
        self.segments.remove(&start);
        self.counts.release(segment.len as u64);
        let around = self.islands.range(..=start).next_back().map(|(&start, _)| start);
        let first = around.expect("segments are in islands");
        let Island { end, region } = self.islands.remove(&first).expect("just found");
        let (left, right) = self.heap.cut_out(region, start, len as u32);
        if let Some(region) = left {
            self.islands.insert(first, Island { end: start, region });
        }
        if let Some(region) = right {
            self.islands.insert(start + len, Island { end, region });
        }
    }
}
