//! The thread that serves the offers of this process.

use std::io;
use std::os::fd::AsFd;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use super::listener::{Bound, Listener};
use super::message::{self, REQUEST, Request};
use super::penalty::Penalties;
use super::process::{Caller, Process, check_caller, connected};
use super::socket::{self, Connection};
use super::{Broker, Lease, PATIENCE, trouble, unknown, unserved};
use crate::Result;
use crate::algo::host::system_call::named;
use crate::algo::thread::pause::pause;
use crate::algo::thread::quiet_thread;
use crate::base::random::random;

/// The maximum number of peers without an answer. A new peer replaces one: of the process that has the most, the one
/// that has waited longest.
const MOST_GUESTS: usize = 32;

/// The pause of the server after a failed accept.
const PAUSE: Duration = Duration::from_millis(50);

/// The serving thread. It ends when this is dropped.
pub(super) struct Server {
    /// The random number in the socket's name.
    pub(super) door: u32,
    listener: Arc<Listener>,
    thread: Option<quiet_thread::Handle>,
}

/// A connected peer.
struct Guest {
    connection: Connection,
    /// The peer, or why it gets nothing.
    caller: Result<Caller>,
    stage: Stage,
}

enum Stage {
    /// The peer may send its request until this time.
    Asks { until: Instant },
    /// The peer has sent a wrong key. It gets this answer at this time.
    Waits { at: Instant, answer: Vec<u8> },
    /// The peer has an answer, and an object is kept for it.
    Leases {
        #[expect(dead_code, reason = "it is kept until the peer closes its connection, and nothing else")]
        kept: Lease,
    },
}

impl Guest {
    /// Returns when the server must do something for the peer, if the peer does nothing.
    fn due(&self) -> Option<Instant> {
        match self.stage {
            Stage::Asks { until } => Some(until),
            Stage::Waits { at, .. } => Some(at),
            Stage::Leases { .. } => None,
        }
    }

    /// Whether the peer has no answer yet.
    fn is_unanswered(&self) -> bool {
        self.due().is_some()
    }
}

impl Server {
    /// Starts the thread, behind a socket whose name contains a random number, so that importers distinguish it from
    /// those of earlier servers of this process.
    pub(super) fn start(broker: &'static Broker, own: &Process) -> Result<Self> {
        let random = random().map_err(|error| unserved(&error))?;
        let door = u32::from_le_bytes(*random.first_chunk().expect("16 bytes"));
        let listener = Listener::open(&broker.socket_name(door)).map_err(|error| unserved(&error))?;
        let listener = Arc::new(listener);
        close_in_children(&listener.bound());
        let (user, served) = (own.user, Arc::clone(&listener));
        let serve = move || serve(broker, &served, user);
        let thread = quiet_thread::spawn("portacl-broker", serve).map_err(|error| {
            LISTENING.store(ptr::null_mut(), Ordering::Relaxed);
            unserved(&named("no thread can be started", error))
        })?;
        Ok(Self { door, listener, thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.listener.close();
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

fn serve(broker: &Broker, listener: &Listener, user: u32) {
    let mut guests: Vec<Guest> = Vec::new();
    let mut penalties = Penalties::default();
    loop {
        // A process that closes all descriptors of its parent, as daemons do, can still serve its offers. A child that
        // is forked meanwhile must not find the pointer to the former descriptor.
        if !listener.bound().is_ours() {
            LISTENING.store(ptr::null_mut(), Ordering::Relaxed);
            if let Ok(true) = listener.reopen() {
                close_in_children(&listener.bound());
            }
        }
        let own = listener.bound();
        let mut all = vec![own.socket()];
        all.extend(guests.iter().map(|guest| guest.connection.descriptor()));
        let first = guests.iter().filter_map(Guest::due).min();
        let left = first.map(|first| first.saturating_duration_since(Instant::now()));
        let ready = socket::wait(&all, left);
        if listener.is_closed() {
            break;
        }
        let now = Instant::now();
        let mut attended = |(guest, said): (Guest, &bool)| match said {
            true => attend(guest, broker, &mut penalties),
            false => Some(guest),
        };
        let stay: Vec<_> = guests.into_iter().zip(&ready[1..]).filter_map(&mut attended).collect();
        let (due, stay) = stay.into_iter().partition(|guest| guest.due().is_some_and(|due| due <= now));
        guests = stay;
        due_now(due);
        if ready[0] {
            let_in(listener, &mut guests, user);
        }
    }
    // This happens before the descriptor is dropped.
    LISTENING.store(ptr::null_mut(), Ordering::Relaxed);
}

/// Accepts pending connections, a limited number: processes that connect again and again do not keep the server from
/// its answers.
fn let_in(listener: &Listener, guests: &mut Vec<Guest>, user: u32) {
    for _ in 0..MOST_GUESTS {
        match listener.accept() {
            Ok(connection) => welcome(guests, connection, user),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(_) if listener.is_closed() => return,
            // The process has no free descriptor, for example. The peer keeps waiting.
            Err(_) => return pause(PAUSE),
        }
    }
}

/// Accepts a peer of the same user. Root reaches the sockets of all users.
fn welcome(guests: &mut Vec<Guest>, connection: Connection, user: u32) {
    let peer = match connection.peer() {
        Ok(peer) if peer.user == user => peer,
        Ok(_) => return,
        Err(error) => {
            let _ = connection.send(&message::answer(&Err(trouble(&error))), None);
            return;
        }
    };
    let caller = connected(peer.process);
    if guests.iter().filter(|guest| guest.is_unanswered()).count() == MOST_GUESTS
        && let Some(index) = most_crowded(guests)
    {
        guests.remove(index);
    }
    let stage = Stage::Asks { until: Instant::now() + PATIENCE };
    guests.push(Guest { connection, caller, stage });
}

/// Returns the peer that a new one replaces. A process that connects again and again replaces its own connections.
fn most_crowded(guests: &[Guest]) -> Option<usize> {
    let process = |guest: &Guest| guest.caller.as_ref().ok().copied();
    let waiting = || guests.iter().enumerate().filter(|(_, guest)| guest.is_unanswered());
    let crowd = |guest: &Guest| waiting().filter(|(_, other)| process(other) == process(guest)).count();
    waiting().min_by_key(|(_, guest)| std::cmp::Reverse(crowd(guest))).map(|(index, _)| index)
}

/// Sends late answers, and disconnects these peers.
fn due_now(guests: Vec<Guest>) {
    for Guest { connection, stage, .. } in guests {
        if let Stage::Waits { answer, .. } = stage {
            let _ = connection.send(&answer, None);
        }
    }
}

/// Answers a request, or detects that a peer has closed for which an object is kept, or an answer. Returns a peer that
/// stays connected.
fn attend(guest: Guest, broker: &Broker, penalties: &mut Penalties) -> Option<Guest> {
    let asks = matches!(guest.stage, Stage::Asks { .. });
    // The buffer has one byte more, which shows that a request is too long.
    let mut bytes = [0; REQUEST + 1];
    let len = match guest.connection.receive_bytes(&mut bytes) {
        // A peer sends nothing after its request, so it has closed.
        Ok(_) if !asks => return None,
        Ok(len) => len,
        Err(error) if !asks || error.kind() == io::ErrorKind::WouldBlock => return Some(guest),
        Err(error) => {
            let _ = guest.connection.send(&message::answer(&Err(trouble(&error))), None);
            return None;
        }
    };
    let request = Request::from_bytes(&bytes[..len])?;
    // Peers that send no request cost no check.
    let caller = guest.caller.clone().and_then(|found| check_caller(&guest.connection, found).map(|()| found));
    let parcel = match caller {
        Ok(caller) => match broker.answer(caller, &request) {
            Some(parcel) => parcel,
            None => {
                let at = penalties.wrong(caller, Instant::now(), PATIENCE / 2)?;
                let answer = message::answer(&Err(unknown()));
                return Some(Guest { stage: Stage::Waits { at, answer }, ..guest });
            }
        },
        Err(fault) => Err(fault),
    };
    let packet = message::answer(&parcel);
    let (descriptor, kept) = parcel.map_or((None, None), |parcel| (parcel.descriptor, parcel.kept));
    // A peer that has closed does not get the answer.
    guest.connection.send(&packet, descriptor.as_ref().map(AsFd::as_fd)).ok()?;
    kept.map(|kept| Guest { stage: Stage::Leases { kept }, ..guest })
}

/// The descriptors of the open listener, or null if there is none.
static LISTENING: AtomicPtr<Bound> = AtomicPtr::new(ptr::null_mut());

/// Makes forked children close the socket: a child has no thread that would answer.
fn close_in_children(listener: &Arc<Bound>) {
    unsafe extern "C" fn close() {
        let listener = LISTENING.swap(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: null or descriptors of the parent, which its thread drops after it has cleared the pointer.
        if let Some(listener) = unsafe { listener.as_ref() } {
            listener.close();
        }
    }
    static ONCE: Once = Once::new();
    // SAFETY: the function makes system calls alone, which a child of a process with several threads may do. If there
    // is no memory to register it, a peer that connects to such a child waits until its timeout.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(close));
    });
    LISTENING.store(Arc::as_ptr(listener).cast_mut(), Ordering::Relaxed);
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
