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

#[test]
fn a_file_that_does_not_fit_into_memory_is_no_invalid_file() {
    let refused = Vec::<u8>::new().try_reserve_exact(usize::MAX / 2).unwrap_err();
    assert_eq!(Code::of_read(&refused.into()), Code::BadAlloc);
    assert_eq!(Code::of_read(&io::ErrorKind::NotFound.into()), Code::InvalidFile);
}
