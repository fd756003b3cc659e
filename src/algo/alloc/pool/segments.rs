//! The segments of a pool. Adjacent segments are one region of its heap, so that blocks may cross their borders.

use super::memory::Memory;
use super::{GRAIN, Order, Segment};
use crate::alloc::heap::Region;

/// Segments that are adjacent.
pub(super) struct Island {
    pub(super) end: u64,
    pub(super) region: Region,
}

fn units(bytes: usize) -> u64 {
    (bytes / GRAIN) as u64
}

impl Memory {
    pub(super) fn add_segment(&mut self, segment: Segment) {
        let start = units(segment.addr);
        let len = u32::try_from(units(segment.len)).expect("segments are not that long");
        self.counts.reserve(segment.len as u64);
        self.segments.insert(start, segment);
        let region = self.heap.add_region(start, len);
        let end = start + u64::from(len);
        self.islands.insert(start, Island { end, region });
        self.join_at(start);
        self.join_at(end);
    }

    /// Joins the islands that meet at this border, unless they are too long together.
    fn join_at(&mut self, border: u64) {
        if let Some((&start, left)) = self.islands.range(..border).next_back()
            && let Some(&Island { end, region }) = self.islands.get(&border)
            && left.end == border
            && end - start <= u64::from(u32::MAX)
        {
            let region = self.heap.join(left.region, region);
            self.islands.remove(&border);
            self.islands.insert(start, Island { end, region });
        }
    }

    /// Returns the segments that are entirely free.
    pub(super) fn free_segments(&mut self, order: &impl Order) -> Vec<Segment> {
        self.flush_cache(order);
        self.reclaim(order);
        let mut free = Vec::new();
        let Some(shortest) = self.segments.values().map(|segment| units(segment.len)).min() else { return free };
        for (start, len) in self.heap.free_ranges(shortest as u32) {
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
        self.release_pages(segment);
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
