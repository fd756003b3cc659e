//! Tests of what the checker sees.

use super::*;
use crate::backend::{Comparison, Span, ValueWait};

#[test]
fn a_free_in_the_order_of_a_stream_ends_no_wait() {
    // No other test uses these.
    let (waiting, frees_in, addr) = (0x5_0001, 0x5_0002, 0x5_0000);
    let src = Span { addr, len: 8, place: Place::Device(0) };
    let before = {
        let mut sequence = sequence::lock();
        sequence.next(waiting);
        sequence.await_value(waiting, ValueWait { src, value: 1, comparison: Comparison::Equal });
        sequence.next(frees_in)
    };
    frees(By::Stream(frees_in), addr, 8);
    let mut sequence = sequence::lock();
    let behind = sequence.next(waiting);
    assert!(!sequence.is_before(before, behind), "the free wrote no value");
}
