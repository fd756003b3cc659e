use super::super::grow::{Grow, fallible};
use super::*;

const HOST: HostMemory = HostMemory;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

/// Checks the reserve. This is one test, because all threads share one reserve.
#[test]
fn the_reserve_serves_what_the_system_refuses() {
    let before = reserve::used();
    let pieces: Vec<_> = [(1, 1), (64, 64), (100, 8), (4096, 4096), (100_000, 16)]
        .map(|(size, align)| layout(size, align))
        .into_iter()
        .map(|layout| (from_reserve(layout), layout))
        .collect();
    for (number, &(piece, layout)) in pieces.iter().enumerate() {
        assert!(!piece.is_null() && reserve::has(piece) && piece.addr() % layout.align() == 0);
        // SAFETY: the reserve has just returned `layout.size()` bytes, which only this test uses.
        unsafe { piece.write_bytes(number as u8 + 1, layout.size()) };
    }
    for (number, &(piece, layout)) in pieces.iter().enumerate() {
        // SAFETY: written above.
        let bytes = unsafe { std::slice::from_raw_parts(piece, layout.size()) };
        assert!(bytes.iter().all(|byte| usize::from(*byte) == number + 1), "pieces overlap");
    }
    // A longer block is moved with its content, from either source.
    let (piece, small) = pieces[2];
    // SAFETY: a piece of this layout, and a size that fits the alignment.
    let longer = unsafe { HOST.realloc(piece, small, 300) };
    assert!(!longer.is_null() && !reserve::has(longer));
    // SAFETY: it is that long, and the first bytes are the piece's.
    unsafe {
        assert!(std::slice::from_raw_parts(longer, 100).iter().all(|byte| *byte == 3));
        HOST.dealloc(longer, layout(300, 8));
    }
    for (number, &(piece, layout)) in pieces.iter().enumerate() {
        if number != 2 {
            // SAFETY: each block goes back once, with the layout of its allocation; the one
            // numbered 2 went before.
            unsafe { HOST.dealloc(piece, layout) };
        }
    }
    assert_eq!(reserve::used(), before);
    // Blocks that are too long, and callers that report failures, are not served.
    assert!(from_reserve(layout(64 << 20, 16)).is_null());
    assert!(fallible(|| from_reserve(layout(16, 16))).is_null());
    assert!(reserve::take(reserve::RESERVE, layout(64, 1 << 16)).is_null());
    added_parts();
    the_reserve_keeps_up_with_containers();
}

fn added_parts() {
    let (total, before) = (reserve::lengths().0, reserve::used());
    assert!(reserve::add(reserve::RESERVE, 3 << 20));
    assert_eq!(reserve::lengths().0, total + (3 << 20));
    let piece = reserve::take(reserve::RESERVE, layout(5 << 19, 64));
    assert!(!piece.is_null() && reserve::has(piece) && reserve::has(piece.wrapping_add(1000)));
    // SAFETY: the block has 5 << 19 bytes, is written and then returned with the layout it was
    // allocated with.
    unsafe {
        piece.write_bytes(7, 5 << 19);
        reserve::free(piece, layout(5 << 19, 64));
    }
    assert_eq!(reserve::used(), before);
    let other = Box::new(1_u8);
    assert!(!reserve::has(&raw const *other));
}

/// Checks that after any allocation a block of twice its length is available.
fn the_reserve_keeps_up_with_containers() {
    let long = vec![1_u8; 5 << 20];
    let piece = from_reserve(layout(2 * long.len(), 16));
    assert!(!piece.is_null());
    // SAFETY: the last reallocation returned `piece` with this length and alignment, and the test
    // drops it here.
    unsafe { HOST.dealloc(piece, layout(2 * long.len(), 16)) };
    // Containers that are each a little longer do not add a part each.
    let before = reserve::lengths();
    for more in 1..100 {
        drop(vec![1_u8; long.len() + 4096 * more]);
    }
    assert_eq!(reserve::lengths(), before);
}

#[test]
fn a_container_without_room_stays_as_it_is() {
    let mut numbers = vec![1, 2, 3];
    assert!(numbers.make_room(usize::MAX / 64).is_err());
    assert_eq!(numbers, [1, 2, 3]);
    numbers.make_room(1000).unwrap();
    assert!(numbers.capacity() >= 1003);
}
