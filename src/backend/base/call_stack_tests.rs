use super::*;

#[inline(never)]
fn deeper(levels: usize, most: usize) -> Vec<usize> {
    let addrs = if levels == 0 { return_addresses(most) } else { deeper(levels - 1, most) };
    std::hint::black_box(addrs)
}

#[test]
fn a_stack_is_as_deep_as_its_calls_and_as_is_wanted() {
    let [flat, deep] = [0, 20].map(|levels| deeper(levels, 1000).len());
    assert_eq!(deep, flat + 20);
    assert_eq!(deeper(20, 7).len(), 7);
}
