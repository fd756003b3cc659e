use super::*;
use crate::map::address_map::{AddressMap, Range};

/// Returns a range that is in the map and parked.
#[cfg(not(loom))]
fn parked(map: &AddressMap, n: usize) -> Parked {
    let base = 0x1000 * (n + 1);
    map.insert(Range { base, len: 0x1000, words: [n as u64, 0, 0] }).unwrap();
    map.park(map.find_entry(base).unwrap().0).unwrap()
}

/// Returns the seat of the `n`th stripe that threads share.
fn shared(n: usize) -> Seat {
    Seat::numbered(OWN + n)
}

#[cfg(not(loom))]
mod real {
    use std::collections::HashMap;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use proptest::prelude::*;

    use super::*;

    const ALL: usize = usize::MAX;

    fn put(cache: &BlockCache, key: BlockKey, block: Parked) -> bool {
        cache.put(shared(0), (key, 100, ALL), || Some(block))
    }

    #[test]
    fn a_block_comes_back_to_requests_of_its_key_at_its_stripe_only() {
        let (map, cache) = (AddressMap::new(), BlockCache::default());
        assert_eq!(cache.take(shared(0), 7, |_| ()), None);
        assert!(put(&cache, 7, parked(&map, 2)));
        assert_eq!(cache.bytes(), 100);
        assert_eq!(cache.take(shared(0), 8, |_| ()), None);
        assert_eq!(cache.take(shared(1), 7, |_| ()), None);
        assert_eq!(cache.take(shared(0), 7, |block| map.unpark(block)), Some(0x3000));
        assert_eq!((cache.take(shared(0), 7, |_| ()), cache.bytes()), (None, 0));
    }

    #[test]
    fn bounds_hold_and_nothing_is_parked_beyond_them() {
        let (map, cache) = (AddressMap::new(), BlockCache::default());
        for n in 0..DEPTH {
            assert!(put(&cache, 7, parked(&map, n)));
        }
        let refuse = |key, bytes, most| {
            assert!(!cache.put(shared(0), (key, bytes, most), || unreachable!("there is no room")));
        };
        refuse(7, 100, ALL);
        refuse(7, 200, ALL);
        refuse(8, 100, DEPTH * 100);
        assert!(cache.put(shared(0), (8, 100, DEPTH * 100 + 100), || Some(parked(&map, DEPTH))));
        // A block that cannot be parked after all changes nothing.
        assert!(!cache.put(shared(0), (9, 100, ALL), || None));
        assert_eq!(cache.bytes(), DEPTH * 100 + 100);
    }

    #[test]
    fn what_is_in_the_way_for_too_long_goes() {
        let (map, cache) = (AddressMap::new(), BlockCache::default());
        let other = (8..).find(|key| list_of(*key) == list_of(7)).unwrap();
        assert!(put(&cache, 7, parked(&map, 0)));
        for _ in 0..PATIENCE {
            assert_eq!(cache.make_room(shared(0), other), []);
            assert!(!cache.put(shared(0), (other, 10, ALL), || unreachable!("in the way")));
        }
        assert_eq!(cache.make_room(shared(0), other).len(), 1);
        assert_eq!(cache.bytes(), 0);
        assert!(put(&cache, other, parked(&map, 1)));
        // There are too many bytes, so all of them are removed.
        for _ in 0..PATIENCE {
            assert_eq!(cache.make_room(shared(0), 9), []);
            assert!(!cache.put(shared(0), (9, 10, 100), || unreachable!("too much")));
        }
        assert_eq!(cache.make_room(shared(0), 9).len(), 1);
        assert!(cache.put(shared(0), (9, 10, 100), || Some(parked(&map, 2))));
    }

    #[test]
    fn under_pressure_nothing_is_kept() {
        let (map, cache) = (AddressMap::new(), BlockCache::default());
        assert!(put(&cache, 7, parked(&map, 0)));
        assert!(cache.put(shared(1), (7, 100, ALL), || Some(parked(&map, 1))));
        let (all, pressure) = cache.flush();
        assert_eq!((all.len(), cache.bytes()), (2, 0));
        assert!(!cache.put(shared(0), (7, 100, ALL), || unreachable!("under pressure")));
        drop(pressure);
        assert!(put(&cache, 7, parked(&map, 2)));
        assert_eq!(cache.flush().0.len(), 1);
        assert_eq!(cache.take(shared(0), 7, |_| ()), None);
    }

    /// Checks that every block is in one place while threads free and allocate and others flush.
    #[test]
    fn blocks_are_neither_lost_nor_allocated_twice() {
        const THREADS: usize = 4;
        let (map, cache) = (AddressMap::new(), BlockCache::default());
        /// Counts a thread as ended, even if it ends by a failure.
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
                            // Two threads share a stripe, and two have one each.
                            let stripe = if thread < 2 { shared(0) } else { Seat::numbered(thread) };
                            let key = (round % 3) as BlockKey;
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
        assert_eq!((map.count(), cache.bytes()), (0, 0));
    }

    #[test]
    fn each_thread_reaches_what_it_freed_and_ended_threads_leave_theirs() {
        let (map, cache) = (AddressMap::new(), BlockCache::default());
        let mine = Seat::mine();
        assert_eq!(mine, Seat::mine());
        assert!(cache.put(mine, (7, 100, ALL), || Some(parked(&map, 0))));
        assert_eq!(cache.take(Seat::mine(), 7, |block| map.unpark(block)), Some(0x1000));
        // A stripe's blocks go to its next thread: when all threads have ended, one of few stripes has them.
        let index = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                assert!(cache.put(Seat::mine(), (7, 100, ALL), || Some(parked(&map, 1))));
                Seat::mine().index
            });
            thread.join().unwrap()
        });
        assert!(index != mine.index || !mine.is_exclusive());
        assert_eq!(cache.take(Seat::numbered(index), 7, |block| map.unpark(block)), Some(0x2000));
    }

    /// Checks statistics that are read while a thread frees and allocates. They show the block in the cache or not, and
    /// the thread goes on afterwards.
    #[test]
    fn contents_are_read_beside_the_owner_of_a_stripe() {
        const ROUNDS: u64 = 2_000;
        let (map, cache) = (AddressMap::new(), BlockCache::default());
        map.insert(Range { base: 0x1000, len: 0x1000, words: [0; 3] }).unwrap();
        let served = std::thread::scope(|scope| {
            let owner = scope.spawn(|| {
                let mut served = 0;
                while served < ROUNDS {
                    let park = || map.park(map.find_entry(0x1000).unwrap().0);
                    while !cache.put(Seat::mine(), (7, 100, ALL), park) {}
                    while cache.take(Seat::mine(), 7, |block| map.unpark(block)).is_none() {}
                    served += 1;
                }
                served
            });
            while !owner.is_finished() {
                let Contents { blocks, bytes, served_blocks, served_bytes } = cache.contents();
                assert!(blocks <= 1 && bytes == blocks * 100 && served_bytes == served_blocks * 100);
            }
            owner.join().unwrap()
        });
        let expected = Contents { blocks: 0, bytes: 0, served_blocks: served, served_bytes: served * 100 };
        assert_eq!(cache.contents(), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]
        /// Checks that the cache never has more or other blocks than were put in, and knows how many bytes they are.
        #[test]
        fn it_behaves_as_lists_by_key(steps in prop::collection::vec((0..8_u8, 0..6_u64), 1..200)) {
            let (map, cache) = (AddressMap::new(), BlockCache::default());
            let mut model: HashMap<BlockKey, Vec<usize>> = HashMap::new();
                for (number, (step, key)) in steps.into_iter().enumerate() {
                let bytes = 64 * (key as usize + 1);
                match step {
                    0..4 => {
                        let mut new = None;
                        let park = || Some(parked(&map, *new.insert(number)));
                        if cache.put(shared(0), (key, bytes, 4096), park) {
                            model.entry(key).or_default().push(0x1000 * (number + 1));
                        }
                    }
                    4..7 => {
                        let got = cache.take(shared(0), key, |block| map.remove_parked([block])[0].base);
                        let wanted = model.get_mut(&key).and_then(Vec::pop);
                        prop_assert_eq!(got, wanted);
                    }
                    _ => {
                        let gone = map.remove_parked(cache.make_room(shared(0), key));
                        for range in gone {
                            model.values_mut().for_each(|list| list.retain(|base| *base != range.base));
                        }
                    }
                }
                let total: usize =
                    model.iter().map(|(key, list)| 64 * (*key as usize + 1) * list.len()).sum();
                prop_assert_eq!((cache.bytes(), map.count()), (total, model.values().flatten().count()));
            }
        }
    }
}

#[cfg(loom)]
#[path = "block_cache_models.rs"]
mod loom_block_cache;
