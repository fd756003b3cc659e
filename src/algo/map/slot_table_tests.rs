#[cfg(not(loom))]
mod real {
    use std::collections::{HashMap, HashSet};
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

    use proptest::prelude::*;

    use super::super::handle::KIND_SHIFT;
    use super::super::*;

    /// An object that knows its handle and counts its end.
    struct Object {
        handle: Handle,
        drops: Arc<AtomicUsize>,
    }

    impl Drop for Object {
        fn drop(&mut self) {
            self.drops.fetch_add(1, Relaxed);
        }
    }

    fn insert_object(table: &SlotTable<Object>, drops: &Arc<AtomicUsize>) -> Option<Handle> {
        table.insert_with(|handle| Arc::new(Object { handle, drops: drops.clone() }))
    }

    /// Flushes until `done`. Other tests look handles up at the same time, and each delays releases briefly.
    fn flush_until(done: impl Fn() -> bool) {
        let start = std::time::Instant::now();
        while !done() {
            flush_deferred();
            assert!(start.elapsed().as_secs() < 30, "removed objects are never released");
            std::thread::yield_now();
        }
    }

    /// Checks invariants while the table is not in use.
    fn check(table: &SlotTable<impl Send + Sync + 'static>) {
        let free = table.free.lock();
        let mut queued: Vec<u32> = free.queue.iter().chain(&free.late).copied().collect();
        queued.sort_unstable();
        assert!(queued.windows(2).all(|pair| pair[0] < pair[1]), "a slot is queued twice");
        let mut occupied = 0;
        for index in 0..free.fresh {
            let slot = &table.slots[index as usize];
            let generation = slot.generation(Relaxed);
            let live = generation % 2 == 1;
            assert_eq!(live, !slot.value.load().is_null());
            let is_queued = queued.binary_search(&index).is_ok();
            assert_eq!(is_queued, !live && generation != RETIRED);
            occupied += usize::from(live);
        }
        assert_eq!(occupied, free.taken);
        assert!(free.fresh <= free.limit);
    }

    #[test]
    fn a_table_lives_in_a_static() {
        static TABLE: SlotTable<String> = SlotTable::new(7);
        let handle = TABLE.insert(Arc::new("x".to_owned())).unwrap();
        assert_eq!(handle.kind(), 7);
        assert_eq!(TABLE.get(handle).as_deref().map(String::as_str), Some("x"));
        assert_eq!(*TABLE.remove(handle).unwrap(), "x");
        assert!(TABLE.get(handle).is_none() && TABLE.remove(handle).is_none());
        assert!(TABLE.was_destroyed(handle));
        assert_eq!(TABLE.count(), 0);
    }

    #[test]
    fn handles_are_no_addresses_and_round_trip() {
        let table = SlotTable::new(127);
        let handle = table.insert(Arc::new(1)).unwrap();
        assert_eq!(handle.raw() >> 63, 0);
        assert!(handle.raw() >> 47 != 0, "it could be an address");
        assert_eq!(Handle::from_raw(handle.raw()), Some(handle));
    }

    #[test]
    fn another_kinds_handle_is_never_valid() {
        let (ours, theirs) = (SlotTable::new(1), SlotTable::new(2));
        let handle = theirs.insert(Arc::new(0)).unwrap();
        let same_slot = ours.insert(Arc::new(0)).unwrap();
        assert_ne!(handle, same_slot);
        assert!(ours.get(handle).is_none() && ours.remove(handle).is_none());
        assert!(!ours.was_destroyed(handle) && ours.get(handle).is_none());
        assert!(!theirs.was_destroyed(handle) && theirs.get(handle).is_some());
    }

    #[test]
    fn bits_find_what_the_handle_with_them_finds() {
        let table = SlotTable::new(3);
        let [gone, handle] = [0, 1].map(|n| table.insert(Arc::new(n)).unwrap());
        table.remove(gone).unwrap();
        assert_eq!(table.get_raw(handle.raw()).as_deref(), Some(&1));
        let others = (0..64).map(|bit| 1 << bit);
        let changed = |raw: u64| (0..64).map(move |bit| raw ^ 1 << bit);
        let free = table.slots[0].name.load(Relaxed);
        let all = [0, u64::MAX, gone.raw(), free].into_iter().chain(others);
        let all = all.chain(changed(gone.raw())).chain(changed(handle.raw()));
        // A change of one bit can lead to the other handle.
        for raw in all.filter(|&raw| raw != handle.raw()) {
            assert!(table.get_raw(raw).is_none(), "{raw:#x}");
            let pin = reclaim::pin();
            assert!(table.get_raw_pinned(raw, &pin).is_none(), "{raw:#x}");
        }
    }

    #[test]
    fn slots_are_reused_first_in_first_out() {
        let table = SlotTable::new(1);
        let handles: Vec<_> = (0..4).map(|n| table.insert(Arc::new(n)).unwrap()).collect();
        for &n in &[2, 0, 3] {
            table.remove(handles[n]).unwrap();
        }
        let again: Vec<_> = (0..4).map(|n| table.insert(Arc::new(n)).unwrap().index()).collect();
        assert_eq!(again, [2, 0, 3, 4]);
        check(&table);
    }

    #[test]
    fn a_full_table_takes_nothing_until_something_leaves() {
        let table = SlotTable::with_limit(1, 5000);
        let handles: Vec<_> = (0..5000).map(|n| table.insert(Arc::new(n)).unwrap()).collect();
        assert_eq!(table.insert(Arc::new(0)), None);
        for (n, &handle) in handles.iter().enumerate() {
            assert_eq!(*table.get(handle).unwrap(), n);
        }
        table.remove(handles[4321]).unwrap();
        assert_eq!(table.insert(Arc::new(0)).unwrap().index(), 4321);
        assert_eq!(table.insert(Arc::new(0)), None);
        check(&table);
    }

    #[test]
    fn a_slot_retires_before_its_generations_wrap() {
        let table = SlotTable::new(1);
        let first = table.insert(Arc::new(0)).unwrap();
        table.remove(first).unwrap();
        table.slots[0].name.store(free_name(RETIRED - 2, 0), Relaxed);
        let last = table.insert(Arc::new(1)).unwrap();
        assert_eq!((last.index(), last.generation()), (0, RETIRED - 1));
        table.remove(last).unwrap();
        let next = table.insert(Arc::new(2)).unwrap();
        assert_eq!(next.index(), 1);
        assert!(table.was_destroyed(first));
        assert!(table.was_destroyed(last));
        let never = Handle::from_raw(last.raw() | u64::from(u32::MAX) << INDEX_BITS).unwrap();
        assert!(table.get(never).is_none() && table.remove(never).is_none());
        assert!(!table.was_destroyed(never) && table.get(never).is_none());
        assert_eq!(table.count(), 1);
        check(&table);
    }

    #[test]
    fn a_maker_that_panics_leaves_no_object_and_no_valid_handle() {
        let table = SlotTable::<u32>::with_limit(1, 1);
        let mut kept = None;
        let attempt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            table.insert_with(|handle| {
                kept = Some(handle);
                assert!(!table.was_destroyed(handle) && table.get(handle).is_none());
                panic!("on purpose")
            })
        }));
        assert!(attempt.is_err());
        check(&table);
        let handle = table.insert(Arc::new(5)).unwrap();
        assert_ne!(Some(handle), kept);
        assert!(table.get(kept.unwrap()).is_none());
    }

    #[test]
    fn a_removed_object_lives_until_its_last_reader_ends() {
        let (table, drops) = (SlotTable::new(1), Arc::new(AtomicUsize::new(0)));
        let handle = insert_object(&table, &drops).unwrap();
        let found = table.get(handle).unwrap();
        let kept = found.to_arc();
        drop(table.remove(handle).unwrap());
        assert!(!flush_deferred(), "this thread still looks");
        assert_eq!(found.handle, handle);
        drop(found);
        flush_until(|| Arc::strong_count(&kept) == 1);
        assert_eq!(drops.load(Relaxed), 0);
        drop(kept);
        assert_eq!(drops.load(Relaxed), 1);
    }

    #[test]
    fn many_removed_objects_are_released_even_those_of_a_thread_that_sleeps() {
        let (table, drops) = (SlotTable::new(1), Arc::new(AtomicUsize::new(0)));
        let (send, wait) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let (removed, all_removed) = std::sync::mpsc::channel();
            let (table, drops) = (&table, &drops);
            scope.spawn(move || {
                for _ in 0..1000 {
                    table.remove(insert_object(table, drops).unwrap()).unwrap();
                }
                removed.send(()).unwrap();
                let _ = wait.recv();
            });
            all_removed.recv().unwrap();
            flush_until(|| drops.load(Relaxed) == 1000);
            drop(send);
        });
    }

    #[test]
    fn dropping_a_table_drops_its_objects() {
        let (table, drops) = (SlotTable::new(1), Arc::new(AtomicUsize::new(0)));
        for _ in 0..5000 {
            insert_object(&table, &drops).unwrap();
        }
        drop(table);
        assert_eq!(drops.load(Relaxed), 5000);
    }

    #[test]
    fn a_snapshot_has_all_live_objects() {
        let table = SlotTable::new(1);
        let handles: Vec<_> = (0..10).map(|n| table.insert(Arc::new(n)).unwrap()).collect();
        table.remove(handles[3]).unwrap();
        let live: HashMap<_, _> = table.live().collect();
        assert_eq!(live.len(), 9);
        for (n, handle) in handles.iter().enumerate().filter(|(n, _)| *n != 3) {
            assert_eq!(*live[handle], n);
        }
    }

    #[derive(Debug, Clone)]
    enum Step {
        Insert,
        /// Removes the handle at this position of all that were ever created.
        Remove(usize),
        RemoveWithOwner(usize),
        DestroyLate(usize),
        Look(usize),
        Garbage(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => Just(Step::Insert),
            2 => any::<usize>().prop_map(Step::Remove),
            2 => any::<usize>().prop_map(Step::RemoveWithOwner),
            2 => any::<usize>().prop_map(Step::DestroyLate),
            2 => any::<usize>().prop_map(Step::Look),
            1 => any::<u64>().prop_map(Step::Garbage),
            // These values differ little from a real handle.
            1 => (0..64u32, any::<u8>()).prop_map(|(bit, low)| {
                Step::Garbage((1 << KIND_SHIFT | 1 << INDEX_BITS | u64::from(low % 8)) ^ 1 << bit)
            }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn it_behaves_as_a_map(steps in prop::collection::vec(step(), 1..200)) {
            let table = SlotTable::with_limit(1, 6);
            let mut live = HashMap::new();
            let mut made = Vec::<Handle>::new();
            let mut late = HashSet::<Handle>::new();
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Insert => match table.insert(Arc::new(number)) {
                        Some(handle) => {
                            prop_assert!(!made.contains(&handle), "a handle came twice");
                            made.push(handle);
                            late.retain(|gone| gone.index() != handle.index());
                            live.insert(handle, number);
                        }
                        None => prop_assert_eq!(live.len(), 6),
                    },
                    Step::Remove(which) if !made.is_empty() => {
                        let handle = made[which % made.len()];
                        let removed = table.remove(handle).map(|value| *value);
                        prop_assert_eq!(removed, live.remove(&handle));
                    }
                    Step::RemoveWithOwner(which) if !made.is_empty() => {
                        let handle = made[which % made.len()];
                        let removed = table.remove_with_owner(handle).map(|value| *value);
                        prop_assert_eq!(removed, live.remove(&handle));
                        late.extend(removed.map(|_| handle));
                    }
                    Step::DestroyLate(which) if !made.is_empty() => {
                        let handle = made[which % made.len()];
                        prop_assert_eq!(table.is_late(handle), late.contains(&handle));
                        prop_assert_eq!(table.destroy_late(handle), late.remove(&handle));
                    }
                    Step::Look(which) if !made.is_empty() => {
                        let handle = made[which % made.len()];
                        let found = table.get(handle).map(|value| *value);
                        prop_assert_eq!(found, live.get(&handle).copied());
                        prop_assert_eq!(table.was_destroyed(handle), !live.contains_key(&handle));
                    }
                    Step::Garbage(raw) => {
                        if let Some(handle) = Handle::from_raw(raw) {
                            prop_assert_eq!(handle.raw(), raw);
                            let known = made.contains(&handle);
                            prop_assert_eq!(table.get_arc(handle).is_some(), live.contains_key(&handle));
                            prop_assert_eq!(table.was_destroyed(handle), known && !live.contains_key(&handle));
                        }
                    }
                    Step::Remove(_) | Step::RemoveWithOwner(_) | Step::DestroyLate(_) | Step::Look(_) => {}
                }
                check(&table);
                prop_assert_eq!(table.count(), live.len());
            }
            prop_assert_eq!(table.live().count(), live.len());
        }
    }

    #[test]
    fn threads_see_the_object_of_the_handle_or_none() {
        let (table, drops) = (SlotTable::<Object>::with_limit(1, 8), Arc::new(AtomicUsize::new(0)));
        let board: Vec<_> = (0..8).map(|_| std::sync::atomic::AtomicU64::new(0)).collect();
        let (stop, removed) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for turn in 0..2 {
                let (table, drops, board, stop) = (&table, &drops, &board, &stop);
                let removed = &removed;
                scope.spawn(move || {
                    for round in 0..20_000 {
                        let place = &board[(round * 3 + turn) % 8];
                        // Both threads remove what they find: concurrent removals of one handle.
                        if let Some(handle) = Handle::from_raw(place.load(Relaxed))
                            && let Some(object) = table.remove(handle)
                        {
                            assert_eq!(object.handle, handle);
                            removed.fetch_add(1, Relaxed);
                        }
                        if let Some(handle) = insert_object(table, drops) {
                            place.store(handle.raw(), Relaxed);
                        }
                    }
                    stop.store(true, Relaxed);
                });
            }
            scope.spawn(|| {
                while !stop.load(Relaxed) {
                    for place in &board {
                        let Some(handle) = Handle::from_raw(place.load(Relaxed)) else { continue };
                        if let Some(object) = table.get(handle) {
                            assert_eq!(object.handle, handle);
                        }
                    }
                    flush_deferred();
                }
            });
        });
        check(&table);
        flush_until(|| drops.load(Relaxed) == removed.load(Relaxed));
        let left = table.count();
        assert_eq!(table.live().count(), left);
        drop(table);
        assert_eq!(drops.load(Relaxed), removed.load(Relaxed) + left);
    }

    /// Run by `cargo test --release --lib slot_table -- --ignored --nocapture`.
    #[test]
    #[ignore = "prints costs"]
    fn cost() {
        use crate::tests::nanoseconds;
        static TABLE: SlotTable<u64> = SlotTable::new(1);
        let handles: Vec<_> = (0..1024).map(|n| TABLE.insert(Arc::new(n)).unwrap()).collect();
        let mut n = 0;
        nanoseconds("slot table: get", || {
            n = (n + 1) % 1024;
            *TABLE.get(std::hint::black_box(handles[n])).unwrap()
        });
        nanoseconds("slot table: get_arc", || {
            n = (n + 1) % 1024;
            *TABLE.get_arc(std::hint::black_box(handles[n])).unwrap()
        });
        nanoseconds("slot table: insert, remove, flush_deferred", || {
            TABLE.remove(TABLE.insert(Arc::new(1)).unwrap()).unwrap();
            flush_deferred()
        });
    }
}
