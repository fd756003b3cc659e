//! Opens files for writing so that no other user decides which file is written.
//!
//! In a folder that others may write to, such as /tmp, another user may put a symbolic link to a file of this user
//! under the name that is opened. The kernel refuses some of these links if `fs.protected_symlinks` is set. Here each
//! folder of the path is opened from the one before, and a link is followed only where no other user can have put it.
//! Between the check and the use nothing can be exchanged, because both see the same descriptors.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path};

use rustix::fs::{CWD, FileType, Mode, OFlags, PROC_SUPER_MAGIC, Stat, fstat, fstatfs, mkdirat, openat, readlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::environment::has_raised_privileges;
use super::system_call::refused_by;

/// The number of links that are followed, as in the kernel.
const MOST_LINKS: usize = 40;

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Without `NONBLOCK`, opening a FIFO would wait for its reader.
const TARGET: OFlags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

const OTHERS_WRITE: u32 = 0o002;
const GROUP_WRITES: u32 = 0o020;
const STICKY: u32 = 0o1000;

/// Opens a file, which it creates if there is none. Does not truncate it.
pub fn open(path: &Path) -> Result<File> {
    if path.as_os_str().as_bytes().ends_with(b"/") {
        return Err(ErrorKind::IsADirectory.into());
    }
    let mut walk = Walk::begin(path)?;
    while let Some(part) = walk.ahead.pop() {
        if !walk.ahead.is_empty() {
            walk.enter(&part)?;
            continue;
        }
        match openat(&walk.folder, &part, TARGET | OFlags::NOFOLLOW, mode_of_new(0o666)) {
            Ok(file) => return walk.check_owner(file),
            Err(Errno::LOOP) => {}
            Err(error) => return Err(error.into()),
        }
        if walk.follow(&part)? {
            // The kernel's own links lead to what may have no path, for example to a pipe.
            return Ok(File::from(openat(&walk.folder, &part, TARGET, mode_of_new(0o666))?));
        }
    }
    Err(ErrorKind::IsADirectory.into())
}

/// Creates a folder and those that lead to it. They may exist.
pub fn create_folders(path: &Path) -> Result<()> {
    let mut walk = Walk::begin(path)?;
    while let Some(part) = walk.ahead.pop() {
        match walk.enter(&part) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            entered => {
                entered?;
                continue;
            }
        }
        match mkdirat(&walk.folder, &part, mode_of_new(0o777)) {
            Ok(()) | Err(Errno::EXIST) => walk.enter(&part)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Returns the mode of a new file or folder. What processes with privileges record is theirs alone.
fn mode_of_new(usual: u32) -> Mode {
    let is_private = geteuid().is_root() || has_raised_privileges();
    Mode::from_raw_mode(if is_private { usual & 0o700 } else { usual })
}

/// The way along a path.
struct Walk {
    /// The folder that is reached.
    folder: OwnedFd,
    /// The parts of the path that follow, the next one last.
    ahead: Vec<OsString>,
    links: usize,
}

impl Walk {
    fn begin(path: &Path) -> Result<Self> {
        if path.as_os_str().is_empty() {
            return Err(ErrorKind::NotFound.into());
        }
        let start = if path.is_absolute() { c"/" } else { c"." };
        let mut walk = Self { folder: openat(CWD, start, FOLDER, Mode::empty())?, ahead: Vec::new(), links: 0 };
        walk.put_ahead(path);
        Ok(walk)
    }

    fn put_ahead(&mut self, path: &Path) {
        let parts = path.components().rev();
        let names = parts.filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
        self.ahead.extend(names.map(|part| part.as_os_str().to_owned()));
    }

    /// Enters a folder, or puts the path ahead to which a link of this name leads.
    fn enter(&mut self, part: &OsStr) -> Result<()> {
        match openat(&self.folder, part, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(folder) => self.folder = folder,
            Err(Errno::NOTDIR | Errno::LOOP) => {
                if self.follow(part)? {
                    self.folder = openat(&self.folder, part, FOLDER, Mode::empty())?;
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Puts the path ahead to which the link of this name leads. Returns true for a link of the kernel's own, in /proc,
    /// which only the kernel can follow.
    fn follow(&mut self, part: &OsStr) -> Result<bool> {
        let link = openat(&self.folder, part, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        let (found, around) = (stat(&link)?, stat(&self.folder)?);
        if FileType::from_raw_mode(found.st_mode) != FileType::Symlink {
            return Err(Errno::NOTDIR.into());
        }
        if fstatfs(&self.folder).map_err(refused_by("fstatfs"))?.f_type == PROC_SUPER_MAGIC {
            return Ok(true);
        }
        if !is_ours(&found, &around) {
            let text = format!(
                "{part:?} is a symbolic link in a folder that other users may write to; use a path without such a link"
            );
            return Err(Error::new(ErrorKind::PermissionDenied, text));
        }
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(Errno::LOOP.into());
        }
        let target =
            OsString::from_vec(readlinkat(&link, c"", Vec::new()).map_err(refused_by("readlinkat"))?.into_bytes());
        if Path::new(&target).is_absolute() {
            self.folder = openat(CWD, c"/", FOLDER, Mode::empty())?;
        }
        self.put_ahead(Path::new(&target));
        Ok(false)
    }

    /// Returns the file, unless another user may have put it into a folder that others may write to: that user could
    /// read what is written, or has given a file of this user a second name there. Without the sticky bit any
    /// user may exchange files, so that their owner means nothing.
    fn check_owner(&self, file: OwnedFd) -> Result<File> {
        let (found, around) = (stat(&file)?, stat(&self.folder)?);
        let kind = FileType::from_raw_mode(found.st_mode);
        let is_planted = found.st_nlink > 1 || around.st_mode & STICKY != 0 && found.st_uid != geteuid().as_raw();
        if around.st_mode & OTHERS_WRITE != 0 && is_planted && matches!(kind, FileType::RegularFile | FileType::Fifo) {
            let text = "it is in a folder that all users may write to, and belongs to another user or has a second \
                        hard link; let the owner of this file remove it, or name another file";
            return Err(Error::new(ErrorKind::PermissionDenied, text));
        }
        Ok(File::from(file))
    }
}

fn stat(file: &OwnedFd) -> Result<Stat> {
    fstat(file).map_err(refused_by("fstat"))
}

/// Whether only this user and root can have put a link into the folder around it.
fn is_ours(link: &Stat, around: &Stat) -> bool {
    let is_trusted = |user: u32| user == 0 || user == geteuid().as_raw();
    if around.st_mode & OTHERS_WRITE != 0 {
        return false;
    }
    is_trusted(link.st_uid) || is_trusted(around.st_uid) && around.st_mode & GROUP_WRITES == 0
}

#[cfg(test)]
#[path = "output_path_tests.rs"]
mod tests;
