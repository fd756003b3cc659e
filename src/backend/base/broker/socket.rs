//! Sockets that have a name and no file, packets with a descriptor beside them, and who is at the
//! other end.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::cmsg_space;
use rustix::event::{self, EventfdFlags, PollFd, PollFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    self, AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sockopt,
};
use rustix::time::Timespec;

use crate::algo::host::system_call::{refused, refused_by};
use crate::algo::thread::pause::pause;

/// The user of this process.
pub(super) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Who is at the other end of a connection, as the system says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Peer {
    /// As this process sees it; 0: it does not.
    pub(super) process: i32,
    pub(super) user: u32,
}

fn new_socket(flags: SocketFlags) -> io::Result<OwnedFd> {
    let flags = flags | SocketFlags::CLOEXEC;
    net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
        .map_err(refused_by("socket"))
}

/// The address with this short name, which is no path.
fn address(name: &str) -> io::Result<SocketAddrUnix> {
    Ok(SocketAddrUnix::new_abstract_name(name.as_bytes())?)
}

/// Where others knock. Nothing here waits.
pub(super) struct Listener(OwnedFd);

impl Listener {
    pub(super) fn open(name: &str) -> io::Result<Self> {
        const BACKLOG: i32 = 64;
        let socket = new_socket(SocketFlags::NONBLOCK)?;
        net::bind(&socket, &address(name)?).map_err(refused_by("bind"))?;
        net::listen(&socket, BACKLOG).map_err(refused_by("listen"))?;
        Ok(Self(socket))
    }

    /// A connection that another process has opened. Its operations do not block, either.
    pub(super) fn accept(&self) -> io::Result<Connection> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        retry_on_intr(|| net::accept_with(&self.0, flags))
            .map(Connection)
            .map_err(refused_by("accept4"))
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// One end of a conversation.
#[derive(Debug)]
pub(super) struct Connection(OwnedFd);

impl Connection {
    /// To the socket with this name; it and all that is said there may take so long each.
    pub(super) fn open(name: &str, patience: Duration) -> io::Result<Self> {
        let connection = Self(new_socket(SocketFlags::empty())?);
        for option in [sockopt::Timeout::Send, sockopt::Timeout::Recv] {
            sockopt::set_socket_timeout(&connection.0, option, Some(patience))
                .map_err(refused_by("setsockopt"))?;
        }
        let address = address(name)?;
        retry_on_intr(|| net::connect(&connection.0, &address)).map_err(refused_by("connect"))?;
        Ok(connection)
    }

    /// Who is at the other end. Not by rustix: its process numbers are never 0, and that of a process in another
    /// namespace is.
    pub(super) fn peer(&self) -> io::Result<Peer> {
        let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
        let mut len = size_of::<libc::ucred>() as libc::socklen_t;
        let (level, option) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
        let at = (&raw mut peer).cast();
        // SAFETY: an open socket, and room of that length for the answer.
        let asked =
            unsafe { libc::getsockopt(self.0.as_raw_fd(), level, option, at, &raw mut len) };
        if asked != 0 {
            return Err(refused("getsockopt(SO_PEERCRED)"));
        }
        Ok(Peer { process: peer.pid, user: peer.uid })
    }

    /// Sends a packet, and a descriptor with it, which stays the caller's.
    pub(super) fn send(&self, bytes: &[u8], descriptor: Option<&OwnedFd>) -> io::Result<()> {
        let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
        let mut control = SendAncillaryBuffer::new(&mut room);
        let descriptors = descriptor.map(AsFd::as_fd);
        if descriptors.is_some() {
            let fits = control.push(SendAncillaryMessage::ScmRights(descriptors.as_slice()));
            debug_assert!(fits, "there is room for one descriptor");
        }
        retry_on_intr(|| {
            net::sendmsg(&self.0, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)
        })
        .map(drop)
        .map_err(refused_by("sendmsg"))
    }

    /// Receives a packet: how long it is, and the first descriptor that came with it. Of a packet that
    /// is too long the rest is dropped; 0 bytes: the other side has gone.
    pub(super) fn receive(&self, bytes: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
        let mut control = RecvAncillaryBuffer::new(&mut room);
        let received = retry_on_intr(|| {
            net::recvmsg(
                &self.0,
                &mut [IoSliceMut::new(bytes)],
                &mut control,
                RecvFlags::CMSG_CLOEXEC,
            )
        })
        .map_err(refused_by("recvmsg"))?;
        let descriptor = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        });
        Ok((received.bytes, descriptor))
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Room for one descriptor beside a packet.
const CONTROL_ROOM: usize = cmsg_space!(ScmRights(1));

/// Something to wake a thread that waits in [`wait`].
pub(super) struct Wake {
    event: OwnedFd,
    is_awake: AtomicBool,
}

impl Wake {
    pub(super) fn new() -> io::Result<Self> {
        let event = event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(refused_by("eventfd2"))?;
        Ok(Self { event, is_awake: AtomicBool::new(false) })
    }

    pub(super) fn wake(&self) {
        // Release: the thread that wakes up sees earlier writes.
        self.is_awake.store(true, Ordering::Release);
        // Where the system refuses it, `wait` ends by itself.
        let _ = rustix::io::write(&self.event, &1u64.to_ne_bytes());
    }

    pub(super) fn is_awake(&self) -> bool {
        self.is_awake.load(Ordering::Acquire)
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

/// The longest wait: who could not be woken looks so often.
const LONGEST: Duration = Duration::from_secs(1);
/// How often everybody looks where the system does not say where there is something.
const UNASKED: Duration = Duration::from_millis(20);

/// Waits until there may be something to read at one of these, or so long, and not very long: for each
/// whether there may be. Asking them again waits for nothing.
pub(super) fn wait(descriptors: &[BorrowedFd<'_>], most: Option<Duration>) -> Vec<bool> {
    let ask = |descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN);
    let mut asked: Vec<_> = descriptors.iter().copied().map(ask).collect();
    let most = most.map_or(LONGEST, |most| most.min(LONGEST));
    // A signal that comes between only has everybody look again.
    match event::poll(&mut asked, Timespec::try_from(most).ok().as_ref()) {
        Ok(_) | Err(Errno::INTR) => asked.iter().map(|asked| !asked.revents().is_empty()).collect(),
        Err(_) => {
            pause(most.min(UNASKED));
            vec![true; descriptors.len()]
        }
    }
}
