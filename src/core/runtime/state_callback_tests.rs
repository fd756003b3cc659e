use std::cell::RefCell;

use super::*;

#[test]
fn names_are_registered_once_and_unregistered_once() {
    let registry: Registry<u8> = Registry::new();
    assert!(!registry.has_any());
    registry.set("a", Some(1)).unwrap();
    registry.set("b", Some(2)).unwrap();
    let twice = registry.set("a", Some(3)).unwrap_err();
    assert!(twice.text().contains("\"a\" is registered already"), "{twice:?}");
    let called = RefCell::new(Vec::new());
    registry.notify("test", |watcher| {
        called.borrow_mut().push(*watcher);
        // What a callback does itself is not reported.
        registry.notify("test", |_| panic!("called for its own change"));
    });
    assert_eq!(*called.borrow(), [1, 2]);
    registry.set("a", None).unwrap();
    let gone = registry.set("a", None).unwrap_err();
    assert!(gone.text().contains("nothing is"), "{gone:?}");
    registry.set("b", None).unwrap();
    assert!(!registry.has_any());
}
