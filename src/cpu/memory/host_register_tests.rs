use proptest::prelude::*;

use super::*;

#[test]
fn what_others_have_locked_stays_so() {
    let unlocked = |others: &[Pages]| {
        let mut locks = Locks::default();
        locks.add((10, 20));
        others.iter().for_each(|&other| locks.add(other));
        locks.remove((10, 20))
    };
    assert_eq!(unlocked(&[]), [(10, 20)]);
    assert_eq!(unlocked(&[(0, 10), (20, 30)]), [(10, 20)]);
    assert_eq!(unlocked(&[(12, 14)]), [(10, 12), (14, 20)]);
    assert_eq!(unlocked(&[(12, 14), (5, 11), (19, 40)]), [(11, 12), (14, 19)]);
    assert_eq!(unlocked(&[(10, 20)]), []);
    assert_eq!(unlocked(&[(0, 15), (15, 20)]), []);
}

proptest! {
    /// Checks that each page is unlocked when the last range that has it is removed, in any order.
    #[test]
    fn pages_are_unlocked_once(
        ranges in prop::collection::vec((0_usize..40, 1_usize..12, any::<prop::sample::Index>()), 1..40),
    ) {
        let mut locks = Locks::default();
        let mut live = Vec::new();
        for &(first, len, _) in &ranges {
            locks.add((first, first + len));
            live.push((first, first + len));
        }
        for (_, _, pick) in ranges {
            let (first, end) = live.swap_remove(pick.index(live.len()));
            let is_free = |page: &usize| !live.iter().any(|(from, to)| (from..to).contains(&page));
            let wanted: Vec<usize> = (first..end).filter(is_free).collect();
            let gone: Vec<usize> =
                locks.remove((first, end)).into_iter().flat_map(|(from, to)| from..to).collect();
            prop_assert_eq!(gone, wanted);
        }
        prop_assert!(locks.0.is_empty());
    }
}

#[test]
fn memory_with_a_hole_is_refused() {
    let page = ordinary();
    let len = 5000 * page;
    // SAFETY: a new mapping that is not shared, unmapped in two parts.
    let fault = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let start = libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ, flags, -1, 0);
        assert_ne!(start, libc::MAP_FAILED);
        let addr = start.expose_provenance();
        let hole = addr + 4500 * page;
        libc::munmap(bytes::address(hole).cast(), page);
        let fault = Registered::default().lock(addr, len).unwrap_err();
        libc::munmap(start, len);
        assert!(fault.text().contains(&format!("{hole:#x}")), "{}", fault.text());
        fault
    };
    assert_eq!(fault.kind(), FaultKind::Driver);
}
