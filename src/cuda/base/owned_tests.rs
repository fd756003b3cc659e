use super::*;

#[test]
fn a_range_is_in_until_it_is_freed() {
    let owned = Owned::default();
    owned.add(1000, 100);
    owned.add(2000, 1);
    let inside = |addrs: &[usize]| addrs.iter().all(|addr| owned.origin(*addr).is_some());
    assert!(inside(&[1000, 1099, 2000]));
    assert!(![999, 1100, 1999, 2001].iter().any(|addr| owned.origin(*addr).is_some()));
    assert!(owned.remove_after(1000, || owned.origin(1050).is_some()), "while it is being freed");
    assert!(owned.origin(1050).is_none() && owned.origin(2000).is_some());
}

#[test]
fn an_address_that_is_allocated_again_at_once_stays() {
    let owned = Owned::default();
    owned.add(1000, 100);
    owned.remove_after(1000, || owned.add(1000, 200));
    assert!(owned.origin(1150).is_some());
    owned.remove_after(1000, || ());
    assert!(owned.origin(1000).is_none());
}

#[test]
fn what_was_allocated_once_is_in_the_window() {
    let owned = Owned::default();
    owned.insert(500, 100, Origin::Registered);
    assert!(![0, 500, 599].iter().any(|addr| owned.hull.contains(*addr)));
    owned.add(1000, 100);
    owned.add(3000, 100);
    owned.remove_after(1000, || ());
    owned.remove_after(3000, || ());
    assert_eq!((owned.origin(550), owned.origin(1050)), (Some(Origin::Registered), None));
    assert!([1000, 1099, 2000, 3099].iter().all(|addr| owned.was_near(*addr)));
    assert!(![0, 550, 999, 3100].iter().any(|addr| owned.hull.contains(*addr)));
    drop(owned);
    assert!(Owned::default().was_near(2000), "in the next life, too");
}
