use super::*;

/// Returns a range that shows whether it was seen whole.
pub(super) fn range(base: usize, len: usize) -> Range {
    Range { base, len, words: [base as u64, len as u64, (base ^ len) as u64] }
}

#[cfg(not(loom))]
pub(super) mod real {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::super::record::IN_CHANGE;
    use super::*;

    const TOP: usize = 1 << ADDRESS_BITS;
    /// The address at which the tests work: a border between two chunks of pages.
    pub(crate) const MIDDLE: usize = if cfg!(miri) { 0x3000_0000 } else { 0x7f00_0000_0000 };

    pub(crate) fn range(base: usize, len: usize) -> Range {
        let (b, l) = (base as u64, len as u64);
        Range { base, len, words: [b.wrapping_mul(3), l.wrapping_mul(5), b ^ l] }
    }

    fn is_genuine(found: &Range) -> bool {
        *found == range(found.base, found.len)
    }

    /// Checks invariants while the map does not change.
    pub(crate) fn check(map: &AddressMap) {
        check_with_parked(map, 0);
    }

    /// Checks invariants of a map that has this number of parked or retired ranges, while it does not change.
    pub(crate) fn check_with_parked(map: &AddressMap, expected: usize) {
        let state = map.state.lock();
        let mut there = BTreeMap::new();
        let mut parked = 0;
        for index in 1..state.fresh {
            let record = &map.records[index as usize];
            assert_ne!(record.sequence.load(Relaxed) % 4, IN_CHANGE);
            if state.free.contains(&index) {
                assert_eq!(record.read(), None);
                continue;
            }
            let range = record.contents();
            parked += usize::from(record.read().is_none());
            assert_eq!(there.insert(range.base, range), None);
        }
        assert_eq!(parked, expected, "records are lost");
        assert_eq!(state.free.len() + there.len() + 1, state.fresh as usize);
        let ranges: Vec<_> = there.into_values().collect();
        assert!(ranges.windows(2).all(|pair| pair[0].last() < pair[1].base), "ranges overlap");

        let mut covers = 0;
        let mut starts = 0;
        // These are the pages that were used lately: checking every page takes too long.
        let near = ranges.first().map_or(0, |first| page_of(first.base).saturating_sub(16))
            ..ranges.last().map_or(usize::MAX, |last| page_of(last.last()) + 17);
        let sheets = (0..PAGE_CHUNKS).filter(|&sheet| map.sheets.get(sheet).is_some());
        let pages = sheets.map(|sheet| sheet * PAGE_CHUNK_LEN).flat_map(|first| first..first + PAGE_CHUNK_LEN);
        for number in pages.filter(|number| near.contains(number)) {
            let page = map.page_at(number);
            let cover = page.cover.load(Relaxed);
            if cover != 0 {
                covers += 1;
                let range = map.records[cover as usize].contents();
                assert!(range.contains(number << PAGE_BITS));
            }
            for (granule, index) in page.starts() {
                starts += 1;
                let range = map.records[index as usize].contents();
                assert_eq!((page_of(range.base), granule_of(range.base)), (number, granule));
                assert_ne!(range.base % PAGE_LEN, 0);
            }
        }
        assert_eq!(covers, ranges.iter().map(|range| covered_pages(range).count()).sum::<usize>());
        assert_eq!(starts, ranges.iter().filter(|range| range.base % PAGE_LEN != 0).count());
    }

    #[test]
    fn words_of_a_range_change_in_place() {
        let map = AddressMap::new();
        map.insert(range(MIDDLE, 5000)).unwrap();
        map.insert(range(MIDDLE + 8192, 10)).unwrap();
        assert!(!map.update(MIDDLE + 1, [1, 2, 3]) && !map.update(MIDDLE + 5000, [1, 2, 3]));
        assert!(map.update(MIDDLE, [1, 2, 3]));
        let changed = Range { base: MIDDLE, len: 5000, words: [1, 2, 3] };
        assert_eq!(map.find(MIDDLE + 4999), Some(changed));
        assert_eq!(map.find(MIDDLE + 8192), Some(range(MIDDLE + 8192, 10)));
        check(&map);
        assert_eq!(map.remove(MIDDLE), Some(changed));
        assert!(!map.update(MIDDLE, [0; 3]));
        check(&map);
    }

    #[test]
    fn a_map_lives_in_a_static_and_finds_every_byte() {
        static MAP: AddressMap = AddressMap::new();
        let slab = range(MIDDLE + 0x300, 0x200);
        MAP.insert(slab).unwrap();
        for addr in slab.base..=slab.last() {
            assert_eq!(MAP.find(addr), Some(slab));
        }
        assert_eq!(MAP.find(slab.base - 1), None);
        assert_eq!(MAP.find(slab.last() + 1), None);
        assert_eq!(MAP.remove(slab.base + 1), None);
        assert_eq!(MAP.remove(slab.base), Some(slab));
        assert_eq!(MAP.remove(slab.base), None);
        assert_eq!(MAP.find(slab.base), None);
        assert_eq!(MAP.count(), 0);
        check(&MAP);
    }

    #[test]
    fn any_address_may_be_asked_for() {
        let map = AddressMap::new();
        let strange = [0, 1, 255, TOP - 1, TOP, TOP + 1, TOP * 2, usize::MAX / 2, usize::MAX - 1, usize::MAX];
        for addr in strange {
            assert_eq!((map.find(addr), map.remove(addr)), (None, None));
        }
        map.insert(range(0, 1)).unwrap();
        map.insert(range(TOP - 1, 1)).unwrap();
        for addr in strange {
            assert_eq!(map.find(addr).is_some(), addr == 0 || addr == TOP - 1, "{addr:#x}");
        }
        check(&map);
    }

    #[test]
    fn what_cannot_be_registered_is_refused() {
        let map = AddressMap::new();
        assert_eq!(map.insert(range(MIDDLE, 0)), Err(InsertError::Empty));
        for (base, len) in [(TOP, 1), (TOP - 1, 2), (usize::MAX, 1), (usize::MAX, 2), (1, usize::MAX)] {
            assert_eq!(map.insert(range(base, len)), Err(InsertError::Unaddressable), "{base:#x}");
        }
        assert_eq!(map.count(), 0);
        check(&map);
    }

    #[test]
    fn overlaps_are_refused_and_name_the_other() {
        let map = AddressMap::new();
        let page = 1 << 21;
        let small = range(MIDDLE + 0x1000, 0x1000);
        let straddling = range(MIDDLE + page - 0x1000, 0x2000);
        let long = range(MIDDLE + 4 * page, 3 * page + 0x1000);
        for other in [small, straddling, long] {
            map.insert(other).unwrap();
        }
        let refused = |base, len, other: Range| {
            let overlap = InsertError::Overlap { base: other.base, len: other.len };
            assert_eq!(map.insert(range(base, len)), Err(overlap), "{base:#x} {len:#x}");
        };
        for other in [small, straddling, long] {
            refused(other.base, other.len, other);
            refused(other.base, 1, other);
            refused(other.base + 0x100, 0x100, other);
            refused(other.last(), 1, other);
            refused(other.base - 0x100, 0x101, other);
            refused(other.last() & !0xff, 0x1000, other);
        }
        refused(MIDDLE - 0x1000, 10 * page, small);
        refused(MIDDLE + page + 0x1000, 9 * page, long);
        check(&map);
        assert_eq!(map.count(), 3);
    }

    #[test]
    fn ranges_need_no_alignment_but_one_granule_has_one_beginning() {
        let map = AddressMap::new();
        let ranges = [range(MIDDLE, 0x10), range(MIDDLE + 0x20, 0x1f0), range(MIDDLE + 0x240, 0x100)];
        for range in ranges {
            map.insert(range).unwrap();
        }
        for range in ranges {
            for addr in range.base..=range.last() {
                assert_eq!(map.find(addr), Some(range), "{addr:#x}");
            }
            assert_eq!(map.find(range.last() + 1), None);
        }
        let crowded = InsertError::Overlap { base: MIDDLE + 0x20, len: 0x1f0 };
        assert_eq!(map.insert(range(MIDDLE + 0x10, 0x10)), Err(crowded));
        check(&map);
    }

    #[test]
    fn conditional_removal_and_draining() {
        let map = AddressMap::new();
        for n in 0..10 {
            map.insert(Range { base: MIDDLE + n * 0x1000, len: 0x1000, words: [n as u64, 0, 0] }).unwrap();
        }
        assert_eq!(map.remove_if(MIDDLE, |range| range.words[0] == 1), None);
        assert_eq!(map.remove_if(MIDDLE, |range| range.words[0] == 0).unwrap().base, MIDDLE);
        let odd = map.drain(|range| range.words[0] % 2 == 1);
        assert_eq!(odd.len(), 5);
        assert!(odd.iter().all(|range| map.find(range.base).is_none()));
        let mut left: Vec<_> = map.snapshot().iter().map(|range| range.words[0]).collect();
        left.sort_unstable();
        assert_eq!(left, [2, 4, 6, 8]);
        check(&map);
    }

    #[test]
    fn racing_removers_get_a_range_once() {
        let map = &AddressMap::new();
        // Ranges that are retired are only removed under their owner's lock.
        let owner = &std::sync::Mutex::new(());
        for _ in 0..if cfg!(miri) { 20 } else { 500 } {
            map.insert(range(MIDDLE + 0x100, 0x100)).unwrap();
            let (entry, _) = map.find_entry(MIDDLE + 0x100).unwrap();
            let got: usize = std::thread::scope(|scope| {
                let removers: Vec<_> = (0..3)
                    .map(|n| {
                        scope.spawn(move || {
                            let _lock = owner.lock();
                            match n {
                                0 => usize::from(map.remove(MIDDLE + 0x100).is_some()),
                                _ => usize::from(map.retire(entry)),
                            }
                        })
                    })
                    .collect();
                removers.into_iter().map(|remover| remover.join().unwrap()).sum()
            });
            assert_eq!(got, 1);
        }
    }

    #[test]
    fn threads_find_what_stays_and_nothing_that_never_was() {
        let map = AddressMap::new();
        let page = 1_usize << 21;
        // The permanent ranges lie between the others, and share pages and bitmap words with them.
        let stays: Vec<_> = (0..16).map(|n| range(MIDDLE + n * page + 0x700, 0x300)).collect();
        for &range in &stays {
            map.insert(range).unwrap();
        }
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for turn in 0..2_usize {
                let (map, stop) = (&map, &stop);
                scope.spawn(move || {
                    for round in 0..if cfg!(miri) { 30 } else { 30_000_usize } {
                        // The threads have separate pages, and share all records.
                        let first = MIDDLE + (round * 5 % 8 * 2 + turn) * page;
                        let comes = match round % 3 {
                            0 => range(first + 0x400, 0x300),
                            1 => range(first + 0xa00, 0x100 * (1 + round % 500)),
                            _ => range(first + page - 0x1000, 0x1000 + round % 0x300),
                        };
                        map.insert(comes).unwrap();
                        assert_eq!(map.find(comes.last()), Some(comes));
                        assert_eq!(map.remove(comes.base), Some(comes));
                        assert_eq!(map.find(comes.last()), None);
                    }
                    stop.store(true, Relaxed);
                });
            }
            scope.spawn(|| {
                let mut addr = 0;
                while !stop.load(Relaxed) {
                    for stays in &stays {
                        assert_eq!(map.find(stays.base), Some(*stays));
                        assert_eq!(map.find(stays.last()), Some(*stays));
                        addr = (addr + 0x1_2345) % (17 * page);
                        if let Some(found) = map.find(MIDDLE + addr) {
                            assert!(is_genuine(&found) && found.contains(MIDDLE + addr));
                        }
                    }
                }
            });
        });
        assert_eq!(map.count(), stays.len());
        check(&map);
    }

    /// Run by `cargo test --release --lib algo::map::address_map -- --ignored --nocapture`.
    #[test]
    #[ignore = "prints costs"]
    fn cost() {
        use crate::tests::nanoseconds;
        static MAP: AddressMap = AddressMap::new();
        let big: Vec<_> = (0..64).map(|n| range(MIDDLE + (n << 25), 1 << 25)).collect();
        let small: Vec<_> = (0..1024).map(|n| range(0x5500_0000_0000 + n * 0x2000, 0x600)).collect();
        for &range in big.iter().chain(&small) {
            MAP.insert(range).unwrap();
        }
        let mut n = 0;
        nanoseconds("address map: find in 64 ranges of 32 MiB", || {
            n = (n + 1) % 64;
            MAP.find(std::hint::black_box(big[n].base + 0x123_4567)).unwrap().len
        });
        nanoseconds("address map: find in 1024 ranges of a slab", || {
            n = (n + 1) % 1024;
            MAP.find(std::hint::black_box(small[n].base + 0x123)).unwrap().len
        });
        nanoseconds("address map: not found", || {
            n = (n + 1) % 1024;
            MAP.find(std::hint::black_box(small[n].base + 0x6600_0000)).is_none()
        });
        nanoseconds("address map: insert and remove 4 KiB", || {
            MAP.insert(range(MIDDLE - 0x1000, 0x1000)).unwrap();
            MAP.remove(MIDDLE - 0x1000).unwrap()
        });
        nanoseconds("address map: insert and remove 32 MiB", || {
            MAP.insert(range(MIDDLE - (1 << 25), 1 << 25)).unwrap();
            MAP.remove(MIDDLE - (1 << 25)).unwrap()
        });
    }
}
