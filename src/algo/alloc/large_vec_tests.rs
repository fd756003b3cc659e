use super::*;

/// The length of a long vector. Miri has no anonymous mapping at a chosen alignment, so there it is below the length
/// that needs one.
const LONG: usize = if cfg!(miri) { SMALL / 4 } else { 2 * PAGE };

#[test]
fn what_was_added_stays_as_it_grows() {
    let mut numbers = LargeVec::new();
    assert!(numbers.is_empty());
    // The vector moves through small blocks, a large page, and several of them.
    let count = LONG / 4;
    for number in 0..count as u32 {
        numbers.push([number, !number, 7]);
    }
    assert_eq!(numbers.len(), count);
    assert!((0..).zip(numbers.iter()).all(|(at, element)| *element == [at, !at, 7]));
    numbers[5] = [1, 2, 3];
    assert_eq!(numbers[4..7], [[4, !4, 7], [1, 2, 3], [6, !6, 7]]);
}

#[test]
fn elements_begin_where_they_have_to() {
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line(u8);

    let mut lines = LargeVec::new();
    for number in 0..=LONG / size_of::<Line>() {
        lines.push(Line(number as u8));
        assert!(lines.as_ptr().is_aligned());
    }
    assert!((0..).zip(lines.iter()).all(|(at, line): (usize, _)| line.0 == at as u8));
    assert!(cfg!(miri) || lines.as_ptr().addr().is_multiple_of(PAGE));
}

#[test]
#[cfg_attr(miri, ignore = "maps memory")]
fn what_one_leaves_behind_another_takes_over() {
    const MANY: usize = SMALL / size_of::<u64>() + 1;
    let fill = |first: u64| {
        let mut numbers = LargeVec::new();
        (first..first + MANY as u64).for_each(|number| numbers.push(number));
        numbers
    };
    // Other tests have vectors, too. None ever reads another's elements.
    for turn in 0..100 {
        let (one, other) = (fill(turn), fill(!0 - MANY as u64));
        assert!((turn..).zip(one.iter()).all(|(wanted, number)| *number == wanted));
        drop(one);
        assert!(other.iter().all(|number| *number >= !0 - MANY as u64));
    }
}
