//! Tests of suppressions.

use super::Suppressions;

#[test]
fn a_pattern_covers_names_that_contain_it() {
    let patterns = Suppressions::parse("# known\n\n  train_step \nvendor/\n");
    assert!(patterns.cover(["aclrtMemcpyAsync", "train_step(int)"].into_iter()));
    assert!(patterns.cover(["vendor/layer.cpp"].into_iter()));
    assert!(!patterns.cover(["aclrtMemcpyAsync", "main", "# known"].into_iter()));
    assert!(!patterns.cover([].into_iter()));
}

#[test]
fn a_file_without_patterns_covers_nothing() {
    assert!(!Suppressions::parse("\n# nothing\n").cover([""].into_iter()));
}
