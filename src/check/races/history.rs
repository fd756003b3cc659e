//! The uses of memory by pending operations, in the order of their submission.
//!
//! As long as each operation is ordered after the previous one, as in a program with one stream, no two of them can
//! conflict. Such operations are only logged. The shadow gets them when an operation comes that is not ordered after
//! the latest one, or that runs a graph. When the log is full, it drops steps that the host has waited for or that
//! later steps have overwritten. If many are left, the shadow gets them.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::shadow::Shadow;
use crate::core::base::call_site::StaticStack;
use crate::core::order::accesses::{Access, GraphRun, Mode};
use crate::core::order::sequence::{LaneIndex, Point};
use crate::operation::{InStream, Operation, Short, What};

/// Number of steps at which the log is shortened.
const MOST: usize = if cfg!(test) { 8 } else { 16384 };

/// A log with more steps counts as long.
const LONG: usize = MOST / 16;

/// A use of memory by an operation. There are many steps, and most are written in quick succession. So the fields are
/// numbers beside each other: a processor would wait before it copies a structure that it has just written.
#[derive(Clone, Copy)]
struct LoggedUse {
    addr: usize,
    end: usize,
    handle: u64,
    /// The number of the operation. 0: the host has allocated or freed the memory, so earlier uses no longer count.
    number: u64,
    stack: Option<StaticStack>,
    line: LaneIndex,
    what: What,
    mode: Mode,
}

impl LoggedUse {
    #[inline(always)]
    fn new(access: &Access, operation: &Short) -> Self {
        let Access { addr, end, mode } = *access;
        let Short { what, stream: InStream { handle, point: Point { line, number } }, stack } = *operation;
        Self { addr, end, handle, number, stack, line, what, mode }
    }

    fn access(&self) -> Access {
        Access { addr: self.addr, end: self.end, mode: self.mode }
    }

    /// Returns the operation; `None` if the host has allocated or freed the memory.
    fn operation(&self) -> Option<Short> {
        let stream = InStream { handle: self.handle, point: self.point()? };
        Some(Short { what: self.what, stream, stack: self.stack })
    }

    /// Returns the operation's place in the order of streams.
    fn point(&self) -> Option<Point> {
        (self.number != 0).then_some(Point { line: self.line, number: self.number })
    }
}

/// The history of all memory.
#[derive(Default)]
pub(super) struct History {
    pub shadow: Shadow,
    /// Steps of operations that are not open, each ordered after the previous one.
    log: Vec<LoggedUse>,
    /// The latest operation of this era, if each operation is ordered after the previous one.
    latest: Option<Point>,
    /// True if the shadow has operations of this era.
    has_shadow: bool,
    /// True if an operation of this era is not ordered after the previous one, or is open. The shadow then has all
    /// operations.
    is_unordered: bool,
    /// For each first byte, the end of the longest later write there. Empty between uses; only its room is reused.
    written: FxHashMap<usize, usize>,
}

impl History {
    /// Forgets all operations when the era changes: they are complete.
    #[inline]
    pub(super) fn enter(&mut self, era: u64) {
        if self.shadow.enter(era) {
            self.log.clear();
            self.latest = None;
            self.has_shadow = false;
            self.is_unordered = false;
        }
    }

    /// Forgets everything except whether uses of memory were forgotten before.
    pub(super) fn forget_all(&mut self) {
        let is_incomplete = self.shadow.is_incomplete;
        *self = Self::default();
        self.shadow.is_incomplete = is_incomplete;
    }

    /// Whether an operation is ordered after all pending ones, so that none conflicts with it. `is_before` returns
    /// whether a pending one is complete before the operation begins.
    #[inline]
    pub(super) fn is_ordered(&self, is_before: impl Fn(Point) -> bool) -> bool {
        !self.is_unordered && self.latest.is_none_or(is_before)
    }

    /// Adds an operation that is ordered after all others, and is not open.
    #[inline(always)]
    pub(super) fn log(&mut self, operation: &Short, used: &[Access]) {
        self.latest = Some(operation.stream.point);
        for access in used {
            self.log.push(LoggedUse::new(access, operation));
        }
    }

    /// Adds an operation that is ordered after all others. It runs this graph, or has no short form.
    pub(super) fn add_ordered(&mut self, operation: Operation, used: &[Access], graph: Option<&Arc<GraphRun>>) {
        self.latest = operation.point();
        let allocates = operation.what == What::Allocates;
        let shadow = self.checked();
        let by = shadow.begin(operation);
        match graph {
            Some(graph) => shadow.add_run(graph, by, |_| false),
            None => used.iter().for_each(|access| shadow.add_ordered(access, by, allocates)),
        }
    }

    /// Forgets the uses of this memory, which the host has allocated or freed.
    pub(super) fn forget(&mut self, what: What, memory: &Access) {
        if self.is_unordered {
            return self.shadow.forget(memory.addr, memory.end);
        }
        let by_host = InStream { handle: 0, point: Point { line: 0, number: 0 } };
        self.log.push(LoggedUse::new(memory, &Short { what, stream: by_host, stack: None }));
    }

    /// Returns the shadow with all operations, for one that is not ordered after them, or is open.
    pub(super) fn shadow(&mut self) -> &mut Shadow {
        self.is_unordered = true;
        self.checked()
    }

    /// Returns the shadow with all operations so far.
    pub(super) fn checked(&mut self) -> &mut Shadow {
        if !self.log.is_empty() {
            if !self.shadow.has_runs() {
                self.drop_overwritten(|_| false);
            }
            self.empty_log();
        }
        self.has_shadow = true;
        &mut self.shadow
    }

    /// Keeps the size within its limit. Operations for which `is_known` is true are complete and conflict with
    /// nothing.
    #[inline]
    pub(super) fn sweep_if_many(&mut self, is_known: impl Fn(Point) -> bool) {
        if self.log.len() >= MOST {
            self.shorten_log(&is_known);
        }
        if self.has_shadow && self.log.is_empty() {
            self.shadow.sweep_if_many(|operation| operation.point().is_none_or(&is_known));
        }
    }

    fn shorten_log(&mut self, is_known: impl Fn(Point) -> bool) {
        // A run of a graph is one entry of the shadow, whatever memory it uses, and must see all steps.
        if self.shadow.has_runs() {
            return self.empty_log();
        }
        self.drop_overwritten(&is_known);
        if self.log.len() > MOST / 2 {
            self.drop_steps(is_known, by_each_byte());
        }
        if self.has_shadow || self.log.len() > MOST / 2 {
            self.empty_log();
        }
    }

    /// Drops steps that are known to be complete, or whose memory one later step overwrites. This is the fast path, for
    /// programs that use the same ranges again.
    fn drop_overwritten(&mut self, is_known: impl Fn(Point) -> bool) {
        // To clear a map takes time in proportion to its room. So a short log uses a temporary map.
        let is_long = self.log.len() > LONG;
        let mut written = if is_long { std::mem::take(&mut self.written) } else { FxHashMap::default() };
        self.drop_steps(is_known, |access| {
            let known = written.entry(access.addr).or_default();
            let is_overwritten = *known >= access.end;
            if access.mode == Mode::Write {
                *known = access.end.max(*known);
            }
            is_overwritten
        });
        if is_long {
            written.clear();
            written.shrink_to(MOST);
            self.written = written;
        }
    }

    /// Drops the steps that nothing later can conflict with: the host knows them to be complete, or `is_overwritten`
    /// returns true. That function gets the latest step first. There are no runs of graphs.
    fn drop_steps(&mut self, is_known: impl Fn(Point) -> bool, mut is_overwritten: impl FnMut(&Access) -> bool) {
        let log = &mut self.log;
        // Each operation is ordered after the previous one. So if the host knows one, it knows all before it.
        let mut are_known = false;
        let mut first = log.len();
        for index in (0..log.len()).rev() {
            let point = log[index].point();
            are_known = are_known || point.is_some_and(&is_known);
            let is_over = is_overwritten(&log[index].access()) || are_known && point.is_some();
            if !is_over {
                first -= 1;
                log.swap(first, index);
            }
        }
        log.drain(..first);
    }

    /// Whether no operation of this era left the log for the shadow.
    #[cfg(test)]
    pub(super) fn has_all_in_its_log(&self) -> bool {
        !self.has_shadow
    }

    /// Whether operations are only logged.
    #[cfg(test)]
    pub(super) fn is_logging(&self) -> bool {
        !self.is_unordered
    }

    fn empty_log(&mut self) {
        self.has_shadow = true;
        let Self { shadow, log, .. } = self;
        // The number of the step's operation, which the steps of one operation share.
        let mut latest = None;
        for step in log.drain(..) {
            let access = step.access();
            let Some(operation) = step.operation() else {
                shadow.forget(access.addr, access.end);
                continue;
            };
            let by = match latest {
                Some((point, by)) if point == operation.stream.point => by,
                _ => shadow.begin(operation.into()),
            };
            latest = Some((operation.stream.point, by));
            shadow.add_ordered(&access, by, operation.what == What::Allocates);
        }
        log.shrink_to(MOST);
    }
}

/// Returns a function that is true if later steps together overwrite the memory of a step. This helps for pools, which
/// divide their memory at other places each time.
fn by_each_byte() -> impl FnMut(&Access) -> bool {
    // Ranges that do not touch each other, as first byte and end.
    let mut written: BTreeMap<usize, usize> = BTreeMap::new();
    move |&Access { addr, end, mode }| {
        let (mut from, mut to) = (addr, end);
        if let Some((&first, &last)) = written.range(..=addr).next_back()
            && last >= addr
        {
            if last >= end {
                return true;
            }
            from = first;
        }
        if mode == Mode::Write {
            while let Some((&first, &last)) = written.range(from..=to).next() {
                written.remove(&first);
                to = to.max(last);
            }
            written.insert(from, to);
        }
        false
    }
}
