//! Knows which decorators are on now for submissions: in one word, so that a submission checks all of them with one
//! load.

use std::sync::atomic::{AtomicU64, Ordering};

static ON: AtomicU64 = AtomicU64::new(0);

/// The bit of the checker (`PORTACL_CHECK`). All other bits belong to traces.
pub const CHECKER: u64 = 1 << 63;

/// Whether any decorator is on.
#[inline(always)]
pub fn any() -> bool {
    ON.load(Ordering::Relaxed) != 0
}

/// Whether one of these bits is set.
#[inline]
pub fn has(bits: u64) -> bool {
    ON.load(Ordering::Relaxed) & bits != 0
}

/// Sets the bits of traces.
pub(crate) fn set_traced(devices: u64) {
    let kept = |on: u64| Some(on & CHECKER | devices & !CHECKER);
    let _ = ON.try_update(Ordering::SeqCst, Ordering::Relaxed, kept);
}

/// Sets the bit of the checker, which stays set.
pub fn add_checker() {
    ON.fetch_or(CHECKER, Ordering::SeqCst);
}
