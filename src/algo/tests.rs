/// Prints what one call of `step` costs.
#[cfg(not(loom))]
pub(crate) fn nanoseconds<R>(what: &str, mut step: impl FnMut() -> R) {
    const CALLS: u32 = 2_000_000;
    let mut best = f64::MAX;
    for _ in 0..3 {
        let start = std::time::Instant::now();
        for _ in 0..CALLS {
            std::hint::black_box(step());
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
    }
    println!("{what}: {best:.1} ns");
}

/// Returns a configuration with this number of cases; Miri runs two.
#[cfg(not(loom))]
pub(crate) fn cases(count: u32) -> proptest::test_runner::Config {
    let cases = if cfg!(miri) { 2 } else { count };
    proptest::test_runner::Config { cases, failure_persistence: None, ..Default::default() }
}

/// Runs `body` in every order of its threads' steps with at most three preemptions; more have never found a bug,
/// and take too long. `LOOM_MAX_PREEMPTIONS` and loom's other variables override it.
#[cfg(loom)]
pub(crate) fn model(body: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(body);
}
