//! Copies between addresses that are in memory.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::backend::{Copy, CopyIndirect, Fault, FaultKind, Indirect, Number, Place, Result, Span};
use crate::runtime::shared::Shared;
use crate::transfer::memcpy;

/// Returns the value of a checked word.
fn word(shared: &Shared, span: &Span) -> u64 {
    let word = shared.pointer(span).cast::<u64>();
    // SAFETY: the core checked range and alignment; the program may write it at any time.
    unsafe { AtomicU64::from_ptr(word) }.load(Ordering::Acquire)
}

/// Copies between the addresses that the words contain now.
pub(crate) fn copy(shared: &Shared, job: &CopyIndirect) -> Result<()> {
    let len = match job.len {
        Number::Known(len) => len as usize,
        Number::At(at) => word(shared, &at) as usize,
    };
    if len == 0 {
        return Ok(());
    }
    let dst = resolve(shared, "destination", &job.dst, len)?;
    let src = resolve(shared, "source", &job.src, len)?;
    memcpy::copy(shared, &Copy { dst, src, stage_source: false });
    Ok(())
}

/// Returns the span at the address in the word, if it is device memory: a device would fail on anything else.
fn resolve(shared: &Shared, what: &str, end: &Indirect, len: usize) -> Result<Span> {
    let start = word(shared, &end.at);
    let addr = (start as usize).wrapping_add(end.offset);
    let last = addr.checked_add(len - 1);
    let place = last.and_then(|last| place(shared, addr, last, end.at.place));
    place.map(|place| Span { addr, len, place }).ok_or_else(|| {
        Fault::new(
            FaultKind::Execution,
            format!(
                "an indirect copy of {len} bytes read the address {start:#x} from {:#x} as its {what}; with the offset \
                 {} added, some of the bytes there are not device memory",
                end.at.addr, end.offset
            ),
        )
    })
}

/// Returns the place of the range from `first` to `last`, or `None` unless all of it is reachable.
fn place(shared: &Shared, first: usize, last: usize, own: Place) -> Option<Place> {
    if let Some(ordinal) = shared.windows.device_at(first) {
        let memory = shared.memory_of(ordinal)?;
        return (memory.contains(first) && memory.contains(last)).then_some(Place::Device(ordinal));
    }
    let is_other = |addr| shared.imports.contains(addr) || shared.ranges.is_device(addr);
    (is_other(first) && is_other(last)).then_some(own)
}
