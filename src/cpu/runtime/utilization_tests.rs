use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Returns a new instance and its start.
fn new_at() -> (Busy, Instant) {
    let busy = Busy::default();
    let start = busy.0.lock().asked;
    (busy, start)
}

#[test]
fn an_idle_device_is_not_busy() {
    let (busy, start) = new_at();
    assert_eq!(busy.percentage_at(start), 0, "no time has passed");
    assert_eq!(busy.percentage_at(start + SECOND), 0);
}

#[test]
fn work_that_goes_on_counts_up_to_the_question() {
    let (busy, start) = new_at();
    let _working = busy.begin();
    busy.0.lock().since = start + SECOND;
    assert_eq!(busy.percentage_at(start + 2 * SECOND), 50);
    assert_eq!(busy.percentage_at(start + 3 * SECOND), 100);
    assert_eq!(busy.percentage_at(start + 3 * SECOND), 100, "no time has passed");
}

#[test]
fn each_query_covers_the_time_since_the_previous_one() {
    let (busy, start) = new_at();
    busy.0.lock().total = SECOND / 4;
    assert_eq!(busy.percentage_at(start + SECOND), 25);
    assert_eq!(busy.percentage_at(start + 2 * SECOND), 0);
}

#[test]
fn several_threads_count_once() {
    let (busy, _) = new_at();
    let (first, second) = (busy.begin(), busy.begin());
    drop(first);
    assert_eq!(busy.0.lock().total, Duration::ZERO, "one still works");
    drop(second);
    let state = busy.0.lock();
    assert!(state.working == 0 && state.total > Duration::ZERO);
}
