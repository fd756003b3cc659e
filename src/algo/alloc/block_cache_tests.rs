use super::*;
use crate::algo::map::address_map::{AddressMap, Range};

/// A range that is in the map and parked.
fn parked(map: &AddressMap, n: usize) -> Parked {
    let base = 0x1000 * (n + 1);
    map.insert(Range { base, len: 0x1000, words: [n as u64, 0, 0] }).unwrap();
    map.park(map.find_entry(base).unwrap().0).unwrap()
}

#[cfg(not(loom))]
mod real {
    use std::collections::HashMap;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use proptest::prelude::*;

    use super::*;

    const ALL: usize = usize::MAX;

    fn put(cache: &BlockCache, key: Key, block: Parked) -> bool {
        cache.put(0, (key, 100, ALL), || Some(block))
    }

    #[test]
    fn a_block_comes_back_to_requests_of_its_key_at_its_stripe_only() {
        let (map, cache) = (AddressMap::new(), BlockCache::new());
        assert_eq!(cache.take(0, 7, |_| ()), None);
        assert!(put(&cache, 7, parked(&map, 2)));
        assert_eq!(cache.bytes(), 100);
        assert_eq!(cache.take(0, 8, |_| ()), None);
        assert_eq!(cache.take(1, 7, |_| ()), None);
        assert_eq!(cache.take(0, 7, |block| map.unpark(block)), Some(0x3000));
        assert_eq!((cache.take(0, 7, |_| ()), cache.bytes()), (None, 0));
    }

    #[test]
    fn bounds_hold_and_nothing_is_parked_beyond_them() {
        let (map, cache) = (AddressMap::new(), BlockCache::new());
        for n in 0..DEPTH {
            assert!(put(&cache, 7, parked(&map, n)));
        }
        let refuse = |key, bytes, most| {
            assert!(!cache.put(0, (key, bytes, most), || unreachable!("there is no room")));
        };
        refuse(7, 100, ALL);
        refuse(7, 200, ALL);
        refuse(8, 100, DEPTH * 100);
        assert!(cache.put(0, (8, 100, DEPTH * 100 + 100), || Some(parked(&map, DEPTH))));
        // A block that cannot be parked after all changes nothing.
        assert!(!cache.put(0, (9, 100, ALL), || None));
        assert_eq!(cache.bytes(), DEPTH * 100 + 100);
    }

    #[test]
    fn what_is_in_the_way_for_too_long_goes() {
        let (map, cache) = (AddressMap::new(), BlockCache::new());
        let other = (8..).find(|key| list_of(*key) == list_of(7)).unwrap();
        assert!(put(&cache, 7, parked(&map, 0)));
        for _ in 0..PATIENCE {
            assert_eq!(cache.make_room(0, other), []);
            assert!(!cache.put(0, (other, 10, ALL), || unreachable!("in the way")));
        }
        assert_eq!(cache.make_room(0, other).len(), 1);
        assert_eq!(cache.bytes(), 0);
        assert!(put(&cache, other, parked(&map, 1)));
        // Too many bytes: all goes.
        for _ in 0..PATIENCE {
            assert_eq!(cache.make_room(0, 9), []);
            assert!(!cache.put(0, (9, 10, 100), || unreachable!("too much")));
        }
        assert_eq!(cache.make_room(0, 9).len(), 1);
        assert!(cache.put(0, (9, 10, 100), || Some(parked(&map, 2))));
    }

    #[test]
    fn under_pressure_nothing_is_kept() {
        let (map, cache) = (AddressMap::new(), BlockCache::new());
        assert!(put(&cache, 7, parked(&map, 0)));
        assert!(cache.put(1, (7, 100, ALL), || Some(parked(&map, 1))));
        let (all, pressure) = cache.flush();
        assert_eq!((all.len(), cache.bytes()), (2, 0));
        assert!(!cache.put(0, (7, 100, ALL), || unreachable!("under pressure")));
        drop(pressure);
        assert!(put(&cache, 7, parked(&map, 2)));
        assert_eq!(cache.flush().0.len(), 1);
        assert_eq!(cache.take(0, 7, |_| ()), None);
    }

    /// Threads free and allocate while others flush: every block is in one place.
    #[test]
    fn blocks_are_neither_lost_nor_allocated_twice() {
        const THREADS: usize = 4;
        let (map, cache) = (AddressMap::new(), BlockCache::new());
        /// Says that a thread has ended, also when it ends by a failure.
        struct Running<'a>(&'a AtomicUsize);
        impl Drop for Running<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Relaxed);
            }
        }
        let running = AtomicUsize::new(THREADS);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let (map, cache, running) = (&map, &cache, &running);
                    scope.spawn(move || {
                        let _running = Running(running);
                        let mut mine = Vec::new();
                        for round in 0..20_000 {
                            // Two threads share each stripe.
                            let stripe = thread / 2;
                            let key = (round % 3) as Key;
                            if let Some(base) = cache.take(stripe, key, |block| map.unpark(block)) {
                                mine.push(base);
                            } else if mine.is_empty() {
                                let base = 0x1000_0000 * (thread + 1) + 0x100 * (round + 1);
                                map.insert(Range { base, len: 0x100, words: [0; 3] }).unwrap();
                                mine.push(base);
                            }
                            let Some(base) = mine.pop() else { continue };
                            let (entry, _) = map.find_entry(base).expect("a block of ours");
                            let park = || map.park(entry);
                            if !cache.put(stripe, (key, 64, 640), park) {
                                mine.push(base);
                            }
                            if mine.len() > 8 {
                                mine.drain(..4).for_each(|base| _ = map.remove(base).unwrap());
                            }
                        }
                        mine.into_iter().for_each(|base| _ = map.remove(base).unwrap());
                    })
                })
                .collect();
            scope.spawn(|| {
                while running.load(Relaxed) != 0 {
                    map.remove_parked(cache.flush().0);
                    std::thread::yield_now();
                }
            });
            workers.into_iter().for_each(|worker| worker.join().unwrap());
        });
        map.remove_parked(cache.flush().0);
        assert_eq!((map.len(), cache.bytes()), (0, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]
        /// It never has more or other blocks than were put in, and knows how many bytes they are.
        #[test]
        fn it_behaves_as_lists_by_key(steps in prop::collection::vec((0..8_u8, 0..6_u64), 1..200)) {
            let (map, cache) = (AddressMap::new(), BlockCache::new());
            let mut model: HashMap<Key, Vec<usize>> = HashMap::new();
                for (number, (step, key)) in steps.into_iter().enumerate() {
                let bytes = 64 * (key as usize + 1);
                match step {
                    0..4 => {
                        let mut new = None;
                        let park = || Some(parked(&map, *new.insert(number)));
                        if cache.put(0, (key, bytes, 4096), park) {
                            model.entry(key).or_default().push(0x1000 * (number + 1));
                        }
                    }
                    4..7 => {
                        let got = cache.take(0, key, |block| map.remove_parked([block])[0].base);
                        let wanted = model.get_mut(&key).and_then(Vec::pop);
                        prop_assert_eq!(got, wanted);
                    }
                    _ => {
                        let gone = map.remove_parked(cache.make_room(0, key));
                        for range in gone {
                            model.values_mut().for_each(|list| list.retain(|base| *base != range.base));
                        }
                    }
                }
                let total: usize =
                    model.iter().map(|(key, list)| 64 * (*key as usize + 1) * list.len()).sum();
                prop_assert_eq!((cache.bytes(), map.len()), (total, model.values().flatten().count()));
            }
        }
    }
}

#[cfg(loom)]
mod loom_block_cache {
    use loom::sync::Arc as Shared;
    use loom::thread;

    use super::*;
    use crate::algo::tests::model;

    const ALL: usize = usize::MAX;

    /// A thread frees a block during a flush: it is flushed, or was not cached.
    #[test]
    fn loom_flushing_misses_nothing() {
        model(|| {
            let map = Shared::new(AddressMap::new());
            let cache = Shared::new(BlockCache::new());
            map.insert(Range { base: 0, len: 0x100, words: [0; 3] }).unwrap();
            // The stripe is there already.
            assert!(!cache.put(0, (7, 100, ALL), || None));
            let freeing = {
                let (map, cache) = (map.clone(), cache.clone());
                thread::spawn(move || {
                    let (entry, _) = map.find_entry(0).unwrap();
                    cache.put(0, (7, 100, ALL), || map.park(entry))
                })
            };
            let (flushed, pressure) = cache.flush();
            let put = freeing.join().unwrap();
            drop(pressure);
            assert_eq!(flushed.len(), usize::from(put));
            assert_eq!(map.find(0).is_some(), !put);
            assert_eq!((map.remove_parked(flushed).len(), cache.bytes()), (usize::from(put), 0));
        });
    }

    /// A thread allocates during a flush: the block is live, or flushed.
    #[test]
    fn loom_flushing_and_taking_share_no_block() {
        model(|| {
            let map = Shared::new(AddressMap::new());
            let cache = Shared::new(BlockCache::new());
            map.insert(Range { base: 0, len: 0x100, words: [0; 3] }).unwrap();
            let (entry, _) = map.find_entry(0).unwrap();
            assert!(cache.put(0, (7, 100, ALL), || map.park(entry)));
            let taking = {
                let (map, cache) = (map.clone(), cache.clone());
                thread::spawn(move || cache.take(0, 7, |block| map.unpark(block)).is_some())
            };
            let (flushed, pressure) = cache.flush();
            assert!(!cache.put(0, (8, 100, ALL), || unreachable!("under pressure")));
            drop(pressure);
            let taken = taking.join().unwrap();
            assert_eq!(flushed.len(), usize::from(!taken));
            assert_eq!(map.find(0).is_some(), taken);
            map.remove_parked(flushed);
        });
    }
}
