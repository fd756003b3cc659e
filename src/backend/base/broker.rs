//! Passes objects to other processes of the same user.
//!
//! A process [offers](Broker::offer) an object to the [`BROKER`] and gets a [`Key`], which programs pass on as text or
//! as a number. A process with a key [fetches](Broker::fetch) the object: some bytes, and a descriptor if there is one.
//! The first offer starts a thread that serves all offers over a socket whose file is removed at once. The thread ends
//! with [`Broker::stop`].
//!
//! Both sides query the system for the peer's credentials. A request is answered only if it is valid and comes from a
//! process of this user, in the same namespaces, that may have the object. It contains the whole secret of the key,
//! unless the key was passed on as a number. Wrong keys are refused slowly (`penalty.rs`). A silent peer is
//! disconnected after some seconds, and each step of a fetch waits for at most as long.
//!
//! | file | what |
//! |---|---|
//! | `key.rs` | keys as texts and numbers |
//! | `listener.rs` | the socket that processes of the same user reach |
//! | `message.rs` | the protocol |
//! | `penalty.rs` | the delay of refusals |
//! | `process.rs` | this process, and the one at the other end |
//! | `server.rs` | the thread |
//! | `socket.rs` | connections, and the system calls on them |
//!
//! A forked child closes its copies of the socket and its file, because no thread would serve it there.

mod key;
mod listener;
mod message;
mod penalty;
mod process;
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

pub use self::key::{Key, MOST_TEXT};
use self::message::Request;
use self::process::{Caller, Process, start_of};
use self::server::Server;
use self::socket::Connection;
use super::random::random;
use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::system_call::{is_forbidden, process_limit};
use crate::{Fault, FaultKind, Result};

/// The longest time for which either side waits for the other.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });

/// The maximum number of bytes of a [`Parcel`].
pub const MOST_BYTES: usize = 256;

/// The kind of an offer. The importer checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferKind {
    /// Device memory at an address.
    Memory,
    /// Memory without an address.
    PhysicalMemory,
    /// An event.
    Event,
    /// A notify.
    Notify,
}

impl OfferKind {
    /// Returns the name of the object, and the call that imports it.
    fn in_words(self) -> (&'static str, &'static str) {
        match self {
            Self::Memory => ("device memory", "aclrtIpcMemImportByKey"),
            Self::PhysicalMemory => ("physical memory", "aclrtMemImportFromShareableHandleV2"),
            Self::Event => ("an event", "aclrtIpcOpenEventHandle"),
            Self::Notify => ("a notify", "aclrtNotifyImportByKey"),
        }
    }
}

/// The content of an offer.
pub struct Parcel {
    /// The content's bytes, at most [`MOST_BYTES`].
    pub bytes: Vec<u8>,
    /// The descriptor, which is passed as a new descriptor of the same file.
    pub descriptor: Option<OwnedFd>,
    /// The object that stays alive until every process that has fetched this parcel drops its lease or ends.
    pub kept: Option<Lease>,
}

/// An object that is kept, or the lease of an object that another process keeps. It may be dropped on any thread.
pub type Lease = Arc<dyn Any + Send + Sync>;

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
             same version and backend (PORTACL_BACKEND)",
        )
    }

    /// Returns the fault that the parcel came without its descriptor. The kernel drops a descriptor that the receiver
    /// has no room for.
    pub fn no_descriptor() -> Fault {
        let most = process_limit(libc::RLIMIT_NOFILE).map_or_else(String::new, |most| format!(" of {most}"));
        let text = format!(
            "the descriptor that the other process sent did not arrive, because this process has no free one within \
             its limit{most} (ulimit -n); close some files, or raise the limit, and import again"
        );
        Fault::new(FaultKind::OutOfResources, text)
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

/// The form in which a key is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The text, with the whole secret. A request has to contain it.
    Text,
    /// The number, which has only a part of the secret.
    Number,
}

/// An object that other processes can fetch.
struct Offer {
    key: Key,
    form: Form,
    kind: OfferKind,
    bytes: Vec<u8>,
    descriptor: Option<Descriptor>,
    kept: Option<Lease>,
    admission: Admission,
    admitted: Vec<Caller>,
}

/// Offers by the [short](Key::short) form of their keys.
type Offers = BTreeMap<u32, Offer>;

/// The offers of this process, and its fetches from other processes.
pub struct Broker {
    /// The prefix of the socket's name. A random number follows it.
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

    /// Offers a parcel, and starts the serving thread if it does not run yet. The key is passed on in this form.
    pub fn offer(&'static self, kind: OfferKind, parcel: Parcel, admission: Admission, form: Form) -> Result<Key> {
        debug_assert!(parcel.bytes.len() <= MOST_BYTES, "too large a parcel");
        let own = Process::current()?;
        let Parcel { bytes, descriptor, kept } = parcel;
        let descriptor = descriptor.map(Descriptor::new).transpose().map_err(|error| unserved(&error))?;
        let mut server = self.server.lock();
        let door = match &*server {
            Some(server) => server.door,
            None => server.insert(Server::start(self, &own)?).door,
        };
        drop(server);
        loop {
            let secret = random().map_err(|error| unserved(&error))?;
            let key = Key::new(&own, door, secret);
            if let Entry::Vacant(place) = self.offers.lock().entry(key.short) {
                place.insert(Offer { key, form, kind, bytes, descriptor, kept, admission, admitted: Vec::new() });
                return Ok(key);
            }
        }
    }

    /// Allows these processes to fetch an offer, in addition to earlier ones. Later processes with the same ids are
    /// others. Returns false if this process has no such offer.
    pub fn admit(&self, kind: OfferKind, key: &Key, processes: &[i32]) -> bool {
        let named = |id: &i32| start_of(*id).ok().flatten().map(|start| Caller { id: *id, start });
        let named: Vec<Caller> = processes.iter().filter_map(named).collect();
        let mut offers = self.offers.lock();
        let offer = offers.get_mut(&key.short);
        let Some(offer) = offer.filter(|offer| offer.kind == kind && key.names(&offer.key)) else {
            return false;
        };
        offer.admitted.extend(named);
        true
    }

    /// Ends an offer. Returns false if this process has no such offer.
    pub fn withdraw(&self, kind: OfferKind, key: &Key) -> bool {
        let gone = if let Entry::Occupied(place) = self.offers.lock().entry(key.short)
            && place.get().kind == kind
            && key.names(&place.get().key)
        {
            Some(place.remove())
        } else {
            None
        };
        // The offer is dropped without the lock, because closing a descriptor may take long.
        gone.is_some()
    }

    /// Fetches the offer of another process under this key.
    pub fn fetch(&self, kind: OfferKind, key: &Key) -> Result<Parcel> {
        let own = Process::current()?;
        let exporter = key.exporter(&own)?;
        let id = exporter.id;
        let unanswered = |error| unanswered(id, &error);
        let connection = self.connect(&exporter, key.door())?;
        connection.take_descriptor().map_err(|error| unserved(&error))?;
        connection.send(&Request::new(kind, key).to_bytes(), None).map_err(unanswered)?;
        let mut answer = [0; message::MOST];
        let (len, descriptor) = connection.receive(&mut answer).map_err(unanswered)?;
        if len == 0 {
            return Err(Fault::invalid(format!(
                "the exporting process {id} closed the connection without an answer: it may have called aclFinalize, \
                 ended, received too many wrong keys, or had a failed system call, or it uses another version of this \
                 library; check that process and the key, then import again"
            )));
        }
        let (bytes, is_leased) = message::parse_answer(&answer[..len])?;
        Ok(Parcel { bytes, descriptor, kept: is_leased.then(|| Arc::new(connection) as _) })
    }

    /// Connects to the socket of a process: the one with this random number, or the only one.
    fn connect(&self, exporter: &Process, door: Option<u32>) -> Result<Connection> {
        let id = exporter.id;
        let wanted = door.map(|door| self.socket_name(door));
        let is_wanted = |name: &str| match &wanted {
            Some(wanted) => name == wanted,
            None => name.strip_prefix(self.name).is_some_and(|rest| rest.starts_with('-')),
        };
        let address = listener::address(id, is_wanted).map_err(|error| match is_forbidden(&error) {
            true => closed_to_this_process(id, &error),
            false => unserved(&error),
        })?;
        let opened = Connection::open(&address.ok_or_else(|| gone(id))?, PATIENCE);
        // The socket can have been closed since it was found.
        let is_gone =
            |error: &io::Error| matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound);
        let connection = opened.map_err(|error| if is_gone(&error) { gone(id) } else { unanswered(id, &error) })?;
        let peer = connection.peer().map_err(|error| unanswered(id, &error))?;
        // Another process may have got the id. Root may connect to those of all users.
        ensure!(peer.process == id, gone(id));
        ensure!(
            peer.user == exporter.user,
            Fault::invalid(format!(
                "the key names process {id} of user {}, but this process runs as user {}; both need the same user",
                peer.user, exporter.user
            ))
        );
        Ok(connection)
    }

    /// Returns the name of the socket with this random number.
    fn socket_name(&self, door: u32) -> String {
        format!("{}-{door:08x}", self.name)
    }

    /// Ends all offers and the thread.
    pub fn stop(&self) {
        let server = self.server.lock().take();
        drop(server);
        let offers = std::mem::take(&mut *self.offers.lock());
        drop(offers);
    }

    /// Returns the parcel for a process, or `None` if no offer has this key. Its descriptor is duplicated, so that no
    /// lock is held while it is sent. The process reads the text of a fault.
    fn answer(&self, caller: Caller, request: &Request) -> Option<Result<Parcel>> {
        let offers = self.offers.lock();
        let offer = offers.get(&request.short).filter(|offer| match request.secret {
            Some(_) => request.secret == offer.key.secret(),
            None => offer.form == Form::Number,
        })?;
        Some(offer.parcel_for(caller, request))
    }
}

impl Offer {
    fn parcel_for(&self, caller: Caller, request: &Request) -> Result<Parcel> {
        if request.kind != self.kind as u32 {
            let (what, import) = self.kind.in_words();
            return Err(Fault::invalid(format!(
                "this key identifies an object of another type, {what}; import it with {import}"
            )));
        }
        if self.admission == Admission::Listed && !self.admitted.contains(&caller) {
            return Err(Fault::invalid(format!(
                "process {} does not allow this process, {}, to import the object; pass this id there, while this \
                 process runs, to the call that sets the importing processes (such as aclrtIpcMemSetImportPid), or \
                 export with the flag that disables this check",
                std::process::id(),
                caller.id
            )));
        }
        let descriptor = self.descriptor.as_ref().map(Descriptor::duplicate).transpose();
        // The process has no free descriptor, and the other side may try again; or it has closed this one.
        let descriptor = descriptor.map_err(|error| trouble(&error))?;
        Ok(Parcel { bytes: self.bytes.clone(), descriptor, kept: self.kept.clone() })
    }
}

/// Returns the fault that this process has no offer with a key.
fn unknown() -> Fault {
    let id = std::process::id();
    Fault::invalid(format!(
        "process {id} has no export with this key: the object was closed, freed or destroyed there, or the key is \
         wrong; export again, and pass the new key"
    ))
}

fn gone(process: i32) -> Fault {
    Fault::invalid(format!(
        "process {process} has no exports any longer: it has finalized the library, or ended, or the key is wrong; \
         let it finalize and end only after the import, and pass the key that its latest export returned"
    ))
}

/// Returns the fault that the system does not let this process reach another one.
fn closed_to_this_process(process: i32, error: &io::Error) -> Fault {
    Fault::invalid(format!(
        "process {process} shares nothing with this one ({error}): both need the same user and group, the same user \
         namespace (container) and the same capabilities, and the exporting process must be dumpable (PR_SET_DUMPABLE)"
    ))
}

/// Returns the fault that a system call failed which the broker needs. The error names the call.
fn unserved(error: &io::Error) -> Fault {
    let text = format!(
        "nothing can be shared with other processes: {error}. If too many files are open, close some, or raise ulimit \
         -n"
    );
    Fault::new(FaultKind::OutOfResources, text)
}

/// Returns the fault that a system call failed which an answer needs.
fn trouble(error: &io::Error) -> Fault {
    let id = std::process::id();
    let text = format!(
        "process {id} cannot send its export: {error}. If too many files are open there, close some, or raise ulimit \
         -n, and import again"
    );
    Fault::new(FaultKind::OutOfResources, text)
}

/// Returns the fault that the other side's reply is invalid, or that the other side cannot be reached.
fn unanswered(process: i32, error: &io::Error) -> Fault {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, TimedOut, WouldBlock};
    if let WouldBlock | TimedOut | BrokenPipe | ConnectionReset = error.kind() {
        return Fault::invalid(format!(
            "the exporting process {process} does not answer ({error}); check that it runs and has not called \
             aclFinalize"
        ));
    }
    let text = format!(
        "the exporting process {process} cannot be reached: {error}. If too many files are open in this process, close \
         some, or raise ulimit -n"
    );
    Fault::new(FaultKind::OutOfResources, text)
}
