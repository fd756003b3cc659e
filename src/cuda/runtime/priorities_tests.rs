use super::*;

fn numbers(least_urgent: c_int, most_urgent: c_int) -> (c_int, c_int, Vec<c_int>, c_int) {
    let all = Priorities::new(least_urgent, most_urgent);
    let levels = (0..=all.least).map(|level| all.number(Priority::Level(level)));
    (all.library, all.number(Priority::Library), levels.collect(), all.number(Priority::Plain))
}

#[test]
fn the_library_has_priorities_of_its_own() {
    assert_eq!(numbers(0, -5), (-5, -4, vec![-3, -2, -1, 0], 0));
    assert_eq!(numbers(0, -2), (-2, -1, vec![0], 0));
}

#[test]
fn devices_with_few_priorities_share_them() {
    assert_eq!(numbers(0, -1), (-1, -1, vec![0], 0));
    assert_eq!(numbers(0, 0), (0, 0, vec![0], 0));
}
