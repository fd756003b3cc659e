//! The memory that an operation reads and writes, or a run of a graph.

use std::sync::Arc;

use parking_lot::Mutex;
use smallvec::SmallVec;

use super::effects::{Effect, Effects};
use crate::backend::{self, Does, Op, Place, Span, Use};

/// How an operation uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// It reads.
    Read,
    /// It writes, and may read.
    Write,
    /// A kernel has the address, and no description says whether it reads or writes.
    Unknown,
}

impl Mode {
    /// Whether two operations with these modes must be ordered. Kernels of which nothing is known often share their
    /// inputs: two of them do not conflict.
    pub fn conflicts(self, other: Self) -> bool {
        !matches!((self, other), (Self::Read, Self::Read) | (Self::Unknown, Self::Unknown))
    }
}

/// A range of memory, and how it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// First byte.
    pub addr: usize,
    /// First byte behind it.
    pub end: usize,
    /// How it is used.
    pub mode: Mode,
}

/// The accesses of an operation.
#[derive(Clone, Debug, Default)]
pub struct Accesses(pub SmallVec<[Access; 2]>);

impl Accesses {
    /// Of an operation that does this. Nothing is known of indirect copies, and of kernels whose arguments are not
    /// described. Values that others wait for are atomic, so that only order follows from them.
    pub fn of(effects: &Effects) -> Self {
        let mut all = Self::default();
        for effect in &effects.0 {
            match *effect {
                Effect::Copy { from, to, staged } => all.copy(from, to, staged),
                Effect::Read(span) => all.add(span, Mode::Read),
                Effect::Write(span) | Effect::Update(span) => all.add(span, Mode::Write),
                // The first byte: how far the kernel goes from there is unknown.
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

    /// Of a copy or a fill, without its effects. `None`: of another operation, or of one that uses no memory.
    #[inline]
    pub fn of_op(op: &Op<'_>) -> Option<Self> {
        let mut all = Self::default();
        match op {
            Op::Copy(copy) => all.copy(copy.src, copy.dst, copy.stage_source),
            Op::Fill(fill) => all.add(fill.dst, Mode::Write),
            _ => {}
        }
        (!all.0.is_empty()).then_some(all)
    }

    /// Those that conflict with an access, if these are [merged](Self::merged).
    pub fn conflicts(&self, access: &Access) -> impl Iterator<Item = &Access> {
        let Access { addr, end, mode: other } = *access;
        let of = move |mode| {
            let from = self.0.partition_point(|own| (own.mode, own.end) <= (mode, addr));
            self.0[from..].iter().take_while(move |own| own.mode == mode && own.addr < end)
        };
        let modes = [Mode::Read, Mode::Write, Mode::Unknown].into_iter();
        modes.filter(move |mode| mode.conflicts(other)).flat_map(of)
    }

    /// Merges ranges with one mode that touch each other.
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

    /// `staged`: the source was read before the call returned.
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

/// What a run of a graph does.
#[derive(Debug, Default)]
pub struct GraphRun {
    /// In the order of its tasks.
    pub effects: Effects,
    /// The same memory, each byte once.
    pub accesses: Accesses,
    /// The host may hold it up: it calls functions of the program, or waits.
    pub needs_host: bool,
}

impl GraphRun {
    /// Of these effects.
    pub fn of(effects: Effects, needs_host: bool) -> Self {
        let accesses = Accesses::of(&effects).merged();
        Self { effects, accesses, needs_host }
    }
}

/// The runs of a graph: one after the other, also in different streams.
#[derive(Debug, Default)]
pub struct GraphRuns(Mutex<Option<Arc<GraphRun>>>);

impl GraphRuns {
    /// What the next run does. `find` finds it out after a change.
    pub fn next<E>(&self, find: impl FnOnce() -> Result<GraphRun, E>) -> Result<Arc<GraphRun>, E> {
        let mut known = self.0.lock();
        let run = known.take().map_or_else(|| find().map(Arc::new), Ok)?;
        Ok(Arc::clone(known.insert(run)))
    }

    /// Later runs do something else.
    pub fn change(&self) {
        *self.0.lock() = None;
    }
}
