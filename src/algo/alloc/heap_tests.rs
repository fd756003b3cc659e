use super::*;
use proptest::prelude::*;

#[test]
fn everything_can_be_taken_and_comes_back_as_one() {
    let mut heap = Heap::<()>::new();
    heap.add_region(0, 1000);
    let taken: Vec<_> = std::iter::from_fn(|| heap.take(1, 1)).collect();
    assert_eq!(taken.len(), 1000);
    for (node, _) in taken {
        heap.free(node);
    }
    assert_eq!(heap.free_ranges(1), [(0, 1000)]);
}

#[test]
fn aligned_takes_find_the_last_hole() {
    let mut heap = Heap::<()>::new();
    heap.add_region(0, 2048);
    let (first, _) = heap.take(1, 1).unwrap();
    let starts: Vec<_> = std::iter::from_fn(|| heap.take(512, 512)).map(|(_, start)| start).collect();
    assert_eq!(starts.len(), 3);
    assert!(starts.iter().all(|start| start % 512 == 0));
    heap.free(first);
    assert_eq!(heap.take(512, 512).map(|(_, start)| start), Some(0));
}

#[test]
fn regions_do_not_merge() {
    let mut heap = Heap::<()>::new();
    heap.add_region(0, 512);
    heap.add_region(512, 512);
    assert!(heap.take(513, 1).is_none());
    let (node, start) = heap.take(512, 1).unwrap();
    assert_eq!(heap.free(node), (start, 512));
    assert!(heap.remove_region(start, 512));
    assert!(!heap.remove_region(start, 512));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 16 } else { 256 }, ..ProptestConfig::default() })]
    /// Checks any order of takes and frees: ranges never overlap, stay inside, keep their alignment, and at the end
    /// everything is one free range again.
    #[test]
    fn takes_never_overlap(
        steps in prop::collection::vec((any::<bool>(), 1u32..700, 0u32..10, any::<u16>()), 1..200),
    ) {
        let mut heap = Heap::<()>::new();
        heap.add_region(0, 8192);
        let mut live: Vec<(u32, u64, u32)> = Vec::new();
        for (take, len, power, pick) in steps {
            if take {
                if let Some((node, start)) = heap.take(len, 1 << power) {
                    prop_assert_eq!(start % (1 << power), 0);
                    prop_assert!(start + u64::from(len) <= 8192);
                    prop_assert_eq!(heap[node].len, len);
                    for &(_, other, other_len) in &live {
                        prop_assert!(start + u64::from(len) <= other || other + u64::from(other_len) <= start);
                    }
                    live.push((node, start, len));
                }
            } else if !live.is_empty() {
                let (node, ..) = live.swap_remove(pick as usize % live.len());
                heap.free(node);
            }
        }
        for (node, ..) in live {
            heap.free(node);
        }
        prop_assert_eq!(heap.free_ranges(1), vec![(0, 8192)]);
    }
}
