use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

per_thread! {
    static NUMBER: Cell<u32> = Cell::new(1);
    static LIST: ThreadList<String> = ThreadList::new();
}

static ENDED: AtomicUsize = AtomicUsize::new(0);
static LATE: AtomicUsize = AtomicUsize::new(0);

fn count() {
    ENDED.fetch_add(1, Ordering::Relaxed);
}

at_thread_end! {
    fn counts_the_end() -> bool => count;
}

#[test]
fn values_last_to_the_very_end_of_a_thread() {
    struct Owner;
    impl Drop for Owner {
        fn drop(&mut self) {
            NUMBER.set(NUMBER.get() + 1);
            LIST.with(|list| list.push("late".to_owned()));
            let all = LIST.with(ThreadList::take);
            assert_eq!((NUMBER.get(), all.as_slice()), (3, &["early".to_owned(), "late".to_owned()][..]));
            assert_eq!(ENDED.load(Ordering::Relaxed), 1);
            assert!(!counts_the_end());
            LATE.fetch_add(1, Ordering::Relaxed);
        }
    }
    // It is used first, so it is destroyed last.
    thread_local! {
        static OWNER: Owner = const { Owner };
    }
    let thread = std::thread::spawn(|| {
        OWNER.with(|_| ());
        NUMBER.set(2);
        LIST.with(|list| list.push("early".to_owned()));
        assert!(counts_the_end() && counts_the_end());
    });
    thread.join().expect("a thread panicked");
    assert_eq!((ENDED.load(Ordering::Relaxed), LATE.load(Ordering::Relaxed)), (1, 1));
}

#[test]
fn a_list_frees_its_memory_with_its_last_element() {
    let (list, element) = (ThreadList::new(), std::sync::Arc::new(1));
    list.push(element.clone());
    list.push(element.clone());
    assert_eq!(list.with(<[_]>::len), 2);
    assert_eq!(list.with_last(|last| **last), Some(1));
    drop((list.pop(), list.pop()));
    assert_eq!(list.0.borrow().capacity(), 0);
    assert_eq!(list.pop(), None);
    assert_eq!(std::sync::Arc::strong_count(&element), 1);
}
