//! Tests of large operations on several threads.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::backend::Calls;
use crate::stream::executor::Executor;
use crate::stream::parallel::Helpers;

/// Returns how long a part takes, in pauses: some take none, and the last ones most of the time of all.
fn effort(share: usize, count: usize) -> u32 {
    if share * 16 >= count * 15 { 2000 } else { (share % 7) as u32 * 10 }
}

/// Runs each part of many jobs, one right after the other, so that helpers are still awake.
fn share_often(executor: &Arc<Executor>) {
    for round in 0..200 {
        let count = 1 + round % 64;
        let calls: Vec<_> = (0..count).map(|_| AtomicU32::new(0)).collect();
        executor.parallel(count, &|share| {
            (0..effort(share, count)).for_each(|_| std::hint::spin_loop());
            calls[share].fetch_add(1, Ordering::Relaxed);
        });
        // All calls have returned, and not only begun, when it returns.
        let once = calls.iter().all(|calls| calls.load(Ordering::Relaxed) == 1);
        assert!(once, "round {round}: {calls:?}");
    }
}

#[test]
fn every_share_is_done_once_however_long_it_takes() {
    let executor = Executor::new(4, None);
    share_often(&executor);
    assert!(executor.threads() <= 4, "{} threads", executor.threads());
    assert!(executor.stop(Duration::from_secs(60)), "a thread that stays awake does not end");
}

#[test]
fn several_threads_share_their_work_at_once() {
    let executor = Executor::new(4, None);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| share_often(&executor));
        }
    });
    assert!(executor.stop(Duration::from_secs(60)), "a thread that stays awake does not end");
}

/// Checks that the thread that waits for a large operation, one that has stayed awake and one that was woken may all
/// run it.
#[test]
fn large_operations_right_after_each_other_are_done_once_and_in_order() {
    in_all_modes(|bench| {
        const LEN: usize = MIB;
        const ROUNDS: u8 = 60;
        let (first, second) = (bench.stream(), bench.stream());
        let (counted, copied) = (bench.event(), bench.event());
        let [sum, target, ones] = [(); 3].map(|()| bench.alloc(LEN).addr);
        bench.device.fill(fill(sum, LEN, 0)).unwrap();
        bench.device.fill(fill(ones, LEN, 1)).unwrap();
        let check = |round| assert!(bench.read(target, LEN) == vec![round; LEN], "round {round}");
        for round in 1..=ROUNDS {
            first.reduce(add(sum, ones, LEN)).unwrap();
            first.record(&counted).unwrap();
            second.wait(&counted, None).unwrap();
            second.copy(copy(device(target, LEN), device(sum, LEN))).unwrap();
            second.record(&copied).unwrap();
            first.wait(&copied, None).unwrap();
            if round % 4 == 0 {
                sync(&second);
                check(round);
            }
        }
        sync(&second);
        check(ROUNDS);
    });
}
