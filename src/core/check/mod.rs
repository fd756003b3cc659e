//! Checks of programs, `PORTACL_CHECK`: faults that a device shows by chance or not at all.
//!
//! | file | what |
//! |---|---|
//! | `submissions.rs` | sees all operations, before they are submitted |
//! | `races.rs`, `races/shadow.rs` | operations that use the same memory without an order; what used each byte |
//! | `init.rs`, `init/holes.rs` | reads of memory that nothing wrote; which bytes these are |
//! | `operation.rs` | an operation, as reports describe it |
//! | `memory.rs` | allocations and releases |
//! | `report.rs`, `report/suppression.rs` | reports |
//!
//! The order of operations is in `core/order/sequence.rs`, and the memory that they use in `core/order/effects.rs`.

mod init;
mod memory;
mod operation;
mod races;
mod report;
mod submissions;

use std::sync::OnceLock;

use crate::core::base::config::check::{Check, Settings};
use crate::core::base::error::Result;
use crate::core::order::{checker, sequence};
use crate::core::stream;

static SELECTED: OnceLock<Vec<Check>> = OnceLock::new();

/// Whether this check is on.
fn is_on(check: Check) -> bool {
    SELECTED.get().is_some_and(|selected| selected.contains(&check))
}

/// Switches the checks on. A second call does nothing.
pub fn arm(settings: &Settings) -> Result<()> {
    if !report::open(settings)? {
        return Ok(());
    }
    SELECTED.get_or_init(|| settings.checks.clone());
    memory::watch()?;
    stream::always_wait();
    checker::install(&submissions::Submissions);
    Ok(())
}

/// The session has ended.
pub fn session_ended() {
    sequence::session_ended();
    races::session_ended();
    init::session_ended();
}
