use rustix::process::geteuid;

use super::*;

#[test]
fn answers_come_between_connections() {
    let name = format!("portacl-server-tests-{}", std::process::id());
    let listener = Listener::open(&name).unwrap();
    let connect = || Connection::open_now(&name, PATIENCE).unwrap();
    let _pending: Vec<_> = (0..MOST_GUESTS + 1).map(|_| connect()).collect();
    let mut guests = Vec::new();
    let_in(&listener, &mut guests, geteuid().as_raw());
    assert_eq!(guests.len(), MOST_GUESTS);
    // A process that connects again and again would keep this call going.
    assert!(listener.accept().is_ok(), "all were accepted at once");
}
