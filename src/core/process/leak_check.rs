//! Leaks: `PORTACL_LEAK_CHECK`, and snapshots of live memory.
//!
//! The report is written before memory and objects are released: at the end of a context for its streams, the reset of
//! a device for what is on it, a finalize for the rest of the session, and the normal end of the process for everything
//! else. So each is reported once.

mod live;
mod object;
mod record;
mod report;

use std::sync::OnceLock;

use crossbeam_utils::atomic::AtomicCell;

pub use self::live::{Live, count, snapshot};
pub use self::record::{AllocationSite, forget, pause, record, resume};
pub use self::report::memory as report;
use crate::algo::host::notice::notice;
use crate::algo::map::slot_table;
use crate::algo::map::slot_table::Handle;
use crate::backend::at_unload;
use crate::base::config::LeakCheck;
use crate::base::error::Result;
use crate::base::gate;
use crate::runtime::device::Device;

static MODE: AtomicCell<Option<LeakCheck>> = AtomicCell::new(None);

/// The teardown that a report belongs to.
#[derive(Clone, Copy)]
pub enum Teardown<'a> {
    /// The context is destroyed, with its streams.
    Context(Handle),
    /// The device is released.
    Device(&'a Device),
    /// The session ends, with all devices.
    Session,
    /// The process ends, with what outlives sessions.
    Process,
}

/// Enables the reports.
pub fn arm(mode: LeakCheck) -> Result<()> {
    record::record()?;
    slot_table::watch(record::note_object);
    MODE.store(Some(mode));
    // This runs when the process ends normally, or unloads the library. A forked child reports nothing: what it has
    // belongs to its parent.
    at_unload(|| {
        if !gate::is(gate::CHILD) {
            report_leaks(Teardown::Process, "the end of the process");
        }
    });
    Ok(())
}

/// Something that was not freed or released.
pub struct Leak {
    /// The noun for its kind.
    pub noun: &'static str,
    /// Its description.
    pub what: String,
    /// The address and the length of its memory.
    pub memory: Option<(usize, usize)>,
    /// Its origin, if that was recorded.
    pub record: Option<AllocationSite>,
}

/// A function that reports a leak. It gets the leak and the call that found it.
pub type LeakReport = fn(&Leak, &str);

static REPORT: OnceLock<LeakReport> = OnceLock::new();

/// Sets the function that reports leaks from now on, instead of a text.
pub fn report_by(report: LeakReport) -> Result<()> {
    REPORT.get_or_init(|| report);
    arm(LeakCheck::Report)
}

/// Reports the leaks at an end that `what` is about to cause.
pub(crate) fn report_leaks(end: Teardown<'_>, what: &str) {
    let Some(mode) = MODE.load() else { return };
    if let Some(report) = REPORT.get() {
        report::leaks(end).iter().for_each(|leak| report(leak, what));
        return report::release_failures(&mut |text| notice(text));
    }
    let mut leaks = false;
    report::at_end(end, what, &mut |text| {
        leaks = true;
        notice(text);
    });
    if leaks && mode == LeakCheck::Abort {
        notice("portacl: ended by PORTACL_LEAK_CHECK=abort\n");
        std::process::abort();
    }
}
