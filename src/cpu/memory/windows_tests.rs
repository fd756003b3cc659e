use super::*;

#[test]
fn the_latest_openings_are_remembered() {
    let windows = Windows::new(2, 100);
    assert_eq!(windows.device_at(0), None);
    windows.open(0, 1000);
    windows.open(1, 5000);
    let found = |addrs: [usize; 6]| addrs.map(|addr| windows.device_at(addr));
    let between = [999, 1000, 1099, 1100, 4999, 5099];
    assert_eq!(found(between), [None, Some(0), Some(0), None, None, Some(1)]);
    windows.open(0, 8000);
    assert_eq!(found([1000, 1099, 8000, 8099, 8100, 5000]), [Some(0), Some(0), Some(0), Some(0), None, Some(1)]);
    windows.open(0, 9000);
    assert_eq!(windows.device_at(1050), None);
    assert_eq!(windows.device_at(8050), Some(0));
    assert!(was_near(1050));
    drop(windows);
    assert!(was_near(9050));
}
