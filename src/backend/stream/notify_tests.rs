use std::os::fd::AsFd;

use super::*;

const PLAIN: NotifyWait = NotifyWait { until: Until::Equal(1), clear: true, limit: None };

fn take(notify: &Notify, until: Until, clear: bool) -> bool {
    notify.try_take(&NotifyWait { until, clear, limit: None }, 0).unwrap()
}

fn count(notify: &Notify) -> u32 {
    let (page, slot) = notify.place();
    parts(page.line(slot).word.load(Ordering::Relaxed)).0
}

/// The next wait that looks checks whether other processes are alive, as if the interval between checks were over.
fn ask_peers_next(notify: &Notify) {
    notify.asked.store(0, Ordering::Relaxed);
}

#[test]
fn changes() {
    let notify = Notifies::default().create().unwrap();
    for (change, after) in [
        (Change::Set(5), 5),
        (Change::Add(7), 12),
        (Change::Or(3), 15),
        (Change::And(9), 9),
        (Change::Add(u32::MAX), 8),
        (Change::Set(0), 0),
    ] {
        notify.change(change);
        assert_eq!(count(&notify), after, "{change:?}");
    }
}

#[test]
fn conditions() {
    let cases: [(Until, &[u32], &[u32]); 5] = [
        (Until::Less(5), &[0, 4], &[5, 6, u32::MAX]),
        (Until::Equal(5), &[5], &[0, 4, 6]),
        (Until::Greater(5), &[6, u32::MAX], &[0, 5]),
        (Until::AtLeast(5), &[5, 6, u32::MAX], &[0, 4]),
        (Until::Bits(5), &[5, 7, u32::MAX], &[0, 1, 4, 10]),
    ];
    let notify = Notifies::default().create().unwrap();
    for (until, enough, too_little) in cases {
        for value in enough {
            notify.set(*value);
            assert!(take(&notify, until, false), "{value} for {until:?}");
            assert_eq!(count(&notify), *value);
            assert!(take(&notify, until, true));
            assert_eq!(count(&notify), 0);
        }
        for value in too_little {
            notify.set(*value);
            assert!(!take(&notify, until, true), "{value} for {until:?}");
            assert_eq!(count(&notify), *value);
        }
    }
}

#[test]
fn one_record_ends_one_wait() {
    let notify = Notifies::default().create().unwrap();
    let taken = AtomicU64::new(0);
    const ROUNDS: u64 = 1000;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while taken.load(Ordering::Relaxed) < ROUNDS {
                    if notify.try_take(&PLAIN, 0).unwrap() {
                        taken.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        for round in 0..ROUNDS {
            notify.set(1);
            while taken.load(Ordering::Relaxed) <= round {
                std::hint::spin_loop();
            }
            assert_eq!(taken.load(Ordering::Relaxed), round + 1);
        }
    });
}

#[test]
fn slots_are_reused_and_new_pages_created() {
    let notifies = Notifies::default();
    let all: Vec<_> = (0..2 * SLOTS + 1).map(|_| notifies.create().unwrap()).collect();
    assert_eq!(notifies.0.lock().len(), 3);
    for (number, notify) in all.iter().enumerate() {
        notify.set(number as u32);
    }
    for (number, notify) in all.iter().enumerate() {
        assert_eq!(count(notify), number as u32);
    }
    drop(all);
    let again: Vec<_> = (0..3 * SLOTS).map(|_| notifies.create().unwrap()).collect();
    assert_eq!(notifies.0.lock().len(), 3);
    assert!(again.iter().all(|notify| count(notify) == 0));
}

#[test]
fn an_imported_one_is_the_same() {
    let notifies = Notifies::default();
    let own = notifies.create().unwrap();
    let (bytes, descriptor) = own.export().unwrap();
    let imported = Notify::import(&bytes, descriptor.as_fd()).unwrap();
    own.set(1);
    assert!(imported.try_take(&PLAIN, 0).unwrap());
    assert!(!own.try_take(&PLAIN, 0).unwrap());
    imported.change(Change::Add(1));
    assert!(own.try_take(&PLAIN, 0).unwrap());
    // The next notify uses its slot, which the import does not touch.
    drop(own);
    assert_eq!(imported.try_take(&PLAIN, 0).unwrap_err(), gone());
    let next = notifies.create().unwrap();
    imported.set(1);
    assert_eq!(count(&next), 0);
    assert_eq!(imported.try_take(&PLAIN, 0).unwrap_err(), gone());
    assert_eq!(Notify::import(&bytes, descriptor.as_fd()).err(), Some(gone()));
}

/// Returns the bytes of the page that an import of the notify can read and write.
fn granted(notify: &Notify) -> Vec<u8> {
    use std::os::unix::fs::FileExt;
    let file = std::fs::File::from(notify.export().unwrap().1);
    let mut bytes = vec![0; file.metadata().unwrap().len() as usize];
    file.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

/// The descriptor of an export shows nothing of other notifies.
#[test]
fn an_export_grants_one_notify() {
    const SECRETS: [u32; 3] = [0x5ec4e701, 0x5ec4e702, 0x5ec4e703];
    let shows = |bytes: &[u8], count: u32| bytes.chunks(4).filter(|word| *word == count.to_le_bytes()).count();
    let notifies = Notifies::default();
    let all = SECRETS.map(|count| {
        let notify = notifies.create().unwrap();
        notify.set(count);
        notify
    });
    for (notify, count) in all.iter().zip(SECRETS) {
        let bytes = granted(notify);
        assert_eq!(SECRETS.map(|secret| shows(&bytes, secret)), SECRETS.map(|secret| usize::from(secret == count)));
    }
    // Events that processes share never have neighbours.
    let [one, other] = [(); 2].map(|()| notifies.create_alone().unwrap());
    one.set(SECRETS[0]);
    assert_eq!(shows(&granted(&other), SECRETS[0]), 0);
}

/// Records and waits of other threads continue while the word moves, and none is lost or counted twice.
#[test]
fn a_word_moves_while_threads_use_it() {
    const THREADS: u32 = 3;
    const CHANGES: u32 = 2000;
    for _ in 0..20 {
        let notify = Notifies::default().create().unwrap();
        let ready = std::sync::Barrier::new(THREADS as usize + 1);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    ready.wait();
                    for _ in 0..CHANGES {
                        notify.change(Change::Add(1));
                    }
                });
            }
            ready.wait();
            notify.export().unwrap();
        });
        assert_eq!((notify.count(), count(&notify)), (THREADS * CHANGES, THREADS * CHANGES));
        assert!(take(&notify, Until::Equal(THREADS * CHANGES), true));
        assert_eq!(notify.count(), 0);
    }
}

#[test]
fn an_end_on_either_side_is_seen() {
    let own = Notifies::default().create().unwrap();
    let (bytes, descriptor) = own.export().unwrap();
    // Leaves as it should.
    drop(Notify::import(&bytes, descriptor.as_fd()).unwrap());
    ask_peers_next(&own);
    assert!(!own.try_take(&PLAIN, 0).unwrap());
    // This import dies: its lock ends, and its count stays.
    own.place().0.enter(own.place().1);
    ask_peers_next(&own);
    assert_eq!(own.try_take(&PLAIN, 0).unwrap_err(), died());
    // Earlier waits fail, too; later ones do not.
    assert_eq!(own.try_take(&PLAIN, 0).unwrap_err(), died());
    assert_eq!(own.deaths(), 1);
    assert!(!own.try_take(&PLAIN, 1).unwrap());
    // The exporter ends, and its word stays as it was.
    let imported = Notify::import(&bytes, descriptor.as_fd()).unwrap();
    assert!(!imported.try_take(&PLAIN, 0).unwrap());
    own.place().0.close();
    ask_peers_next(&imported);
    assert_eq!(imported.try_take(&PLAIN, 0).unwrap_err(), gone());
}

#[test]
fn what_is_no_notify_is_refused() {
    let own = Notifies::default().create().unwrap();
    let (bytes, descriptor) = own.export().unwrap();
    let refused = |bytes: &[u8]| Notify::import(bytes, descriptor.as_fd()).err().unwrap();
    for bad in [&bytes[..15], &[0; 16], &[]] {
        assert!(refused(bad).text().contains("cannot be imported: the export"), "{bad:?}");
    }
    let mut beyond = bytes.clone();
    beyond[8..12].copy_from_slice(&(SLOTS as u32).to_le_bytes());
    assert!(refused(&beyond).text().contains("names no notify"));
    // Nothing else is opened: an open of a socket by its name in /proc would give another text.
    let file = OwnedFd::from(std::fs::File::open("/proc/self/exe").unwrap());
    let (socket, _other) = std::os::unix::net::UnixStream::pair().unwrap();
    for other in [file, socket.into()] {
        let refused = Notify::import(&bytes, other.as_fd()).err().unwrap();
        assert_eq!(refused.kind(), FaultKind::InvalidArgument);
        assert!(refused.text().ends_with("both processes need the same version of this library"), "{refused:?}");
    }
    // None of these counts as an importer that died when peers are checked next.
    ask_peers_next(&own);
    assert!(!own.try_take(&PLAIN, 0).unwrap());
}
