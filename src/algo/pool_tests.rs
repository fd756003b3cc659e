//! What may be reused by whom.

use super::*;

const A: StreamKey = StreamKey(1);
const B: StreamKey = StreamKey(2);

/// What is known, for all streams but the allocating one.
#[derive(Clone, Copy, Default)]
struct Known {
    passed: Option<u64>,
    followed: Option<u64>,
    /// It takes no more work.
    gone: bool,
}

impl Order for Known {
    fn passed(&self, _: StreamKey) -> Option<u64> {
        self.passed
    }

    fn followed(&self, _: StreamKey) -> Option<u64> {
        self.followed
    }

    fn can_follow(&self, _: StreamKey) -> bool {
        !self.gone
    }
}

const NOTHING: Known = Known { passed: None, followed: None, gone: false };

fn pool_of(len: usize) -> Pool {
    let pool = Pool::new();
    pool.add_segment(Segment { addr: 1 << 30, len, token: 7 });
    pool
}

/// A pool of one segment, all of which stream A has freed in two parts, at positions 3 and 5.
fn freed_by_a() -> (Pool, Taken, Taken) {
    let pool = pool_of(GRANULE);
    let [first, second] = [(); 2].map(|()| pool.alloc(GRANULE / 2, A, &NOTHING).unwrap());
    pool.free(first.note, A, 3);
    pool.free(second.note, A, 5);
    (pool, first, second)
}

#[test]
fn the_same_stream_has_all_its_memory_again_in_one_piece() {
    let (pool, first, second) = freed_by_a();
    let whole = pool.alloc(GRANULE, A, &NOTHING).unwrap();
    assert_eq!((whole.addr, whole.len), (first.addr.min(second.addr), GRANULE));
}

#[test]
fn another_stream_has_what_it_follows() {
    let (pool, first, _) = freed_by_a();
    assert!(pool.alloc(1, B, &NOTHING).is_err());
    assert!(pool.alloc(1, B, &Known { followed: Some(2), ..NOTHING }).is_err());
    let known = Known { followed: Some(4), ..NOTHING };
    let taken = pool.alloc(GRANULE / 2, B, &known).unwrap();
    assert_eq!(taken.addr, first.addr);
    assert!(pool.alloc(1, B, &known).is_err());
}

#[test]
fn what_has_passed_is_free_for_all_and_for_good() {
    let (pool, first, _) = freed_by_a();
    assert!(pool.alloc(GRANULE, B, &Known { passed: Some(4), ..NOTHING }).is_err());
    assert_eq!(pool.alloc(GRANULE / 2, B, &NOTHING).map(|taken| taken.addr), Ok(first.addr));
}

#[test]
fn a_wait_is_asked_for_last() {
    let (pool, ..) = freed_by_a();
    let ask = |known| pool.alloc_or_follow(GRANULE / 2, B, &known);
    assert!(ask(Known { followed: Some(3), ..NOTHING }).is_ok());
    let freed = Freed { stream: A, position: 5 };
    // It changes nothing to be told.
    assert_eq!([ask(NOTHING), ask(NOTHING)], [Err(Some(freed)); 2]);
    assert!(ask(Known { followed: Some(5), ..NOTHING }).is_ok());
    assert_eq!(ask(NOTHING), Err(None));
}

#[test]
fn nobody_is_made_to_wait_for_a_stream_that_is_gone() {
    let (pool, first, _) = freed_by_a();
    for len in [GRANULE / 2, GRANULE] {
        let gone = Known { gone: true, ..NOTHING };
        assert_eq!(pool.alloc_or_follow(len, B, &gone), Err(None));
    }
    let passed = Known { gone: true, passed: Some(3), followed: None };
    let taken = pool.alloc_or_follow(GRANULE / 2, B, &passed).unwrap();
    assert_eq!(taken.addr, first.addr);
}

#[test]
fn a_wait_covers_all_frees_of_what_is_given() {
    let (pool, ..) = freed_by_a();
    let freed = Freed { stream: A, position: 5 };
    assert_eq!(pool.alloc_or_follow(GRANULE, B, &NOTHING), Err(Some(freed)));
    let whole = pool.alloc_or_follow(GRANULE, B, &Known { followed: Some(5), ..NOTHING });
    assert_eq!(whole.map(|whole| whole.len), Ok(GRANULE));
}

/// What thousands of frees have left in one piece is not looked for each time, but in the end.
#[test]
fn thousands_of_pieces_are_joined_when_nothing_can_be_added() {
    let pool = pool_of(2 * GRANULE);
    let pieces: Vec<Taken> =
        (0..2 * GRANULE / GRAIN).map(|_| pool.alloc(1, A, &NOTHING).unwrap()).collect();
    pieces.iter().zip(1..).for_each(|(piece, position)| pool.free(piece.note, A, position));
    // The first look is a debt for some time.
    assert!(pool.alloc(2 * GRANULE, B, &NOTHING).is_err());
    assert!(pool.alloc(2 * GRANULE, A, &NOTHING).is_err());
    assert!(pool.alloc_thoroughly(2 * GRANULE, B, &NOTHING).is_none());
    let whole = pool.alloc_thoroughly(2 * GRANULE, A, &NOTHING).unwrap();
    pool.free_now(whole.note);
    assert!(pool.alloc(2 * GRANULE, B, &NOTHING).is_ok());
}

#[test]
fn of_two_frees_that_come_in_another_order_both_count_as_the_later_one() {
    let (pool, ..) = freed_by_a();
    // Enough for the pool to look at them.
    assert!(pool.alloc(1, B, &NOTHING).is_err());
    pool.add_segment(Segment { addr: 1 << 31, len: GRANULE, token: 8 });
    let late = pool.alloc(GRANULE, B, &NOTHING).unwrap();
    pool.free(late.note, A, 4);
    let known = Known { followed: Some(4), ..NOTHING };
    assert!(pool.alloc(GRANULE, B, &known).is_err());
    assert!(pool.alloc(GRANULE, B, &Known { followed: Some(5), ..NOTHING }).is_ok());
}

#[test]
fn a_stream_that_is_gone_leaves_free_memory() {
    let (pool, ..) = freed_by_a();
    pool.forget(A);
    assert!(pool.alloc(GRANULE, B, &NOTHING).is_ok());
}

#[test]
fn only_free_and_passed_segments_are_released_down_to_what_is_kept() {
    let (pool, first, _) = freed_by_a();
    let passed = |position| Known { passed: Some(position), ..NOTHING };
    pool.add_segment(Segment { addr: 1 << 31, len: 2 * GRANULE, token: 8 });
    assert_eq!(pool.release(3 * GRANULE as u64, &passed(9)), []);
    let kept = pool.alloc(1, A, &NOTHING).unwrap();
    let released = pool.release(0, &passed(3));
    assert_eq!(released.iter().map(|segment| segment.token).collect::<Vec<_>>(), [8]);
    assert_eq!(kept.addr & !(GRANULE - 1), first.addr & !(GRANULE - 1));
    pool.free_now(kept.note);
    assert_eq!(pool.release(0, &passed(5)).len(), 1);
    assert_eq!(pool.stats().reserved, 0);
}

#[test]
fn statistics_are_right_at_each_step() {
    let pool = pool_of(GRANULE);
    let reserved = GRANULE as u64;
    let taken = pool.alloc(513, A, &NOTHING).unwrap();
    assert_eq!(taken.len, 1024);
    let stats = Stats {
        reserved,
        reserved_high: reserved,
        used: 1024,
        used_high: 1024,
        taken: 1024,
        blocks_taken: 1,
        blocks: 1,
        blocks_high: 1,
    };
    assert_eq!(pool.stats(), stats);
    assert_eq!(pool.live(), 1);
    pool.free(taken.note, A, 1);
    assert_eq!(pool.stats(), Stats { used: 0, blocks: 0, ..stats });
    assert_eq!(pool.live(), 0);
    pool.reset_used_high();
    pool.add_segment(Segment { addr: 1 << 31, len: GRANULE, token: 0 });
    assert_eq!(pool.drain().len(), 2);
    let left =
        Stats { reserved_high: 2 * reserved, taken: 1024, blocks_taken: 1, ..Stats::default() };
    assert_eq!(pool.stats(), left);
    pool.reset_reserved_high();
    assert_eq!(pool.stats(), Stats { reserved_high: 0, ..left });
}

#[test]
fn any_size_is_answered() {
    let pool = pool_of(GRANULE);
    for (len, least) in [
        (GRANULE + 1, 2 * GRANULE),
        (1 << 34, 1 << 34),
        (MOST, MOST),
        (MOST + 1, usize::MAX),
        (usize::MAX, usize::MAX),
    ] {
        let shortage = pool.alloc(len, A, &NOTHING).unwrap_err();
        assert_eq!(shortage.least, least, "{len}");
        assert!(shortage.better >= least);
        assert_eq!(pool.alloc_or_follow(len, A, &NOTHING), Err(None));
    }
    assert_eq!(pool.alloc(0, A, &NOTHING).map(|taken| taken.len), Ok(GRAIN));
}
