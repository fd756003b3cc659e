use super::*;

#[test]
fn failures_are_counted_and_reported_once() {
    let before = count();
    error::report("aclrtFree", 107_000, "devPtr 0x10 is not live");
    note("aclrtFree", 107_000);
    note("aclrtDestroyStream", 42);
    assert!(count() >= before + 2);
    assert!(error::take_recent_text().is_null());
    let texts = take_texts();
    let free = "aclrtFree returned 107000 (ACL_ERROR_RT_PARAM_INVALID): aclrtFree: devPtr 0x10 is not live (error \
                107000)";
    assert!(texts.iter().any(|text| text == free), "{texts:?}");
    let destroy = "aclrtDestroyStream returned 42 (unknown code)";
    assert!(texts.iter().any(|text| text == destroy), "{texts:?}");

    for _ in 0..3 * MOST_TEXTS {
        note("aclrtFree", 107_000);
    }
    assert_eq!(take_texts().len(), MOST_TEXTS);
    assert!(take_texts().is_empty());
}
