//! The memory that an operation or a run of a graph reads and writes.

use std::sync::Arc;

use parking_lot::Mutex;
use smallvec::SmallVec;

use super::effects::{Effect, Effects};
use super::places;
use crate::backend::{self, Does, Op, Place, Span, Use};

/// The way in which an operation uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// The operation reads.
    Read,
    /// The operation writes, and may read.
    Write,
    /// A kernel has the address, and no description says whether it reads or writes.
    Unknown,
}

impl Mode {
    /// Whether two operations with these modes must be ordered. Two with mode `Unknown` do not conflict, because
    /// kernels whose accesses are unknown often share their inputs.
    pub fn conflicts(self, other: Self) -> bool {
        !matches!((self, other), (Self::Read, Self::Read) | (Self::Unknown, Self::Unknown))
    }
}

/// A range of memory and its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// The first byte.
    pub addr: usize,
    /// The byte after the last one.
    pub end: usize,
    /// The use of the range.
    pub mode: Mode,
}

/// The accesses of an operation.
#[derive(Clone, Debug, Default)]
pub struct Accesses(pub SmallVec<[Access; 2]>);

impl Accesses {
    /// Returns the accesses of an operation with these effects. Indirect copies, and kernels whose arguments are not
    /// described, have none: their accesses are unknown. Nor do values that others wait for: they are atomic, so they
    /// only pass order.
    pub fn of(effects: &Effects) -> Self {
        let mut all = Self::default();
        for effect in &effects.0 {
            match *effect {
                Effect::Copy { from, to, staged } => all.copy(from, to, staged),
                Effect::Read(span) => all.add(span, Mode::Read),
                Effect::Write(span) | Effect::Update(span) => all.add(span, Mode::Write),
                // Only the first byte: the library does not know how far the kernel goes from there.
                Effect::Pointer(addr, Some(access)) => {
                    let mode = if access == backend::Access::Read { Mode::Read } else { Mode::Write };
                    all.0.push(Access { addr, end: addr.saturating_add(1), mode });
                }
                Effect::Use(Use { addr, len, does }) => {
                    let mode = if does == Does::Write { Mode::Write } else { Mode::Read };
                    all.0.push(Access { addr, end: addr.saturating_add(len), mode });
                }
                Effect::Pointer(_, None) | Effect::Signal(_) | Effect::Await(_) | Effect::Unknown => {}
            }
        }
        all
    }

    /// Returns the accesses of a copy or a fill, without finding its effects. `None`: another operation, or one that
    /// uses no memory.
    #[inline]
    pub fn of_op(op: &Op<'_>) -> Option<Self> {
        let mut all = Self::default();
        if let Op::Copy(copy) = op {
            all.copy(copy.src, copy.dst, copy.stage_source);
        } else if let Op::Fill(fill) = op {
            all.add(fill.dst, Mode::Write);
        }
        (!all.0.is_empty()).then_some(all)
    }

    /// Returns the ranges of `self` that conflict with `access`. `self` must be [merged](Self::merged).
    pub fn conflicts(&self, access: &Access) -> impl Iterator<Item = &Access> {
        let Access { addr, end, mode: other } = *access;
        let of = move |mode| {
            let from = self.0.partition_point(|own| (own.mode, own.end) <= (mode, addr));
            self.0[from..].iter().take_while(move |own| own.mode == mode && own.addr < end)
        };
        let modes = [Mode::Read, Mode::Write, Mode::Unknown].into_iter();
        modes.filter(move |mode| mode.conflicts(other)).flat_map(of)
    }

    /// Merges ranges that have the same mode and touch each other.
    pub fn merged(mut self) -> Self {
        self.0.sort_unstable_by_key(|access| (access.mode, access.addr));
        self.0.dedup_by(|next, kept| {
            let touches = next.mode == kept.mode && next.addr <= kept.end;
            if touches {
                kept.end = kept.end.max(next.end);
            }
            touches
        });
        self
    }

    /// Adds a copy. `staged`: the source was read before the call returned.
    #[inline]
    fn copy(&mut self, from: Span, to: Span, staged: bool) {
        if !staged {
            self.add(from, Mode::Read);
        }
        self.add(to, Mode::Write);
    }

    fn add(&mut self, span: Span, mode: Mode) {
        // Pageable memory is read or written before the call returns.
        if span.len != 0 && span.place != Place::Pageable {
            self.0.push(Access { addr: span.addr, end: span.addr.saturating_add(span.len), mode });
        }
    }
}

/// The effects of a run of a graph.
#[derive(Debug, Default)]
pub struct GraphRun {
    /// The effects, in the order of the tasks.
    pub effects: Effects,
    /// The memory of these effects, each byte once per mode.
    pub accesses: Accesses,
    /// True if the run depends on the host: it calls functions of the program, or waits.
    pub needs_host: bool,
    /// The run with places instead of addresses, and the generation of the aliases.
    pub placed: Mutex<Option<(u64, Arc<Self>)>>,
}

impl GraphRun {
    /// Creates a run with these effects.
    pub fn of(effects: Effects, needs_host: bool) -> Self {
        let accesses = Accesses::of(&effects).merged();
        Self { effects, accesses, needs_host, placed: Mutex::default() }
    }

    /// Returns the run with the places of its memory now. `None`: they are the addresses.
    pub fn placed(&self) -> Option<Arc<Self>> {
        if !places::are_used() {
            return None;
        }
        let generation = places::generation();
        let mut known = self.placed.lock();
        if let Some((of, run)) = &*known
            && *of == generation
        {
            return Some(Arc::clone(run));
        }
        let accesses = Accesses(places::of(&self.accesses.0)?).merged();
        // A run at the same places is the same run.
        let same = known.take().map(|(_, run)| run).filter(|run| run.accesses.0 == accesses.0);
        let new = || Arc::new(Self { accesses, needs_host: self.needs_host, ..Self::default() });
        let (_, run) = known.insert((generation, same.unwrap_or_else(new)));
        Some(Arc::clone(run))
    }
}

/// The runs of a graph. They run one after the other, also in different streams.
#[derive(Debug, Default)]
pub struct GraphRuns(Mutex<Option<Arc<GraphRun>>>);

impl GraphRuns {
    /// Returns what the next run does. After a change `find` determines it.
    pub fn next<E>(&self, find: impl FnOnce() -> Result<GraphRun, E>) -> Result<Arc<GraphRun>, E> {
        let mut known = self.0.lock();
        let run = known.take().map_or_else(|| find().map(Arc::new), Ok)?;
        Ok(Arc::clone(known.insert(run)))
    }

    /// Drops what is known, because later runs do something else.
    pub fn change(&self) {
        *self.0.lock() = None;
    }
}
