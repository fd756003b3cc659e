//! The thread that serves the offers of this process.

use std::any::Any;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Once};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::key::Process;
use super::message::{Answer, REQUEST, Request};
use super::socket::{self, Connection, Listener, Wake};
use super::{PATIENCE, unserved};
use crate::algo::host::system_call::named;
use crate::algo::thread::quiet_thread;
use crate::backend::Result;

/// The most open connections; the oldest one is closed for a new one.
const MOST_GUESTS: usize = 32;

/// How long the server pauses after an accept has failed.
const PAUSE: Duration = Duration::from_millis(50);

/// The reply to a request.
pub(super) struct Reply {
    pub(super) answer: Answer,
    pub(super) descriptor: Option<OwnedFd>,
    /// Kept as long as the peer has it.
    pub(super) kept: Option<Arc<dyn Any + Send + Sync>>,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self { answer, descriptor: None, kept: None }
    }
}

/// By the id of the process.
type Answering = dyn Fn(i32, &Request) -> Reply + Send;

/// An object that is kept for a peer until it closes its connection.
struct Kept {
    connection: Connection,
    #[expect(dead_code, reason = "it is kept, and nothing else")]
    what: Arc<dyn Any + Send + Sync>,
}

impl Kept {
    /// The peer sends nothing; a readable connection means that it has closed. If the system call fails, it counts as
    /// open.
    fn is_needed(&self) -> bool {
        self.connection.receive(&mut [0]).is_err()
    }
}

/// The thread; it ends when this is dropped.
pub(super) struct Server {
    wake: Arc<Wake>,
    thread: Option<JoinHandle<()>>,
}

/// A peer that has connected and not sent its request yet.
struct Guest {
    connection: Connection,
    process: i32,
    until: Instant,
}

impl Server {
    pub(super) fn start(
        own: &Process,
        address: &str,
        answer: impl Fn(i32, &Request) -> Reply + Send + 'static,
    ) -> Result<Self> {
        let listener = Listener::open(address).map_err(|error| unserved(&error))?;
        let wake = Arc::new(Wake::new().map_err(|error| unserved(&error))?);
        close_in_children(listener.descriptor().as_raw_fd());
        let (user, woken) = (own.user, Arc::clone(&wake));
        let serve = move || serve(&listener, &woken, user, &answer);
        let thread = quiet_thread::spawn("portacl-broker", serve).map_err(|error| {
            LISTENING.store(-1, Ordering::Relaxed);
            unserved(&named("its thread", error))
        })?;
        Ok(Self { wake, thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.wake.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(listener: &Listener, wake: &Wake, user: u32, answer: &Answering) {
    let mut guests: Vec<Guest> = Vec::new();
    let mut leases: Vec<Kept> = Vec::new();
    loop {
        let mut all = vec![wake.descriptor(), listener.descriptor()];
        all.extend(guests.iter().map(|guest| guest.connection.descriptor()));
        all.extend(leases.iter().map(|lease| lease.connection.descriptor()));
        let first = guests.iter().map(|guest| guest.until).min();
        let left = first.map(|first| first.saturating_duration_since(Instant::now()));
        let ready = socket::wait(&all, left);
        if wake.is_awake() {
            break;
        }
        let now = Instant::now();
        let mut said = ready[2..].iter().copied();
        let mut stay = Vec::new();
        let mut made = Vec::new();
        for guest in guests.drain(..) {
            let left = match said.next() {
                Some(true) => match attend(guest, answer) {
                    Attended::Silent(guest) => guest,
                    Attended::Kept(kept) => {
                        made.push(kept);
                        continue;
                    }
                    Attended::Gone => continue,
                },
                _ => guest,
            };
            if left.until > now {
                stay.push(left);
            }
        }
        guests = stay;
        leases.retain(|lease| !said.next().unwrap_or(false) || lease.is_needed());
        leases.append(&mut made);
        if ready[1] {
            let_in(listener, &mut guests, user, wake);
        }
    }
    // Before the number is reused.
    LISTENING.store(-1, Ordering::Relaxed);
}

/// Accepts all pending connections.
fn let_in(listener: &Listener, guests: &mut Vec<Guest>, user: u32, wake: &Wake) {
    loop {
        match listener.accept() {
            Ok(connection) => welcome(guests, connection, user),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            // The process has no descriptor left, for example: the peer keeps waiting.
            Err(_) => {
                if !wake.is_awake() {
                    socket::wait(&[wake.descriptor()], Some(PAUSE));
                }
                return;
            }
        }
    }
}

/// Accepts a peer of the same user.
fn welcome(guests: &mut Vec<Guest>, connection: Connection, user: u32) {
    let peer = match connection.peer() {
        Ok(peer) if peer.user == user => peer,
        Ok(_) => return,
        Err(error) => {
            let _ = connection.send(&Answer::trouble(&error).to_bytes(), None);
            return;
        }
    };
    if guests.len() == MOST_GUESTS {
        guests.remove(0);
    }
    guests.push(Guest { connection, process: peer.process, until: Instant::now() + PATIENCE });
}

/// The result of serving a connection.
enum Attended {
    /// No request yet.
    Silent(Guest),
    /// Answered, and an object is kept.
    Kept(Kept),
    Gone,
}

/// Answers a request. Then the connection is closed, unless an object is kept for the peer.
fn attend(guest: Guest, answer: &Answering) -> Attended {
    // One byte more, which shows that a request is too long.
    let mut bytes = [0; REQUEST + 1];
    let len = match guest.connection.receive(&mut bytes) {
        // A descriptor that was not requested is closed.
        Ok((len, _unasked)) => len,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Attended::Silent(guest),
        Err(error) => {
            let _ = guest.connection.send(&Answer::trouble(&error).to_bytes(), None);
            return Attended::Gone;
        }
    };
    let Some(request) = Request::from_bytes(&bytes[..len]) else { return Attended::Gone };
    let Reply { answer, descriptor, kept } = answer(guest.process, &request);
    // A peer that has closed misses it.
    if guest.connection.send(&answer.to_bytes(), descriptor.as_ref()).is_err() {
        return Attended::Gone;
    }
    let connection = guest.connection;
    kept.map_or(Attended::Gone, |what| Attended::Kept(Kept { connection, what }))
}

/// The descriptor of the open listener; -1: there is none.
static LISTENING: AtomicI32 = AtomicI32::new(-1);

/// A forked child must not keep the socket open: it has no thread that would answer.
fn close_in_children(listener: RawFd) {
    unsafe extern "C" fn close() {
        let listener = LISTENING.swap(-1, Ordering::Relaxed);
        if listener >= 0 {
            // SAFETY: the child's copy of a socket that nothing else in the child closes: the thread that would belongs
            // to the parent.
            unsafe { libc::close(listener) };
        }
    }
    static ONCE: Once = Once::new();
    // SAFETY: the function makes one system call, which a child of a process with several threads may do. If there is
    // no memory to register it, a peer that connects to such a child waits until its timeout.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(close));
    });
    LISTENING.store(listener, Ordering::Relaxed);
}
