//! Sockets that have a name and no file, packets with a descriptor beside them, and who is at the
//! other end.

use std::io;
use std::mem::{MaybeUninit, offset_of};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::algo::host::system_call::refused;
use crate::algo::thread::pause::pause;

/// The user of this process.
pub(super) fn user() -> u32 {
    // SAFETY: geteuid takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// Who is at the other end of a connection, as the system says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Peer {
    /// As this process sees it; 0: it does not.
    pub(super) process: i32,
    pub(super) user: u32,
}

/// The answer of the call of this name, which gives -1 where it fails.
fn checked(name: &str, answer: isize) -> io::Result<usize> {
    usize::try_from(answer).map_err(|_| refused(name))
}

/// A call that is made again when a signal has come between.
fn again(name: &str, mut call: impl FnMut() -> isize) -> io::Result<usize> {
    loop {
        match checked(name, call()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            answer => return answer,
        }
    }
}

fn new_socket(flags: libc::c_int) -> io::Result<OwnedFd> {
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC | flags;
    // SAFETY: socket takes three numbers and no pointers.
    let socket = checked("socket", unsafe { libc::socket(libc::AF_UNIX, kind, 0) } as isize)?;
    // SAFETY: socket has just returned this descriptor, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(socket as RawFd) })
}

/// The address with this short name, and how many bytes of it count.
fn address(name: &str) -> (libc::sockaddr_un, libc::socklen_t) {
    // SAFETY: zeros are an address.
    let mut address: libc::sockaddr_un = unsafe { MaybeUninit::zeroed().assume_init() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    // A zero first: the name is no path.
    for (place, byte) in address.sun_path[1..].iter_mut().zip(name.bytes()) {
        *place = byte.cast_signed();
    }
    let len = offset_of!(libc::sockaddr_un, sun_path) + 1 + name.len();
    (address, len as libc::socklen_t)
}

/// Where others knock. Nothing here waits.
pub(super) struct Listener(OwnedFd);

impl Listener {
    pub(super) fn open(name: &str) -> io::Result<Self> {
        const BACKLOG: libc::c_int = 64;
        let socket = new_socket(libc::SOCK_NONBLOCK)?;
        let (address, len) = address(name);
        // SAFETY: `address` is a sockaddr_un with `len` valid bytes, and the descriptor is open
        // during the call.
        let bound = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), len) };
        checked("bind", bound as isize)?;
        // SAFETY: an open socket.
        checked("listen", unsafe { libc::listen(socket.as_raw_fd(), BACKLOG) } as isize)?;
        Ok(Self(socket))
    }

    /// Somebody who has knocked. Nothing there waits, either.
    pub(super) fn accept(&self) -> io::Result<Connection> {
        let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        let null = std::ptr::null_mut();
        // SAFETY: an open socket; nobody asks for the other one's name.
        let call = || unsafe { libc::accept4(self.number(), null, std::ptr::null_mut(), flags) };
        let socket = again("accept4", || call() as isize)?;
        // SAFETY: accept4 returns a new descriptor, whose first owner is this connection.
        Ok(Connection(unsafe { OwnedFd::from_raw_fd(socket as RawFd) }))
    }

    pub(super) fn number(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// One end of a conversation.
#[derive(Debug)]
pub(super) struct Connection(OwnedFd);

impl Connection {
    /// To the socket with this name; it and all that is said there may take so long each.
    pub(super) fn open(name: &str, patience: Duration) -> io::Result<Self> {
        let connection = Self(new_socket(0)?);
        let time = libc::timeval {
            tv_sec: patience.as_secs() as libc::time_t,
            tv_usec: patience.subsec_micros().into(),
        };
        for option in [libc::SO_SNDTIMEO, libc::SO_RCVTIMEO] {
            connection.set_option(option, &time)?;
        }
        let (address, len) = address(name);
        // SAFETY: connect reads `len` bytes of `address`, which lives until the call returns.
        let call =
            || unsafe { libc::connect(connection.number(), (&raw const address).cast(), len) };
        again("connect", || call() as isize)?;
        Ok(connection)
    }

    fn set_option<T>(&self, option: libc::c_int, value: &T) -> io::Result<()> {
        let len = size_of::<T>() as libc::socklen_t;
        let at = (value as *const T).cast();
        // SAFETY: an open socket, and a value of that length.
        let set = unsafe { libc::setsockopt(self.number(), libc::SOL_SOCKET, option, at, len) };
        checked("setsockopt", set as isize).map(drop)
    }

    /// Who is at the other end.
    pub(super) fn peer(&self) -> io::Result<Peer> {
        let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
        let mut len = size_of::<libc::ucred>() as libc::socklen_t;
        let (level, option) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
        let at = (&raw mut peer).cast();
        // SAFETY: an open socket, and room of that length for the answer.
        let asked = unsafe { libc::getsockopt(self.number(), level, option, at, &raw mut len) };
        checked("getsockopt(SO_PEERCRED)", asked as isize)?;
        Ok(Peer { process: peer.pid, user: peer.uid })
    }

    /// Sends a packet, and a descriptor with it, which stays the caller's.
    pub(super) fn send(&self, bytes: &[u8], descriptor: Option<&OwnedFd>) -> io::Result<()> {
        let mut room = ControlRoom::default();
        let mut part =
            libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let mut message = message(&mut part);
        if let Some(descriptor) = descriptor {
            message.msg_control = (&raw mut room).cast();
            message.msg_controllen = ControlRoom::USED as _;
            // SAFETY: there is room for a header and one descriptor behind it.
            unsafe {
                let header = libc::CMSG_FIRSTHDR(&raw const message);
                (*header).cmsg_level = libc::SOL_SOCKET;
                (*header).cmsg_type = libc::SCM_RIGHTS;
                (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
                libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor.as_raw_fd());
            }
        }
        // SAFETY: sendmsg reads the message, its parts and its control data, all of which live in
        // this function.
        again("sendmsg", || unsafe {
            libc::sendmsg(self.number(), &raw const message, libc::MSG_NOSIGNAL)
        })?;
        Ok(())
    }

    /// Receives a packet: how long it is, and the first descriptor that came with it. Of a packet that
    /// is too long the rest is dropped; 0 bytes: the other side has gone.
    pub(super) fn receive(&self, bytes: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        let mut room = ControlRoom::default();
        let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        let mut message = message(&mut part);
        message.msg_control = (&raw mut room).cast();
        message.msg_controllen = size_of::<ControlRoom>() as _;
        // SAFETY: recvmsg writes into `data` and the control room, both as long as the message
        // says.
        let call =
            || unsafe { libc::recvmsg(self.number(), &raw mut message, libc::MSG_CMSG_CLOEXEC) };
        let len = again("recvmsg", call)?;
        // SAFETY: the kernel has written it. What does not fit into the room it has closed.
        let header = unsafe { libc::CMSG_FIRSTHDR(&raw const message).as_ref() };
        let rights = header.filter(|header| {
            (header.cmsg_level, header.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS)
        });
        let descriptor = rights.map(|header| {
            // SAFETY: there is room for one, which is new and nobody else's.
            unsafe {
                OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned())
            }
        });
        Ok((len, descriptor))
    }

    pub(super) fn number(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Room for one descriptor beside a packet.
#[derive(Default)]
#[repr(C, align(8))]
struct ControlRoom([u8; 24]);

impl ControlRoom {
    /// Bytes that a message with one descriptor uses of it.
    // SAFETY: computes a number.
    const USED: usize = unsafe { libc::CMSG_SPACE(size_of::<RawFd>() as u32) } as usize;
}

const _: () = assert!(ControlRoom::USED == size_of::<ControlRoom>());

/// A message of one part.
fn message(part: &mut libc::iovec) -> libc::msghdr {
    // SAFETY: zeros are a message of no parts.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message
}

/// Something to wake a thread that waits in [`wait`].
pub(super) struct Wake {
    event: OwnedFd,
    is_awake: AtomicBool,
}

impl Wake {
    pub(super) fn new() -> io::Result<Self> {
        // SAFETY: eventfd takes two numbers and no pointers.
        let event =
            checked(
                "eventfd2",
                unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) } as isize,
            )?;
        // SAFETY: eventfd has just created the descriptor, so this is its only owner.
        let event = unsafe { OwnedFd::from_raw_fd(event as RawFd) };
        Ok(Self { event, is_awake: AtomicBool::new(false) })
    }

    pub(super) fn wake(&self) {
        // Release: whoever wakes up sees what was done before.
        self.is_awake.store(true, Ordering::Release);
        let one = 1u64;
        // SAFETY: as many bytes as it wants. Where the system refuses it, `wait` ends by itself.
        unsafe { libc::write(self.number(), (&raw const one).cast(), size_of::<u64>()) };
    }

    pub(super) fn is_awake(&self) -> bool {
        self.is_awake.load(Ordering::Acquire)
    }

    pub(super) fn number(&self) -> RawFd {
        self.event.as_raw_fd()
    }
}

/// The longest wait: who could not be woken looks so often.
const LONGEST: Duration = Duration::from_secs(1);
/// How often everybody looks where the system does not say where there is something.
const UNASKED: Duration = Duration::from_millis(20);

/// Waits until there may be something to read at one of these, or so long, and not very long: for each
/// whether there may be. Asking them again waits for nothing.
pub(super) fn wait(numbers: &[RawFd], most: Option<Duration>) -> Vec<bool> {
    let ask = |fd: &RawFd| libc::pollfd { fd: *fd, events: libc::POLLIN, revents: 0 };
    let mut asked: Vec<_> = numbers.iter().map(ask).collect();
    let most = most.map_or(LONGEST, |most| most.min(LONGEST));
    // Rounded up, so that the time is over afterwards.
    let ms = most.as_millis() as libc::c_int + 1;
    // SAFETY: as many as there are. A signal that comes between only has everybody look again.
    let answer = unsafe { libc::poll(asked.as_mut_ptr(), asked.len() as libc::nfds_t, ms) };
    if answer < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
        pause(most.min(UNASKED));
        return vec![true; numbers.len()];
    }
    asked.iter().map(|asked| asked.revents != 0).collect()
}
