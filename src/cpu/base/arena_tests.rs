use super::*;
use proptest::prelude::*;

#[test]
fn small_blocks_share_pages() {
    let mut arena = Arena::default();
    arena.add_region(0, HUGE);
    let blocks: Vec<_> = (0..4096).map(|_| arena.take(96, 512).unwrap()).collect();
    assert!(arena.take(96, 512).is_none());
    assert_eq!(arena.used(), HUGE);
    assert!(blocks.iter().all(|p| p.offset % 512 == 0 && p.len == 512));
    for p in blocks {
        arena.free(p.offset, p.note);
    }
    assert_eq!(arena.used(), 0);
    // All memory is free but the one empty slab, which is freed when its memory is needed.
    assert_eq!(arena.free_ranges(UNIT).map(|(_, len)| len).sum::<u64>(), HUGE - SLAB);
    assert_eq!(arena.take(HUGE, UNIT).map(|block| block.len), Some(HUGE));
}

#[test]
fn a_readable_tail_costs_one_page() {
    let mut arena = Arena::default();
    arena.add_region(0, 8 * HUGE);
    let block = arena.take(HUGE + 32, HUGE).unwrap();
    assert_eq!((block.len, block.offset % HUGE), (HUGE + UNIT, 0));
}

proptest! {
    /// Checks that blocks of all sizes never overlap, and that all memory is free at the end.
    #[test]
    fn blocks_never_overlap(
        steps in prop::collection::vec((any::<bool>(), 1u64..20_000, any::<u16>()), 1..300),
    ) {
        let mut arena = Arena::default();
        arena.add_region(0, HUGE);
        let mut live: Vec<ArenaBlock> = Vec::new();
        for (take, len, pick) in steps {
            if take {
                let align = if len < UNIT { GRAIN } else { UNIT };
                if let Some(block) = arena.take(len, align) {
                    prop_assert!(block.len >= len && block.offset % align == 0);
                    prop_assert!(block.offset + block.len <= HUGE);
                    for other in &live {
                        prop_assert!(block.offset + block.len <= other.offset
                            || other.offset + other.len <= block.offset);
                    }
                    live.push(block);
                }
            } else if !live.is_empty() {
                let block = live.swap_remove(pick as usize % live.len());
                arena.free(block.offset, block.note);
            }
            prop_assert_eq!(arena.used(), live.iter().map(|p| p.len).sum::<u64>());
        }
        for block in live {
            arena.free(block.offset, block.note);
        }
        prop_assert!(arena.free_ranges(UNIT).map(|(_, len)| len).sum::<u64>()
            >= HUGE - CLASSES as u64 * SLAB);
        prop_assert_eq!(arena.take(HUGE, UNIT).map(|block| block.len), Some(HUGE));
    }
}
