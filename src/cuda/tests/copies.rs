//! Tests of batches and rows: what is complete when the call returns.

use std::ffi::c_void;

use super::{Gate, Setup, calls, fail, of_double, pageable, pattern, source, symbol};
use crate::backend::{Calls, Copy, Copy2d, Node, Rows, Span, Wait, Work};

/// Returns a copy whose source has to be free on return, although the driver reads it late.
fn staged(dst: Span, src: Span) -> Copy {
    Copy { dst, src, stage_source: true }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_batch_is_waited_for_where_one_of_it_has_to_be() {
    let setup = Setup::new();
    let stream = setup.stream();
    let len = 5000;
    let (first, second) = (setup.on_device(len), setup.on_device(len));
    let (pinned, other) = (setup.pinned(len), pattern(len));
    pinned.bytes().fill(3);
    stream
        .copy_batch(&[
            staged(first.span(), pinned.span()),
            Copy { dst: second.span(), src: source(&other), stage_source: false },
        ])
        .unwrap();
    pinned.bytes().fill(4);
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(setup.read(&first).iter().all(|byte| *byte == 3));
    assert!(setup.read(&second) == other);

    // A batch with nothing to wait for does not wait.
    let gate = Gate::close(&stream);
    let back = setup.pinned(len);
    back.bytes().fill(0);
    stream.copy_batch(&[Copy { dst: back.span(), src: second.span(), stage_source: false }]).unwrap();
    assert!(back.bytes().iter().all(|byte| *byte == 0), "copied before its turn");
    gate.open();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(*back.bytes() == *other);
}

/// Drivers before CUDA 12.8 take copies one by one.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_batch_is_one_call_of_the_driver() {
    let setup = Setup::new();
    let (stream, len, count) = (setup.stream(), 512, 100);
    let (device, pinned) = (setup.on_device(count * len), setup.pinned(count * len));
    pinned.bytes().copy_from_slice(&pattern(count * len));
    let Some(before) = of_double(calls("")) else { return };
    let part = |span: Span, index: usize| Span { addr: span.addr + index * len, len, ..span };
    let copy = |index| Copy { dst: part(device.span(), index), src: part(pinned.span(), index), stage_source: false };
    let copies: Vec<_> = (0..count).map(copy).collect();
    let is_newer = symbol::<*const c_void>("cuMemcpyBatchAsync").is_some();
    stream.copy_batch(&copies).unwrap();
    let queued = calls("").unwrap() - before;
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(setup.read(&device) == pattern(count * len));
    pinned.bytes().fill(8);
    let before = calls("").unwrap();
    setup.device.copy_batch(&copies).unwrap();
    let copied = calls("").unwrap() - before;
    assert!(setup.read(&device).iter().all(|byte| *byte == 8));
    for calls in [queued, copied] {
        assert!(if is_newer { calls < 10 } else { calls >= count as u64 }, "{calls} driver calls");
    }

    // A refusal is returned, and nothing is left that uses the memory.
    if is_newer {
        fail("cuMemcpyBatchAsync:1:1").unwrap();
        let refused = stream.copy_batch(&copies).unwrap_err();
        assert!(refused.text().contains("cuMemcpyBatchAsync returned 1"), "{}", refused.text());
        fail("").unwrap();
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    }
}

/// Checks the wait after a refusal: what was enqueued before it may be using the caller's memory.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_batch_that_is_refused_half_way_is_waited_for() {
    let setup = Setup::new();
    let stream = setup.stream();
    let len = 5000;
    let (first, second) = (setup.on_device(len), setup.on_device(len));
    let pinned = setup.pinned(len);
    pinned.bytes().fill(3);
    if fail("cuMemcpyHtoDAsync_v2:2:1").is_none() {
        return;
    }
    let refused =
        stream.copy_batch(&[staged(first.span(), pinned.span()), staged(second.span(), pinned.span())]).unwrap_err();
    assert!(refused.text().contains("cuMemcpyHtoDAsync_v2"), "{}", refused.text());
    pinned.bytes().fill(4);
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(setup.read(&first).iter().all(|byte| *byte == 3));
}

/// Returns three rows of 100 bytes, 150 bytes apart in `span`.
fn rows(span: Span) -> Rows {
    Rows { span: Span { len: 400, ..span }, pitch: 150 }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn rows_leave_their_gaps() {
    let setup = Setup::new();
    let stream = setup.stream();
    let device = setup.on_device(400);
    let (bytes, mut back) = (pattern(400), vec![9; 400]);
    setup.write(&device, &[1; 400]);
    let (width, height) = (100, 3);
    let up = Copy2d { dst: rows(device.span()), src: rows(source(&bytes)), width, height };
    let down = Copy2d { dst: rows(pageable(&mut back)), src: rows(device.span()), width, height };
    setup.device.copy_2d(up).unwrap();
    stream.copy_2d(down).unwrap();
    let mut wanted = [vec![1; 400], vec![9; 400]];
    for row in 0..height {
        let range = row * 150..row * 150 + width;
        for buffer in &mut wanted {
            buffer[range.clone()].copy_from_slice(&bytes[range.clone()]);
        }
    }
    assert!(setup.read(&device) == wanted[0]);
    assert!(back == wanted[1]);
}

/// Checks pageable memory, which is copied through the graph's pinned memory, in several parts.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn graphs_copy_pageable_memory_and_rows() {
    let setup = Setup::new();
    let stream = setup.stream();
    let (width, pitch, height) = (3_000, 3_100, 2_000);
    let rows = |span, pitch| Rows { span, pitch };
    let from = pattern(pitch * height);
    let mut to = vec![0; pitch * height];
    let (there, packed) = (setup.on_device(pitch * height), setup.on_device(width * height));
    let copy = Copy { dst: there.span(), src: source(&from), stage_source: false };
    let pack = Copy2d { dst: rows(packed.span(), width), src: rows(there.span(), pitch), width, height };
    let back = Copy2d { dst: rows(pageable(&mut to), pitch), src: rows(packed.span(), width), width, height };
    let nodes = [Work::Copy(copy), Work::Copy2d(pack), Work::Copy2d(back)];
    let after = [vec![], vec![0], vec![1]];
    let nodes: Vec<Node> = nodes.into_iter().zip(after).map(|(work, after)| Node { work, after }).collect();
    let graph = setup.device.create_graph(&nodes).unwrap();
    for _ in 0..2 {
        to.fill(0);
        stream.run_graph(&graph).unwrap();
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        for (row, expected) in to.chunks(pitch).zip(from.chunks(pitch)) {
            assert!(row[..width] == expected[..width]);
            assert!(row[width..].iter().all(|byte| *byte == 0));
        }
    }
}
