use super::{LEAST_SHARE, shares};

#[test]
fn shares_cover_the_grid_and_become_smaller() {
    for blocks in [1, 2, 3, 63, 64, 10_000, 10_001, 1 << 63] {
        for threads in [1, 2, 3, 64] {
            let ends = shares(blocks, threads);
            let sizes: Vec<u64> =
                ends.iter().scan(0, |first, end| Some(end - std::mem::replace(first, *end))).collect();
            assert_eq!(ends.last(), Some(&blocks), "{threads}: {ends:?}");
            assert!(sizes.iter().all(|size| *size > 0), "{blocks}, {threads}: {sizes:?}");
            assert!(sizes.is_sorted_by(|a, b| a >= b), "{blocks}, {threads}: {sizes:?}");
            // The last thread that begins a part has little to do, and there are few parts.
            assert!(*sizes.last().unwrap() <= blocks.div_ceil(threads as u64 * LEAST_SHARE));
            assert!(sizes.len() <= 12 * threads, "{blocks}, {threads}: {}", sizes.len());
        }
    }
}

/// Returns the completion time of threads that take parts in turn, each as soon as it is free.
fn time_of(ends: &[u64], threads: usize, cost: impl Fn(u64) -> u64) -> u64 {
    let mut clocks = vec![0; threads];
    let mut begin = 0;
    for &end in ends {
        let earliest = clocks.iter_mut().min().unwrap();
        *earliest += (begin..end).map(&cost).sum::<u64>();
        begin = end;
    }
    clocks.into_iter().max().unwrap()
}

#[test]
fn blocks_that_take_long_spread_evenly() {
    const BLOCKS: u64 = 10_000;
    let costs: [fn(u64) -> u64; 3] = [
        |block| if block >= BLOCKS - 100 { 99 } else { 1 },
        |block| if block % 100 == 0 { 99 } else { 1 },
        |block| block / 100 + 1,
    ];
    for threads in [2, 4] {
        for (number, cost) in costs.iter().enumerate() {
            let all: u64 = (0..BLOCKS).map(cost).sum();
            let time = time_of(&shares(BLOCKS, threads), threads, cost);
            let share = all / threads as u64;
            assert!(time <= share + share / 20, "{number}, {threads}: {time}, {share} each");
        }
    }
}
