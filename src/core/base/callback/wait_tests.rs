use super::*;

struct Inside(Vec<u64>);
impl CallbackSource for Inside {
    fn threads(&self) -> Vec<u64> {
        self.0.clone()
    }
}

/// Numbers that no thread of other tests has.
const BASE: u64 = 1 << 40;

fn wait(thread: u64, inside: &[u64]) -> Result<Wait, Circle> {
    let inside = inside.iter().map(|thread| BASE + thread).collect();
    Wait::begin(BASE + thread, Arc::new(Inside(inside)))
}

#[test]
fn waits_in_a_circle_are_found_when_the_last_one_begins() {
    let first = wait(1, &[2]).expect("2 does not wait");
    let second = wait(2, &[3, 4]).expect("3 and 4 do not wait");
    assert_eq!(wait(3, &[1]).map(|_| ()), Err(Circle));
    assert_eq!(wait(4, &[5, 1]).map(|_| ()), Err(Circle));
    assert!(wait(5, &[1, 2, 3]).is_ok());
    drop(second);
    assert!(wait(3, &[1]).is_ok());
    drop(first);
}

#[test]
fn a_thread_does_not_wait_for_its_own_callbacks_but_others_wait_for_them() {
    let own = wait(11, &[11, 12]).expect("12 does not wait");
    // Both are inside callbacks of the same object: each would wait for the other.
    assert_eq!(wait(12, &[11, 12]).map(|_| ()), Err(Circle));
    drop(own);
    assert!(wait(12, &[11, 12]).is_ok());
}
