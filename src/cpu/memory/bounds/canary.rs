//! Canaries: bytes beside allocations that must not change.

use std::fmt;

use crate::algo::count::Count;
use crate::base::bytes;

/// The value of each byte of a canary.
const BYTE: u8 = 0xE5;

/// A part of a canary: its beginning and its end, relative to an allocation's address.
pub(super) type Interval = (isize, isize);

/// Overwritten bytes beside an allocation.
#[derive(Debug)]
pub(crate) struct Damage {
    pub addr: usize,
    pub asked: usize,
    /// The offset of the first byte that changed, relative to the allocation's address.
    pub offset: isize,
    /// The number of bytes up to the last one that changed.
    pub bytes: usize,
    pub place: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { addr, asked, offset, bytes, place } = self;
        let (distance, side) = match *offset {
            offset if offset < 0 => (offset.unsigned_abs(), "in front of"),
            offset => (offset as usize - asked, "past the end of"),
        };
        let [bytes, distance, asked] = [*bytes, distance, *asked].map(|count| Count(count, "byte"));
        write!(
            f,
            "a write changed {bytes} at offset {offset}, {distance} {side} the allocation at {addr:#x} of {asked} \
             {place}"
        )
    }
}

/// Writes canaries. `addr` is the allocation's address in the library's view.
pub(super) fn put(addr: usize, parts: &[Interval]) {
    for &(first, last) in parts.iter().filter(|(first, last)| first < last) {
        // SAFETY: the rest of the allocation's private pages.
        unsafe { bytes::address(addr).offset(first).write_bytes(BYTE, (last - first) as usize) };
    }
}

/// Restores canaries. Returns the changed bytes, from the first to the last, as an offset and a length.
pub(super) fn mend(addr: usize, parts: &[Interval]) -> Option<(isize, usize)> {
    let mut first_changed = None;
    let mut last_changed = 0;
    for &(first, last) in parts {
        let mut offset = first;
        while offset < last {
            let at = bytes::address(addr).wrapping_offset(offset);
            // Most words are unchanged.
            if at.addr().is_multiple_of(8) && last - offset >= 8 {
                // SAFETY: eight aligned bytes within the canary; the read is volatile because a
                // running kernel may write there.
                if unsafe { at.cast::<u64>().read_volatile() } == u64::from_ne_bytes([BYTE; 8]) {
                    offset += 8;
                    continue;
                }
            }
            // SAFETY: the canary's parts are within the mapped block; the read is volatile because
            // a running kernel may write there.
            if unsafe { at.read_volatile() } != BYTE {
                first_changed.get_or_insert(offset);
                last_changed = offset;
            }
            offset += 1;
        }
    }
    let first = first_changed?;
    put(addr, parts);
    Some((first, (last_changed - first + 1) as usize))
}

#[cfg(test)]
#[path = "canary_tests.rs"]
mod tests;
