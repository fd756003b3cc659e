use std::collections::HashSet;

use super::*;

#[test]
fn numbers_are_distinct_and_used_again() {
    let numbers = Numbers::default();
    let all: HashSet<_> = (0..Numbers::MOST).map(|_| numbers.take().unwrap()).collect();
    assert_eq!(all.len(), Numbers::MOST as usize);
    assert!(all.iter().all(|number| *number < Numbers::MOST));
    assert_eq!((numbers.take(), numbers.take()), (None, None));
    numbers.release(17);
    assert_eq!((numbers.take(), numbers.take()), (Some(17), None));
}
