use super::*;

/// Submits two operations to a stream. Returns the second one.
fn submit(sequence: &mut Sequence, stream: u64) -> Point {
    sequence.next(stream);
    sequence.next(stream)
}

fn wait_for(sequence: &mut Sequence, stream: u64) {
    let known = sequence.at_stream(stream);
    sequence.know_all(&[known]);
}

#[test]
fn streams_that_follow_each_other_share_a_line() {
    let mut sequence = Sequence::default();
    let mut latest = None;
    for stream in 1..=10_000 {
        let point = submit(&mut sequence, stream);
        assert_ne!(Some(point), latest, "two operations have one point");
        latest = Some(point);
        wait_for(&mut sequence, stream);
        sequence.end_stream(stream);
    }
    assert!(sequence.streams.len() <= 1 && sequence.lines.is_empty(), "{} lines", sequence.streams.len());
    assert_eq!(sequence.pending, 0);
}

#[test]
fn the_lines_of_streams_that_the_host_never_waits_for_are_bounded() {
    let mut sequence = Sequence::default();
    for stream in 1..=10_000 {
        submit(&mut sequence, stream);
        sequence.end_stream(stream);
    }
    assert!(sequence.streams.len() <= MOST_UNKNOWN + 2, "{} lines", sequence.streams.len());
    assert!(sequence.pending <= MOST_UNKNOWN + 1, "{} streams are pending", sequence.pending);
}

#[test]
fn an_operation_in_a_reused_line_is_ordered_as_that_of_a_new_stream() {
    let mut sequence = Sequence::default();
    let before = submit(&mut sequence, 1);
    wait_for(&mut sequence, 1);
    sequence.end_stream(1);
    let (new, other) = (submit(&mut sequence, 2), submit(&mut sequence, 3));
    assert_eq!(new.line, before.line, "the line is reused");
    assert!(sequence.is_known(before) && !sequence.is_known(new));
    assert!(sequence.is_before(before, other) && sequence.is_before(before, new));
    assert!(!sequence.is_before(new, other) && !sequence.is_before(other, new));
}

#[test]
fn a_stream_that_ended_with_pending_work_is_not_known() {
    let mut sequence = Sequence::default();
    let left = submit(&mut sequence, 1);
    sequence.end_stream(1);
    let other = submit(&mut sequence, 2);
    assert_ne!(left.line, other.line);
    assert!(!sequence.is_known(left) && !sequence.is_before(left, other));
}
