use rustix::process::geteuid;

use super::*;
use crate::base::broker::listener::address;

/// Connects to a socket of this process.
fn connect(name: &str) -> Connection {
    let own = std::process::id().cast_signed();
    let address = address(own, |found| found == name).unwrap().expect("a socket");
    Connection::open(&address, PATIENCE).unwrap()
}

#[test]
fn answers_come_between_connections() {
    let name = "portacl-server-tests";
    let listener = Listener::open(name).unwrap();
    let connect = || connect(name);
    let _pending: Vec<_> = (0..MOST_GUESTS + 1).map(|_| connect()).collect();
    let mut guests = Vec::new();
    let_in(&listener, &mut guests, geteuid().as_raw());
    assert_eq!(guests.len(), MOST_GUESTS);
    // A process that connects again and again would keep this call going.
    assert!(listener.accept().is_ok(), "all were accepted at once");
}

/// A process that connects again and again drives out no connection of another one.
#[test]
fn a_new_peer_replaces_one_of_the_process_with_the_most() {
    let name = "portacl-server-tests-crowd";
    let listener = Listener::open(name).unwrap();
    let guest =
        |caller| Guest { connection: connect(name), caller, stage: Stage::Asks { until: Instant::now() + PATIENCE } };
    let of = |id| guest(Ok(Caller { id, start: 1 }));
    // Two processes of another container count as one, because their ids are unknown.
    let outside = || guest(Err(unknown()));
    let guests = [of(1), of(2), outside(), of(2), outside(), of(3), of(2)];
    assert_eq!(most_crowded(&guests), Some(1));
    assert_eq!(most_crowded(&guests[..6]), Some(1));
    assert_eq!(most_crowded(&guests[2..6]), Some(0));
    assert_eq!(most_crowded(&guests[5..]), Some(0));
    assert_eq!(most_crowded(&[]), None);
    drop(listener);
}
