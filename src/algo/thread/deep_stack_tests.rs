use std::thread::Builder;

use super::*;

fn thread() -> libc::pthread_t {
    // SAFETY: without arguments, it only returns the caller's number.
    unsafe { libc::pthread_self() }
}

#[test]
fn work_leaves_a_small_stack() {
    let on = |bytes: usize| {
        let thread =
            Builder::new().stack_size(bytes).spawn(move || (run(thread) == thread(), thread_attributes::stack_left()));
        thread.unwrap().join().unwrap()
    };
    let (is_here, left) = on(64 << 10);
    assert!(!is_here && left < 64 << 10, "{left}");
    let (is_here, left) = on(4 << 20);
    assert!(is_here && left > 3 << 20, "{left}");
}
