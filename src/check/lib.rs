//! Checks of programs, `PORTACL_CHECK`: faults that a device shows by chance or not at all.
//!
//! | file | what |
//! |---|---|
//! | `submissions.rs` | sees all operations, before they are submitted |
//! | `races.rs`, `races/history.rs` | operations that use the same memory without an order; what pending ones did |
//! | `races/shadow.rs`, `races/ranges.rs` | what used each byte; ranges of bytes with the same uses |
//! | `init.rs`, `init/holes.rs` | reads of memory that nothing wrote; which bytes these are |
//! | `sync.rs` | waits that nothing ends, and waits for nothing |
//! | `sync/early.rs` | loads and stores of the program before it waits |
//! | `sync/pending.rs`, `sync/chain.rs` | where streams may stop; who waits for whom |
//! | `asked.rs` | the sizes that the program asked for |
//! | `adopted.rs` | what others find: accesses outside of allocations, leaks, collectives that do not fit |
//! | `misuse.rs` | failed calls: which codes are mistakes, and which ones answers |
//! | `user_code.rs` | functions of the program that run now |
//! | `operation.rs` | an operation, as reports describe it |
//! | `report.rs`, `report/suppression.rs`, `report/summary.rs` | reports, and their number |
//! | `report/page.rs`, `report/page/` | reports, a timeline and the use of memory as a page |
//!
//! The order of operations is in `core/order/sequence.rs`, the memory that they use in `core/order/effects.rs`, and the
//! places of memory with several addresses in `core/order/places.rs`.
#![cfg_attr(not(test), forbid(unsafe_code))]
#![cfg_attr(test, deny(unsafe_code))]

extern crate portacl_algo as algo;
extern crate portacl_backend as backend;

use portacl_core as core;

mod adopted;
mod asked;
mod init;
mod misuse;
mod operation;
mod races;
mod report;
mod submissions;
mod sync;
mod user_code;

use std::sync::atomic::{AtomicU32, Ordering};

use crate::backend::at_unload;
use crate::core::base::config::check::{Check, Settings};
use crate::core::base::error::Result;
use crate::core::memory;
use crate::core::memory::allocation::Allocation;
use crate::core::memory::memory_hook::{self, Event, HOST, MemoryKind, Watcher};
use crate::core::order::accesses::{Access, Mode};
use crate::core::order::{checker, places, sequence};
use crate::core::stream;

/// One bit for each check that is on.
static ON: AtomicU32 = AtomicU32::new(0);

/// Whether this check is on.
fn is_on(check: Check) -> bool {
    ON.load(Ordering::Relaxed) & 1 << check as u32 != 0
}

/// Switches the checks on. A second call does nothing.
pub fn arm(settings: &Settings) -> Result<()> {
    if !report::open(settings)? {
        return Ok(());
    }
    let on = settings.checks.iter().fold(0, |on, &check| on | 1 << check as u32);
    ON.store(on, Ordering::Relaxed);
    adopted::arm()?;
    // The leaks are reported first at the end of the process.
    at_unload(report::at_end_of_process);
    memory_hook::watch(&MemoryWatcher);
    if !settings.checks.iter().any(|check| check.sees_operations()) {
        return Ok(());
    }
    if is_on(Check::Sync) {
        sync::early::arm();
    }
    stream::always_wait();
    // The checker stays until the process ends.
    checker::install(Box::leak(Box::new(submissions::Submissions { long_wait: settings.wait })));
    Ok(())
}

/// Sees allocations and releases of memory.
struct MemoryWatcher;

impl Watcher for MemoryWatcher {
    fn is_allocated(&self, event: &Event) {
        if event.addr != 0 {
            asked::is_allocated(event);
            match event.kind {
                MemoryKind::Imported => places::may_be_of_file(event.addr, event.rounded, is_own),
                // What had this address before may have ended with its device.
                MemoryKind::Device
                | MemoryKind::Pinned
                | MemoryKind::Managed
                | MemoryKind::Pool
                | MemoryKind::Graph => places::end(event.addr, event.rounded),
            }
        }
        if is_checked(event) {
            // Only operations write such memory: not the program itself, and no other process.
            let is_unwritten = match event.kind {
                MemoryKind::Device => true,
                MemoryKind::Pool => event.device != HOST && !memory::is_managed(event.addr),
                MemoryKind::Pinned | MemoryKind::Managed | MemoryKind::Imported | MemoryKind::Graph => false,
            };
            submissions::allocates(stream_of(event), &Sized::of(event, event.size), is_unwritten);
        }
    }

    fn is_freed(&self, event: &Event) {
        if event.addr == 0 {
            return;
        }
        let asked = asked::is_freed(event);
        if is_checked(event) {
            submissions::frees(stream_of(event), &Sized::of(event, asked));
            if event.kind == MemoryKind::Imported {
                places::end(event.addr, event.rounded);
            }
        }
    }
}

/// Whether the event is checked as an operation. Graph memory is not: runs of graphs allocate and free it, and not
/// the calls that are reported here.
fn is_checked(event: &Event) -> bool {
    event.addr != 0 && event.kind != MemoryKind::Graph && checker::installed().is_some()
}

/// Whether the address is in memory that this process has allocated, and not imported.
fn is_own(addr: usize) -> bool {
    let kind = Allocation::find(addr).and_then(|found| MemoryKind::of(&found));
    kind.is_some_and(|(kind, _)| kind != MemoryKind::Imported)
}

/// Memory that is allocated or freed.
struct Sized {
    /// The first byte.
    addr: usize,
    /// The length in bytes, with padding.
    len: usize,
    /// The bytes that the program asked for, for reports.
    asked: usize,
    /// Whether it is another process's.
    is_imported: bool,
}

impl Sized {
    fn of(event: &Event, asked: usize) -> Self {
        Self { addr: event.addr, len: event.rounded, asked, is_imported: event.kind == MemoryKind::Imported }
    }

    /// Returns all of the memory as a use.
    fn all(&self) -> Access {
        Access { addr: self.addr, end: self.addr.saturating_add(self.len), mode: Mode::Write }
    }

    /// Returns the part that the program asked for as a use.
    fn shown(&self) -> Access {
        Access { addr: self.addr, end: self.addr.saturating_add(self.asked), mode: Mode::Write }
    }
}

/// Returns the stream that orders the event; `None` if it takes effect at once.
fn stream_of(event: &Event) -> Option<u64> {
    (event.stream != 0).then_some(event.stream)
}

/// Called when a device has ended, and all work there is complete.
pub fn device_ended() {
    report::page::device_ended();
    asked::device_ended();
    sync::forget_complete();
}

/// Called when the session has ended.
pub fn session_ended() {
    sync::early::forget_all();
    sequence::session_ended();
    races::session_ended();
    init::session_ended();
    sync::session_ended();
    asked::session_ended();
    places::session_ended();
}
