use super::*;

#[test]
fn counts_are_in_words_that_fit() {
    let shown = |count, noun| Count(count, noun).to_string();
    assert_eq!(shown(1, "allocation"), "1 allocation");
    assert_eq!(shown(2, "allocation"), "2 allocations");
    assert_eq!(shown(0, "byte"), "0 bytes");
    assert_eq!(shown(2, "binary"), "2 binaries");
    assert_eq!(shown(2, "notify"), "2 notifies");
    assert_eq!(shown(1, "list of labels"), "1 list of labels");
    assert_eq!(shown(3, "list of labels"), "3 lists of labels");
    assert_eq!(shown(3, "memory pool"), "3 memory pools");
}
