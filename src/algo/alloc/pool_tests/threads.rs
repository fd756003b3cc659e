//! Tests with several threads.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

/// Checks threads on separate streams, which get parts during the test.
#[test]
fn threads_get_parts_and_never_the_same_memory() {
    const THREADS: u64 = 4;
    const TURNS: u64 = if cfg!(miri) { 100 } else { 20_000 };
    const LEN: usize = if cfg!(miri) { 4 * GRANULE } else { 64 * GRANULE };
    let pool = pool_of(LEN);
    let holders: Vec<AtomicU64> = (0..LEN / GRAIN).map(|_| AtomicU64::new(0)).collect();
    let place = |taken: Block| &holders[(taken.addr - (1 << 28)) / GRAIN];
    std::thread::scope(|scope| {
        for thread in 1..=THREADS {
            let (pool, place) = (&pool, &place);
            scope.spawn(move || {
                let (stream, mut live) = (StreamKey(thread), Vec::new());
                for turn in 0..TURNS {
                    let taken = pool.alloc(GRAIN, stream, &NOTHING).ok();
                    // A part that another thread uses is left out at first.
                    let taken = taken.or_else(|| pool.alloc_slow(GRAIN, stream, &NOTHING)).unwrap();
                    assert_eq!(place(taken).swap(thread, Ordering::Relaxed), 0);
                    live.push(taken);
                    if live.len() > 16 {
                        let taken: Block = live.swap_remove((turn * 7 % 16) as usize);
                        assert_eq!(place(taken).swap(0, Ordering::Relaxed), thread);
                        pool.free_at(taken, (stream, turn), false);
                    }
                }
                for taken in live {
                    place(taken).store(0, Ordering::Relaxed);
                    pool.free_unused(taken);
                }
            });
        }
    });
    let stats = pool.stats();
    assert_eq!((stats.used, stats.blocks, stats.blocks_taken), (0, 0, THREADS * TURNS));
    assert!((17..=17 * THREADS).contains(&stats.blocks_high));
}
