use super::*;

#[test]
fn kernels_with_larger_pages_have_no_guard_mode() {
    assert!(guardable(4 << 10).is_ok());
    for page in [16 << 10, 64 << 10] {
        let text = guardable(page).unwrap_err().text().to_owned();
        assert!(text.contains("PORTACL_CPU_GUARD") && text.contains(&page.to_string()), "{text}");
    }
}

#[test]
fn allocations_end_where_a_page_does_as_far_as_their_alignment_allows() {
    let of = |len| Layout::new(len, if len < UNIT { 512 } else { UNIT });
    assert_eq!(of(512), Layout { extent: 2 * UNIT, align: UNIT, lead: UNIT - 512 });
    assert_eq!(of(3584), Layout { extent: 2 * UNIT, align: UNIT, lead: 512 });
    assert_eq!(of(UNIT), Layout { extent: 2 * UNIT, align: UNIT, lead: 0 });
    assert_eq!(Layout::new(HUGE, HUGE), Layout { extent: HUGE + UNIT, align: HUGE, lead: 0 });
}
