//! The pool as simply as it can be said: all ranges in order of their addresses, looked at one by
//! one.

use std::collections::{BTreeMap, HashMap};

use super::{Freed, GRAIN, GRANULE, Order, Segment, Shortage, Stats, StreamKey, Taken};

/// Segments have at least this many bytes, if they can be had.
const SEGMENT: usize = 32 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Taken(u32),
    Pending(Freed),
    Plain,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    len: usize,
    state: State,
}

/// All of a pool's memory.
pub(super) struct Ledger {
    ranges: BTreeMap<usize, Range>,
    segments: BTreeMap<usize, Segment>,
    /// Where the taken ranges start.
    taken: HashMap<u32, usize>,
    next_note: u32,
    stats: Stats,
}

/// Neighbouring ranges that a request may have, from `addr` on.
#[derive(Clone, Copy)]
struct Run {
    addr: usize,
    len: usize,
}

impl Ledger {
    pub(super) fn new() -> Self {
        Self {
            ranges: BTreeMap::new(),
            segments: BTreeMap::new(),
            taken: HashMap::new(),
            next_note: 0,
            stats: Stats::default(),
        }
    }

    pub(super) fn alloc(
        &mut self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Result<Taken, Shortage> {
        let Some(len) = len.max(1).checked_next_multiple_of(GRAIN) else {
            return Err(Shortage { least: usize::MAX, better: usize::MAX });
        };
        let own = |freed: Freed| freed.stream == stream;
        let ordered = |freed: Freed| {
            own(freed)
                || order.followed(freed.stream).is_some_and(|position| freed.position <= position)
        };
        if let Some(run) = self.best(len, own).or_else(|| self.best(len, ordered)) {
            return Ok(self.take(run, len));
        }
        self.settle(order);
        if let Some(run) = self.best(len, ordered) {
            return Ok(self.take(run, len));
        }
        let least = len.checked_next_multiple_of(GRANULE).unwrap_or(usize::MAX);
        Err(Shortage { least, better: least.max(SEGMENT) })
    }

    pub(super) fn alloc_behind(
        &mut self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Option<(Taken, Option<Freed>)> {
        if let Ok(taken) = self.alloc(len, stream, order) {
            return Some((taken, None));
        }
        let len = len.max(1).checked_next_multiple_of(GRAIN)?;
        let mut others: Vec<StreamKey> = self.pending().map(|freed| freed.stream).collect();
        others.sort_unstable();
        others.dedup();
        let usable = |other: StreamKey| {
            move |freed: Freed| {
                freed.stream == stream
                    || freed.stream == other
                    || order
                        .followed(freed.stream)
                        .is_some_and(|position| freed.position <= position)
            }
        };
        let (run, other) =
            others.iter().find_map(|&other| Some((self.best(len, usable(other))?, other)))?;
        let position = self
            .ranges
            .range(run.addr..run.addr + len)
            .filter_map(|(_, range)| match range.state {
                State::Pending(freed) if freed.stream == other => Some(freed.position),
                _ => None,
            })
            .max();
        let wait = position.map(|position| Freed { stream: other, position });
        Some((self.take(run, len), wait))
    }

    fn pending(&self) -> impl Iterator<Item = Freed> + '_ {
        self.ranges.values().filter_map(|range| match range.state {
            State::Pending(freed) => Some(freed),
            _ => None,
        })
    }

    /// The shortest run of at least `len` bytes that is plain or `usable`.
    fn best(&self, len: usize, usable: impl Fn(Freed) -> bool) -> Option<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (&addr, range) in &self.ranges {
            let fits = match range.state {
                State::Taken(_) => false,
                State::Pending(freed) => usable(freed),
                State::Plain => true,
            };
            match runs.last_mut() {
                _ if !fits => {}
                Some(run) if run.addr + run.len == addr => run.len += range.len,
                _ => runs.push(Run { addr, len: range.len }),
            }
        }
        runs.into_iter().filter(|run| run.len >= len).min_by_key(|run| run.len)
    }

    /// Takes the first `len` bytes of a run.
    fn take(&mut self, run: Run, len: usize) -> Taken {
        let end = run.addr + len;
        let inside: Vec<usize> = self.ranges.range(run.addr..end).map(|(&addr, _)| addr).collect();
        for addr in inside {
            let range = self.ranges.remove(&addr).expect("just found");
            if addr + range.len > end {
                self.ranges.insert(end, Range { len: addr + range.len - end, ..range });
            }
        }
        let note = self.next_note;
        self.next_note += 1;
        self.ranges.insert(run.addr, Range { len, state: State::Taken(note) });
        self.taken.insert(note, run.addr);
        self.stats.used += len as u64;
        self.stats.used_high = self.stats.used_high.max(self.stats.used);
        Taken { addr: run.addr, len, note }
    }

    pub(super) fn add_segment(&mut self, segment: Segment) {
        self.ranges.insert(segment.addr, Range { len: segment.len, state: State::Plain });
        self.segments.insert(segment.addr, segment);
        self.stats.reserved += segment.len as u64;
        self.stats.reserved_high = self.stats.reserved_high.max(self.stats.reserved);
    }

    pub(super) fn free(&mut self, note: u32, freed: Option<Freed>) {
        let addr = self.taken.remove(&note).expect("taken, and freed once");
        let range = self.ranges.get_mut(&addr).expect("taken ranges are there");
        range.state = freed.map_or(State::Plain, State::Pending);
        self.stats.used -= range.len as u64;
    }

    pub(super) fn forget(&mut self, stream: StreamKey) {
        self.make_plain(|freed| freed.stream == stream);
    }

    /// What has happened becomes plain.
    fn settle(&mut self, order: &impl Order) {
        self.make_plain(|freed| {
            order.passed(freed.stream).is_some_and(|position| freed.position <= position)
        });
    }

    fn make_plain(&mut self, happened: impl Fn(Freed) -> bool) {
        for range in self.ranges.values_mut() {
            if let State::Pending(freed) = range.state
                && happened(freed)
            {
                range.state = State::Plain;
            }
        }
    }

    pub(super) fn release(&mut self, keep: u64, order: &impl Order) -> Vec<Segment> {
        self.settle(order);
        let segments: Vec<Segment> = self.segments.values().copied().collect();
        let mut released = Vec::new();
        for segment in segments {
            let end = segment.addr + segment.len;
            let in_use = |(&addr, range): (&usize, &Range)| {
                addr < end && addr + range.len > segment.addr && range.state != State::Plain
            };
            // A range may begin in the segment before.
            let first =
                self.ranges.range(..=segment.addr).next_back().map_or(segment.addr, |(&a, _)| a);
            if self.stats.reserved - (segment.len as u64) < keep
                || self.ranges.range(first..end).any(in_use)
            {
                continue;
            }
            self.cut(segment.addr);
            self.cut(end);
            let inside: Vec<usize> =
                self.ranges.range(segment.addr..end).map(|(&addr, _)| addr).collect();
            for addr in inside {
                self.ranges.remove(&addr);
            }
            self.segments.remove(&segment.addr);
            self.stats.reserved -= segment.len as u64;
            released.push(segment);
        }
        released
    }

    /// No range lies across `addr` any more.
    fn cut(&mut self, addr: usize) {
        let Some((&start, range)) = self.ranges.range_mut(..addr).next_back() else { return };
        if start + range.len > addr {
            let behind = Range { len: start + range.len - addr, state: range.state };
            range.len = addr - start;
            self.ranges.insert(addr, behind);
        }
    }

    pub(super) fn drain(&mut self) -> Vec<Segment> {
        self.ranges.clear();
        self.taken.clear();
        self.stats.reserved = 0;
        self.stats.used = 0;
        std::mem::take(&mut self.segments).into_values().collect()
    }

    pub(super) fn live(&self) -> usize {
        self.taken.len()
    }

    pub(super) fn stats(&self) -> Stats {
        self.stats
    }

    pub(super) fn reset_reserved_high(&mut self) {
        self.stats.reserved_high = self.stats.reserved;
    }

    pub(super) fn reset_used_high(&mut self) {
        self.stats.used_high = self.stats.used;
    }
}
