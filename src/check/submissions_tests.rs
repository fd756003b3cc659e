//! Tests of what the checker sees.

use super::*;
use crate::backend::{Comparison, HostFn, Span, ValueWait};
use crate::core::base::error::{Code, Error};

#[test]
fn a_free_in_the_order_of_a_stream_ends_no_wait() {
    // No other test uses these handles and this address.
    let (waiting, frees_in, addr) = (0x5_0001, 0x5_0002, 0x5_0000);
    let src = Span { addr, len: 8, place: Place::Device(0) };
    let before = {
        let mut sequence = sequence::lock();
        sequence.next(waiting);
        sequence.await_value(waiting, ValueWait { src, value: 1, comparison: Comparison::Equal });
        sequence.next(frees_in)
    };
    frees(Some(frees_in), &Sized { addr, len: 8, asked: 8, is_imported: false });
    let mut sequence = sequence::lock();
    let behind = sequence.next(waiting);
    assert!(!sequence.is_before(before, behind), "the free wrote no value");
}

#[test]
fn runs_of_one_graph_are_one_after_the_other() {
    let submissions = Submissions { long_wait: Duration::from_secs(1) };
    // No other test uses these handles.
    let streams = [0x5_0011, 0x5_0012, 0x5_0013];
    let (runs, other) = (Arc::default(), Arc::default());
    let points = streams.map(|stream| {
        let before = sequence::lock().next(stream);
        submissions.runs_graph(stream, &Arc::default(), Some(if stream == streams[2] { &other } else { &runs }));
        (before, sequence::lock().next(stream))
    });
    let sequence = sequence::lock();
    assert!(sequence.is_before(points[0].0, points[1].1));
    assert!(!sequence.is_before(points[0].1, points[1].1), "it is behind the first run");
    assert!(!sequence.is_before(points[0].0, points[2].1), "of another graph");
}

#[test]
fn what_a_stream_refuses_is_complete_with_what_was_before_it() {
    let submissions = Submissions { long_wait: Duration::from_secs(1) };
    // No other test uses this handle.
    let stream = 0x5_0003;
    let submit = |refuses: bool| {
        let mut function = Some(HostFn::from_closure(|| ()));
        let op = Op::HostFn(Payload::new(&mut function));
        let result = submissions.submit(stream, op, &mut |_| {
            if refuses { Err(Error::new(Code::StreamAbort, "it has stopped")) } else { Ok(Position::default()) }
        });
        assert_eq!(result.is_err(), refuses);
        sequence::lock().latest_of(stream)
    };
    let refused = submit(true);
    assert!(sequence::lock().is_known(refused), "nothing was before it");
    let accepted = submit(false);
    let refused = submit(true);
    assert!(!sequence::lock().is_known(accepted) && !sequence::lock().is_known(refused));
}
