use super::super::grow::{Grow, fallible};
use super::*;

const HOST: HostMemory = HostMemory;

crate::thread::per_thread::per_thread! {
    /// The number of places that searches of this thread have left behind.
    pub(super) static LOOKS: std::cell::Cell<usize> = std::cell::Cell::new(0);
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

/// Checks the reserve. This is one test, because all threads share one reserve.
#[test]
fn the_reserve_serves_what_the_system_refuses() {
    let before = reserve::usage();
    let blocks: Vec<_> = [(1, 1), (64, 64), (100, 8), (4096, 4096), (100_000, 16)]
        .map(|(size, align)| layout(size, align))
        .into_iter()
        .map(|layout| (from_reserve(layout), layout))
        .collect();
    for (number, &(block, layout)) in blocks.iter().enumerate() {
        assert!(!block.is_null() && reserve::has(block) && block.addr() % layout.align() == 0);
        // SAFETY: the reserve has just returned `layout.size()` bytes, which only this test uses.
        unsafe { block.write_bytes(number as u8 + 1, layout.size()) };
    }
    for (number, &(block, layout)) in blocks.iter().enumerate() {
        // SAFETY: written above.
        let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
        assert!(bytes.iter().all(|byte| usize::from(*byte) == number + 1), "blocks overlap");
    }
    // A longer block is moved with its content, from either source.
    let (block, small) = blocks[2];
    // SAFETY: a block of this layout, and a size that fits the alignment.
    let longer = unsafe { HOST.realloc(block, small, 300) };
    assert!(!longer.is_null() && !reserve::has(longer));
    // SAFETY: it is that long, and the first bytes are the block's.
    unsafe {
        assert!(std::slice::from_raw_parts(longer, 100).iter().all(|byte| *byte == 3));
        HOST.dealloc(longer, layout(300, 8));
    }
    for (number, &(block, layout)) in blocks.iter().enumerate() {
        if number != 2 {
            // SAFETY: each block goes back once, with the layout of its allocation; the one
            // numbered 2 went before.
            unsafe { HOST.dealloc(block, layout) };
        }
    }
    assert_eq!(reserve::usage(), before);
    // Short blocks use again what was freed, so that the rest stays in one block.
    let short = layout(64, 64);
    let [first, second] = [from_reserve(short), from_reserve(short)];
    // SAFETY: allocated above with this layout, and not used any more.
    let free = |block| unsafe { HOST.dealloc(block, short) };
    free(first);
    assert_eq!(from_reserve(short), first);
    free(first);
    free(second);
    // Freed short blocks form long ones again, which containers need when they double.
    let many: Vec<_> = (0..RESERVE / 64 / 4 * 3).map(|_| from_reserve(short)).collect();
    assert!(many.iter().all(|block| reserve::has(*block)));
    many.into_iter().for_each(free);
    let long = layout(RESERVE / 2, 64);
    let block = from_reserve(long);
    assert!(!block.is_null());
    // SAFETY: the reserve returned `block` for this layout, and nothing uses it.
    unsafe { HOST.dealloc(block, long) };
    // Blocks that are too long, and callers that report failures, are not served.
    assert!(from_reserve(layout(64 << 20, 16)).is_null());
    assert!(fallible(|| from_reserve(layout(16, 16))).is_null());
    assert!(reserve::take(reserve::RESERVE, layout(64, 1 << 16)).is_null());
    a_part_is_added_to_a_reserve_that_is_in_use();
    the_reserve_keeps_up_with_containers();
}

fn a_part_is_added_to_a_reserve_that_is_in_use() {
    let before = reserve::usage();
    let quarter = layout(RESERVE / 4, 64);
    let blocks = [from_reserve(quarter), from_reserve(quarter)];
    assert!(blocks.iter().all(|block| reserve::has(*block)));
    assert_eq!(faults::without_memory(check), Supply::Short);
    assert_eq!(check(), Supply::Ample);
    // The part stays. So only a quarter of the reserve is in use, and calls may begin.
    assert_eq!(check(), Supply::Ample);
    assert_eq!(faults::without_memory(check), Supply::Reserve);
    assert_eq!(reserve::usage().1, before.1 + RESERVE);
    let large = from_reserve(layout(RESERVE, 64));
    assert!(reserve::has(large) && reserve::has(large.wrapping_add(RESERVE - 1)));
    // SAFETY: the block has this many bytes, is written and then returned with the layout of its allocation.
    unsafe {
        large.write_bytes(7, RESERVE);
        HOST.dealloc(large, layout(RESERVE, 64));
    }
    for block in blocks {
        // SAFETY: each block goes back once, with the layout of its allocation.
        unsafe { HOST.dealloc(block, quarter) };
    }
    assert_eq!(reserve::usage().0, before.0);
    let other = Box::new(1_u8);
    assert!(!reserve::has(&raw const *other));
}

/// Checks that after any allocation a block of twice its length is available.
fn the_reserve_keeps_up_with_containers() {
    let long = vec![1_u8; 5 << 20];
    let block = from_reserve(layout(2 * long.len(), 16));
    assert!(!block.is_null());
    // SAFETY: the reserve returned `block` for this layout, and the test drops it here.
    unsafe { HOST.dealloc(block, layout(2 * long.len(), 16)) };
    // Containers that are each a little longer do not add a part each.
    let before = reserve::usage();
    for more in 1..100 {
        drop(vec![1_u8; long.len() + 4096 * more]);
    }
    assert_eq!(reserve::usage(), before);
}

/// Checks that an allocation does not read what is in use, however much that is, and that freed blocks serve again.
#[test]
fn a_search_does_not_grow_with_the_blocks_in_use() {
    const BLOCKS: usize = 136_000;
    let sizes = [64, 100, 24, 640, 200];
    let _claim = claim::Claim::new(BLOCKS * 1024).unwrap();
    let take = |number: usize| from_reserve(layout(sizes[number % sizes.len()], 8));
    let before = LOOKS.get();
    let mut blocks: Vec<_> = (0..BLOCKS).map(take).collect();
    assert!(LOOKS.get() - before < 2 * BLOCKS, "{}", LOOKS.get() - before);
    // Every third block is freed, and used again.
    let freed: Vec<_> = (0..BLOCKS).step_by(3).collect();
    for &number in &freed {
        // SAFETY: allocated above with this layout, and not used any more.
        unsafe { HOST.dealloc(blocks[number], layout(sizes[number % sizes.len()], 8)) };
    }
    // Long blocks fit nowhere there. Only the first one reads these places.
    let long = layout(16 * 64, 8);
    let before = LOOKS.get();
    let more: Vec<_> = (0..1000).map(|_| from_reserve(long)).collect();
    assert!(LOOKS.get() - before < 2 * BLOCKS, "{}", LOOKS.get() - before);
    for block in more {
        // SAFETY: allocated above with this layout, and not used any more.
        unsafe { HOST.dealloc(block, long) };
    }
    let end = blocks.iter().max().copied();
    for &number in &freed {
        blocks[number] = take(number);
    }
    assert_eq!(blocks.iter().max().copied(), end, "freed blocks do not serve again");
    for (number, &block) in blocks.iter().enumerate() {
        assert!(reserve::has(block));
        // SAFETY: each block goes back once, with the layout of its allocation.
        unsafe { HOST.dealloc(block, layout(sizes[number % sizes.len()], 8)) };
    }
}

#[test]
fn a_container_without_room_stays_as_it_is() {
    let mut numbers = vec![1, 2, 3];
    assert!(numbers.make_room(usize::MAX / 64).is_err());
    assert_eq!(numbers, [1, 2, 3]);
    numbers.make_room(1000).unwrap();
    assert!(numbers.capacity() >= 1003);
}

#[test]
#[cfg_attr(miri, ignore = "Miri does not know mincore")]
fn a_zeroed_block_takes_no_memory_before_it_is_used() {
    const PAGE: usize = 4096;
    let block = vec![0_u8; 64 << 20];
    let begin = block.as_ptr().map_addr(|addr| addr.next_multiple_of(PAGE)).cast_mut();
    let mut pages = vec![1_u8; block.len() / PAGE - 1];
    // SAFETY: pages of the block, each of which has a byte of the list.
    assert_eq!(unsafe { libc::mincore(begin.cast(), pages.len() * PAGE, pages.as_mut_ptr()) }, 0);
    assert_eq!(pages.iter().filter(|page| **page & 1 != 0).count(), 0);
}
