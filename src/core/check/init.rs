//! Finds reads of device memory that nothing wrote since its allocation.
//!
//! Contents are followed in the order of submission. A copy within device memory passes on what was not written, and is
//! no fault itself, as a copy of padding is none. A read that leaves the device or computes something is one.

mod holes;

use std::cell::LazyCell;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use self::holes::{Hole, Holes};
use super::operation::Operation;
use super::report::{Finding, Kind, Party, Side};
use crate::backend::{Access, Does, Span, Use};
use crate::core::memory::allocation::{Allocation, Kind as MemoryIs};
use crate::core::order::effects::{Effect, Effects};

static HOLES: LazyLock<Mutex<Holes>> = LazyLock::new(Mutex::default);

/// Memory without contents begins.
pub fn allocates(addr: usize, len: usize, by: Arc<Operation>) {
    HOLES.lock().begin(addr, len, by);
}

/// Something that is not seen may write it.
pub fn is_written(addr: usize, len: usize) {
    HOLES.lock().fill(addr, addr.saturating_add(len));
}

/// Memory ends.
pub fn is_freed(addr: usize, len: usize) {
    HOLES.lock().end(addr, len);
}

/// Adds what an operation reads of memory that nothing wrote. One for each allocation: where the first of these bytes
/// are, and how many.
fn add(found: &mut Vec<Hole>, holes: &Holes, addr: usize, len: usize) {
    for hole in holes.find(addr, addr.saturating_add(len)) {
        match found.iter_mut().find(|known| Arc::ptr_eq(&known.by, &hole.by)) {
            Some(known) => known.end += hole.end - hole.addr,
            None => found.push(hole),
        }
    }
}

/// Follows what an operation does. `is_open`: what it reads may be written by operations that are still to be
/// submitted.
pub fn check(operation: &Operation, effects: &Effects, is_open: bool) -> Vec<Finding> {
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
            // How far the kernel reads from there is unknown.
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
        // Its contents are not followed: the same bytes may have other addresses.
        Some(MemoryIs::Mapped(_) | MemoryIs::Imported(_) | MemoryIs::Graph(_)) => {}
        _ => add(found, holes, from.addr, from.len),
    }
}

fn finding(operation: &Arc<Operation>, hole: Hole) -> Finding {
    let reader = Party { role: "reader", does: "reads", detail: None, operation: Arc::clone(operation) };
    let allocation = Party { role: "allocation", does: "allocates", detail: None, operation: hole.by };
    let bytes = hole.end - hole.addr;
    let (memory, parties) = (Some((hole.addr, bytes)), vec![allocation, reader]);
    Finding::new(Kind::Uninitialized, memory, parties, move |sides| what(sides, bytes), fix)
}

fn what(sides: &[Side], bytes: usize) -> String {
    let [allocation, reader] = sides else { return String::new() };
    let (bytes, them) = if bytes == 1 { ("1 byte".to_owned(), "it") } else { (format!("{bytes} bytes"), "them") };
    format!("{} reads {bytes} that nothing wrote since {} allocated {them}", reader.call, allocation.call)
}

fn fix(sides: &[Side]) -> String {
    let reader = sides.last().map_or("it", |side| &side.call);
    format!(
        "to give them contents: copy to them, or fill them (aclrtMemset, aclrtMemsetAsync), before {reader} reads them"
    )
}

/// The session has ended, and with it all memory.
pub fn session_ended() {
    *HOLES.lock() = Holes::default();
}

/// Whether some memory is not followed any more.
pub fn is_incomplete() -> bool {
    HOLES.try_lock().is_some_and(|holes| holes.is_incomplete)
}
