//! Tests of claims of host memory.

use std::alloc::{GlobalAlloc, Layout};

use super::super::{HostMemory, from_reserve};
use super::*;

const LEN: usize = 8 << 20;

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 16).unwrap()
}

fn free(block: *mut u8, size: usize) {
    // SAFETY: each test passes a block that `from_reserve` returned for this size, once.
    unsafe { HostMemory.dealloc(block, layout(size)) };
}

/// Checks that all of a claim serves allocations of its thread that the system refuses, even blocks for which the
/// reserve is too small, and that it serves no other thread.
#[test]
fn a_claim_serves_its_thread() {
    let claim = Claim::new(LEN).unwrap();
    let before = reserve::usage();
    let large = from_reserve(layout(LEN / 2));
    assert!(!large.is_null() && reserve::has(large));
    // SAFETY: the block has this many bytes, and only this test uses it.
    unsafe { large.write_bytes(1, LEN / 2) };
    let small: Vec<_> = (0..LEN / 2 / 64).map(|_| from_reserve(layout(64)).addr()).collect();
    assert_eq!(reserve::usage(), before);
    assert_eq!(claim.left(), 0);
    // A freed block in the middle is found again.
    free(std::ptr::with_exposed_provenance_mut(small[7]), 64);
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(from_reserve(layout(LEN)).is_null()));
    });
    assert_eq!(from_reserve(layout(64)).addr(), small[7]);
    free(large, LEN / 2);
    for addr in small {
        free(std::ptr::with_exposed_provenance_mut(addr), 64);
    }
}

/// Checks that a thread allocates from its latest claim that has not ended, and that blocks outlive their claim.
#[test]
fn claims_end_in_any_order_and_before_their_blocks() {
    let outer = Claim::new(LEN).unwrap();
    let first = from_reserve(layout(LEN / 2));
    let inner = Claim::new(LEN).unwrap();
    let second = from_reserve(layout(LEN));
    assert!(!second.is_null() && from_reserve(layout(LEN)).is_null());
    drop(inner);
    assert_eq!(outer.left(), LEN / 2);
    let third = from_reserve(layout(LEN / 2));
    drop(outer);
    assert_eq!(CURRENT.get(), RESERVE);
    for (block, size) in [(first, LEN / 2), (second, LEN), (third, LEN / 2)] {
        assert!(reserve::has(block));
        // SAFETY: the blocks have these sizes, and only this test uses them.
        unsafe { block.write_bytes(1, size) };
    }
    for (block, size) in [(first, LEN / 2), (second, LEN), (third, LEN / 2)] {
        free(block, size);
    }
    assert!([first, second, third].iter().all(|block| !reserve::has(*block)));
}

#[test]
fn what_the_system_does_not_have_is_not_claimed() {
    for bytes in [1 << 60, usize::MAX - 1, usize::MAX] {
        assert!(Claim::new(bytes).is_none());
    }
    assert_eq!(CURRENT.get(), RESERVE);
    // Each claim needs a part, and parts are limited. Small claims need none.
    let all: Vec<_> = std::iter::from_fn(|| Claim::new(LEAST)).take(1000).collect();
    assert!(all.len() < 1000);
    assert!(Claim::new(LEAST - 1).is_some());
    drop(all);
    assert!(Claim::new(LEAST).is_some());
}
