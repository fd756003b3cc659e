use super::*;

#[test]
fn the_peak_stays_until_it_begins_again() {
    let level = Level::default();
    assert_eq!((level.current(), level.peak()), (0, 0));
    level.add(100);
    level.add(50);
    level.sub(100);
    assert_eq!((level.current(), level.peak()), (50, 150));
    level.add(99);
    assert_eq!((level.current(), level.peak()), (149, 150));
    level.restart();
    assert_eq!(level.peak(), 149);
    level.sub(149);
    level.add(1);
    assert_eq!((level.current(), level.peak()), (1, 149));
}

#[test]
fn threads_lose_nothing() {
    const TURNS: u64 = if cfg!(miri) { 100 } else { 10_000 };
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
    assert_eq!(level.current(), 4 * TURNS);
    assert!((4 * TURNS..=4 * TURNS + 4 * 3).contains(&level.peak()));
}
