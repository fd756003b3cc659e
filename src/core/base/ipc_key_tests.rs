use std::io::pipe;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::*;

#[test]
fn the_second_of_two_concurrent_offers_is_withdrawn() {
    let slot = OnceLock::new();
    let (first, first_end) = pipe().expect("a pipe");
    let (second, second_end) = pipe().expect("a pipe");
    let offer = |end: OwnedFd| Offer::of(&slot, OfferKind::Event, Admission::Anyone, || Ok((vec![1], end)));
    let found = Offer::of(&slot, OfferKind::Event, Admission::Anyone, || {
        // Meanwhile another thread offers the same object.
        assert!(offer(first_end.into()).is_ok());
        Ok((vec![2], second_end.into()))
    });
    assert!(found.is_ok_and(|found| std::ptr::eq(found, slot.get().expect("an offer"))));
    let is_closed = |end| {
        let mut looks = [PollFd::from_borrowed_fd(end, PollFlags::empty())];
        poll(&mut looks, Some(&Timespec::default())).is_ok_and(|ready| ready == 1)
    };
    assert!(is_closed(std::os::fd::AsFd::as_fd(&second)), "its descriptor is closed");
    assert!(!is_closed(std::os::fd::AsFd::as_fd(&first)));
}
