//! Finds reads of device memory that nothing wrote since its allocation.
//!
//! The check follows contents in the order of submission. A copy within device memory copies the state "not written" as
//! well; it is no fault, because programs copy padding. A read that leaves the device or computes something is a fault.

mod holes;

use std::cell::LazyCell;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use self::holes::{Hole, Holes};
use super::operation::Operation;
use super::report::{Finding, FindingKind, Party, Side};
use crate::algo::count::Count;
use crate::backend::{Access, Does, Span, Use};
use crate::core::memory::allocation::{Allocation, Kind as MemoryIs};
use crate::core::order::effects::{Effect, Effects};

static HOLES: LazyLock<Mutex<Holes>> = LazyLock::new(Mutex::default);

/// Adds memory without contents.
pub(crate) fn allocates(addr: usize, len: usize, by: Arc<Operation>) {
    HOLES.lock().begin(addr, len, by);
}

/// Records that something that the check does not see may write the memory.
pub(crate) fn is_written(addr: usize, len: usize) {
    HOLES.lock().fill(addr, addr.saturating_add(len));
}

/// Removes memory.
pub(crate) fn is_freed(addr: usize, len: usize) {
    HOLES.lock().end(addr, len);
}

/// Adds the bytes that an operation reads and that nothing wrote: one entry per allocation, with the first of these
/// bytes and their number.
fn add(found: &mut Vec<Hole>, holes: &Holes, addr: usize, len: usize) {
    for hole in holes.find(addr, addr.saturating_add(len)) {
        match found.iter_mut().find(|known| Arc::ptr_eq(&known.by, &hole.by)) {
            Some(known) => known.end += hole.end - hole.addr,
            None => found.push(hole),
        }
    }
}

/// Checks what an operation reads, and records what it writes. `is_open`: operations that are still to be submitted may
/// write what it reads.
pub(crate) fn check(operation: &Operation, effects: &Effects, is_open: bool) -> Vec<Finding> {
    let mut holes = HOLES.lock();
    if holes.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for effect in &effects.0 {
        match *effect {
            Effect::Copy { from, to, .. } => copy(&mut holes, from, to, &mut found),
            Effect::Read(span) | Effect::Await(span) => add(&mut found, &holes, span.addr, span.len),
            Effect::Write(span) | Effect::Signal(span) => holes.fill(span.addr, span.addr + span.len),
            Effect::Update(span) => {
                add(&mut found, &holes, span.addr, span.len);
                holes.fill(span.addr, span.addr + span.len);
            }
            // Only the first byte: the library does not know how far the kernel reads from there.
            Effect::Pointer(addr, Some(Access::Read)) => add(&mut found, &holes, addr, 1),
            Effect::Pointer(addr, _) => {
                Allocation::find(addr).iter().for_each(|written| holes.fill(written.base, written.base + written.len));
            }
            Effect::Use(Use { addr, len, does: Does::Read }) => add(&mut found, &holes, addr, len),
            Effect::Use(Use { addr, len, does: Does::Write }) => holes.fill(addr, addr.saturating_add(len)),
            Effect::Use(Use { does: Does::MayRead, .. }) => {}
            Effect::Unknown => holes.forget_all(),
        }
    }
    drop(holes);
    if is_open {
        return Vec::new();
    }
    let operation = LazyCell::new(|| Arc::new(operation.clone()));
    found.into_iter().map(|hole| finding(&operation, hole)).collect()
}

fn copy(holes: &mut Holes, from: Span, to: Span, found: &mut Vec<Hole>) {
    if !holes.has_any(from.addr, from.addr + from.len) {
        holes.fill(to.addr, to.addr + to.len);
        return;
    }
    match Allocation::find(to.addr).map(|allocation| allocation.kind) {
        Some(MemoryIs::Device(_) | MemoryIs::Pool(_)) => holes.copy(from.addr, to.addr, to.len),
        // The check does not follow the contents of such memory: the same bytes may have other addresses.
        Some(MemoryIs::Mapped(_) | MemoryIs::Imported(_) | MemoryIs::Graph(_)) => {}
        _ => add(found, holes, from.addr, from.len),
    }
}

fn finding(operation: &Arc<Operation>, hole: Hole) -> Finding {
    let reader = Party { role: "reader", does: "reads", detail: None, operation: Arc::clone(operation) };
    let allocation = Party { role: "allocation", does: "allocates", detail: None, operation: hole.by };
    let bytes = hole.end - hole.addr;
    let (memory, parties) = (Some((hole.addr, bytes)), vec![allocation, reader]);
    Finding::new(FindingKind::Uninitialized, memory, parties, move |sides| what(sides, bytes), fix)
}

fn what(sides: &[Side], bytes: usize) -> String {
    let [allocation, reader] = sides else { return String::new() };
    let (bytes, them) = (Count(bytes, "byte"), if bytes == 1 { "it" } else { "them" });
    format!("{} reads {bytes} that nothing wrote since {} allocated {them}", reader.call, allocation.call)
}

fn fix(sides: &[Side]) -> String {
    let reader = sides.last().map_or("it", |side| &side.call);
    format!(
        "to initialize the memory: copy to it, or fill it (aclrtMemset, aclrtMemsetAsync), before {reader} reads it"
    )
}

/// Drops everything at the end of the session, with which all memory ends.
pub(crate) fn session_ended() {
    *HOLES.lock() = Holes::default();
}

/// Whether the check no longer follows some memory.
pub(crate) fn is_incomplete() -> bool {
    HOLES.try_lock().is_some_and(|holes| holes.is_incomplete)
}
