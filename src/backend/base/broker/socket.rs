//! Sockets in the abstract namespace, packets with a descriptor, and the credentials of the peer.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::cmsg_space;
use rustix::event::{self, PollFd, PollFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    self, AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, Shutdown, SocketAddrUnix, SocketFlags, SocketType, sockopt,
};
use rustix::time::Timespec;

use crate::algo::host::system_call::{refused, refused_by};
use crate::algo::thread::pause::pause;

/// The process and the user at the other end of a connection, as the system reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Peer {
    /// The process's id in the caller's namespace, or 0 if it is not visible there.
    pub(super) process: i32,
    pub(super) user: u32,
}

fn new_socket(flags: SocketFlags) -> io::Result<OwnedFd> {
    let flags = flags | SocketFlags::CLOEXEC;
    net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).map_err(refused_by("socket"))
}

/// Returns the abstract address with this short name.
fn address(name: &str) -> io::Result<SocketAddrUnix> {
    Ok(SocketAddrUnix::new_abstract_name(name.as_bytes())?)
}

/// A listening socket. Its operations do not block.
pub(super) struct Listener {
    socket: OwnedFd,
    is_closed: AtomicBool,
}

impl Listener {
    pub(super) fn open(name: &str) -> io::Result<Self> {
        const BACKLOG: i32 = 64;
        let socket = new_socket(SocketFlags::NONBLOCK)?;
        net::bind(&socket, &address(name)?).map_err(refused_by("bind"))?;
        net::listen(&socket, BACKLOG).map_err(refused_by("listen"))?;
        Ok(Self { socket, is_closed: AtomicBool::new(false) })
    }

    /// Accepts a connection. The connection's operations do not block, either.
    pub(super) fn accept(&self) -> io::Result<Connection> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        retry_on_intr(|| net::accept_with(&self.socket, flags)).map(Connection).map_err(refused_by("accept4"))
    }

    /// Stops accepting connections, and ends a [`wait`] for one.
    pub(super) fn close(&self) {
        // Release: a thread that reads the flag sees earlier writes.
        self.is_closed.store(true, Ordering::Release);
        // If the system call fails, `wait` ends by itself.
        let _ = net::shutdown(&self.socket, Shutdown::Both);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// One end of a connection.
pub(super) struct Connection(OwnedFd);

impl Connection {
    /// Connects to the socket with this name. This call and each later operation have the timeout `patience`.
    pub(super) fn open(name: &str, patience: Duration) -> io::Result<Self> {
        let connection = Self(new_socket(SocketFlags::empty())?);
        for option in [sockopt::Timeout::Send, sockopt::Timeout::Recv] {
            sockopt::set_socket_timeout(&connection.0, option, Some(patience)).map_err(refused_by("setsockopt"))?;
        }
        let address = address(name)?;
        retry_on_intr(|| net::connect(&connection.0, &address)).map_err(refused_by("connect"))?;
        Ok(connection)
    }

    /// Returns the peer. This does not use rustix: its process ids are never 0, but that of a process in another
    /// namespace is.
    pub(super) fn peer(&self) -> io::Result<Peer> {
        let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
        let mut len = size_of::<libc::ucred>() as libc::socklen_t;
        let (level, option) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
        let at = (&raw mut peer).cast();
        // SAFETY: an open socket, and room of that length for the answer.
        let asked = unsafe { libc::getsockopt(self.0.as_raw_fd(), level, option, at, &raw mut len) };
        ensure!(asked == 0, refused("getsockopt(SO_PEERCRED)"));
        Ok(Peer { process: peer.pid, user: peer.uid })
    }

    /// Sends a packet, and a copy of the descriptor with it.
    pub(super) fn send(&self, bytes: &[u8], descriptor: Option<&OwnedFd>) -> io::Result<()> {
        let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
        let mut control = SendAncillaryBuffer::new(&mut room);
        let descriptors = descriptor.map(AsFd::as_fd);
        if descriptors.is_some() {
            let fits = control.push(SendAncillaryMessage::ScmRights(descriptors.as_slice()));
            debug_assert!(fits, "there is room for one descriptor");
        }
        retry_on_intr(|| net::sendmsg(&self.0, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL))
            .map(drop)
            .map_err(refused_by("sendmsg"))
    }

    /// Receives a packet. Returns its length, and the first descriptor that came with it. A packet that is too long is
    /// truncated. A length of 0 bytes means that the other side has closed.
    pub(super) fn receive(&self, bytes: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
        let mut control = RecvAncillaryBuffer::new(&mut room);
        let received = retry_on_intr(|| {
            net::recvmsg(&self.0, &mut [IoSliceMut::new(bytes)], &mut control, RecvFlags::CMSG_CLOEXEC)
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

/// The length in bytes of the buffer for one descriptor beside a packet.
const CONTROL_ROOM: usize = cmsg_space!(ScmRights(1));

/// The longest wait. A thread that could not be woken checks this often.
const LONGEST: Duration = Duration::from_secs(1);
/// The interval at which all descriptors are checked if `poll` fails.
const UNASKED: Duration = Duration::from_millis(20);

/// Waits until one of these may be readable, or for at most `most`, and never longer than [`LONGEST`]. Returns for each
/// whether it may be readable. A read of any of them does not block.
pub(super) fn wait(descriptors: &[BorrowedFd<'_>], most: Option<Duration>) -> Vec<bool> {
    let ask = |descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN);
    let mut asked: Vec<_> = descriptors.iter().copied().map(ask).collect();
    let most = most.map_or(LONGEST, |most| most.min(LONGEST));
    // After a signal all descriptors are checked.
    match event::poll(&mut asked, Timespec::try_from(most).ok().as_ref()) {
        Ok(_) | Err(Errno::INTR) => asked.iter().map(|asked| !asked.revents().is_empty()).collect(),
        Err(_) => {
            pause(most.min(UNASKED));
            vec![true; descriptors.len()]
        }
    }
}
