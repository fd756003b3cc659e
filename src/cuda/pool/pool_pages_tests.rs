use super::*;

const PAGE: usize = 0x1000;

#[test]
fn whole_pages_are_known_and_no_others() {
    let pages = PoolPages::new(PAGE);
    assert!(!pages.contains(0) && !pages.contains(0x5000));
    assert!(pages.add(0x5100, 1));
    assert!(!pages.add(0x5f00, 0x100), "the same page");
    assert!(pages.contains(0x5000) && pages.contains(0x5fff));
    assert!(!pages.contains(0x4fff) && !pages.contains(0x6000));
    assert!(pages.add(0x5f00, 0x101), "one byte of the next");
    assert!(pages.contains(0x6fff) && !pages.contains(0x7000));
    assert!(pages.add(0x4fff, 1), "the one before");
    assert!(pages.contains(0x4000));
}

#[test]
fn runs_grow_and_what_is_far_from_all_of_them_is_known_too() {
    let pages = PoolPages::new(PAGE);
    let bases = (1..=2 * RUNS).map(|index| index << 20);
    for base in bases.clone() {
        assert!(pages.add(base, 3 * PAGE));
        assert!(!pages.add(base + PAGE, 2 * PAGE));
    }
    for base in bases {
        assert!([base, base + 3 * PAGE - 1].iter().all(|&addr| pages.contains(addr)));
        assert!(![base - 1, base + 3 * PAGE].iter().any(|&addr| pages.contains(addr)));
        assert!(pages.add(base + 2 * PAGE, 2 * PAGE), "one page more");
        assert!(pages.contains(base + 4 * PAGE - 1) && !pages.contains(base + 4 * PAGE));
    }
}
