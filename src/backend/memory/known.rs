//! Keeps the hull of the addresses of drivers' memory, and of other memory that drivers know. Most host memory is
//! outside and need not be looked up.

use crate::base::hull::Hull;

/// The hull of all such addresses, of all drivers that this process has had.
static KNOWN: Hull = Hull::new();

/// Adds the addresses from `first` up to `end`: drivers may allocate them from now on, and know anything about them.
/// Called before they do.
pub fn cover(first: usize, end: usize) {
    KNOWN.add(first, end);
}

/// Adds all addresses, for drivers whose memory may be at any address.
pub fn cover_all() {
    KNOWN.add(0, usize::MAX);
}

/// Whether drivers may know an address. If not, none has allocated or registered memory there, and
/// [`Driver::foreign`](crate::Driver::foreign) would return
/// [`Foreign::Unknown`](crate::Foreign::Unknown).
#[inline(always)]
pub fn may_know(addr: usize) -> bool {
    KNOWN.contains(addr)
}
