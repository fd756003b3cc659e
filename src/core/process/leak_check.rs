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
use std::sync::atomic::{AtomicU8, Ordering};

pub use self::live::{Live, count, snapshot};
pub use self::record::{Record, forget, record};
pub use self::report::memory as report;
use crate::algo::host::notice::notice;
use crate::algo::map::slot_table::Handle;
use crate::backend::at_unload;
use crate::core::base::config::LeakCheck;
use crate::core::base::error::Result;
use crate::core::base::gate;
use crate::core::runtime::device::Device;

/// 0: off.
static MODE: AtomicU8 = AtomicU8::new(0);

/// The teardown that a report belongs to.
#[derive(Clone, Copy)]
enum End<'a> {
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
    record::record_objects();
    MODE.store(1 + mode as u8, Ordering::Relaxed);
    at_unload(at_end_of_process);
    Ok(())
}

fn mode() -> Option<LeakCheck> {
    match MODE.load(Ordering::Relaxed) {
        0 => None,
        1 => Some(LeakCheck::Report),
        _ => Some(LeakCheck::Abort),
    }
}

/// A context is about to be destroyed.
pub fn at_end_of_context(context: Handle) {
    report_leaks(End::Context(context), "aclrtDestroyContext");
}

/// `call` is about to release a device.
pub fn at_end_of_device(device: &Device, call: &str) {
    report_leaks(End::Device(device), call);
}

/// `call` is about to end the session.
pub fn at_end_of_session(call: &str) {
    report_leaks(End::Session, call);
}

/// The process ends normally, or unloads the library.
fn at_end_of_process() {
    // A forked child reports nothing: what it has belongs to its parent.
    if !gate::is_child() {
        report_leaks(End::Process, "the end of the process");
    }
}

/// Something that was not freed or released.
pub struct Leak {
    /// What it is.
    pub what: String,
    /// Its memory: first byte and length.
    pub memory: Option<(usize, usize)>,
    /// Its origin, if that was recorded.
    pub record: Option<Record>,
}

/// Reports a leak, found by this call.
pub type LeakReport = fn(&Leak, &str);

static REPORT: OnceLock<LeakReport> = OnceLock::new();

/// Has leaks reported from now on, instead of written as a text.
pub fn report_by(report: LeakReport) -> Result<()> {
    REPORT.get_or_init(|| report);
    arm(LeakCheck::Report)
}

fn report_leaks(end: End<'_>, what: &str) {
    let Some(mode) = mode() else { return };
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
