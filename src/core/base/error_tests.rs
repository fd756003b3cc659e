use super::*;

#[test]
fn text_is_fetched_once() {
    report("aclrtFree", Code::InvalidParam.value(), "devPtr is null");
    assert_eq!(take_recent_string().unwrap(), "aclrtFree: devPtr is null (error 100000)");
    assert_eq!(take_recent_string(), None);
}

#[test]
fn long_text_is_cut_at_a_character() {
    report("aclrtFree", Code::InvalidParam.value(), &"ü".repeat(2000));
    let text = take_recent_string().unwrap();
    assert!(text.len() < TEXT_CAPACITY && text.ends_with('ü'));
}
