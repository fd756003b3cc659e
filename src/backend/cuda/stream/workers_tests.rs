use super::*;
use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::time::Duration;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

#[test]
fn jobs_that_wait_for_each_other_all_run() {
    let workers = Workers::default();
    for _ in 0..3 {
        let barrier = Arc::new(Barrier::new(4));
        for _ in 0..3 {
            let barrier = Arc::clone(&barrier);
            let started = workers.start(Box::new(move || {
                barrier.wait();
            }));
            assert!(started.is_ok());
        }
        barrier.wait();
    }
    assert!(workers.stop(soon()));
}

#[test]
fn stopping_runs_started_jobs_and_leaves_jobs_that_do_not_end() {
    let workers = Workers::default();
    let (release, held) = channel::<()>();
    let job = move || {
        let _ = held.recv();
    };
    assert!(workers.start(Box::new(job)).is_ok());
    assert!(!workers.stop(Instant::now() + Duration::from_millis(20)));
    drop(release);
    assert!(workers.stop(soon()));
}
