use loom::sync::Arc;
use loom::thread;

use super::super::Range;
use super::*;
use crate::tests::model;

/// Checks that a lookup by a hint sees one of two ranges whole, or none, while the record gets another range.
#[test]
fn loom_a_hint_sees_ranges_whole() {
    model(|| {
        let map = Arc::new(AddressMap::new());
        let page = 1 << super::super::PAGE_BITS;
        map.insert(Range { base: page, len: 4, words: [1, 0, 0] }).unwrap();
        let writer = {
            let map = map.clone();
            thread::spawn(move || {
                map.remove(page).unwrap();
                map.insert(Range { base: page, len: 8, words: [2, 0, 0] }).unwrap();
            })
        };
        if let Some((hint, _)) = map.reach_with_hint(page) {
            if let Some(found) = hint.reach(page) {
                assert!(matches!((found.left.get(), found.word), (4, 1) | (8, 2)), "{found:?}");
            }
        }
        writer.join().unwrap();
    });
}
