use std::sync::{Arc, Condvar, Mutex};

use super::*;

type Owner = Arc<(Mutex<ServingThread>, Condvar)>;

fn need(owner: &Owner) {
    let own = Arc::clone(owner);
    let ended = owner.0.lock().unwrap().need("test", move || {
        let thread = own.0.lock().unwrap();
        let mut thread = own.1.wait_while(thread, |thread| !thread.is_stopping()).unwrap();
        thread.has_ended();
    });
    ended.unwrap().join();
}

#[test]
fn it_is_started_once_and_again_by_another_owner() {
    let owner: Owner = Arc::default();
    for _ in 0..2 {
        need(&owner);
        need(&owner);
        assert!(owner.0.lock().unwrap().is_there());
        let ending = owner.0.lock().unwrap().stop();
        owner.1.notify_all();
        ending.join();
        let mut thread = owner.0.lock().unwrap();
        assert!(!thread.is_there() && thread.is_stopping());
        *thread = ServingThread::new();
    }
}

#[test]
fn one_that_has_ended_by_itself_is_started_again() {
    let owner: Owner = Arc::default();
    for _ in 0..3 {
        let own = Arc::clone(&owner);
        let serve = move || own.0.lock().unwrap().has_ended();
        owner.0.lock().unwrap().need("test", serve).unwrap().join();
        while owner.0.lock().unwrap().is_there() {
            std::thread::yield_now();
        }
    }
    owner.0.lock().unwrap().stop().join();
}
