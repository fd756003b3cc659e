use super::*;
use std::collections::HashSet;

/// Takes `count` slots for the numbers after `latest`.
fn fill(slots: &mut CallSlots, latest: u32, count: u32, reached: u32) -> HashSet<usize> {
    let numbers = (0..count).map(|i| latest.wrapping_add(i));
    numbers.map(|latest| slots.take(latest, || reached).as_ptr().addr()).collect()
}

#[test]
fn slots_are_apart_while_their_calls_are_queued() {
    let mut slots = CallSlots::default();
    // The numbers wrap around in this test.
    let begin = u32::MAX - 100;
    let taken = fill(&mut slots, begin, 1000, begin);
    assert_eq!(taken.len(), 1000);
    let mut sorted: Vec<_> = taken.into_iter().collect();
    sorted.sort_unstable();
    assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= ROOM));
    assert_eq!(sorted[0] % ROOM, 0);
}

#[test]
fn slots_are_used_again_when_their_calls_are_done_and_not_before() {
    let mut slots = CallSlots::default();
    let first = fill(&mut slots, 0, CHUNK as u32, 0);
    // The chunk's latest call has the number 64.
    let second = fill(&mut slots, 64, CHUNK as u32, 63);
    assert!(first.is_disjoint(&second));
    let third = fill(&mut slots, 128, CHUNK as u32, 64);
    assert_eq!(third, first);
    let fourth = fill(&mut slots, 192, CHUNK as u32, 127);
    assert!(fourth.is_disjoint(&first) && fourth.is_disjoint(&second));
}

#[test]
fn the_slots_of_a_burst_are_released() {
    let mut slots = CallSlots::default();
    fill(&mut slots, 0, 20 * CHUNK as u32, 0);
    assert_eq!(slots.chunks.len(), 20);
    // All calls are complete but those of the last two chunks.
    let latest = 20 * CHUNK as u32;
    fill(&mut slots, latest, 1, latest - 2 * CHUNK as u32);
    assert_eq!(slots.chunks.len(), KEPT);
    fill(&mut slots, latest + 1, CHUNK as u32, latest + 1);
    assert_eq!(slots.chunks.len(), KEPT);
}

#[test]
fn slots_stay_distinct_while_those_of_a_burst_are_released() {
    const ALL: u32 = 10 * CHUNK as u32;
    for done_chunks in 1..10 {
        let mut slots = CallSlots::default();
        let reached = done_chunks * CHUNK as u32;
        fill(&mut slots, 0, reached, 0);
        let queued = fill(&mut slots, reached, ALL - reached, 0);
        // These are more than all slots that are free now.
        let next = fill(&mut slots, ALL, ALL, reached);
        assert_eq!(next.len(), ALL as usize);
        assert!(queued.is_disjoint(&next), "{done_chunks} chunks were done");
    }
}

#[test]
fn a_word_is_compared_as_the_driver_does() {
    assert!(is_reached(5, 5) && is_reached(6, 5) && !is_reached(4, 5));
    assert!(is_reached(1, u32::MAX) && !is_reached(u32::MAX, 1));
}
