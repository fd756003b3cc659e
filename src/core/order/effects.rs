//! The effects of an operation on memory, in their order. `Accesses::of_op` is a shortcut for copies and fills.

use smallvec::SmallVec;

use crate::backend::{
    Access, BufferUse, Copy, Copy2d, Does, HostTask, Launch, Op, Parameters, RandomNum, Reduce, Span, Use, ValueWait,
    ValueWrite, Work,
};

/// One effect of an operation on memory.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// Copies bytes. `staged`: the source was read before the call returned.
    Copy {
        /// The source.
        from: Span,
        /// The destination, of the same length.
        to: Span,
        /// True if the source was read before the call returned.
        staged: bool,
    },
    /// Reads this memory.
    Read(Span),
    /// Writes this memory.
    Write(Span),
    /// Reads and writes this memory.
    Update(Span),
    /// Writes a value that others wait for, atomically.
    Signal(Span),
    /// Waits for a value.
    Await(Span),
    /// A kernel gets this address. `None`: no description says that it is a pointer, so it may be a number.
    Pointer(usize, Option<Access>),
    /// A kernel declares that it uses this memory, which has at least one byte.
    Use(Use),
    /// May write all memory.
    Unknown,
}

impl Effect {
    /// Converts what a kernel declares. If the kernel does not know its range, the first byte counts, as for kernels
    /// that declare nothing.
    fn of_use(used: Use) -> Self {
        match used {
            Use { addr, len: 0, does: Does::Read } => Self::Pointer(addr, Some(Access::Read)),
            Use { addr, len: 0, does: Does::Write } => Self::Pointer(addr, Some(Access::ReadWrite)),
            Use { len, .. } => Self::Use(Use { len: len.max(1), ..used }),
        }
    }
}

/// All effects of an operation on memory.
#[derive(Clone, Debug, Default)]
pub struct Effects(pub SmallVec<[Effect; 2]>);

impl Effects {
    /// Returns the effects of an operation.
    pub fn of(op: &Op<'_>) -> Self {
        let mut all = Self::default();
        match op {
            Op::Copy(copy) => all.copy(copy),
            Op::CopyBatch(copies) => copies.iter().for_each(|copy| all.copy(copy)),
            Op::Copy2d(copy) => all.copy_2d(copy),
            // The source and the destination are known only when the stream reaches the copy.
            Op::CopyIndirect(copy) => all.0.extend(copy.words().map(Effect::Read).chain([Effect::Unknown])),
            Op::Fill(fill) => all.0.push(Effect::Write(fill.dst)),
            Op::RandomNum(job) => all.random_num(job),
            Op::Reduce(reduce) => all.reduce(reduce),
            Op::Launch(launch) => all.launch(launch),
            Op::HostTask(task) => all.task(task),
            Op::WriteValue(ValueWrite { dst, .. }) => all.0.push(Effect::Signal(*dst)),
            Op::WaitValue(ValueWait { src, .. }) => all.0.push(Effect::Await(*src)),
            // These read and write no memory of programs; what the host function or the graph uses is checked there.
            Op::Prefetch(_)
            | Op::HostFn(_)
            | Op::RunGraph(_)
            | Op::HandOver { .. }
            | Op::Record(_)
            | Op::Wait(..)
            | Op::ChangeNotify(..)
            | Op::WaitNotify(..)
            | Op::Mark => {}
        }
        all
    }

    /// Adds the effects of a task of a graph, except those of a kernel, which were found when it was recorded.
    pub fn work(&mut self, work: &Work) {
        match work {
            Work::Copy(copy) => self.copy(copy),
            Work::Copy2d(copy) => self.copy_2d(copy),
            Work::Fill(fill) => self.0.push(Effect::Write(fill.dst)),
            Work::Reduce(reduce) => self.reduce(reduce),
            Work::RandomNum(job) => self.random_num(job),
            Work::Launch(_) | Work::HostFn(_) | Work::Record(_) => {}
        }
    }

    /// Adds what a task of the host writes.
    pub(crate) fn writes_of(&mut self, task: &HostTask) {
        let written = task.memory().filter(|(_, does)| does.writes());
        self.0.extend(written.map(|(memory, _)| Effect::Write(memory)));
    }

    fn task(&mut self, task: &HostTask) {
        self.0.extend(task.memory().map(|(memory, does)| match does {
            BufferUse::Read => Effect::Read(memory),
            BufferUse::Write => Effect::Write(memory),
            BufferUse::ReadWrite => Effect::Update(memory),
        }));
    }

    fn copy(&mut self, copy: &Copy) {
        if copy.dst.len != 0 {
            self.0.push(Effect::Copy { from: copy.src, to: copy.dst, staged: copy.stage_source });
        }
    }

    fn copy_2d(&mut self, copy: &Copy2d) {
        (0..copy.height).for_each(|row| self.copy(&copy.row(row)));
    }

    fn reduce(&mut self, reduce: &Reduce) {
        self.0.extend([Effect::Read(reduce.src), Effect::Update(reduce.dst)]);
    }

    fn random_num(&mut self, job: &RandomNum) {
        self.0.extend(job.words().map(Effect::Read));
        self.0.push(Effect::Write(job.dst));
        self.0.extend(job.counter.map(Effect::Update));
    }

    fn launch(&mut self, launch: &Launch<'_>) {
        let Launch { arguments, .. } = launch;
        let known = launch.kernel.info().parameters.as_ref();
        let block = arguments.copy(known);
        match launch.kernel.uses(&block) {
            Some(uses) => self.uses(uses),
            None => self.arguments(known, &block),
        }
    }

    /// Adds the memory that a kernel declares, reads before writes. The same argument may occur twice.
    fn uses(&mut self, mut uses: Vec<Use>) {
        uses.sort_unstable_by_key(|one| (one.does, one.addr, one.len));
        uses.dedup();
        self.0.extend(uses.into_iter().map(Effect::of_use));
    }

    /// Adds the pointers in the arguments of a kernel, which are in one block. The block is empty if the arguments are
    /// unknown or if there are none.
    fn arguments(&mut self, known: Option<&Parameters>, block: &[u8]) {
        const WORD: usize = size_of::<usize>();
        let word = |at: usize| Some(usize::from_ne_bytes(*block.get(at..)?.first_chunk()?));
        let words = |from: usize, end: usize| (from..end.saturating_sub(WORD - 1)).step_by(WORD).filter_map(word);
        let Some(known) = known else {
            // Without a description the number of arguments in an array is unknown.
            let unknown = block.is_empty().then_some(Effect::Unknown);
            self.0.extend(words(0, block.len()).map(|addr| Effect::Pointer(addr, None)).chain(unknown));
            return;
        };
        for parameter in &known.each {
            let end = parameter.offset + parameter.size;
            let pointers = words(parameter.offset, end).filter(|addr| *addr != 0);
            self.0.extend(pointers.map(|addr| Effect::Pointer(addr, parameter.pointer)));
        }
    }
}

#[cfg(test)]
#[path = "effects_tests.rs"]
mod tests;
