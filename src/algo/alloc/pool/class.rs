//! Lengths of blocks. A block is cut so long that it serves every request of its *class*. Fewer classes make cached
//! blocks fit more often, and waste more memory. Cached blocks have few classes; longer blocks have more, so that they
//! waste less.

/// The logarithm of the number of classes per power of two. The number doubles at 2 to the [`LONG`] units, and again at
/// 2 to the [`LONGER`].
const FEWEST_BITS: u32 = 2;
const LONG: u32 = 10;
const LONGER: u32 = 17;

/// The lengths of one power of two: how many of their low bits a class ignores, and what is added to the other bits for
/// the number of the class.
#[derive(Clone, Copy)]
struct Row {
    shift: u32,
    before: u32,
}

const ROWS: [Row; 32] = {
    let mut rows = [Row { shift: 0, before: 0 }; 32];
    let (mut log, mut next) = (0, 1);
    while log < 32 {
        let bits = FEWEST_BITS + (log >= LONG) as u32 + (log >= LONGER) as u32;
        let bits = if bits < log { bits } else { log };
        let shift = log - bits;
        // The numbers continue from row to row.
        rows[log as usize] = Row { shift, before: next - (1 << bits) };
        next += 1 << bits;
        log += 1;
    }
    rows
};

#[inline(always)]
const fn row_of(len: u32) -> Row {
    ROWS[(len | 1).ilog2() as usize]
}

/// Returns the class of blocks of `len` units, which serve all requests of it.
#[inline(always)]
pub(super) const fn class_of(len: u32) -> usize {
    let Row { shift, before } = row_of(len);
    (before + (len >> shift)) as usize
}

/// Returns the class of the blocks that serve requests for `len` units.
#[inline(always)]
pub(super) fn class_for(len: u32) -> usize {
    let Row { shift, before } = row_of(len);
    let rounded = u64::from(len) + (1 << shift) - 1;
    before as usize + (rounded >> shift) as usize
}

/// Whether a block of `len` units is not too long for `wanted` ones: it is of their class, or the next.
pub(super) fn suits(len: u32, wanted: u32) -> bool {
    class_of(len) <= class_for(wanted) + 1
}

/// Returns the number of units of the blocks that serve requests for `len` units.
#[inline]
pub(super) fn round_up(len: u32) -> u32 {
    let Row { shift, .. } = row_of(len);
    let below = (1 << shift) - 1;
    len.saturating_add(below) & !below
}

#[cfg(all(test, not(loom)))]
#[path = "class_tests.rs"]
mod tests;
