use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

#[test]
fn a_closure_is_called_or_dropped_once() {
    let (held, calls) = (Arc::new(()), Arc::new(AtomicU32::new(0)));
    let make = || {
        let (held, calls) = (Arc::clone(&held), Arc::clone(&calls));
        HostFn::from_closure(move || {
            assert!(inside_host_function());
            drop(held);
            calls.fetch_add(1, Ordering::Relaxed);
        })
    };
    let (called, dropped) = (make(), make());
    assert!(!called.calls_backend());
    assert!(HostFn::from_backend_calls(|| ()).calls_backend());
    assert!(called.repeated().is_none());
    called.run();
    assert_eq!((calls.load(Ordering::Relaxed), Arc::strong_count(&held)), (1, 2));
    drop(dropped);
    assert_eq!((calls.load(Ordering::Relaxed), Arc::strong_count(&held)), (1, 1));
}

#[test]
fn a_function_gets_its_argument_and_is_not_called_when_it_is_dropped() {
    unsafe extern "C" fn count(calls: *mut c_void) {
        // SAFETY: the test passes a counter.
        unsafe { &*calls.cast::<AtomicU32>() }.fetch_add(1, Ordering::Relaxed);
    }
    let calls = AtomicU32::new(0);
    let argument = std::ptr::from_ref(&calls).cast_mut().cast();
    // SAFETY: the counter outlives the calls.
    let make = || unsafe { HostFn::new(count, argument) };
    drop(make());
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    make().run();
    assert!(!make().calls_backend());
    let repeated = make().repeated().expect("it is no closure");
    repeated.run();
    repeated.run();
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    assert_eq!(repeated.address(), count as *const () as usize);
}
