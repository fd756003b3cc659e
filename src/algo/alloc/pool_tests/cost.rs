//! Measures the cost of the pools' bookkeeping. The times depend on what else the machine does.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use super::ledger::{Block, TestPool};
use super::{Order, Segment, StreamKey};

/// Streams whose work is complete.
struct Idle(AtomicU64);

impl Order for Idle {
    fn passed(&self, _: StreamKey) -> Option<u64> {
        Some(self.0.load(Ordering::Acquire))
    }

    fn followed(&self, _: StreamKey) -> Option<u64> {
        None
    }

    fn can_follow(&self, _: StreamKey) -> bool {
        true
    }
}

/// A device with unlimited memory.
struct Device {
    pool: TestPool,
    streams: Idle,
    next: AtomicUsize,
}

impl Device {
    fn new() -> Self {
        let (streams, next) = (Idle(AtomicU64::new(1)), AtomicUsize::new(1 << 32));
        Self { pool: TestPool::new(), streams, next }
    }

    fn alloc(&self, len: usize, stream: u64) -> Block {
        loop {
            match self.pool.alloc(len, StreamKey(stream), &self.streams) {
                Ok(taken) => return taken,
                Err(shortage) => {
                    let len = shortage.better;
                    let addr = self.next.fetch_add(len, Ordering::Relaxed);
                    self.pool.add_segment(Segment { addr, len, token: 0 }, StreamKey(stream));
                }
            }
        }
    }

    fn free(&self, taken: Block, stream: u64) {
        self.pool.free_at(taken, (StreamKey(stream), 1), true);
    }

    /// Returns the ratio of reserved to used memory, at its peak.
    fn overhead(&self) -> f64 {
        let stats = self.pool.stats();
        stats.reserved_high as f64 / stats.used_high as f64
    }
}

/// A generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }
}

/// Runs RMM's random allocations: 2n steps, of which 73 percent allocate up to `most` bytes and the others free a
/// random block. Returns the nanoseconds of each.
fn random_allocations(device: &Device, n: usize, most: usize, stream: u64) -> f64 {
    let mut random = Random(stream + 1);
    let steps: Vec<(usize, usize)> = (0..2 * n)
        .map(|_| {
            let allocates = random.below(100) < 73;
            (if allocates { 1 + random.below(most) } else { 0 }, random.below(usize::MAX))
        })
        .collect();
    let mut live = Vec::with_capacity(n * 2);
    let start = Instant::now();
    for &(len, pick) in &steps {
        if len != 0 || live.is_empty() {
            live.push(device.alloc(len, stream));
        } else {
            let taken = live.swap_remove(pick % live.len());
            device.free(taken, stream);
        }
    }
    start.elapsed().as_nanos() as f64 / steps.len() as f64
}

/// Frees a random one of 1,000 live blocks of 256 bytes to 8 MiB, and replaces it on a random stream.
fn steady(streams: usize) -> (f64, f64) {
    const LIVE: usize = 1000;
    const STEPS: usize = 200_000;
    let device = Device::new();
    let mut random = Random(7);
    let wanted: Vec<(usize, usize, u64)> = (0..LIVE + STEPS)
        .map(|_| {
            let power = random.below(1 << 20) as f64 / f64::from(1 << 20) * 15.0;
            ((256.0 * power.exp2()) as usize, random.below(LIVE), random.below(streams) as u64)
        })
        .collect();
    let mut live: Vec<(Block, u64)> =
        wanted[..LIVE].iter().map(|&(len, _, stream)| (device.alloc(len, stream), stream)).collect();
    let start = Instant::now();
    for &(len, pick, stream) in &wanted[LIVE..] {
        let (taken, freed_on) = live[pick];
        device.free(taken, freed_on);
        live[pick] = (device.alloc(len, stream), stream);
    }
    (start.elapsed().as_nanos() as f64 / (2 * STEPS) as f64, device.overhead())
}

/// Prints the best of some runs, because others are interrupted.
fn best(what: &str, run: impl Fn() -> (f64, f64)) {
    let runs: Vec<(f64, f64)> = (0..7).map(|_| run()).collect();
    let (each, overhead) = runs.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    println!("pool: {what}: {each:.1} ns, reserved over used {overhead:.2}");
}

#[test]
#[ignore = "prints costs"]
fn costs() {
    best("one block again and again", || {
        const TIMES: u32 = 1_000_000;
        let device = Device::new();
        let start = Instant::now();
        (0..TIMES).for_each(|_| device.free(device.alloc(4096, 0), 0));
        (start.elapsed().as_nanos() as f64 / f64::from(2 * TIMES), device.overhead())
    });
    for streams in [1, 8] {
        best(&format!("1,000 live, {streams} streams"), || steady(streams));
    }
    for n in [1_000, 10_000, 100_000] {
        best(&format!("{n} random allocations to 1 MiB"), || {
            let device = Device::new();
            (random_allocations(&device, n, 1 << 20, 0), device.overhead())
        });
    }
    best("10000 random allocations to 64 MiB", || {
        let device = Device::new();
        (random_allocations(&device, 10_000, 64 << 20, 0), device.overhead())
    });
    best("10000 random allocations to 1 MiB, each of two threads", || {
        let (device, both) = (Device::new(), Barrier::new(2));
        let each = std::thread::scope(|scope| {
            let thread = |stream| {
                let (device, both) = (&device, &both);
                scope.spawn(move || {
                    both.wait();
                    random_allocations(device, 10_000, 1 << 20, stream)
                })
            };
            [thread(0), thread(1)].map(|thread| thread.join().expect("no test fails in there"))
        });
        (each.iter().sum::<f64>() / 2.0, device.overhead())
    });
}
