//! Connections, packets with a descriptor, and the credentials of the peer.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

use rustix::cmsg_space;
use rustix::event::{self, PollFd, PollFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    self, AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sockopt,
};
use rustix::time::Timespec;

use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::system_call::{named, refused, refused_by};
use crate::algo::thread::pause::pause;

/// The process and the user at the other end of a connection, as the system reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Peer {
    /// The process's id in the caller's namespace, or 0 if it is not visible there.
    pub(super) process: i32,
    pub(super) user: u32,
}

pub(super) fn new_socket(flags: SocketFlags) -> io::Result<Descriptor> {
    let flags = flags | SocketFlags::CLOEXEC;
    let socket = net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None);
    let socket = socket.map_err(refused_by("socket"))?;
    // Kernels before 6.16 cannot refuse them.
    let _ = take_descriptors(socket.as_fd(), false);
    Descriptor::new(socket)
}

/// Sets whether others may send descriptors to a socket, or to those that it accepts. The last close of a file can take
/// as long as another process wants (a TCP socket with `SO_LINGER`, a file of FUSE), and a socket's own close includes
/// those of the descriptors that were not received.
pub(super) fn take_descriptors(socket: BorrowedFd<'_>, take: bool) -> io::Result<()> {
    /// `SO_PASSRIGHTS`, for which libc has no name on all systems.
    const PASS_DESCRIPTORS: libc::c_int = 83;
    let (value, len) = (libc::c_int::from(take), size_of::<libc::c_int>() as libc::socklen_t);
    let at = (&raw const value).cast();
    // SAFETY: an open socket, and a number of that length.
    let set = unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, PASS_DESCRIPTORS, at, len) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// One end of a connection.
pub(super) struct Connection(Descriptor);

impl Connection {
    /// Keeps a connection that was accepted.
    pub(super) fn new(accepted: OwnedFd) -> io::Result<Self> {
        Descriptor::new(accepted).map(Self)
    }

    /// Connects to a socket. This call and each later operation have the timeout `patience`.
    pub(super) fn open(address: &SocketAddrUnix, patience: Duration) -> io::Result<Self> {
        let connection = Self(new_socket(SocketFlags::empty())?).with_timeout(patience)?;
        let socket = connection.0.get()?;
        retry_on_intr(|| net::connect(socket, address)).map_err(refused_by("connect"))?;
        Ok(connection)
    }

    fn with_timeout(self, patience: Duration) -> io::Result<Self> {
        for option in [sockopt::Timeout::Send, sockopt::Timeout::Recv] {
            sockopt::set_socket_timeout(self.0.get()?, option, Some(patience)).map_err(refused_by("setsockopt"))?;
        }
        Ok(self)
    }

    /// Lets the peer, which is trusted, send a descriptor.
    pub(super) fn take_descriptor(&self) -> io::Result<()> {
        match take_descriptors(self.0.get()?, true) {
            // A kernel that lacks the option lets it.
            Err(error) if error.raw_os_error() == Some(libc::ENOPROTOOPT) => Ok(()),
            taken => taken.map_err(|error| named("setsockopt(SO_PASSRIGHTS)", error)),
        }
    }

    /// Returns the peer. This does not use rustix: its process ids are never 0, but that of a process in another
    /// namespace is.
    pub(super) fn peer(&self) -> io::Result<Peer> {
        let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
        let mut len = size_of::<libc::ucred>() as libc::socklen_t;
        let (level, option) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
        let (socket, at) = (self.0.get()?, (&raw mut peer).cast());
        // SAFETY: an open socket, and room of that length for the answer.
        let asked = unsafe { libc::getsockopt(socket.as_raw_fd(), level, option, at, &raw mut len) };
        ensure!(asked == 0, refused("getsockopt(SO_PEERCRED)"));
        Ok(Peer { process: peer.pid, user: peer.uid })
    }

    /// Returns a descriptor of the process at the other end, or `None` if the kernel has none (before Linux 6.5).
    pub(super) fn peer_descriptor(&self) -> Option<OwnedFd> {
        /// `SO_PEERPIDFD`, for which libc has no name on all systems.
        const PEER_DESCRIPTOR: libc::c_int = 77;
        let mut number: libc::c_int = -1;
        let mut len = size_of::<libc::c_int>() as libc::socklen_t;
        let (socket, at) = (self.0.get().ok()?.as_raw_fd(), (&raw mut number).cast());
        // SAFETY: an open socket, and room of that length for one number.
        let asked = unsafe { libc::getsockopt(socket, libc::SOL_SOCKET, PEER_DESCRIPTOR, at, &raw mut len) };
        // SAFETY: the kernel has just created the descriptor for this call.
        (asked == 0 && number >= 0).then(|| unsafe { OwnedFd::from_raw_fd(number) })
    }

    /// Sends a packet, and a copy of the descriptor with it.
    pub(super) fn send(&self, bytes: &[u8], descriptor: Option<BorrowedFd<'_>>) -> io::Result<()> {
        let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
        let mut control = SendAncillaryBuffer::new(&mut room);
        if descriptor.is_some() {
            let fits = control.push(SendAncillaryMessage::ScmRights(descriptor.as_slice()));
            debug_assert!(fits, "there is room for one descriptor");
        }
        let socket = self.0.get()?;
        retry_on_intr(|| net::sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL))
            .map(drop)
            .map_err(refused_by("sendmsg"))
    }

    /// Receives a packet without descriptors, and returns its length. A packet that is too long is truncated.
    pub(super) fn receive_bytes(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let socket = self.0.get()?;
        let received = retry_on_intr(|| net::recv(socket, &mut *bytes, RecvFlags::empty()));
        received.map(|(len, _)| len).map_err(refused_by("recv"))
    }

    /// Receives a packet. Returns its length, and the first descriptor that came with it. A packet that is too long is
    /// truncated. A length of 0 bytes means that the other side has closed.
    pub(super) fn receive(&self, bytes: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
        let mut control = RecvAncillaryBuffer::new(&mut room);
        let socket = self.0.get()?;
        let received = retry_on_intr(|| {
            net::recvmsg(socket, &mut [IoSliceMut::new(bytes)], &mut control, RecvFlags::CMSG_CLOEXEC)
        })
        .map_err(refused_by("recvmsg"))?;
        let descriptor = control.drain().find_map(|message| {
            if let RecvAncillaryMessage::ScmRights(mut descriptors) = message { descriptors.next() } else { None }
        });
        Ok((received.bytes, descriptor))
    }

    pub(super) fn descriptor(&self) -> &Descriptor {
        &self.0
    }
}

/// The length in bytes of the buffer for one descriptor beside a packet.
const CONTROL_ROOM: usize = cmsg_space!(ScmRights(1));

/// The longest wait. A thread that could not be woken checks this often.
const LONGEST: Duration = Duration::from_secs(1);
/// The interval at which all descriptors are checked if `poll` fails.
const UNASKED: Duration = Duration::from_millis(20);

/// Waits until one of these may be readable, or for at most `most`, and never longer than [`LONGEST`]. Returns for each
/// whether it may be readable. A read of any of them does not block. If the program has closed one,
/// all are checked, because a read of that one fails at once.
pub(super) fn wait(descriptors: &[&Descriptor], most: Option<Duration>) -> Vec<bool> {
    let open: io::Result<Vec<_>> = descriptors.iter().map(|descriptor| descriptor.get()).collect();
    let Ok(open) = open else { return vec![true; descriptors.len()] };
    let mut asked: Vec<_> = open.iter().map(|open| PollFd::from_borrowed_fd(*open, PollFlags::IN)).collect();
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
