use super::*;

#[test]
fn only_whole_pages_of_the_kernel_are_released() {
    const UNIT: usize = 4 << 10;
    const PAGE: usize = 64 << 10;
    assert_eq!(whole(PAGE, UNIT, UNIT), (PAGE, PAGE + UNIT));
    // On a kernel with larger pages, the page of the unit contains other units.
    let (first, end) = whole(PAGE, UNIT, PAGE);
    assert!(first >= end, "{first:#x} to {end:#x}");
    assert_eq!(whole(PAGE - UNIT, 3 * PAGE, PAGE), (PAGE, 3 * PAGE));
}

#[test]
fn what_lies_beside_released_pages_stays() {
    let page = ordinary();
    let mapping = Mapping::new(4 * page, Source::Unreserved, 0).unwrap();
    // SAFETY: the test's own mapping, of this length.
    let bytes = unsafe { std::slice::from_raw_parts_mut(mapping.addr() as *mut u8, 4 * page) };
    bytes.fill(1);
    discard(mapping.addr() + 1, 2 * page);
    assert!(bytes[..page].iter().chain(&bytes[2 * page..]).all(|byte| *byte == 1), "beside the whole page");
    assert!(bytes[page..2 * page].iter().all(|byte| *byte == 0), "the whole page");
}
