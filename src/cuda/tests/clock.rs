//! Tests of the timestamps of events.

use super::*;
use crate::backend::base::clock;
use crate::backend::{Calls, Wait};

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn differences_of_times_equal_the_elapsed_time() {
    let setup = Setup::new();
    let stream = setup.stream();
    let begin = clock::now();
    let (mut events, mut times) = (Vec::new(), Vec::new());
    for _ in 0..10 {
        let event = setup.device.create_event(true).unwrap();
        stream.record(&event).unwrap();
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        // Each event is later than the time for which the tests' base is exact, so that the base has to move.
        times.push(event.time_ns().unwrap());
        events.push(event);
        std::thread::sleep(Duration::from_millis(5));
    }
    let end = clock::now();
    assert!(times.is_sorted(), "{times:?}");
    for (event, time) in events.iter().zip(&times) {
        let ms = event.elapsed_ms(&*events[0]).unwrap();
        let elapsed = f64::from(ms) * 1e6;
        let differs = (time - times[0]) as f64;
        assert!((elapsed - differs).abs() <= 5000.0, "{elapsed} {differs}");
        // A second query, with the last base, returns the same to within rounding.
        assert!(event.time_ns().unwrap().abs_diff(*time) <= 5000);
    }
    // The first base is later than its event by the time of a wait for the device.
    let slack = Duration::from_millis(500).as_nanos();
    assert!(u128::from(times[0]) + slack >= begin.as_nanos());
    assert!(u128::from(times[9]) <= end.as_nanos() + slack);
}
