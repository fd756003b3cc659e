use std::num::NonZeroUsize;

use super::*;

#[test]
fn kinds_are_words_and_places() {
    let registered = |pinned, mapped| Kind::Registered { pinned, mapped };
    let all = [
        (Kind::Device(0), Place::Device(0)),
        (Kind::Device(77), Place::Device(77)),
        (Kind::Managed(77), Place::Device(77)),
        (Kind::Pinned, Place::Pinned),
        (Kind::Pool(77), Place::Device(77)),
        (Kind::HostPool(None), Place::Pinned),
        (Kind::HostPool(Some(0)), Place::Pinned),
        (Kind::HostPool(Some(3)), Place::Pinned),
        (Kind::Mapped(77), Place::Device(77)),
        (Kind::Imported(77), Place::Device(77)),
        (Kind::Graph(77), Place::Device(77)),
        (Kind::HostMapped(None), Place::Pinned),
        (Kind::HostMapped(Some(0)), Place::Pinned),
        (registered(true, false), Place::Pinned),
        (registered(true, true), Place::Pinned),
        (registered(false, true), Place::Pageable),
        (registered(false, false), Place::Pageable),
    ];
    for (kind, place) in all {
        assert_eq!(Kind::from_word(kind.word()), kind);
        assert_eq!(kind.place(), place);
        // The owner is in the upper half of the word.
        let word = Allocation::first_word(kind, Owner(u32::MAX));
        assert_eq!(Kind::place_of(Reach { left: NonZeroUsize::MIN, word }), place);
    }
}
