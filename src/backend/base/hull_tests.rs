use super::*;

#[test]
fn it_goes_from_the_first_to_the_last() {
    let hull = Hull::new();
    assert!(hull.is_empty());
    assert!(![0, 1, usize::MAX].iter().any(|&addr| hull.contains(addr)));
    hull.add(1000, 1100);
    assert!(!hull.is_empty());
    assert!(hull.touches(900, 1000) && hull.touches(1100, 1101) && hull.touches(0, 9000));
    assert!(!hull.touches(900, 999) && !hull.touches(1101, 1102));
    hull.add(3000, 3100);
    let other = Hull::new();
    other.add_all_of(&Hull::new());
    assert!(![0, 1000, usize::MAX].iter().any(|&addr| other.contains(addr)));
    other.add_all_of(&hull);
    for hull in [hull, other] {
        assert!([1000, 1099, 2000, 3099].iter().all(|&addr| hull.contains(addr)));
        assert!(![0, 999, 3100, usize::MAX].iter().any(|&addr| hull.contains(addr)));
    }
}
