//! Which callbacks run when work fails, and what they may query.

use std::sync::Arc;

use crate::stream::exception::{self, Exception, ExceptionCallback};
use crate::tests::script::THREAD;
use crate::tests::*;

/// The calls of watchers: each with the watcher and its arguments.
type Calls = Arc<Mutex<Vec<(usize, usize, Exception)>>>;

fn watcher(address: usize, calls: &Calls) -> ExceptionCallback {
    let calls = Arc::clone(calls);
    let call = Arc::new(move |info| {
        // The callback runs on a thread of the library, so calls of the API are refused.
        assert!(thread::refuse_inside_host_function().is_err());
        calls.lock().push((address, info, (*exception::find(info).unwrap()).clone()));
    });
    ExceptionCallback { address, call }
}

fn take(calls: &Calls) -> Vec<usize> {
    std::mem::take(&mut *calls.lock()).into_iter().map(|(address, ..)| address).collect()
}

#[test]
fn registered_callbacks_are_called_in_order() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    let calls = Calls::default();
    work.fail("unknown cause");
    exception::set(Some(watcher(1, &calls)));
    exception::set(Some(watcher(2, &calls)));
    for address in [3, 4, 3, 2] {
        exception::register(watcher(address, &calls));
    }
    work.fail("all know");
    // A callback that is registered in both ways is called twice.
    assert_eq!(take(&calls), [2, 3, 4, 2]);
    exception::unregister(3);
    exception::unregister(99);
    exception::set(None);
    work.fail("two know");
    assert_eq!(take(&calls), [4, 2]);
    exception::forget_all();
    work.fail("unknown cause");
    assert!(take(&calls).is_empty());
    stream::synchronize(raw).unwrap_err();
}

#[test]
fn exception_information_is_valid_during_the_callback_only() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    let calls = Calls::default();
    exception::register(watcher(1, &calls));
    work.fail_at(7, "the seventh");
    let (_, info, exception) = calls.lock()[0].clone();
    let wanted = Exception {
        task: 7,
        stream: stream::id(raw).unwrap() as u32,
        thread: THREAD,
        device: 0,
        code: Code::AicoreException.value() as u32,
        launch: None,
    };
    assert_eq!(exception, wanted);
    fails(exception::find(info), Code::ParamInvalid, &["running exception callback"]);
    fails(exception::find(0), Code::InvalidParam, &["info is null"]);
    exception::forget_all();
    stream::synchronize(raw).unwrap_err();
}

#[test]
fn of_a_device_that_fails_only_device_and_code_are_known() {
    let bench = Bench::new();
    let (raw, work) = bench.stream();
    let calls = Calls::default();
    exception::set(Some(watcher(1, &calls)));
    work.fail_as_device("it is lost");
    let unknown = Exception::UNKNOWN;
    let wanted = Exception {
        task: unknown,
        stream: unknown,
        thread: unknown,
        device: 0,
        code: Code::AicoreException.value() as u32,
        launch: None,
    };
    assert_eq!(calls.lock()[0].2, wanted);
    // Every call of the backend returns the failure.
    stream::synchronize(raw).unwrap();
    exception::forget_all();
}

#[test]
fn finalize_removes_exception_callbacks() {
    let calls = Calls::default();
    let mut bench = Bench::new();
    exception::set(Some(watcher(1, &calls)));
    exception::register(watcher(2, &calls));
    runtime::finalize().unwrap();
    bench.next_life().assert_nothing_left();
    device::set(0).unwrap();
    let (raw, work) = bench.stream();
    work.fail("unknown cause");
    assert!(take(&calls).is_empty());
    stream::synchronize(raw).unwrap_err();
}
