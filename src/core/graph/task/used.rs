//! The library's memory that recorded work uses.

use smallvec::smallvec;

use super::Task;
use super::step::{Spans, Step};
use crate::backend::{Span, Work};
use crate::core::base::error::{Error, Result, param_invalid};
use crate::core::memory::allocation::Allocation;

/// The library's memory that tasks use, each allocation once; without that of groups, which changes.
pub fn memory(tasks: &[Task]) -> Vec<Allocation> {
    let mut spans: Vec<Span> = Vec::new();
    for task in tasks {
        spans.extend(task.work().filter(|_| !task.is_late()).into_iter().flat_map(work_spans));
        spans.extend(task.step().into_iter().flat_map(Step::spans));
        spans.extend(task.control.iter().flat_map(|control| control.spans()).flatten());
    }
    memory_at(spans)
}

/// The allocations at these places, each once.
pub fn memory_at(spans: impl IntoIterator<Item = Span>) -> Vec<Allocation> {
    let mut all: Vec<Allocation> = Vec::new();
    for span in spans {
        let mut addr = span.addr;
        // Adjacent mappings: the span may continue in the next one.
        while addr < span.addr + span.len {
            let Some(found) = Allocation::find(addr) else { break };
            addr = found.base + found.len;
            all.push(found);
        }
    }
    all.sort_unstable_by_key(|found| found.base);
    all.dedup();
    all
}

/// The memory that recorded work names.
pub fn work_spans(work: &Work) -> Spans {
    match work {
        Work::Copy(copy) => smallvec![copy.dst, copy.src],
        Work::Copy2d(copy) => smallvec![copy.dst.span, copy.src.span],
        Work::Fill(fill) => smallvec![fill.dst],
        Work::Reduce(reduce) => smallvec![reduce.dst, reduce.src],
        Work::RandomNum(job) => job.words().chain(job.counter).chain([job.dst]).collect(),
        Work::Launch(_) | Work::HostFn(_) | Work::Record(_) => Spans::new(),
    }
}

/// Fails unless the memory that `what` uses is still allocated as it was.
pub fn check_memory(what: &str, memory: &[Allocation]) -> Result<()> {
    let is_gone = |known: &&Allocation| Allocation::find(known.base) != Some(**known);
    memory.iter().find(is_gone).map_or(Ok(()), |gone| Err(memory_is_gone(what, gone)))
}

#[cold]
fn memory_is_gone(what: &str, gone: &Allocation) -> Error {
    param_invalid!(
        "{what} uses {} bytes of memory at {:#x} that were freed since it was recorded; keep what a graph uses, or \
         capture it again",
        gone.len,
        gone.base
    )
}
