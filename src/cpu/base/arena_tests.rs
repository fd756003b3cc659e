use super::*;
use proptest::prelude::*;

#[test]
fn small_pieces_share_pages() {
    let mut arena = Arena::default();
    arena.add_region(0, HUGE);
    let pieces: Vec<_> = (0..4096).map(|_| arena.take(96, 512).unwrap()).collect();
    assert!(arena.take(96, 512).is_none());
    assert_eq!(arena.used(), HUGE);
    assert!(pieces.iter().all(|p| p.offset % 512 == 0 && p.len == 512));
    for p in pieces {
        arena.free(p.offset, p.note);
    }
    assert_eq!(arena.used(), 0);
    // All memory is free but the one empty slab, which is freed when its memory is needed.
    assert_eq!(arena.free_ranges(UNIT).map(|(_, len)| len).sum::<u64>(), HUGE - SLAB);
    assert_eq!(arena.take(HUGE, UNIT).map(|piece| piece.len), Some(HUGE));
}

#[test]
fn a_readable_tail_costs_one_page() {
    let mut arena = Arena::default();
    arena.add_region(0, 8 * HUGE);
    let piece = arena.take(HUGE + 32, HUGE).unwrap();
    assert_eq!((piece.len, piece.offset % HUGE), (HUGE + UNIT, 0));
}

proptest! {
    /// Checks that blocks of all sizes never overlap, and that all memory is free at the end.
    #[test]
    fn pieces_never_overlap(
        steps in prop::collection::vec((any::<bool>(), 1u64..20_000, any::<u16>()), 1..300),
    ) {
        let mut arena = Arena::default();
        arena.add_region(0, HUGE);
        let mut live: Vec<ArenaBlock> = Vec::new();
        for (take, len, pick) in steps {
            if take {
                let align = if len < UNIT { GRAIN } else { UNIT };
                if let Some(piece) = arena.take(len, align) {
                    prop_assert!(piece.len >= len && piece.offset % align == 0);
                    prop_assert!(piece.offset + piece.len <= HUGE);
                    for other in &live {
                        prop_assert!(piece.offset + piece.len <= other.offset
                            || other.offset + other.len <= piece.offset);
                    }
                    live.push(piece);
                }
            } else if !live.is_empty() {
                let piece = live.swap_remove(pick as usize % live.len());
                arena.free(piece.offset, piece.note);
            }
            prop_assert_eq!(arena.used(), live.iter().map(|p| p.len).sum::<u64>());
        }
        for piece in live {
            arena.free(piece.offset, piece.note);
        }
        prop_assert!(arena.free_ranges(UNIT).map(|(_, len)| len).sum::<u64>()
            >= HUGE - CLASSES as u64 * SLAB);
        prop_assert_eq!(arena.take(HUGE, UNIT).map(|piece| piece.len), Some(HUGE));
    }
}
