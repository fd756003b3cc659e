use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

unsafe extern "C-unwind" {
    fn pthread_exit(result: *mut c_void) -> !;
}

static RELEASED: AtomicUsize = AtomicUsize::new(0);

struct Held;

impl Drop for Held {
    fn drop(&mut self) {
        RELEASED.fetch_add(1, Ordering::Relaxed);
    }
}

/// A call of the library whose callback ends the thread with `result`.
fn call_that_ends(result: *mut c_void) -> *mut c_void {
    let _held = Held;
    run_user_code(|| {
        let _inside = Held;
        // SAFETY: the thread was created by `pthread_create`, and its frames allow it.
        unsafe { pthread_exit(result) }
    })
}

extern "C" fn thread(result: *mut c_void) -> *mut c_void {
    enter_and_end(result)
}

/// What the entry of a call does. It has values to release, and so cannot be the function that C calls: that one ends
/// the process if an unwinding enters it.
#[inline(never)]
fn enter_and_end(result: *mut c_void) -> *mut c_void {
    match catch_unwind(AssertUnwindSafe(|| call_that_ends(result))) {
        Ok(unreachable) => unreachable,
        Err(mut panic) => {
            assert_eq!(RELEASED.load(Ordering::Relaxed), 2);
            continue_end(&mut *panic);
            panic!("the thread goes on");
        }
    }
}

#[test]
fn a_thread_ends_inside_a_callback_after_the_call_has_released_what_it_held() {
    let (mut id, mut result) = (0, ptr::null_mut());
    // SAFETY: the thread's argument is a number, and it is joined once.
    unsafe {
        assert_eq!(libc::pthread_create(&raw mut id, ptr::null(), thread, ptr::without_provenance_mut(42)), 0);
        assert_eq!(libc::pthread_join(id, &raw mut result), 0);
    }
    assert_eq!(result.addr(), 42);
}

#[test]
fn code_that_returns_has_its_result_and_a_panic_passes() {
    assert_eq!(run_user_code(|| 7), 7);
    let panic = catch_unwind(|| run_user_code(|| -> () { resume_unwind(Box::new(8)) })).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&8));
    // The panic has unregistered what the call had registered.
    assert_eq!(run_user_code(|| 9), 9);
}

#[test]
fn the_state_of_the_thread_is_as_before() {
    let state = || without(|| Off::new().before);
    assert_eq!(state(), Some(PTHREAD_CANCEL_DISABLE));
    let mut before = PTHREAD_CANCEL_DISABLE;
    // SAFETY: sets the state and reads the one that `without` has restored.
    unsafe { pthread_setcancelstate(0, &raw mut before) };
    assert_eq!(before, 0);
}
