//! Checks of programs, `PORTACL_CHECK`: faults that a device shows by chance or not at all.
//!
//! | file | what |
//! |---|---|
//! | `races.rs` | the checker of streams: finds operations that use the same memory without an order |
//! | `shadow.rs` | which operations used each byte |
//! | `operation.rs` | an operation, as reports describe it |
//! | `memory.rs` | allocations and releases |
//! | `report.rs`, `suppression.rs` | reports |
//!
//! The order of operations is in `core/order/sequence.rs`, and the memory that they use in `core/order/accesses.rs`.

mod memory;
mod operation;
mod races;
mod report;
mod shadow;
mod suppression;

use crate::core::base::config::check::Settings;
use crate::core::base::error::Result;
use crate::core::order::{checker, sequence};
use crate::core::stream;

/// Switches the checks on. A second call does nothing.
pub fn arm(settings: &Settings) -> Result<()> {
    if !report::open(settings)? {
        return Ok(());
    }
    memory::watch()?;
    stream::always_wait();
    checker::install(&races::Races);
    Ok(())
}

/// The session has ended.
pub fn session_ended() {
    sequence::session_ended();
    races::session_ended();
}
