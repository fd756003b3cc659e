//! Tests of what streams hand over, and how they wait for it.

use super::*;
use crate::backend::stream::hand_over::inbox::Inbox;
use crate::backend::{Calls, Fill, Wait};

fn await_names(inbox: &Inbox, names: &[u32]) {
    inbox.await_count(names.len());
    assert_eq!(inbox.names(), names);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_stream_waits_for_what_it_handed_over() {
    let setup = Setup::new();
    let (stream, inbox) = (setup.stream(), Inbox::default());
    let memory = setup.pinned(16);
    stream.fill(Fill::bytes(memory.span(), 1)).unwrap();
    stream.hand_over(inbox.parcel(1), false).unwrap();
    stream.fill(Fill::bytes(memory.span(), 2)).unwrap();
    stream.hand_over(inbox.parcel(2), true).unwrap();
    stream.fill(Fill::bytes(memory.span(), 3)).unwrap();
    stream.hand_over(inbox.parcel(3), true).unwrap();
    await_names(&inbox, &[1, 2]);
    let soon = Instant::now() + Duration::from_millis(20);
    assert_eq!(stream.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
    assert!(memory.bytes().iter().all(|byte| *byte == 2));
    drop(inbox.take(1));
    await_names(&inbox, &[1, 2, 3]);
    assert!(memory.bytes().iter().all(|byte| *byte == 3));
    assert!(!stream.is_idle().unwrap());
    drop(inbox.take(2));
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
}

/// Checks that the driver's one thread for host functions waits if streams cannot wait for a word.
fn one_after_the_other(setup: &Setup) {
    let inbox = Inbox::default();
    let streams: Vec<_> = (0..3).map(|_| setup.stream()).collect();
    streams.iter().for_each(|stream| _ = stream.hand_over(inbox.parcel(0), true).unwrap());
    let done = || streams.iter().filter(|stream| stream.is_idle().unwrap()).count();
    for index in 0..streams.len() {
        inbox.await_count(index + 1);
        wait_until("the streams whose work was released", || done() >= index);
        assert_eq!((done(), inbox.names().len()), (index, index + 1));
        drop(inbox.take(index));
    }
    for stream in &streams {
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    }
}

/// Checks more waits than the driver's one thread for host functions could hold.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn many_streams_wait_at_once() {
    let setup = Setup::new();
    if symbol::<*const c_void>("cuStreamWaitValue32_v2").is_none() {
        return one_after_the_other(&setup);
    }
    if !has_queues(QUEUES) {
        return;
    }
    let inbox = Inbox::default();
    let streams: Vec<_> = (0..QUEUES).map(|_| setup.stream()).collect();
    streams.iter().for_each(|stream| _ = stream.hand_over(inbox.parcel(0), true).unwrap());
    await_names(&inbox, &[0; QUEUES]);
    (0..streams.len()).for_each(|index| drop(inbox.take(index)));
    for stream in &streams {
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn an_abandoned_stream_hands_nothing_over() {
    let setup = Setup::new();
    let (stream, inbox) = (setup.stream(), Inbox::default());
    stream.hand_over(inbox.parcel(1), true).unwrap();
    stream.hand_over(inbox.parcel(2), true).unwrap();
    await_names(&inbox, &[1]);
    stream.abandon();
    drop(inbox.take(0));
    wait_until("the stream to come to its end", || stream.is_idle().unwrap());
    assert!(stream.hand_over(inbox.parcel(3), false).is_err());
    await_names(&inbox, &[1]);
    assert_eq!(inbox.outstanding(), 0, "what was not delivered is gone");
}

/// Checks that a wait for room ends with the work in front of it, or with the stream.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn room_is_awaited_until_it_comes_or_never_will() {
    const PLACES: usize = 48;
    let late = || Some(Instant::now() + Duration::from_millis(10));
    let setup = Setup::new();
    if !has_limits() {
        return;
    }
    let event = setup.device.create_event(false).unwrap();
    for is_abandoned in [false, true] {
        let (stream, inbox) = (setup.stream(), Inbox::default());
        let gate = Gate::close(&stream);
        assert_eq!(stream.await_room(2 * PLACES, late()), None);
        stream.hand_over(inbox.parcel(1), true).unwrap();
        (0..PLACES).for_each(|_| _ = stream.record(&event).unwrap());
        assert_eq!(stream.await_room(1, late()), Some(Wait::TimedOut));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| stream.await_room(1, None));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            if is_abandoned {
                stream.abandon();
            } else {
                gate.open();
                inbox.await_count(1);
                drop(inbox.take(0));
            }
            assert_eq!(waiting.join().unwrap(), (!is_abandoned).then_some(Wait::Done));
        });
        // Not before: room that comes with the end of the stream is room too.
        gate.open();
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        assert_eq!(stream.await_room(2 * PLACES, late()), None);
    }
}
