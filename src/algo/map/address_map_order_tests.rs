//! Checks that the map behaves as an ordered map of ranges, in any sequence of steps.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::tests::real::{MIDDLE, check, range};
use super::*;
use crate::tests::cases;

#[derive(Debug, Clone)]
enum Step {
    Insert(usize, usize),
    /// Inserts directly after, or directly before, a range that exists.
    InsertAdjacent(usize, usize, bool),
    Remove(usize),
    /// Looks any address up.
    Look(usize),
}

fn length() -> impl Strategy<Value = usize> {
    let page = 1_usize << 21;
    prop_oneof![
        3 => 1..0x1000_usize,
        3 => (1..16_usize).prop_map(|n| n * 0x200),
        2 => (1..64_usize).prop_map(|n| n * 0x8000),
        2 => (1..4_usize).prop_map(move |n| n * page),
        1 => (page / 2)..(4 * page),
    ]
}

/// Returns offsets into 8 pages: on granules, near page borders, on page borders.
fn offset() -> impl Strategy<Value = usize> {
    let page = 1_usize << 21;
    prop_oneof![
        3 => (0..8 * page / 256).prop_map(|granule| granule * 256),
        2 => (1..8_usize, 0..32_usize).prop_map(move |(n, back)| n * page - back * 256),
        2 => (0..8_usize).prop_map(move |n| n * page),
        2 => (0..128_usize).prop_map(|granule| granule * 256),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (offset(), length()).prop_map(|(at, len)| Step::Insert(at, len)),
        3 => (any::<usize>(), length(), any::<bool>())
            .prop_map(|(which, len, behind)| Step::InsertAdjacent(which, len, behind)),
        3 => any::<usize>().prop_map(Step::Remove),
        2 => offset().prop_map(Step::Look),
    ]
}

type Model = BTreeMap<usize, Range>;

fn model_find(model: &Model, addr: usize) -> Option<Range> {
    model.range(..=addr).next_back().map(|(_, range)| *range).filter(|range| range.contains(addr))
}

fn model_insert(model: &mut Model, new: Range) -> Result<(), InsertError> {
    let overlap = |other: Range| Err(InsertError::Overlap { base: other.base, len: other.len });
    if let Some(other) = model_find(model, new.base) {
        return overlap(other);
    }
    if let Some((_, &other)) = model.range(new.base..=new.last()).next() {
        return overlap(other);
    }
    model.insert(new.base, new);
    Ok(())
}

proptest! {
    #![proptest_config(cases(32))]
    #[test]
    fn it_behaves_as_an_ordered_map(steps in prop::collection::vec(step(), 1..if cfg!(miri) { 20 } else { 60 })) {
        let origin = MIDDLE - (4 << 21);
        let map = AddressMap::new();
        let mut model = Model::new();
        for step in steps {
            let nth = |which: usize| model.values().nth(which % model.len().max(1)).copied();
            let new = match step {
                Step::Insert(at, len) => Some(range(origin + at, len)),
                Step::InsertAdjacent(which, len, behind) => nth(which).and_then(|other| {
                    let base = if behind { other.base + other.len } else { other.base - len };
                    // The start is on a granule, as for all owners of ranges.
                    (base % 256 == 0).then(|| range(base, len))
                }),
                Step::Remove(which) => {
                    if let Some(range) = nth(which) {
                        prop_assert_eq!(map.remove(range.base.wrapping_add(1)), None);
                        let (entry, _) = map.find_entry(range.last()).unwrap();
                        prop_assert_eq!(map.remove(range.base), model.remove(&range.base));
                        prop_assert!(!map.retire(entry) && map.park(entry).is_none());
                        prop_assert_eq!(map.find(range.base), None);
                    }
                    None
                }
                Step::Look(at) => {
                    prop_assert_eq!(map.find(origin + at), model_find(&model, origin + at));
                    None
                }
            };
            if let Some(new) = new {
                let expected = model_insert(&mut model, new);
                prop_assert_eq!(map.insert(new), expected);
            }
            check(&map);
            for range in model.values() {
                let (first, last) = (range.base, range.last());
                for addr in [first, first + range.len / 2, last, first - 1, last + 1] {
                    prop_assert_eq!(map.find(addr), model_find(&model, addr));
                    let start = map.find_start(addr).map(|(_, found)| found);
                    prop_assert_eq!(start, model.get(&addr).copied());
                }
            }
        }
        let mut left = map.snapshot();
        left.sort_unstable_by_key(|range| range.base);
        prop_assert_eq!(left, model.into_values().collect::<Vec<_>>());
    }
}
