//! A model of the pool, as simple as possible: all ranges in the order of their addresses, which are scanned one by
//! one. Tests compare the pool with it.

use std::collections::BTreeMap;

use super::{Freed, Segment, Stats, StreamKey};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Taken { used: usize },
    Pending(Freed),
    Plain,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    len: usize,
    state: State,
}

/// All of a pool's memory.
#[derive(Default)]
pub(super) struct Model {
    ranges: BTreeMap<usize, Range>,
    segments: BTreeMap<usize, Segment>,
    pub(super) stats: Stats,
}

impl Model {
    pub(super) fn add_segment(&mut self, segment: Segment) {
        self.ranges.insert(segment.addr, Range { len: segment.len, state: State::Plain });
        self.segments.insert(segment.addr, segment);
        self.stats.reserved += segment.len as u64;
        self.stats.reserved_high = self.stats.reserved_high.max(self.stats.reserved);
    }

    /// Takes `len` bytes, of which `used` count as used. All of them must be free, or pending and `usable`.
    pub(super) fn take(&mut self, addr: usize, len: usize, used: usize, usable: impl Fn(Freed) -> bool) {
        let (mut at, end) = (addr, addr + len);
        self.cut(addr);
        self.cut(end);
        while at < end {
            let range = self.ranges.remove(&at).expect("blocks are inside the pool");
            match range.state {
                State::Plain => {}
                State::Pending(freed) => assert!(usable(freed), "{at:#x} is {freed:?}"),
                State::Taken { .. } => panic!("{at:#x} is in use"),
            }
            at += range.len;
        }
        assert_eq!(at, end);
        self.ranges.insert(addr, Range { len, state: State::Taken { used } });
        self.stats.used += used as u64;
        self.stats.used_high = self.stats.used_high.max(self.stats.used);
        self.stats.taken += used as u64;
        self.stats.blocks_taken += 1;
        self.stats.blocks += 1;
        self.stats.blocks_high = self.stats.blocks_high.max(self.stats.blocks);
    }

    /// Frees a block, which becomes pending, or free if `freed` is `None`.
    pub(super) fn free(&mut self, addr: usize, freed: Option<Freed>) {
        let range = self.ranges.get_mut(&addr).expect("blocks are there");
        let State::Taken { used } = range.state else { panic!("{addr:#x} is freed twice") };
        range.state = freed.map_or(State::Plain, State::Pending);
        self.stats.used -= used as u64;
        self.stats.blocks -= 1;
    }

    /// Whether there are `len` contiguous bytes, free or usable.
    pub(super) fn has(&self, len: usize, usable: impl Fn(Freed) -> bool) -> bool {
        let (mut run, mut end) = (0, 0);
        self.ranges.iter().any(|(&addr, range)| {
            let fits = match range.state {
                State::Taken { .. } => false,
                State::Pending(freed) => usable(freed),
                State::Plain => true,
            };
            let before = if addr == end { run } else { 0 };
            run = if fits { before + range.len } else { 0 };
            end = addr + range.len;
            run >= len
        })
    }

    /// Makes pending memory free for which `is_complete` is true.
    pub(super) fn reclaim(&mut self, is_complete: impl Fn(Freed) -> bool) {
        for range in self.ranges.values_mut() {
            if let State::Pending(freed) = range.state
                && is_complete(freed)
            {
                range.state = State::Plain;
            }
        }
    }

    /// Returns the streams with pending memory.
    pub(super) fn streams(&self) -> Vec<StreamKey> {
        let pending = self.ranges.values().filter_map(|range| match range.state {
            State::Pending(freed) => Some(freed.stream),
            State::Taken { .. } | State::Plain => None,
        });
        pending.collect()
    }

    /// Whether all of a segment is free.
    pub(super) fn is_free(&self, segment: &Segment) -> bool {
        let end = segment.addr + segment.len;
        let mut inside = self.ranges.range(..end).filter(|&(&addr, range)| addr + range.len > segment.addr);
        inside.all(|(_, range)| range.state == State::Plain)
    }

    /// Returns the segments that are left.
    pub(super) fn segments(&self) -> Vec<Segment> {
        self.segments.values().copied().collect()
    }

    pub(super) fn remove_segment(&mut self, segment: &Segment) {
        self.cut(segment.addr);
        self.cut(segment.addr + segment.len);
        self.ranges.retain(|&addr, _| addr < segment.addr || addr >= segment.addr + segment.len);
        self.segments.remove(&segment.addr).expect("a segment is released once");
        self.stats.reserved -= segment.len as u64;
    }

    /// Splits the range that contains `addr` there.
    fn cut(&mut self, addr: usize) {
        let Some((&start, range)) = self.ranges.range_mut(..addr).next_back() else { return };
        if start + range.len > addr {
            let behind = Range { len: start + range.len - addr, state: range.state };
            range.len = addr - start;
            self.ranges.insert(addr, behind);
        }
    }
}
