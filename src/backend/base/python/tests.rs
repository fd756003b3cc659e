use super::*;

#[test]
fn a_process_without_an_interpreter_has_no_frames() {
    look();
    assert!(found().is_none() && frames().is_empty() && frames_if_held().is_empty());
    assert_eq!(first_inside(&[1, 2]), None);
}

#[test]
fn functions_are_kept_once_and_only_while_they_are_used() {
    let mut key = String::new();
    let first = code::intern(&mut key, "a.py", "f");
    assert!(std::sync::Arc::ptr_eq(&first, &code::intern(&mut key, "a.py", "f")));
    for (file, function) in [("a.py", "g"), ("b.py", "f"), ("a.pyf", "")] {
        let other = code::intern(&mut key, file, function);
        assert_eq!((other.file(), other.function()), (file, function));
        assert!(!std::sync::Arc::ptr_eq(&first, &other));
    }
    (0..10_000).for_each(|number| drop(code::intern(&mut key, "generated.py", &number.to_string())));
    assert!(code::count() < 100, "{}", code::count());
    assert!(std::sync::Arc::ptr_eq(&first, &code::intern(&mut key, "a.py", "f")), "held ones stay");
}
