use super::*;

#[test]
fn a_thread_finds_its_latest_notes() {
    note(0x10_0200, 7);
    note(0x10_0400, 8);
    assert_eq!((record(0x10_0200), record(0x10_0400)), (7, 8));
    note(0x10_0200, 9);
    assert_eq!(record(0x10_0200), 9);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(record(0x10_0200), 0));
    });
}

#[test]
fn two_that_meet_stay_both() {
    let bases = || (1..1_000_000).map(|n| n << GRAIN_BITS);
    let first = bases().next().unwrap();
    let meets = |base: &usize| place_of(*base).0 == place_of(first).0;
    let all: Vec<_> = bases().filter(meets).take(3).collect();
    assert_eq!(all.len(), 3);
    note(all[0], 1);
    note(all[1], 2);
    assert_eq!([record(all[0]), record(all[1])], [1, 2]);
    // To note the same address again evicts nothing. Another address evicts the older entry.
    note(all[1], MAX_RECORDS - 1);
    assert_eq!([record(all[0]), record(all[1])], [1, MAX_RECORDS - 1]);
    note(all[2], 3);
    assert_eq!([record(all[1]), record(all[2])], [MAX_RECORDS - 1, 3]);
}

#[test]
fn threads_have_the_tables_of_threads_that_have_ended() {
    // Threads of other tests may take one in between.
    let again = (0..100).any(|_| {
        let used = || {
            note(0x10_0200, 7);
            MINE.get().as_ptr().addr()
        };
        let [one, other] = [(); 2].map(|()| std::thread::spawn(used).join().unwrap());
        assert_ne!(one, NONE.as_ptr().addr());
        one == other
    });
    assert!(again);
}

#[test]
fn places_are_spread_at_any_distance_of_addresses() {
    for distance in [512, 4096, 2 << 20, 3 << 20, 1 << 30] {
        let places: std::collections::BTreeSet<_> = (0..1000).map(|n| place_of(n * distance).0).collect();
        assert!(places.len() > 700, "{} places for a distance of {distance}", places.len());
    }
}
