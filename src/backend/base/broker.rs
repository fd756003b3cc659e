//! Passes objects to other processes of the same user.
//!
//! A process [offers](Broker::offer) an object to the [`BROKER`] and gets a [`Key`], which programs pass on as text or
//! as a number. A process with a key [fetches](Broker::fetch) the object: some bytes, and a descriptor if there is one.
//! The first offer starts a thread that serves all offers over a socket without a file, so that a killed process leaves
//! nothing behind. The thread ends with [`Broker::stop`].
//!
//! Both sides query the system for the peer's credentials. A request is answered only if it is valid and comes from a
//! process of this user that may have the object. A silent peer is disconnected after some seconds, and each step of a
//! fetch waits for at most as long.
//!
//! | file | what |
//! |---|---|
//! | `key.rs` | keys as texts and numbers, and their processes |
//! | `message.rs` | the protocol |
//! | `server.rs` | the thread |
//! | `socket.rs` | the system calls |

mod key;
mod message;
mod server;
mod socket;
#[cfg(test)]
#[path = "broker_tests.rs"]
mod tests;

use std::any::Any;
use std::collections::btree_map::{BTreeMap, Entry};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use self::key::Process;
pub use self::key::{Key, MOST_TEXT};
use self::message::Request;
use self::server::Server;
use self::socket::Connection;
use super::random::random;
use crate::algo::host::descriptor::Descriptor;
use crate::backend::{Fault, FaultKind, Result};

/// The longest time for which either side waits for the other.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });

/// The maximum number of bytes of a [`Parcel`].
pub const MOST_BYTES: usize = 256;

/// The kind of an offer. The importer checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Device memory at an address.
    Memory,
    /// Memory without an address.
    PhysicalMemory,
    /// An event.
    Event,
    /// A notify.
    Notify,
}

/// The content of an offer.
pub struct Parcel {
    /// The content's bytes, at most [`MOST_BYTES`].
    pub bytes: Vec<u8>,
    /// The descriptor, which is passed as a new descriptor of the same file.
    pub descriptor: Option<OwnedFd>,
    /// The object that stays alive until every process that has fetched this parcel drops its lease or ends.
    pub kept: Option<Kept>,
}

/// An object that is kept, or the lease of an object that another process keeps. It may be dropped on any thread.
pub type Kept = Arc<dyn Any + Send + Sync>;

impl Parcel {
    /// Creates a parcel for which no object is kept.
    pub fn new(bytes: Vec<u8>, descriptor: Option<OwnedFd>) -> Self {
        Self { bytes, descriptor, kept: None }
    }

    /// Returns the fault that the bytes are not what this backend writes.
    #[cold]
    pub fn of_another() -> Fault {
        Fault::invalid(
            "it was exported by a process with another backend or version of this library; both processes need the \
             same (PORTACL_BACKEND)",
        )
    }
}

/// Says which processes of the same user may fetch an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The processes that were [admitted](Broker::admit).
    Listed,
    /// Any process that has the key.
    Anyone,
}

/// An object that other processes can fetch.
struct Offer {
    key: Key,
    kind: Kind,
    bytes: Vec<u8>,
    descriptor: Option<Descriptor>,
    kept: Option<Kept>,
    admission: Admission,
    admitted: Vec<i32>,
}

/// Offers by the [short](Key::short) form of their keys.
type Offers = BTreeMap<u32, Offer>;

/// The offers of this process, and its fetches from other processes.
pub struct Broker {
    /// The prefix of the socket's name. The identity of the process follows it.
    name: &'static str,
    offers: Mutex<Offers>,
    /// The serving thread, while it runs.
    server: Mutex<Option<Server>>,
}

/// The broker of this process.
pub static BROKER: Broker = Broker::new("portacl");

impl Broker {
    const fn new(name: &'static str) -> Self {
        Self { name, offers: Mutex::new(Offers::new()), server: Mutex::new(None) }
    }

    /// Offers a parcel, and starts the serving thread if it does not run yet.
    pub fn offer(&'static self, kind: Kind, parcel: Parcel, admission: Admission) -> Result<Key> {
        debug_assert!(parcel.bytes.len() <= MOST_BYTES, "too large a parcel");
        let own = Process::current()?;
        let Parcel { bytes, descriptor, kept } = parcel;
        let descriptor = descriptor.map(Descriptor::new).transpose().map_err(|error| unserved(&error))?;
        let mut server = self.server.lock();
        if server.is_none() {
            *server = Some(Server::start(self, &own)?);
        }
        drop(server);
        loop {
            let secret = random().map_err(|error| unserved(&error))?;
            let key = Key::new(&own, secret);
            if let Entry::Vacant(place) = self.offers.lock().entry(key.short) {
                place.insert(Offer { key, kind, bytes, descriptor, kept, admission, admitted: Vec::new() });
                return Ok(key);
            }
        }
    }

    /// Allows these processes to fetch an offer, in addition to earlier ones. Returns false if this process has no such
    /// offer.
    pub fn admit(&self, kind: Kind, key: &Key, processes: &[i32]) -> bool {
        let mut offers = self.offers.lock();
        let offer = offers.get_mut(&key.short);
        let Some(offer) = offer.filter(|offer| offer.kind == kind && key.names(&offer.key)) else {
            return false;
        };
        offer.admitted.extend(processes);
        true
    }

    /// Ends an offer. Returns false if this process has no such offer.
    pub fn withdraw(&self, kind: Kind, key: &Key) -> bool {
        let gone = match self.offers.lock().entry(key.short) {
            Entry::Occupied(place) if place.get().kind == kind && key.names(&place.get().key) => Some(place.remove()),
            _ => None,
        };
        // The offer is dropped without the lock, because closing a descriptor may take long.
        gone.is_some()
    }

    /// Fetches the offer of another process under this key.
    pub fn fetch(&self, kind: Kind, key: &Key) -> Result<Parcel> {
        let own = Process::current()?;
        let exporter = key.exporter(&own)?;
        let id = exporter.id;
        let unanswered = |error| unanswered(id, &error);
        let opened = Connection::open(&exporter.address(self.name), PATIENCE);
        let connection = opened.map_err(|error| match error.kind() {
            io::ErrorKind::ConnectionRefused => gone(id),
            _ => unanswered(error),
        })?;
        let peer = connection.peer().map_err(unanswered)?;
        if (peer.user, peer.process) != (own.user, id) {
            return Err(Fault::invalid(format!(
                "who answers for process {id} is process {} of user {}, and not that process of user {}; \
                 what they offer is not trusted",
                peer.process, peer.user, own.user
            )));
        }
        connection.send(&Request::new(kind, key).to_bytes(), None).map_err(unanswered)?;
        let mut answer = [0; message::MOST];
        let (len, descriptor) = connection.receive(&mut answer).map_err(unanswered)?;
        if len == 0 {
            return Err(Fault::invalid(format!(
                "process {id}, which has exported this, hangs up without an answer; it may have finalized the library, \
                 or ended, or the system refuses it the answer"
            )));
        }
        let (bytes, is_leased) = message::parse_answer(&answer[..len])?;
        Ok(Parcel { bytes, descriptor, kept: is_leased.then(|| Arc::new(connection) as _) })
    }

    /// Ends all offers and the thread.
    pub fn stop(&self) {
        let server = self.server.lock().take();
        drop(server);
        let offers = std::mem::take(&mut *self.offers.lock());
        drop(offers);
    }

    /// Returns the parcel for a process. Its descriptor is duplicated, so that no lock is held while it is sent. The
    /// process reads the text of a fault.
    fn answer(&self, process: i32, request: &Request) -> Result<Parcel> {
        let id = std::process::id();
        let offers = self.offers.lock();
        let is_named = |offer: &&Offer| request.secret.is_none() || request.secret == offer.key.secret();
        let offer = offers.get(&request.short).filter(is_named).ok_or_else(|| {
            Fault::invalid(format!(
                "process {id} offers nothing under this key: it was closed or freed there, or is none of its"
            ))
        })?;
        if request.kind != offer.kind as u32 {
            return Err(Fault::invalid(
                "this key stands for something else (memory, physical memory, an event or a notify); import \
                 it with the function for that",
            ));
        }
        if offer.admission == Admission::Listed && !offer.admitted.contains(&process) {
            return Err(Fault::invalid(format!(
                "process {id} has not put this process, {process}, on the list of those that may import it; \
                 let it do so first, or export without a list"
            )));
        }
        let descriptor = offer.descriptor.as_ref().map(Descriptor::duplicate).transpose();
        // The process has no free descriptor, and the other side may try again; or it has closed this one.
        let descriptor = descriptor.map_err(|error| trouble(&error))?;
        Ok(Parcel { bytes: offer.bytes.clone(), descriptor, kept: offer.kept.clone() })
    }
}

#[cold]
fn gone(process: i32) -> Fault {
    Fault::invalid(format!("process {process} offers nothing any more: it has finalized the library, or ended"))
}

/// Returns the fault that a system call failed which the broker needs. The error names the call.
#[cold]
fn unserved(error: &io::Error) -> Fault {
    let text = format!("nothing can be shared with other processes: {error}");
    Fault::new(FaultKind::OutOfResources, text)
}

/// Returns the fault that a system call failed which an answer needs.
#[cold]
fn trouble(error: &io::Error) -> Fault {
    let id = std::process::id();
    let text = format!("process {id} offers this and cannot hand it over: its system refuses a call: {error}");
    Fault::new(FaultKind::OutOfResources, text)
}

/// Returns the fault that the other side's reply is invalid, or that the other side cannot be reached.
#[cold]
fn unanswered(process: i32, error: &io::Error) -> Fault {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, TimedOut, WouldBlock};
    if let WouldBlock | TimedOut | BrokenPipe | ConnectionReset = error.kind() {
        return Fault::invalid(format!("process {process}, which has exported this, does not answer: {error}"));
    }
    let text = format!("process {process}, which has exported this, cannot be asked: {error}");
    Fault::new(FaultKind::OutOfResources, text)
}
