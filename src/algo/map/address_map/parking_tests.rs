use super::super::tests::range;
use super::*;

#[cfg(not(loom))]
mod real {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use proptest::prelude::*;

    use super::super::super::tests::real::{MIDDLE, check_with_parked};
    use super::super::super::{InsertError, PAGE_LEN};
    use super::*;
    use crate::tests::cases;

    #[test]
    fn a_parked_range_is_not_found_until_it_is_revived_unchanged() {
        let map = AddressMap::new();
        let there = range(MIDDLE + 0x1000, 3 * PAGE_LEN);
        map.insert(there).unwrap();
        let (entry, found) = map.find_entry(MIDDLE + PAGE_LEN).unwrap();
        assert_eq!(found, there);
        let parked = map.park(entry).unwrap();
        check_with_parked(&map, 1);
        assert_eq!(map.park(entry), None);
        for addr in [there.base, MIDDLE + PAGE_LEN, there.base + there.len - 1] {
            assert_eq!(map.find(addr), None);
        }
        assert_eq!((map.remove(there.base), map.drain(|_| true)), (None, vec![]));
        assert!(map.snapshot().is_empty());
        assert_eq!(map.unpark(parked), there.base);
        check_with_parked(&map, 0);
        assert_eq!(map.find(MIDDLE + PAGE_LEN), Some(there));
        // The earlier entry does not match.
        assert_eq!(map.park(entry), None);
        assert_eq!(map.remove(there.base), Some(there));
        check_with_parked(&map, 0);
    }

    #[test]
    fn parked_ranges_are_in_the_way_until_they_are_removed() {
        let map = AddressMap::new();
        let ranges = [range(MIDDLE, 0x800), range(MIDDLE + 0x800, 0x800)];
        let parked = ranges.map(|range| {
            map.insert(range).unwrap();
            map.park(map.find_entry(range.base).unwrap().0).unwrap()
        });
        for there in ranges {
            let in_the_way = InsertError::Overlap { base: there.base, len: there.len };
            assert_eq!(map.insert(range(there.base, 1)), Err(in_the_way));
            assert_eq!(map.insert(range(there.base + 0x400, 0x10)), Err(in_the_way));
        }
        assert_eq!(map.remove_parked(parked), ranges);
        check_with_parked(&map, 0);
        map.insert(range(MIDDLE + 0x400, 0x800)).unwrap();
        check_with_parked(&map, 0);
    }

    #[test]
    fn of_racing_threads_one_parks() {
        let map = AddressMap::new();
        map.insert(range(MIDDLE + 0x100, 0x100)).unwrap();
        for _ in 0..if cfg!(miri) { 20 } else { 500 } {
            let (entry, _) = map.find_entry(MIDDLE + 0x100).unwrap();
            let parked: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| map.park(entry))).collect();
                threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(parked.len(), 1);
            parked.into_iter().for_each(|parked| _ = map.unpark(parked));
        }
    }

    /// Checks that concurrent lookups see a range wholly or not at all, during all changes.
    #[test]
    fn lookers_see_ranges_or_nothing() {
        const ROUNDS: usize = if cfg!(miri) { 50 } else { 20_000 };
        let map = AddressMap::new();
        let ranges = [range(MIDDLE + 0x300, 0x500), range(MIDDLE + 0x800, 2 * PAGE_LEN)];
        let seen = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for there in ranges {
                let map = &map;
                scope.spawn(move || {
                    map.insert(there).unwrap();
                    for round in 0..ROUNDS {
                        let (entry, _) = map.find_entry(there.base).unwrap();
                        let parked = map.park(entry).unwrap();
                        assert_eq!(map.find(there.base), None);
                        if round % 3 == 0 {
                            assert_eq!(map.remove_parked([parked]), [there]);
                            map.insert(there).unwrap();
                        } else {
                            assert_eq!(map.unpark(parked), there.base);
                        }
                    }
                });
            }
            scope.spawn(|| {
                for round in 0..ROUNDS {
                    let there = ranges[round % 2];
                    if let Some(found) = map.find(there.base + there.len / 2) {
                        assert_eq!(found, there);
                        seen.fetch_add(1, Relaxed);
                    }
                }
            });
        });
        check_with_parked(&map, 0);
        assert_eq!(map.count(), 2);
    }

    proptest! {
        #![proptest_config(cases(24))]
        /// Inserts, parks, shows and removes adjacent ranges in any order.
        #[test]
        fn it_behaves_as_a_map_with_a_drawer(
            steps in prop::collection::vec((0..4_usize, 0..12_usize), 1..if cfg!(miri) { 30 } else { 120 }),
        ) {
            const LEN: usize = (PAGE_LEN / 3) & !0xff;
            let of = |n: usize| range(MIDDLE - 0x1000 + n * LEN, LEN);
            let map = AddressMap::new();
            let (mut live, mut drawer) = (BTreeMap::new(), BTreeMap::new());
            for (step, n) in steps {
                match step {
                    0 => {
                        let free = !live.contains_key(&n) && !drawer.contains_key(&n);
                        prop_assert_eq!(map.insert(of(n)).is_ok(), free);
                        if free {
                            live.insert(n, of(n));
                        }
                    }
                    1 => if live.remove(&n).is_some() {
                        let (entry, _) = map.find_entry(of(n).base).unwrap();
                        drawer.insert(n, map.park(entry).unwrap());
                    }
                    2 => if let Some(parked) = drawer.remove(&n) {
                        prop_assert_eq!(map.unpark(parked), of(n).base);
                        live.insert(n, of(n));
                    }
                    _ => match drawer.remove(&n) {
                        Some(parked) => prop_assert_eq!(map.remove_parked([parked]), vec![of(n)]),
                        None => prop_assert_eq!(map.remove(of(n).base), live.remove(&n)),
                    }
                }
                check_with_parked(&map, drawer.len());
                for n in 0..12 {
                    let middle = of(n).base + of(n).len / 2;
                    prop_assert_eq!(map.find(middle), live.get(&n).copied());
                }
            }
            prop_assert_eq!(map.count(), live.len() + drawer.len());
        }
    }
}

#[cfg(loom)]
#[path = "parking_models.rs"]
mod loom_parking;
