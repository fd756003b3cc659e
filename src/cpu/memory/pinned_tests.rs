use std::sync::atomic::AtomicBool;

use super::*;

const MIB: usize = 1 << 20;

fn mapping(len: usize) -> Mapping {
    Mapping::new(len, Source::Private, 0).unwrap()
}

#[test]
fn requests_get_what_they_would_not_waste() {
    let kept = FreedMappings::new(|| false);
    for len in [10 * MIB, 64 * MIB, 65 * MIB] {
        kept.put(mapping(len));
    }
    assert!(kept.take(7 * MIB).is_none());
    assert!(kept.take(66 * MIB).is_none());
    assert_eq!(kept.take(63 * MIB).map(|mapping| mapping.len()), Some(64 * MIB));
    assert_eq!(kept.take(63 * MIB).map(|mapping| mapping.len()), Some(65 * MIB));
    assert!(kept.take(63 * MIB).is_none());
    assert_eq!(kept.bytes(), 10 * MIB);
    assert!(kept.release());
    assert!(!kept.release());
}

#[test]
fn the_bound_holds_and_the_oldest_go_first() {
    let kept = FreedMappings::new(|| false);
    kept.put(mapping(MOST_KEPT + MIB));
    assert_eq!(kept.bytes(), 0);
    for len in [100 * MIB, 101 * MIB, 50 * MIB, 20 * MIB] {
        kept.put(mapping(len));
    }
    assert_eq!(kept.bytes(), 171 * MIB);
    assert!(kept.take(100 * MIB).is_some_and(|mapping| mapping.len() == 101 * MIB));
    kept.put(mapping(MOST_KEPT));
    assert_eq!(kept.bytes(), MOST_KEPT);
}

#[test]
fn scarce_memory_is_not_kept() {
    static SCARCE: AtomicBool = AtomicBool::new(false);
    let kept = FreedMappings::new(|| SCARCE.load(Ordering::Relaxed));
    kept.put(mapping(8 * MIB));
    assert_eq!(kept.bytes(), 8 * MIB);
    SCARCE.store(true, Ordering::Relaxed);
    kept.put(mapping(4 * MIB));
    assert_eq!(kept.bytes(), 0);
}
