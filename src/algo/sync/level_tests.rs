use super::*;

/// Returns the current level, and the peak.
fn read(level: &Level) -> (u64, u64) {
    let Usage { current, peak } = level.read();
    (current, peak)
}

#[test]
fn the_peak_stays_until_it_begins_again() {
    let level = Level::default();
    assert_eq!(read(&level), (0, 0));
    level.add(100);
    level.add(50);
    level.sub(100);
    assert_eq!(read(&level), (50, 150));
    level.add(99);
    assert_eq!(read(&level), (149, 150));
    level.restart();
    assert_eq!(level.read().peak, 149);
    level.sub(149);
    level.add(1);
    assert_eq!(read(&level), (1, 149));
}

#[test]
fn threads_lose_nothing() {
    const TURNS: usize = if cfg!(miri) { 100 } else { 10_000 };
    let level = Level::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..TURNS {
                    level.add(3);
                    level.sub(2);
                }
            });
        }
    });
    let (current, peak) = read(&level);
    assert_eq!(current, 4 * TURNS as u64);
    assert!((current..=current + 4 * 3).contains(&peak));
}
