//! Measures what the common calls cost.

use crate::backend::Calls;
use std::hint::black_box;

use super::*;

/// Prints what one call of `step` costs.
fn nanoseconds(what: &str, calls: u32, step: impl Fn()) {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        (0..calls).for_each(|_| step());
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    println!("{what}: {best:.1} ns");
}

/// Run by `cargo test --release --lib cpu::tests::cost -- --ignored --nocapture`.
#[test]
#[ignore = "prints costs"]
fn cost() {
    let bench = Bench::new(false);
    let (stream, event) = (bench.stream(), bench.event());
    let (small, large) = (bench.alloc(256).addr, bench.alloc(32 << 10).addr);
    nanoseconds("idle: synchronize", 1_000_000, || _ = black_box(stream.synchronize(None)));
    nanoseconds("idle: record, synchronize", 1_000_000, || {
        stream.record(&event).unwrap();
        _ = black_box(stream.synchronize(None));
    });
    nanoseconds("idle: fill 256 bytes", 1_000_000, || {
        stream.fill(fill(small, 256, 1)).unwrap();
    });
    nanoseconds("idle: fill 32 KiB, claimed", 200_000, || {
        stream.fill(fill(large, 32 << 10, 1)).unwrap();
    });
    let other = bench.stream();
    nanoseconds("blocked: 1000 fills queued behind a record, and run", 100, || {
        let gate = Gate::close(&other);
        other.record(&event).unwrap();
        stream.wait(&event, None).unwrap();
        for _ in 0..1000 {
            stream.fill(fill(small, 256, 1)).unwrap();
        }
        gate.open();
        sync(&stream);
    });
}
