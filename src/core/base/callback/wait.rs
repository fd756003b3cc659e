//! Waits for the end of callbacks that other threads run: no two are for each other.

use std::sync::Arc;

use parking_lot::Mutex;

/// Something whose callbacks are waited for.
pub trait Awaited: Send + Sync {
    /// The threads that are inside its callbacks now. While somebody waits for it, no others come.
    fn threads(&self) -> Vec<u64>;
}

/// A thread that waits.
struct Waiting {
    thread: u64,
    for_: Arc<dyn Awaited>,
}

/// All of them. The locks inside of [`Awaited::threads`] come after this one.
static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());

/// A wait, until this is dropped.
pub struct Wait {
    thread: u64,
}

/// A thread that is inside the awaited callbacks waits, by way of others perhaps, for those of the caller.
#[derive(Debug, PartialEq, Eq)]
pub struct Circle;

impl Wait {
    /// `thread` is going to wait for the end of all callbacks of `for_` on other threads. Fails where one of those waits
    /// for a callback that `thread` is inside of. A circle is there when its last wait begins, so one look is enough.
    pub fn begin(thread: u64, for_: Arc<dyn Awaited>) -> Result<Self, Circle> {
        let mut waiting = WAITING.lock();
        let mut others = for_.threads().into_iter().filter(|other| *other != thread);
        if others.any(|other| leads_to(&waiting, other, thread)) {
            return Err(Circle);
        }
        waiting.push(Waiting { thread, for_ });
        Ok(Self { thread })
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let mut waiting = WAITING.lock();
        let place = waiting.iter().position(|wait| wait.thread == self.thread);
        let ended = place.map(|place| waiting.swap_remove(place));
        drop(waiting);
        // It may be the last who has it.
        drop(ended);
    }
}

/// Whether `from` waits for `thread`.
fn leads_to(waiting: &[Waiting], from: u64, thread: u64) -> bool {
    let (mut seen, mut next) = (vec![from], vec![from]);
    while let Some(at) = next.pop() {
        // A thread waits for one thing at a time.
        let Some(wait) = waiting.iter().find(|wait| wait.thread == at) else { continue };
        for other in wait.for_.threads() {
            if other == thread {
                return true;
            }
            if !seen.contains(&other) {
                seen.push(other);
                next.push(other);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Inside(Vec<u64>);
    impl Awaited for Inside {
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
        // Both are inside of the same callback's functions: 12 would have to leave for 11, and 11 for 12.
        assert_eq!(wait(12, &[11, 12]).map(|_| ()), Err(Circle));
        drop(own);
        assert!(wait(12, &[11, 12]).is_ok());
    }
}
