//! Malloc policies of the API as page policies, and requested sizes as padded sizes.

use crate::backend::PagePolicy;

/// Requests of this size and above prefer huge pages if the policy is unknown.
const HUGE_FROM: usize = 2 << 20;
/// Sizes are multiples of this.
const GRAIN: usize = 32;
/// Bytes past the end that a program may read.
const TAIL: usize = 32;

/// The pages that `policy`, a number from C, selects. Peer-to-peer variants and bandwidth hints have no effect here; an
/// unknown number is no error.
pub fn pages(policy: i32, size: usize) -> PagePolicy {
    const BANDWIDTH_AND_ACCESS: i32 = 0x100 | 0x1000 | 0x10_0000;
    match policy & !BANDWIDTH_AND_ACCESS {
        0 | 3 => PagePolicy::HugeFirst,
        1 | 4 => PagePolicy::HugeOnly,
        2 | 5 => PagePolicy::NormalOnly,
        6 | 7 => PagePolicy::Huge1GOnly,
        _ if size >= HUGE_FROM => PagePolicy::HugeFirst,
        _ => PagePolicy::NormalOnly,
    }
}

/// The size of an allocation: rounded up to 32 bytes, plus 32 readable bytes if `tail` is set. `None` on overflow.
pub fn padded(size: usize, tail: bool) -> Option<usize> {
    size.checked_next_multiple_of(GRAIN)?.checked_add(if tail { TAIL } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_of_the_api() {
        let of = |policy| pages(policy, 1);
        assert_eq!([of(0), of(3)], [PagePolicy::HugeFirst; 2]);
        assert_eq!([of(1), of(4)], [PagePolicy::HugeOnly; 2]);
        assert_eq!([of(2), of(5)], [PagePolicy::NormalOnly; 2]);
        assert_eq!([of(6), of(7)], [PagePolicy::Huge1GOnly; 2]);
        assert_eq!(of(1 | 0x1000), PagePolicy::HugeOnly);
        assert_eq!(pages(99, HUGE_FROM - 1), PagePolicy::NormalOnly);
        assert_eq!(pages(-1, HUGE_FROM), PagePolicy::HugeFirst);
    }

    #[test]
    fn sizes_round_up_and_do_not_overflow() {
        assert_eq!(padded(1, true), Some(64));
        assert_eq!(padded(32, true), Some(64));
        assert_eq!(padded(33, false), Some(64));
        assert_eq!(padded(usize::MAX, false), None);
        assert_eq!(padded(usize::MAX - 31, true), None);
    }
}
