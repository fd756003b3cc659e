use std::time::Instant;

use super::*;

#[test]
fn it_takes_as_long_as_it_says() {
    let (began, length) = (Instant::now(), Duration::from_millis(3));
    pause(length);
    assert!(began.elapsed() >= length);
}
