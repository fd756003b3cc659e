use super::super::tests::range;
use super::*;

fn retire(map: &AddressMap, base: usize) -> bool {
    map.find_start(base).is_some_and(|(entry, _)| map.retire(entry))
}

#[cfg(not(loom))]
mod real {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::super::tests::real::{MIDDLE, check_with_parked};
    use super::super::super::{InsertError, PAGE_LEN};
    use super::*;
    use crate::tests::cases;

    #[test]
    fn a_retired_range_is_not_found_until_it_is_revived_unchanged() {
        let map = AddressMap::new();
        for there in [range(MIDDLE + 0x1000, 3 * PAGE_LEN), range(MIDDLE + 4 * PAGE_LEN, 0x100)] {
            map.insert_again(there).unwrap();
            let (entry, found) = map.find_start(there.base).unwrap();
            assert_eq!(found, there);
            assert!(map.retire(entry) && !map.retire(entry));
            check_with_parked(&map, 1);
            for addr in [there.base, there.base + 0x80, there.last()] {
                assert_eq!(map.find(addr), None);
            }
            assert_eq!((map.find_start(there.base), map.reach(there.base)), (None, None));
            assert!(map.park(entry).is_none());
            assert_eq!((map.remove(there.base), map.snapshot()), (None, vec![]));
            assert!(!map.update(there.base, [0; 3]));
            map.insert_again(there).unwrap();
            check_with_parked(&map, 0);
            assert_eq!((map.find(there.last()), map.count()), (Some(there), 1));
            // The earlier entry does not match.
            assert!(!map.retire(entry));
            let in_the_way = InsertError::Overlap { base: there.base, len: there.len };
            assert_eq!(map.insert_again(there), Err(in_the_way));
            assert_eq!(map.remove(there.base), Some(there));
            check_with_parked(&map, 0);
        }
    }

    #[test]
    fn a_range_comes_back_where_it_is_known_to_rest_and_nowhere_else() {
        let map = AddressMap::new();
        let (there, other) = (range(MIDDLE + 0x1000, 0x1000), range(MIDDLE + 0x4000, 0x1000));
        for each in [there, other] {
            map.insert(each).unwrap();
        }
        let [record, other_record] = [there, other].map(|each| map.record_of(each.base).unwrap());
        assert!(!map.revive_in(record, there), "it is live");
        assert!(retire(&map, there.base) && retire(&map, other.base));
        let changed = Range { words: [1, 2, 3], ..there };
        for (index, range) in [(0, there), (u32::MAX, there), (other_record, there), (record, changed)] {
            assert!(!map.revive_in(index, range), "{index}");
        }
        assert_eq!((map.find(there.base), map.find(other.base)), (None, None));
        assert!(map.revive_in(record, there) && !map.revive_in(record, there));
        assert_eq!(map.find(there.last()), Some(there));
    }

    #[test]
    fn what_differs_takes_the_place_of_what_rests() {
        let first = range(MIDDLE + 0x1000, 0x1000);
        let others = [
            range(first.base, first.len - 1),
            range(first.base, first.len + PAGE_LEN),
            Range { words: [1, 2, 3], ..first },
            range(first.base - 0x800, 0x1000),
            range(first.base + 0x800, 0x100),
            range(first.base - PAGE_LEN, 4 * PAGE_LEN),
            // This range is in the same 256 bytes as the first one's beginning.
            range(first.base & !0xff, 1),
        ];
        for (number, other) in others.into_iter().enumerate() {
            let map = AddressMap::new();
            map.insert(first).unwrap();
            assert!(retire(&map, first.base));
            match number % 2 {
                0 => map.insert(other).unwrap(),
                _ => map.insert_again(other).unwrap(),
            }
            check_with_parked(&map, 0);
            assert_eq!((map.snapshot(), map.count()), (vec![other], 1));
        }
    }

    #[test]
    fn a_range_takes_the_place_of_all_that_rests_there_and_of_nothing_live() {
        let map = AddressMap::new();
        let at = |n: usize| range(MIDDLE + n * 0x8_0000, 0x8_0000);
        (0..16).for_each(|n| map.insert(at(n)).unwrap());
        (0..16).filter(|&n| n != 9).for_each(|n| assert!(retire(&map, at(n).base)));
        let in_the_way = InsertError::Overlap { base: at(9).base, len: at(9).len };
        let all = range(at(1).base, 14 * 0x8_0000);
        assert_eq!(map.insert(all), Err(in_the_way));
        assert!(retire(&map, at(9).base));
        map.insert(all).unwrap();
        check_with_parked(&map, 2);
        assert_eq!(map.snapshot(), [all]);
    }

    #[test]
    fn what_rests_leaves_pages_that_are_to_be_held() {
        let map = AddressMap::new();
        let there = [range(MIDDLE - 0x100, 0x200), range(MIDDLE + 0x200, PAGE_LEN)];
        there.iter().for_each(|range| map.insert(*range).unwrap());
        assert!(retire(&map, there[0].base) && retire(&map, there[1].base));
        map.hold(MIDDLE, 2 * PAGE_LEN).unwrap();
        check_with_parked(&map, 0);
        let mut records = Vec::new();
        map.claim_held(&mut records);
        let held = range(there[1].base, 0x100);
        assert!(map.insert_held(records[0], &held, held.len));
        assert_eq!(map.find_start(held.base).map(|(_, found)| found), Some(held));
    }

    #[test]
    fn what_rests_is_drained_unmentioned() {
        let map = AddressMap::new();
        let at = |n: usize| range(MIDDLE + n * 0x1000, 0x1000);
        (0..6).for_each(|n| map.insert(at(n)).unwrap());
        (0..4).for_each(|n| assert!(retire(&map, at(n).base)));
        let drained = map.drain(|range| range.base >= at(2).base && range.base < at(5).base);
        assert_eq!(drained, [at(4)]);
        check_with_parked(&map, 2);
        assert_eq!(map.drain(|_| true), [at(5)]);
        check_with_parked(&map, 0);
        assert!(map.is_empty());
    }

    /// Checks threads that insert and remove ranges beside each other, and over each other in turns, and one that looks
    /// them up.
    #[test]
    fn lookers_see_ranges_or_nothing() {
        const ROUNDS: usize = if cfg!(miri) { 50 } else { 20_000 };
        let map = AddressMap::new();
        let ranges = [range(MIDDLE + 0x300, 0x500), range(MIDDLE + 0x800, 2 * PAGE_LEN)];
        std::thread::scope(|scope| {
            for there in ranges {
                let map = &map;
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        let len = if round % 5 == 0 { there.len - 0x100 } else { there.len };
                        map.insert_again(range(there.base, len)).unwrap();
                        assert_eq!(map.find(there.base), Some(range(there.base, len)));
                        assert!(retire(map, there.base));
                        assert_eq!(map.find(there.base), None);
                    }
                });
            }
            scope.spawn(|| {
                for round in 0..ROUNDS {
                    let there = ranges[round % 2];
                    if let Some(found) = map.find(there.base + there.len / 2) {
                        assert_eq!(found, range(found.base, found.len));
                    }
                }
            });
        });
        check_with_parked(&map, 2);
    }

    proptest! {
        #![proptest_config(cases(24))]
        /// Inserts and retires ranges, which may overlap, in any order.
        #[test]
        fn it_behaves_as_a_map(
            steps in prop::collection::vec((0..4_usize, 0..12_usize, 1..4_usize), 1..if cfg!(miri) { 30 } else { 120 }),
        ) {
            const LEN: usize = (PAGE_LEN / 3) & !0xff;
            let of = |n: usize, len: usize| range(MIDDLE - 0x1000 + n * LEN, len * LEN);
            let map = AddressMap::new();
            let (mut live, mut parked) = (BTreeMap::new(), BTreeMap::new());
            let meets = |other: &Range, there: &Range| {
                other.base <= there.last() && there.base <= other.last()
            };
            for (step, n, len) in steps {
                let there = of(n, len);
                match step {
                    0 | 1 => {
                        let free = !live.values().any(|other| meets(other, &there));
                        let inserted = if step == 0 { map.insert(there) } else { map.insert_again(there) };
                        prop_assert_eq!(inserted.is_ok(), free);
                        if free {
                            parked.retain(|_, other| !meets(other, &there));
                            live.insert(there.base, there);
                        } else {
                            // The call may have replaced some retired ranges before it reached a live one.
                            let state = map.state.lock();
                            let is_there = |base: &usize| {
                                (1..state.fresh).any(|index| {
                                    let record = &map.records[index as usize];
                                    record.is_retired() && record.contents().base == *base
                                })
                            };
                            let gone: Vec<_> = parked.keys().copied().filter(|base| !is_there(base)).collect();
                            for base in gone {
                                let other = parked.remove(&base).unwrap();
                                prop_assert!(meets(&other, &there));
                            }
                        }
                    }
                    2 => {
                        let was = live.remove(&there.base);
                        prop_assert_eq!(retire(&map, there.base), was.is_some());
                        parked.extend(was.map(|was| (was.base, was)));
                    }
                    _ => prop_assert_eq!(map.remove(there.base), live.remove(&there.base)),
                }
                check_with_parked(&map, parked.len());
                for addr in (0..14).map(|n| of(n, 1).base + LEN / 2) {
                    let there = live.values().find(|range| range.contains(addr));
                    prop_assert_eq!(map.find(addr), there.copied());
                }
            }
        }
    }
}

#[cfg(loom)]
#[path = "retired_models.rs"]
mod loom_retired;
