//! Tests which memory a stream may reuse.

use super::ledger::{Block, TestPool};
use super::*;

#[path = "pool_tests/threads.rs"]
mod threads;

const A: StreamKey = StreamKey(1);
const B: StreamKey = StreamKey(2);

/// The known positions of all streams but the allocating one.
#[derive(Clone, Copy, Default)]
struct Known {
    passed: Option<u64>,
    followed: Option<u64>,
    /// Whether the stream accepts no more work.
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

fn pool_of(len: usize) -> TestPool {
    let pool = TestPool::new();
    pool.add_segment(Segment { addr: 1 << 28, len, token: 7 }, A);
    pool
}

/// Returns a pool of one segment, all of which stream A has freed in two parts, at positions 3 and 5.
fn freed_by_a() -> (TestPool, Block, Block) {
    let pool = pool_of(GRANULE);
    let [first, second] = [(); 2].map(|()| pool.alloc(GRANULE / 2, A, &NOTHING).unwrap());
    pool.free_at(first, (A, 3), false);
    pool.free_at(second, (A, 5), false);
    (pool, first, second)
}

#[test]
fn the_same_stream_has_all_its_memory_again_in_one_block() {
    let (pool, first, second) = freed_by_a();
    let whole = pool.alloc(GRANULE, A, &NOTHING).unwrap();
    assert_eq!((whole.addr, whole.len), (first.addr.min(second.addr), GRANULE));
}

/// Checks that a large block is not used for a short request. A program that frees and allocates in turn, a little less
/// each time, would get one.
#[test]
fn a_block_serves_no_request_that_is_much_shorter() {
    let pool = pool_of(4 * GRANULE);
    let mut wanted = GRANULE;
    while wanted > 16 * GRAIN {
        let taken = pool.alloc_at_home(wanted, A, &NOTHING).unwrap();
        let units = wanted.div_ceil(GRAIN) as u32;
        assert!(class::suits((pool.extent(taken.note).1 / GRAIN) as u32, units), "{wanted}");
        pool.free_at(taken, (A, 1), false);
        wanted -= wanted / 17;
    }
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
    // A query changes nothing.
    assert_eq!([ask(NOTHING), ask(NOTHING)], [Err(Some(freed)); 2]);
    assert!(ask(Known { followed: Some(5), ..NOTHING }).is_ok());
    assert_eq!(ask(NOTHING), Err(None));
}

#[test]
fn no_stream_waits_for_a_destroyed_stream() {
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
fn a_wait_covers_all_frees_of_the_allocated_range() {
    let (pool, ..) = freed_by_a();
    let freed = Freed { stream: A, position: 5 };
    assert_eq!(pool.alloc_or_follow(GRANULE, B, &NOTHING), Err(Some(freed)));
    let whole = pool.alloc_or_follow(GRANULE, B, &Known { followed: Some(5), ..NOTHING });
    assert_eq!(whole.map(|whole| whole.len), Ok(GRANULE));
}

/// Checks that thousands of adjacent freed blocks are not searched each time, but as a last resort.
#[test]
#[cfg_attr(miri, ignore = "takes more than half an hour")]
fn thousands_of_blocks_are_joined_when_nothing_can_be_added() {
    let pool = pool_of(2 * GRANULE);
    let blocks: Vec<Block> = (0..2 * GRANULE / GRAIN).map(|_| pool.alloc(1, A, &NOTHING).unwrap()).collect();
    blocks.iter().zip(1..).for_each(|(block, position)| {
        pool.free_at(*block, (A, position), false);
    });
    // The first search causes a debt for some time.
    assert!(pool.alloc(2 * GRANULE, B, &NOTHING).is_err());
    assert!(pool.alloc(2 * GRANULE, A, &NOTHING).is_err());
    assert!(pool.alloc_slow(2 * GRANULE, B, &NOTHING).is_none());
    pool.free_unused(pool.alloc_slow(2 * GRANULE, A, &NOTHING).unwrap());
    assert!(pool.alloc(2 * GRANULE, B, &NOTHING).is_ok());
}

#[test]
fn of_two_frees_that_come_in_another_order_both_count_as_the_later_one() {
    let (pool, ..) = freed_by_a();
    // There are enough allocations for the pool to search them.
    assert!(pool.alloc(1, B, &NOTHING).is_err());
    pool.add_segment(Segment { addr: 1 << 29, len: GRANULE, token: 8 }, A);
    let late = pool.alloc(GRANULE, B, &NOTHING).unwrap();
    pool.free_at(late, (A, 4), false);
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
    pool.add_segment(Segment { addr: 1 << 29, len: 2 * GRANULE, token: 8 }, A);
    assert_eq!(pool.release(3 * GRANULE as u64, &passed(9)), []);
    let kept = pool.alloc(1, A, &NOTHING).unwrap();
    let released = pool.release(0, &passed(3));
    assert_eq!(released.iter().map(|segment| segment.token).collect::<Vec<_>>(), [8]);
    assert_eq!(kept.addr & !(GRANULE - 1), first.addr & !(GRANULE - 1));
    pool.free_unused(kept);
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
    pool.free_at(taken, (A, 1), false);
    assert_eq!(pool.stats(), Stats { used: 0, blocks: 0, ..stats });
    pool.reset_used_high();
    pool.add_segment(Segment { addr: 1 << 29, len: GRANULE, token: 0 }, A);
    assert_eq!(pool.drain().len(), 2);
    let left = Stats { reserved_high: 2 * reserved, taken: 1024, blocks_taken: 1, ..Stats::default() };
    assert_eq!(pool.stats(), left);
    pool.reset_reserved_high();
    assert_eq!(pool.stats(), Stats { reserved_high: 0, ..left });
}

#[test]
fn any_size_is_answered() {
    let pool = pool_of(GRANULE);
    for (len, least) in
        [(GRANULE + 1, 2 * GRANULE), (1 << 34, 1 << 34), (MOST, MOST), (MOST + 1, usize::MAX), (usize::MAX, usize::MAX)]
    {
        let shortage = pool.alloc(len, A, &NOTHING).unwrap_err();
        assert_eq!(shortage.least, least, "{len}");
        assert!(shortage.better >= least);
        assert_eq!(pool.alloc_or_follow(len, A, &NOTHING), Err(None));
    }
    assert_eq!(pool.alloc(0, A, &NOTHING).map(|taken| taken.len), Ok(GRAIN));
}

#[test]
fn a_part_of_its_own_has_a_stream_only_when_it_is_in_the_way() {
    let pool = pool_of(GRANULE);
    let [first, second] = [A, B].map(|stream| pool.alloc(1, stream, &NOTHING).unwrap());
    assert_eq!([first.note >> 32, second.note >> 32], [0, 0]);
    pool.spread(B);
    // The stream uses free memory of hardly used parts before it adds more.
    let third = pool.alloc(1, B, &NOTHING).unwrap();
    assert_eq!(third.note >> 32, 0);
    let half = pool.alloc(GRANULE / 2, A, &NOTHING).unwrap();
    assert!(pool.alloc(1, B, &NOTHING).is_err());
    let last = pool.alloc_slow(1, B, &NOTHING).expect("the pool has no more memory");
    assert_eq!([half.note >> 32, last.note >> 32], [0, 0]);
    assert!(pool.alloc(GRANULE, B, &NOTHING).is_err());
    pool.add_segment(Segment { addr: 1 << 29, len: GRANULE, token: 8 }, B);
    let own = pool.alloc(GRANULE, B, &NOTHING).unwrap();
    assert_eq!((own.note >> 32, own.addr), (1, 1 << 29));
    // A stream reuses its freed memory in any part, and other streams when they may.
    pool.free_at(own, (A, 5), false);
    assert!(pool.alloc(GRANULE, B, &NOTHING).is_err());
    let wait = pool.alloc_or_follow(GRANULE, B, &NOTHING);
    assert_eq!(wait, Err(Some(Freed { stream: A, position: 5 })));
    assert_eq!(pool.alloc(GRANULE, A, &NOTHING), Ok(own));
}

/// Checks that two threads which each allocate and free a short block do not use the same part, and its lock, forever.
#[test]
fn an_empty_part_soon_gets_a_segment() {
    let pool = pool_of(GRANULE);
    pool.spread(B);
    let alloc = |len| pool.alloc(len, B, &NOTHING);
    assert_eq!((0..).take_while(|_| alloc(1).is_ok_and(|block| pool.free_unused(block))).count(), 8);
    assert!(alloc(1).is_ok(), "perhaps no segment is to be had");
    pool.add_segment(Segment { addr: 1 << 29, len: GRANULE, token: 8 }, B);
    assert_eq!(alloc(1).unwrap().note >> 32, 1);
    // A part with segments uses hardly used parts before it gets another one.
    let rest = alloc(GRANULE - GRAIN).unwrap();
    let borrowed = alloc(1).unwrap();
    assert_eq!([rest.note >> 32, borrowed.note >> 32], [1, 0]);
}

#[test]
fn a_part_that_a_thread_uses_at_this_moment_is_left_to_it() {
    let pool = pool_of(GRANULE);
    pool.spread(B);
    let used = pool.of(0);
    assert!(pool.alloc(1, B, &NOTHING).is_err());
    drop(used);
    assert!(pool.alloc(1, B, &NOTHING).is_ok());
}

#[test]
fn what_was_the_most_is_of_all_parts_at_one_moment() {
    let pool = pool_of(GRANULE);
    let before = pool.alloc(2 * GRAIN, A, &NOTHING).unwrap();
    pool.free_unused(before);
    pool.spread(B);
    pool.add_segment(Segment { addr: 1 << 29, len: GRANULE, token: 8 }, B);
    for stream in [A, B, A, B] {
        let taken = pool.alloc(GRAIN, stream, &NOTHING).unwrap();
        pool.free_unused(taken);
    }
    let stats = pool.stats();
    let (grain, granule) = (GRAIN as u64, GRANULE as u64);
    assert_eq!((stats.used, stats.used_high, stats.taken), (0, 2 * grain, 6 * grain));
    assert_eq!((stats.blocks, stats.blocks_high, stats.blocks_taken), (0, 1, 5));
    assert_eq!((stats.reserved, stats.reserved_high), (2 * granule, 2 * granule));
    let both = [A, B].map(|stream| pool.alloc(2 * GRAIN, stream, &NOTHING).unwrap());
    assert_ne!(both[0].note >> 32, both[1].note >> 32);
    assert_eq!((pool.stats().used_high, pool.stats().blocks_high), (4 * grain, 2));
    pool.reset_used_high();
    pool.free_unused(both[0]);
    assert_eq!((pool.stats().used_high, pool.stats().used), (4 * grain, 2 * grain));
    assert_eq!(pool.release(granule, &NOTHING).len(), 1);
    pool.reset_reserved_high();
    assert_eq!(pool.stats().reserved_high, granule);
    assert_eq!(pool.drain().len(), 1);
    let stats = pool.stats();
    assert_eq!((stats.used, stats.blocks, stats.reserved), (0, 0, 0));
}

#[test]
fn notes_of_blocks_stay_until_the_pool_ends() {
    let pool = pool_of(GRANULE);
    let first = pool.alloc(GRAIN, A, &NOTHING).unwrap();
    // Either every stream may use it at once, or only the stream itself.
    for has_passed in [true, false] {
        assert!(pool.free_at(first, (A, 1), has_passed));
        // A second free does nothing.
        assert!(!pool.free_at(first, (A, 1), has_passed));
        assert_eq!(pool.stats().blocks, 0);
        let again = pool.alloc(GRAIN, A, &NOTHING).unwrap();
        assert_eq!(again, first);
    }
    let second = pool.alloc(GRAIN, A, &NOTHING).unwrap();
    assert_ne!(second.number, first.number);
    assert_eq!(pool.stats().blocks, 2);
    assert!(!pool.has_left_the_map());
    pool.drain();
    assert!(pool.has_left_the_map());
}

/// Checks that memory of complete frees is free for every stream, at any length, and other freed memory only for the
/// stream itself.
#[test]
fn what_has_passed_when_it_is_freed_is_everybodys() {
    for len in [GRAIN, GRANULE, 4 * GRANULE] {
        for has_passed in [true, false] {
            let pool = pool_of(len.max(GRANULE));
            let whole = pool.alloc(len.max(GRANULE), A, &NOTHING).unwrap();
            assert!(pool.free_at(whole, (A, 1), has_passed));
            assert_eq!(pool.alloc(len, B, &NOTHING).is_ok(), has_passed);
        }
    }
}

/// Checks that freed memory of any length counts as in use until the host has seen the free complete, although every
/// stream may use it.
#[test]
fn what_the_host_has_not_seen_freed_does_not_go_back() {
    let pool = pool_of(GRANULE);
    let blocks = [A, B].map(|stream| pool.alloc(GRAIN, stream, &NOTHING).unwrap());
    for (block, stream) in blocks.into_iter().zip([A, B]) {
        assert!(pool.free_at(block, (stream, 7), true));
    }
    assert_eq!(pool.release(0, &Known { passed: Some(6), ..NOTHING }), []);
    assert_eq!(pool.release(0, &Known { passed: Some(7), ..NOTHING }).len(), 1);
}

/// Checks a number of positions at which older ones are merged into later ones.
#[test]
fn any_number_of_frees_keeps_the_latest_position_of_each_stream() {
    let pool = pool_of(GRANULE);
    let [mine, theirs] = [A, B].map(|stream| pool.alloc(GRAIN, stream, &NOTHING).unwrap());
    assert!(pool.free_at(theirs, (B, 3), true));
    let last = if cfg!(miri) { 300 } else { 10_000 };
    let mut block = mine;
    for position in 0..last {
        assert!(pool.free_at(block, (A, position), true));
        block = pool.alloc(GRAIN, A, &NOTHING).unwrap();
    }
    assert!(pool.free_at(block, (A, last), true));
    assert_eq!(pool.release(0, &Known { passed: Some(last - 1), ..NOTHING }), []);
    pool.forget(A);
    assert_eq!(pool.release(0, &Known { passed: Some(3), ..NOTHING }).len(), 1);
}
