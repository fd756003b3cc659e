use super::*;

#[test]
fn an_address_is_what_its_object_is() {
    // This address cannot be mapped: it is not read, and no other test uses it.
    let base = 0x1000;
    assert_eq!(at(base), Foreign::Unknown);
    assert!(loaded(base, 0x1000, 3));
    let live = Foreign::Known(Place::Device(3));
    assert_eq!([at(base), at(0x1fff), at(0x2000)], [live, live, Foreign::Unknown]);
    assert_eq!(block_at(0x1800).map(|block| (block.base, block.len)), Some((base, 0x1000)));
    becomes(base, LEAVING);
    assert_eq!((at(0x1800), has_variable(0x1800)), (Foreign::Stale, true));
    assert_eq!(block_at(0x1800), None);
    becomes(base, GONE);
    assert_eq!((at(0x1800), has_variable(0x1800)), (Foreign::Stale, false));
    // Another object of another size takes that place.
    assert!(loaded(0xf00, 0x800, 1));
    assert_eq!(at(0x1000), Foreign::Known(Place::Device(1)));
    assert_eq!(at(0x1800), Foreign::Unknown);
    becomes(0xf00, GONE);
}
