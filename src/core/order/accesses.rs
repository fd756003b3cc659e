//! The memory that an operation reads and writes.

use crate::backend::{self, Arguments, Copy, Copy2d, Launch, Op, Place, RandomNum, Reduce, Span, Work};

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
        match (self, other) {
            (Self::Read, Self::Read) | (Self::Unknown, Self::Unknown) => false,
            (Self::Read | Self::Write | Self::Unknown, _) => true,
        }
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
pub struct Accesses(pub Vec<Access>);

impl Accesses {
    /// Of an operation, except of kernels whose arguments are not described. The memory of indirect copies is unknown.
    /// Writes of values are atomic, so that only order follows from them.
    pub fn of(op: &Op<'_>) -> Self {
        let mut all = Self::default();
        match op {
            Op::Copy(copy) => all.copy(copy),
            Op::CopyBatch(copies) => copies.iter().for_each(|copy| all.copy(copy)),
            Op::Copy2d(copy) => all.copy_2d(copy),
            Op::CopyIndirect(copy) => copy.words().for_each(|word| all.add(word, Mode::Read)),
            Op::Fill(fill) => all.add(fill.dst, Mode::Write),
            Op::RandomNum(job) => all.random_num(job),
            Op::Reduce(reduce) => all.reduce(reduce),
            Op::Launch(launch) => all.launch(launch),
            _ => {}
        }
        all
    }

    /// Of the work of a graph's task, except of kernels.
    pub fn of_work(work: &Work) -> Self {
        let mut all = Self::default();
        match work {
            Work::Copy(copy) => all.copy(copy),
            Work::Copy2d(copy) => all.copy_2d(copy),
            Work::Fill(fill) => all.add(fill.dst, Mode::Write),
            Work::Reduce(reduce) => all.reduce(reduce),
            Work::RandomNum(job) => all.random_num(job),
            Work::Launch(_) | Work::HostFn(_) | Work::Record(_) => {}
        }
        all
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

    fn add(&mut self, span: Span, mode: Mode) {
        // Pageable memory is read or written before the call returns.
        if span.len != 0 && span.place != Place::Pageable {
            self.0.push(Access { addr: span.addr, end: span.addr.saturating_add(span.len), mode });
        }
    }

    fn copy(&mut self, copy: &Copy) {
        if !copy.stage_source {
            self.add(copy.src, Mode::Read);
        }
        self.add(copy.dst, Mode::Write);
    }

    fn copy_2d(&mut self, copy: &Copy2d) {
        (0..copy.height).for_each(|row| self.copy(&copy.row(row)));
    }

    fn reduce(&mut self, reduce: &Reduce) {
        self.add(reduce.src, Mode::Read);
        self.add(reduce.dst, Mode::Write);
    }

    fn random_num(&mut self, job: &RandomNum) {
        job.words().for_each(|word| self.add(word, Mode::Read));
        self.add(job.dst, Mode::Write);
        if let Some(counter) = job.counter {
            self.add(counter, Mode::Write);
        }
    }

    /// The first byte that each pointer names: how far the kernel goes from there is unknown.
    fn launch(&mut self, launch: &Launch<'_>) {
        let Some(known) = &launch.kernel.info().parameters else { return };
        let Launch { arguments, .. } = launch;
        for (index, parameter) in known.each.iter().enumerate() {
            let mode = match parameter.pointer {
                Some(backend::Access::Read) => Mode::Read,
                Some(_) => Mode::Write,
                None => continue,
            };
            if let Some(addr) = Arguments::pointer(arguments, index, parameter).filter(|addr| *addr != 0) {
                self.0.push(Access { addr, end: addr.saturating_add(1), mode });
            }
        }
    }
}
