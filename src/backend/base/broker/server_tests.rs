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

/// A process that connects again and again drives out no connection of another one.
#[test]
fn a_new_peer_replaces_one_of_the_process_with_the_most() {
    let name = format!("portacl-server-tests-crowd-{}", std::process::id());
    let listener = Listener::open(&name).unwrap();
    let guest = |caller| Guest {
        connection: Connection::open_now(&name, PATIENCE).unwrap(),
        caller,
        stage: Stage::Asks { until: Instant::now() + PATIENCE },
    };
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
