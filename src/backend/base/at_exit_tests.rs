use std::cell::Cell;
use std::sync::atomic::AtomicUsize;

use super::*;

static ENDS: AtomicUsize = AtomicUsize::new(0);
static LATE: AtomicUsize = AtomicUsize::new(0);

thread_local! { static WATCHED: Cell<bool> = const { Cell::new(false) }; }

fn count() {
    if WATCHED.get() {
        ENDS.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn functions_run_once_for_each_thread_and_after_thread_local_objects() {
    struct Late;
    impl Drop for Late {
        fn drop(&mut self) {
            LATE.fetch_add(1 + 10 * ENDS.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
    thread_local! { static LATE_ONE: Late = const { Late }; }
    let thread = std::thread::spawn(|| {
        WATCHED.set(true);
        LATE_ONE.with(|_| ());
        assert!(at_end_of_thread(count) && at_end_of_thread(count));
        assert_eq!(ENDS.load(Ordering::Relaxed), 0);
    });
    thread.join().expect("a thread panicked");
    assert_eq!((ENDS.load(Ordering::Relaxed), LATE.load(Ordering::Relaxed)), (1, 1));
}

#[test]
fn a_refused_key_is_requested_again() {
    const CHILD: &str = "PORTACL_TEST_KEYS";
    if std::env::var_os(CHILD).is_none() {
        // Other tests of this process need keys.
        let (_, module) = module_path!().split_once("::").expect("the module is in a crate");
        let name = format!("{module}::a_refused_key_is_requested_again");
        let own = std::env::current_exe().expect("the program has a path");
        let run = std::process::Command::new(own).args(["--exact", &name]).env(CHILD, "1").output();
        let output = run.expect("the program runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let mut all: Vec<libc::pthread_key_t> = Vec::new();
    let mut key = 0;
    // SAFETY: a place for the key.
    while unsafe { libc::pthread_key_create(&mut key, None) } == 0 {
        all.push(key);
    }
    assert!(!at_end_of_thread(count));
    // SAFETY: a key of this test.
    unsafe { libc::pthread_key_delete(all.pop().expect("there are keys")) };
    assert!(at_end_of_thread(count));
}
