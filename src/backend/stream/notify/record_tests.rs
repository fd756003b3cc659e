use std::os::fd::AsFd;

use super::super::{Change, Notifies};
use super::*;

fn event() -> Arc<SharedEvent> {
    SharedEvent::new(Notifies::default().create_alone().unwrap())
}

#[test]
fn records_are_over_one_by_one() {
    for first in [0, 7, u32::MAX - 3] {
        let numbers: Vec<u32> = (1..=WINDOW).map(|k| first.wrapping_add(k)).collect();
        let mut word = u64::from(first) << 32;
        // The order is backwards, so that only the last one moves the others.
        for (index, &number) in numbers.iter().enumerate().rev() {
            assert!(!has(word, number));
            word = with(word, number).unwrap();
            for (other, &number) in numbers.iter().enumerate() {
                assert_eq!(has(word, number), other >= index);
            }
        }
        assert_eq!(word, u64::from(first.wrapping_add(WINDOW)) << 32);
        assert_eq!(with(word, first), Some(word), "an old one");
        assert_eq!(with(word, first.wrapping_add(2 * WINDOW + 1)), None, "too far");
    }
}

#[test]
fn waits_keep_the_record_that_was_the_latest() {
    let event = event();
    assert!(event.is_complete().unwrap(), "never recorded");
    let before = event.latest();
    let first = event.record();
    let awaited = event.latest();
    let second = event.record();
    second.change(Change::Set(0));
    let is_over = |wait: &Notify| {
        let Owner::Event(event, part) = &wait.owner else { unreachable!() };
        part.is_over(event, 0).unwrap()
    };
    assert!(event.is_complete().unwrap());
    assert!(is_over(&before) && is_over(&event.latest()));
    assert!(!is_over(&awaited));
    first.change(Change::Set(0));
    assert!(is_over(&awaited));
}

#[test]
fn dropped_records_block_no_wait() {
    let event = event();
    let record = event.record();
    assert!(!event.is_complete().unwrap());
    drop(record);
    assert!(event.is_complete().unwrap());
    let pending = event.record();
    let refused = event.record();
    event.take_back(&refused);
    drop(refused);
    assert!(!event.is_complete().unwrap(), "the one before is the latest again");
    drop(pending);
    assert!(event.is_complete().unwrap());
}

#[test]
fn many_records_may_be_pending() {
    let event = event();
    let records: Vec<_> = (0..100).map(|_| event.record()).collect();
    for record in records.iter().rev() {
        assert!(!event.is_over(1, 0).unwrap());
        record.change(Change::Set(0));
    }
    assert!(event.late.lock().is_empty());
    assert_eq!(parts(event.notify.page.line(event.notify.slot).over.load(Ordering::Relaxed)), (100, 0));
}

#[test]
fn records_of_a_process_that_has_left_are_complete() {
    let event = event();
    let own = event.record();
    let (bytes, file) = event.export().unwrap();
    let peer = SharedEvent::new(Notify::import(&bytes, file.as_fd()).unwrap());
    (0..WINDOW + 10).for_each(|_| peer.record().change(Change::Set(0)));
    assert!(!peer.late.lock().is_empty(), "they are too far ahead of the first one");
    assert!(!event.is_complete().unwrap(), "the importer may have to complete it");
    drop(peer);
    assert!(event.is_complete().unwrap());
    assert!(!event.is_over(1, 0).unwrap(), "this process has not completed it");
    own.change(Change::Set(0));
    assert!(event.is_over(1, 0).unwrap());
    for _ in 0..2 * WINDOW {
        let next = event.record();
        assert!(!event.is_complete().unwrap());
        next.change(Change::Set(0));
        assert!(event.is_complete().unwrap());
    }
    assert!(event.late.lock().is_empty());
    assert_eq!(parts(event.notify.page.line(event.notify.slot).over.load(Ordering::Relaxed)).0, event.issued());
}

#[test]
fn all_up_to_a_record_become_complete() {
    assert_eq!(up_to(5 << 32, 5), None);
    assert_eq!(up_to(5 << 32 | 0b1001_0100, 6), Some(6 << 32 | 0b100_1010));
    assert_eq!(up_to(5 << 32 | 0b1001_0100, 7), Some(8 << 32 | 0b1_0010), "the next one is complete");
    assert_eq!(up_to(5 << 32 | 0b1, 500), Some(500 << 32));
    let last = u64::from(u32::MAX) << 32;
    assert_eq!(up_to(last | 0b100, 1), Some(2 << 32), "numbers wrap around");
}

#[test]
fn the_host_waits_as_long_as_it_may() {
    let event = event();
    let record = event.record();
    let soon = Instant::now() + Duration::from_millis(3);
    assert_eq!(event.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
    let other = std::thread::spawn(move || drop(record));
    assert_eq!(event.synchronize(None).unwrap(), Wait::Done);
    other.join().unwrap();
}
