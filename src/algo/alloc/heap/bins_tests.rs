use super::*;

#[test]
fn bins_are_monotone_and_cover_all_lengths() {
    let mut last = 0;
    for len in (1..5000).chain([1 << 20, (1 << 20) + 1, u32::MAX - 1, u32::MAX]) {
        let bin = bin_of(len);
        assert!(bin >= last && bin < BINS, "{len}");
        assert!(bin_above(len) == bin || bin_above(len) == bin + 1);
        last = bin;
    }
}
