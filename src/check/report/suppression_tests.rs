//! Tests of suppressions.

use super::Suppressions;
use crate::report::kind::FindingKind;

#[test]
fn a_pattern_covers_names_that_contain_it() {
    let patterns = Suppressions::parse("# known\n\n  train_step \nvendor/\n");
    assert!(patterns.cover(FindingKind::Race, ["aclrtMemcpyAsync", "train_step(int)"].into_iter()));
    assert!(patterns.cover(FindingKind::Leak, ["vendor/layer.cpp"].into_iter()));
    assert!(!patterns.cover(FindingKind::Race, ["aclrtMemcpyAsync", "main", "# known"].into_iter()));
    assert!(!patterns.cover(FindingKind::Race, [].into_iter()));
}

#[test]
fn a_pattern_may_be_for_one_kind() {
    let patterns = Suppressions::parse("redundant wait: at::_ops\nat::native: copy\n");
    assert!(patterns.cover(FindingKind::RedundantWait, ["at::_ops::copy_::call"].into_iter()));
    assert!(!patterns.cover(FindingKind::Race, ["at::_ops::copy_::call"].into_iter()));
    assert!(patterns.cover(FindingKind::Race, ["at::native: copy"].into_iter()), "no kind");
    let kinds = FindingKind::WORDS.map(|(kind, ..)| kind);
    for of in kinds {
        let patterns = Suppressions::parse(&format!("{}: main", of.name()));
        assert!(kinds.into_iter().all(|kind| patterns.cover(kind, ["main"].into_iter()) == (kind == of)), "{of:?}");
    }
}

#[test]
fn the_words_of_a_kind_are_at_its_number() {
    for (index, (kind, ..)) in FindingKind::WORDS.into_iter().enumerate() {
        assert_eq!(kind as usize, index, "{kind:?}");
    }
}

#[test]
fn a_file_without_patterns_covers_nothing() {
    assert!(!Suppressions::parse("\n# nothing\n").cover(FindingKind::Race, [""].into_iter()));
}

#[test]
fn a_byte_order_mark_belongs_to_no_pattern() {
    let patterns = Suppressions::parse("\u{feff}race: train_step\nvendor/\n");
    assert!(patterns.cover(FindingKind::Race, ["train_step"].into_iter()));
    assert!(!patterns.cover(FindingKind::Leak, ["train_step"].into_iter()));
    assert!(!Suppressions::parse("\u{feff}# train_step\n").cover(FindingKind::Race, ["# train_step"].into_iter()));
}
