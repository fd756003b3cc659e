//! Malloc policies of the API as page policies, and requested sizes as padded sizes.

use crate::algo::host::notice::notice_once;
use crate::backend::PagePolicy;

/// Requests of at least this size prefer huge pages if the policy is unknown.
const HUGE_FROM: usize = 2 << 20;
/// Unit of sizes in bytes.
const GRAIN: usize = 32;
/// Number of bytes past the end that a program may read.
const TAIL: usize = 32;

/// Returns the pages that `policy`, a number from C, selects. Peer-to-peer variants and bandwidth hints have no effect
/// here. `None`: the number is unknown.
#[inline]
pub fn known_pages(policy: i32) -> Option<PagePolicy> {
    const BANDWIDTH_AND_ACCESS: i32 = 0x100 | 0x1000 | 0x10_0000;
    match policy & !BANDWIDTH_AND_ACCESS {
        0 | 3 => Some(PagePolicy::HugeFirst),
        1 | 4 => Some(PagePolicy::HugeOnly),
        2 | 5 => Some(PagePolicy::NormalOnly),
        6 | 7 => Some(PagePolicy::Huge1GOnly),
        _ => None,
    }
}

/// Returns what [`known_pages`] returns. An unknown number is no error: it counts as not given, and a line on standard
/// error reports it.
pub fn pages(policy: i32, size: usize) -> PagePolicy {
    known_pages(policy).unwrap_or_else(|| {
        notice_once(&format!("the malloc policy {policy:#x} is unknown and is ignored"));
        if size >= HUGE_FROM { PagePolicy::HugeFirst } else { PagePolicy::NormalOnly }
    })
}

/// Returns the size of an allocation: rounded up to 32 bytes, plus 32 readable bytes if `tail` is set. `None` on
/// overflow.
pub fn padded(size: usize, tail: bool) -> Option<usize> {
    size.checked_next_multiple_of(GRAIN)?.checked_add(if tail { TAIL } else { 0 })
}

#[cfg(test)]
#[path = "page_policy_tests.rs"]
mod tests;
