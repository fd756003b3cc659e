use proptest::prelude::*;

use super::*;

proptest! {
    /// Checks that each place of the range is in one gap or in a taken range, and that no gap is empty or beside
    /// another one.
    #[test]
    fn gaps_are_what_nothing_covers(
        (first, len) in (0_u32..40, 0_u32..40),
        taken in prop::collection::vec((0_u32..80, 0_u32..12), 0..10),
    ) {
        let mut taken: Vec<_> = taken.into_iter().map(|(from, len)| (from, from + len)).collect();
        taken.sort_unstable();
        let gaps = gaps((first, first + len), taken.iter().copied());
        let is_free = |place: &u32| !taken.iter().any(|(from, to)| (from..to).contains(&place));
        let wanted: Vec<u32> = (first..first + len).filter(is_free).collect();
        let found: Vec<u32> = gaps.iter().flat_map(|(from, to)| *from..*to).collect();
        prop_assert_eq!(found, wanted);
        prop_assert!(gaps.iter().all(|(from, to)| from < to));
        prop_assert!(gaps.is_sorted_by(|before, after| before.1 <= after.0));
    }
}
