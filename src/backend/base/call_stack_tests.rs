use super::*;

#[inline(never)]
fn deeper(levels: usize, most: usize) -> Vec<usize> {
    let addrs = if levels == 0 { Walk::here(most, 0).addrs } else { deeper(levels - 1, most) };
    std::hint::black_box(addrs)
}

#[test]
fn a_stack_is_as_deep_as_its_calls_and_as_is_wanted() {
    let [flat, deep] = [0, 20].map(|levels| deeper(levels, 1000).len());
    assert_eq!(deep, flat + 20);
    assert_eq!(deeper(20, 7).len(), 7);
}

/// Walks at the first call. Later calls return whether the walk is the same.
#[inline(never)]
fn compare(walk: &mut Option<Walk>) -> bool {
    let variable = std::hint::black_box(0_u8);
    let frame = (&raw const variable).expose_provenance();
    match walk {
        Some(walk) => walk.is_same(),
        None => {
            *walk = Some(Walk::here(100, frame));
            false
        }
    }
}

#[inline(never)]
fn compare_in_a_function(walk: &mut Option<Walk>) -> bool {
    std::hint::black_box(compare(walk))
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_walk_is_the_same_only_from_the_same_places() {
    let mut walk = None;
    let twice = std::hint::black_box(2);
    let found: Vec<bool> = (0..twice).map(|_| compare_in_a_function(&mut walk)).collect();
    assert_eq!(found, [false, true]);
    assert!(!std::hint::black_box(compare_in_a_function(&mut walk)), "from another line");
}
