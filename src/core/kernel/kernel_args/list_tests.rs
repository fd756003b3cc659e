use super::*;

#[test]
fn arguments_lie_as_in_a_structure() {
    for (used, size, offset) in [(0, 1, 0), (1, 8, 8), (9, 2, 10), (12, 4, 12), (13, 12, 16), (9, 16, 16), (3, 3, 8)] {
        assert_eq!(guess_offset(used, size), offset, "{size} bytes behind {used}");
    }
}
