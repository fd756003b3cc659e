//! The addresses of drivers' memory, and of other memory that they know. Most host memory is outside and need not be
//! looked up.

use crate::backend::base::hull::Hull;

/// The hull of all such addresses, of all drivers that this process has had.
static KNOWN: Hull = Hull::new();

/// Drivers may allocate addresses from `first` up to `end` from now on, and know anything about them. Called before
/// they do.
pub fn cover(first: usize, end: usize) {
    KNOWN.add(first, end);
}

/// As [`cover`], for drivers whose memory may be anywhere.
pub fn cover_all() {
    KNOWN.add(0, usize::MAX);
}

/// False: no driver has allocated or registered memory there, and [`Driver::foreign`](crate::backend::Driver::foreign)
/// would return [`Foreign::Unknown`](crate::backend::Foreign::Unknown).
#[inline(always)]
pub fn may_know(addr: usize) -> bool {
    KNOWN.contains(addr)
}
