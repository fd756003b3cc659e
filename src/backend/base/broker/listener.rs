//! The socket at which a process waits for others.
//!
//! Only processes of the same user reach it. The kernel checks permissions of a socket only if it has a file, and with
//! a name that others can use, another user could fill the queue of connections, or send descriptors whose close takes
//! as long as that user wants. So the socket is bound to a file in a private folder, and both are removed at once. What
//! remains is a descriptor of the file (`O_PATH`). Others connect to `/proc/PID/fd/NUMBER`, which the kernel opens only
//! to processes of the same user, group, user namespace and capabilities.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, RawMode, chmod, fstat, mkdir, openat, rmdir, unlinkat};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{self, Shutdown, SocketAddrUnix, SocketFlags};
use rustix::process::geteuid;

use super::socket::{Connection, new_socket};
use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::environment::variable;
use crate::algo::host::system_call::{named, refused_by};
use crate::base::random::random;

/// A listening socket. Its operations do not block.
pub(super) struct Listener {
    name: String,
    bound: Mutex<Arc<Bound>>,
    is_closed: AtomicBool,
}

/// A socket, and the file that others connect to.
pub(super) struct Bound {
    socket: Descriptor,
    file: Descriptor,
}

impl Listener {
    /// Opens a socket whose file has this name.
    pub(super) fn open(name: &str) -> io::Result<Self> {
        let bound = Mutex::new(Arc::new(Bound::new(name)?));
        Ok(Self { name: name.to_owned(), bound, is_closed: AtomicBool::new(false) })
    }

    /// Opens the socket again if the program has closed it. Returns true if it did.
    pub(super) fn reopen(&self) -> io::Result<bool> {
        let mut bound = self.bound.lock();
        if bound.is_ours() {
            return Ok(false);
        }
        *bound = Arc::new(Bound::new(&self.name)?);
        Ok(true)
    }

    /// Accepts a connection. The connection's operations do not block, either.
    pub(super) fn accept(&self) -> io::Result<Connection> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let bound = self.bound();
        let socket = bound.socket.get()?;
        let accepted = retry_on_intr(|| net::accept_with(socket, flags)).map_err(refused_by("accept4"))?;
        Connection::new(accepted)
    }

    /// Stops accepting connections, and ends a [`super::socket::wait`] for one.
    pub(super) fn close(&self) {
        // Release: a thread that reads the flag sees earlier writes.
        self.is_closed.store(true, Ordering::Release);
        // If the system call fails, `wait` ends by itself.
        let _ = self.bound().socket.get().map(|socket| net::shutdown(socket, Shutdown::Both));
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    pub(super) fn bound(&self) -> Arc<Bound> {
        Arc::clone(&self.bound.lock())
    }
}

impl Bound {
    fn new(name: &str) -> io::Result<Self> {
        let mut failures = Vec::new();
        for folder in folders() {
            // Without a free descriptor no folder helps.
            let socket = new_socket(SocketFlags::NONBLOCK)?;
            match Self::in_folder(socket, &folder, name) {
                Ok(bound) => return Ok(bound),
                Err(error) => failures.push(format!("{}: {error}", folder.display())),
            }
        }
        Err(io::Error::other(format!(
            "the socket needs a folder in which this process may create a file for a moment; set TMPDIR to the absolute \
             path of such a folder. These were tried: {}",
            failures.join("; ")
        )))
    }

    pub(super) fn in_folder(opened: Descriptor, folder: &Path, name: &str) -> io::Result<Self> {
        // Importers get in behind a flood of connections, which the server accepts in milliseconds. The system has a
        // limit of its own (`net.core.somaxconn`).
        const BACKLOG: i32 = 4096;
        let socket = opened.get()?;
        let private = PrivateFolder::create(folder, name)?;
        net::bind(socket, &SocketAddrUnix::new(private.file())?).map_err(refused_by("bind"))?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&private.opened, name, flags, Mode::empty()).map_err(refused_by("open"))?;
        drop(private);
        let found = fstat(&file).map_err(refused_by("fstat"))?;
        // A process of the same user in another container may have put something else there; and a file system of a
        // network may keep the file under another name, which importers would not recognize.
        let is_socket = FileType::from_raw_mode(found.st_mode) == FileType::Socket;
        ensure!(is_socket && found.st_nlink == 0, io::Error::other("the socket's file could not be removed"));
        // The umask of the program may have taken rights away.
        chmod(link_to(&file), Mode::from_raw_mode(0o600)).map_err(refused_by("chmod"))?;
        let file = Descriptor::new(file)?;
        net::listen(socket, BACKLOG).map_err(refused_by("listen"))?;
        Ok(Self { socket: opened, file })
    }

    /// Whether both descriptors still belong to the library.
    pub(super) fn is_ours(&self) -> bool {
        self.socket.is_ours() && self.file.is_ours()
    }

    /// The descriptor that becomes readable when a process connects.
    pub(super) fn socket(&self) -> &Descriptor {
        &self.socket
    }

    /// The descriptor that others connect to.
    #[cfg(test)]
    pub(super) fn file(&self) -> &Descriptor {
        &self.file
    }

    /// Closes both descriptors. It is safe in a forked child.
    pub(super) fn close(&self) {
        self.socket.close();
        self.file.close();
    }
}

/// The folders that are tried, from memory to disks.
fn folders() -> impl Iterator<Item = PathBuf> {
    let chosen = || variable("TMPDIR").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let usual = ["/tmp", "/var/tmp"].map(PathBuf::from);
    // With raised privileges the variable is reported, so it is read only if the first folder cannot be used.
    [PathBuf::from("/dev/shm")].into_iter().chain(std::iter::once_with(chosen).flatten()).chain(usual)
}

/// A folder that only this user can use. It is removed with its file when this is dropped.
struct PrivateFolder<'a> {
    path: PathBuf,
    opened: OwnedFd,
    name: &'a str,
}

impl<'a> PrivateFolder<'a> {
    fn create(parent: &Path, name: &'a str) -> io::Result<Self> {
        const USER: RawMode = 0o700;
        const OTHERS: RawMode = 0o077;
        let random = u64::from_le_bytes(*random()?.first_chunk().expect("16 bytes"));
        let path = parent.join(format!(".portacl-{random:016x}"));
        mkdir(&path, Mode::from_raw_mode(USER)).map_err(refused_by("mkdir"))?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(CWD, &path, flags, Mode::empty()).map_err(|error| {
            let _ = rmdir(&path);
            refused_by("open")(error)
        })?;
        let folder = Self { path, opened, name };
        // In a folder that others may change, this may be another one.
        let found = fstat(&folder.opened).map_err(refused_by("fstat"))?;
        let is_own = found.st_uid == geteuid().as_raw() && found.st_mode & OTHERS == 0;
        ensure!(is_own, named("the new folder", io::ErrorKind::PermissionDenied.into()));
        // The umask of the program may have taken rights away.
        chmod(link_to(&folder.opened), Mode::from_raw_mode(USER)).map_err(refused_by("chmod"))?;
        Ok(folder)
    }

    /// Returns a path of the file that is short enough for an address.
    fn file(&self) -> String {
        format!("{}/{}", link_to(&self.opened), self.name)
    }
}

impl Drop for PrivateFolder<'_> {
    fn drop(&mut self) {
        let _ = unlinkat(&self.opened, self.name, AtFlags::empty());
        let _ = rmdir(&self.path);
    }
}

fn link_to(opened: &OwnedFd) -> String {
    // The process's first thread, which has `/proc/self`, may have ended.
    format!("/proc/thread-self/fd/{}", opened.as_raw_fd())
}

/// Returns the address of the socket of a process whose file has a name that `is_wanted` knows. Returns `None` if the
/// process has none, or has ended.
pub(super) fn address(process: i32, is_wanted: impl Fn(&str) -> bool) -> io::Result<Option<SocketAddrUnix>> {
    let mut descriptors = entries(&format!("/proc/{process}/fd"));
    if descriptors.as_ref().map_or(true, Vec::is_empty) {
        // The process's first thread may have ended, and others go on. Then the kernel shows root no descriptors, and
        // refuses others.
        let threads = entries(&format!("/proc/{process}/task"))?;
        let of_threads = threads.iter().map(|thread| entries(&format!("{}/fd", thread.display())));
        if let Some(found) = of_threads.flatten().find(|found| !found.is_empty()) {
            descriptors = Ok(found);
        }
    }
    for path in descriptors? {
        let target = match fs::read_link(&path) {
            Ok(target) => target.to_string_lossy().into_owned(),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(named(&path.to_string_lossy(), error));
            }
            // The process has closed it.
            Err(_) => continue,
        };
        let name = target.strip_suffix(" (deleted)").and_then(|path| path.rsplit_once('/'));
        // The program may have removed files of its own with such names.
        let is_socket = || fs::metadata(&path).is_ok_and(|found| found.file_type().is_socket());
        if name.is_some_and(|(_, name)| is_wanted(name)) && is_socket() {
            return Ok(Some(SocketAddrUnix::new(path.as_path())?));
        }
    }
    Ok(None)
}

/// Returns the paths of the numbers in a folder of `/proc`, none if its process or thread has ended.
pub(super) fn entries(folder: &str) -> io::Result<Vec<PathBuf>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = match openat(CWD, folder, flags, Mode::empty()) {
        Ok(opened) => opened,
        Err(Errno::NOENT) => return Ok(Vec::new()),
        Err(error) => return Err(refused_by(folder)(error)),
    };
    let (mut room, mut found) = (Vec::with_capacity(4096), Vec::new());
    let mut entries = RawDir::new(opened, room.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            // The process has ended.
            Err(Errno::NOENT | Errno::SRCH) => break,
            Err(error) => return Err(named(folder, refused_by("getdents64")(error))),
        };
        let name = entry.file_name().to_string_lossy();
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            found.push(Path::new(folder).join(&*name));
        }
    }
    Ok(found)
}
