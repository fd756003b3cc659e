use super::*;
use crate::backend::{Fault, FaultKind};

#[test]
fn polling_ends_with_the_answer_or_the_deadline() {
    let now = Instant::now();
    assert_eq!(poll_until(now, || Ok(true)).unwrap(), Wait::Done);
    assert_eq!(poll_until(now, || Ok(false)).unwrap(), Wait::TimedOut);

    let soon = now + Duration::from_millis(5);
    assert_eq!(poll_until(soon, || Ok(false)).unwrap(), Wait::TimedOut);
    assert!(Instant::now() >= soon);

    let mut asked = 0;
    let far = Instant::now() + Duration::from_secs(60);
    let wait = poll_until(far, || {
        asked += 1;
        Ok(asked == 5)
    });
    assert_eq!(wait.unwrap(), Wait::Done);
    let fault = Fault::new(FaultKind::Execution, "gone");
    assert_eq!(poll_until(far, || Err(fault.clone())).unwrap_err(), fault);
}
