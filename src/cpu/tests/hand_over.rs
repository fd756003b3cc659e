//! Tests what streams hand over, and how they wait for it.

use super::*;
use crate::backend::Calls;
use crate::backend::stream::hand_over::inbox::Inbox;

#[test]
fn a_stream_waits_for_what_it_handed_over_and_only_then() {
    in_all_modes(|bench| {
        let (stream, inbox) = (bench.stream(), Inbox::default());
        let target = bench.alloc(64).addr;
        for blocked in [false, true] {
            let first = inbox.names().len();
            let gate = blocked.then(|| Gate::close(&stream));
            stream.fill(fill(target, 64, 1)).unwrap();
            stream.hand_over(inbox.parcel(1), false).unwrap();
            stream.fill(fill(target, 64, 2)).unwrap();
            stream.hand_over(inbox.parcel(2), true).unwrap();
            stream.fill(fill(target, 64, 3)).unwrap();
            stream.hand_over(inbox.parcel(3), false).unwrap();
            if let Some(gate) = gate {
                assert_eq!(inbox.names().len(), first, "handed over too early");
                gate.open();
            }
            inbox.await_count(first + 2);
            let soon = Instant::now() + Duration::from_millis(20);
            assert_eq!(stream.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
            assert_eq!(bench.read(target, 64), [2; 64]);
            assert_eq!(inbox.names()[first..], [1, 2]);
            drop(inbox.take(first + 1));
            sync(&stream);
            assert_eq!(bench.read(target, 64), [3; 64]);
            assert_eq!(inbox.names()[first..], [1, 2, 3]);
        }
    });
}

#[test]
fn streams_that_wait_for_tickets_need_few_threads() {
    in_all_modes(|bench| {
        let inbox = Inbox::default();
        let streams: Vec<_> = (0..1000).map(|_| bench.stream()).collect();
        for stream in &streams {
            stream.hand_over(inbox.parcel(0), true).unwrap();
            stream.host_fn(host_fn(|| {})).unwrap();
        }
        inbox.await_count(streams.len());
        assert!(bench.threads() <= bench.cores() + 8, "{} threads", bench.threads());
        assert!(streams.iter().all(|stream| !stream.is_idle().unwrap()));
        (0..streams.len()).for_each(|index| drop(inbox.take(index)));
        streams.iter().for_each(sync);
    });
}

#[test]
fn an_abandoned_stream_hands_nothing_over_and_waits_for_nothing() {
    in_all_modes(|bench| {
        let (stream, inbox, event) = (bench.stream(), Inbox::default(), bench.event());
        stream.hand_over(inbox.parcel(1), true).unwrap();
        stream.hand_over(inbox.parcel(2), true).unwrap();
        stream.record(&event).unwrap();
        inbox.await_count(1);
        stream.abandon();
        // The first parcel arrives before the stream waits for its ticket.
        sync(&stream);
        assert!(stream.is_idle().unwrap() && event.is_complete().unwrap());
        assert!(stream.hand_over(inbox.parcel(3), false).is_err());
        drop(inbox.take(0));
        assert_eq!(inbox.names(), [1]);
        assert_eq!(inbox.outstanding(), 0, "what was not delivered is gone");
    });
}

#[test]
fn a_helper_follows_streams_up_to_a_ticket() {
    let bench = Bench::new(false);
    let (first, second, event) = (bench.stream(), bench.stream(), bench.event());
    let (inbox, target) = (Inbox::default(), bench.alloc(64).addr);
    first.hand_over(inbox.parcel(1), true).unwrap();
    first.record(&event).unwrap();
    second.wait(&event, None).unwrap();
    second.fill(fill(target, 64, 7)).unwrap();
    let waiter = {
        let second = Arc::clone(&second);
        std::thread::spawn(move || sync(&second))
    };
    let soon = Instant::now() + Duration::from_millis(20);
    assert_eq!(second.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
    drop(inbox.take(0));
    waiter.join().unwrap();
    assert_eq!(bench.read(target, 64), [7; 64]);
}
