//! Keeps the function that reports overwritten bytes beside an allocation.

use std::sync::OnceLock;

/// Reports damage: a text, the allocation's address, and its bytes.
pub type DamageReport = fn(&str, usize, usize);

static REPORT: OnceLock<DamageReport> = OnceLock::new();

/// Sets the function that reports damage from now on.
pub fn report_damage_by(report: DamageReport) {
    REPORT.get_or_init(|| report);
}

/// Reports damage. Returns false if no function was set.
pub fn is_reported(text: &str, addr: usize, len: usize) -> bool {
    REPORT.get().map(|report| report(text, addr, len)).is_some()
}
