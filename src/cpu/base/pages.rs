//! Mappings of pages, 2 MiB pages, and locked pages.
//!
//! Kernels of aarch64 may have pages of 64 KiB ([`ordinary`]). Device memory is divided in units of 4 KiB inside
//! mappings of 2 MiB, so units need no page of their own. Offsets in files of other processes are rounded to the larger
//! page of both, and memory goes back to the kernel in whole pages only. Guard mode protects single units: with larger
//! pages there is none, and it says so.

use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::{io, ptr};

use rustix::mm::{
    Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mlock, mmap, mmap_anonymous, mprotect, munlock, munmap,
};

use super::arena::HUGE;
use super::host_ranges;
use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::system_call::{refused, refused_by};
pub(crate) use crate::backend::base::protect::set_access;

/// Returns the size of an ordinary page of this kernel in bytes.
pub(crate) fn ordinary() -> usize {
    // SAFETY: sysconf takes a number and returns one.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// The request `PAGEMAP_SCAN` of Linux 6.7: `_IOWR('f', 16, struct pm_scan_arg)`.
const PAGEMAP_SCAN: libc::c_ulong = 0xC060_6610;
const PAGE_IS_HUGE: u64 = 1 << 6;
const MADV_COLLAPSE: libc::c_int = 25;

#[repr(C)]
#[derive(Default)]
struct ScanArgument {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    regions: u64,
    region_count: u64,
    max_pages: u64,
    inverted: u64,
    all_of: u64,
    any_of: u64,
    returned: u64,
}

/// A range that the request reports: first byte, end, and categories.
type Region = [u64; 3];

/// The access to memory that is in use.
const ACCESS: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);
/// The flags with which files are mapped: writes are visible in all mappings, and no memory is reserved.
const OF_FILE: MapFlags = MapFlags::SHARED.union(MapFlags::NORESERVE);

/// A range of address space that is unmapped when dropped.
pub(crate) struct Mapping {
    addr: usize,
    len: usize,
    /// The distance from `addr` to the library's view of the same memory, or 0 if there is none.
    own: usize,
    locked: bool,
}

impl Mapping {
    /// Maps `len` bytes (a multiple of 4 KiB), as far from a multiple of 2 MiB as the offset in a file is. If `own` is
    /// not 0 (then at least `len`), maps them twice: at the address without access, and `own` bytes after it for the
    /// library itself.
    pub(crate) fn new(len: usize, source: Source<'_>, own: usize) -> io::Result<Self> {
        let shift = match source {
            Source::File(_, offset) | Source::Mapped(_, Some((_, offset))) => (offset % HUGE) as usize,
            Source::Mapped(_, None) | Source::Private | Source::Unreserved => 0,
        };
        let mapping = Self::reserve(len, HUGE as usize, shift, own)?;
        replace(mapping.addr, len, source, own)?;
        Ok(mapping)
    }

    /// Maps as [`Self::new`] does, without access in either view.
    pub(crate) fn closed(len: usize, source: Source<'_>, own: usize) -> io::Result<Self> {
        let mapping = Self::reserve(len, HUGE as usize, 0, own)?;
        for at in [Some(own), (own != 0).then_some(0)].into_iter().flatten() {
            map_at(mapping.addr + at, len, source, ProtFlags::empty())?;
        }
        Ok(mapping)
    }

    /// Reserves a range of `len` bytes without access, at `wish` if that is not 0, otherwise at a multiple of `align`
    /// (a power of two, at least 2 MiB). It has room for views `own` bytes after it. Whatever is mapped there is
    /// unmapped with it.
    pub(crate) fn reserved(len: usize, align: usize, wish: usize, own: usize) -> io::Result<Self> {
        if wish == 0 {
            return Self::reserve(len, align, 0, own);
        }
        let all = len.checked_add(own).ok_or(io::ErrorKind::OutOfMemory)?;
        nothing_at(wish, all, MapFlags::FIXED_NOREPLACE)?;
        Ok(Self { addr: wish, len, own, locked: false })
    }

    /// Reserves a range as [`Self::reserved`] does, at any place that is `shift` bytes after a multiple of `align`.
    fn reserve(len: usize, align: usize, shift: usize, own: usize) -> io::Result<Self> {
        let all = len.checked_add(own).ok_or(io::ErrorKind::OutOfMemory)?;
        let reserved = all.checked_add(align + shift).ok_or(io::ErrorKind::OutOfMemory)?;
        let whole = nothing_at(0, reserved, MapFlags::empty())?;
        let addr = whole.next_multiple_of(align) + shift;
        unmap(whole, addr - whole);
        unmap(addr + all, whole + reserved - addr - all);
        Ok(Self { addr, len, own, locked: false })
    }

    pub(crate) fn addr(&self) -> usize {
        self.addr
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the distance of the library's view, or 0 if there is none.
    pub(crate) fn own(&self) -> usize {
        self.own
    }

    /// Requests 2 MiB pages. A kernel that has none ignores this.
    pub(crate) fn advise_huge(&self) {
        // SAFETY: advice about our own mapping changes no contents.
        let _ = unsafe { madvise(self.addr as *mut _, self.len, Advice::LinuxHugepage) };
    }

    /// Locks all pages in memory, which also allocates them. They stay locked.
    pub(crate) fn lock(&mut self) -> io::Result<()> {
        if !self.locked {
            lock(self.addr, self.len)?;
            self.locked = true;
        }
        Ok(())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        host_ranges::becomes(self.addr, host_ranges::GONE);
        unmap(self.addr, self.len + self.own);
    }
}

/// Reserves addresses without memory and without access: at `addr` as `flags` say, or anywhere if it is 0.
fn nothing_at(addr: usize, len: usize, flags: MapFlags) -> io::Result<usize> {
    let flags = flags | MapFlags::PRIVATE | MapFlags::NORESERVE;
    let at = ptr::with_exposed_provenance_mut(addr);
    // SAFETY: a new mapping where nothing is mapped or, with MAP_FIXED, instead of one of the library's that is not in
    // use any more.
    let at = unsafe { mmap_anonymous(at, len, ProtFlags::empty(), flags) }.map_err(refused_by("mmap"))? as usize;
    // Kernels before 4.17 take the address only as a hint.
    if addr != 0 && at != addr {
        unmap(at, len);
        return Err(io::ErrorKind::AddrInUse.into());
    }
    Ok(at)
}

fn unmap(addr: usize, len: usize) {
    if len != 0 {
        // SAFETY: only called with ranges that this module mapped and whose owner frees them.
        let _ = unsafe { munmap(addr as *mut _, len) };
    }
}

/// The source of a mapping.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A file, from this offset on (a multiple of 4 KiB).
    File(BorrowedFd<'a>, u64),
    /// The file that is mapped at this address, from the same offset on. The file and the offset are for systems that
    /// cannot duplicate a mapping.
    Mapped(usize, Option<(&'a Descriptor, u64)>),
    /// Private zeros, for which the system reserves memory.
    Private,
    /// Private zeros, for which the system reserves no memory until they are used.
    Unreserved,
}

/// Maps `len` bytes at `addr`. The addresses are not in use.
fn map_at(addr: usize, len: usize, source: Source<'_>, access: ProtFlags) -> io::Result<()> {
    let to = ptr::with_exposed_provenance_mut(addr);
    match source {
        Source::File(file, offset) => {
            // SAFETY: the caller owns what was mapped there, and frees it.
            unsafe { mmap(to, len, access, OF_FILE | MapFlags::FIXED, file, offset) }.map_err(refused_by("mmap"))?;
        }
        Source::Mapped(from, file) => return map_again(from, file, to, len, access),
        Source::Private | Source::Unreserved => {
            let more = if let Source::Private = source { MapFlags::empty() } else { MapFlags::NORESERVE };
            let flags = MapFlags::PRIVATE | MapFlags::FIXED | more;
            // SAFETY: the caller frees what was mapped there, and nothing else uses the range.
            unsafe { mmap_anonymous(to, len, access, flags) }.map_err(refused_by("mmap"))?;
        }
    }
    Ok(())
}

/// Maps what is mapped from a file at `from` another time. This needs no descriptor.
fn map_again(
    from: usize,
    file: Option<(&Descriptor, u64)>,
    to: *mut std::ffi::c_void,
    len: usize,
    access: ProtFlags,
) -> io::Result<()> {
    let from = ptr::with_exposed_provenance_mut(from);
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: the old length of 0 leaves the mapping at `from` as it is. The caller owns what was mapped at `to`. The
    // function of rustix passes another flag than the system's.
    let copied = unsafe { libc::mremap(from, 0, len, flags, to) };
    if copied == libc::MAP_FAILED {
        let error = refused("mremap");
        // Valgrind refuses the length, for example.
        let Some((file, offset)) = file else { return Err(error) };
        // SAFETY: the caller frees what was mapped at `to`, where nothing is in use.
        unsafe { mmap(to, len, access, OF_FILE | MapFlags::FIXED, file.get()?, offset) }.map_err(refused_by("mmap"))?;
        return Ok(());
    }
    let access = MprotectFlags::from_bits_retain(access.bits());
    // SAFETY: the mapping was created above, and nothing uses it yet.
    unsafe { mprotect(to, len, access) }.map_err(refused_by("mprotect"))
}

/// Releases the pages of a part of a mapping of a file to the system, in every mapping of the file. The part is not in
/// use. This needs no descriptor.
pub(crate) fn remove(addr: usize, len: usize) -> io::Result<()> {
    // SAFETY: nothing uses the range, whose pages read as zeros afterwards.
    unsafe { madvise(addr as *mut _, len, Advice::LinuxRemove) }.map_err(refused_by("madvise(MADV_REMOVE)"))
}

/// Unlocks a range that a call has locked in memory, as far as it is.
pub(crate) fn unlock(addr: usize, len: usize) {
    // SAFETY: unlocking changes no contents.
    let _ = unsafe { munlock(addr as *mut _, len) };
}

/// Replaces a part, which is not in use, of one of the library's mappings. If `own` is 0, maps the source at `addr`
/// with access. Otherwise maps it in the library's view, `own` bytes after `addr`, and without access at `addr`, the
/// program's view. An error may leave one of the views replaced.
pub(crate) fn replace(addr: usize, len: usize, source: Source<'_>, own: usize) -> io::Result<()> {
    map_at(addr + own, len, source, ACCESS)?;
    if own != 0 {
        map_at(addr, len, source, ProtFlags::empty())?;
    }
    Ok(())
}

/// Releases the whole pages of a part of a mapping of [`Source::Unreserved`] to the system. The part is not in use, and
/// the pages are zeros afterwards. The rest of the part, and what the kernel does not release, stays as it is.
pub(crate) fn discard(addr: usize, len: usize) {
    // The kernel rounds the end up, and other data may be there.
    let (first, end) = whole(addr, len, ordinary());
    if first < end {
        // SAFETY: the caller owns the range, and its content is not needed.
        let _ = unsafe { madvise(first as *mut _, end - first, Advice::LinuxDontNeed) };
    }
}

/// Unmaps a part, which is not in use, of a [`Mapping::reserved`], in both views if `own` is not 0.
pub(crate) fn vacate(addr: usize, len: usize, own: usize) -> io::Result<()> {
    nothing_at(addr, len, MapFlags::FIXED)?;
    if own != 0 {
        nothing_at(addr + own, len, MapFlags::FIXED)?;
    }
    Ok(())
}

/// Locks a range in memory. Fails if a page is not mapped.
pub(crate) fn lock(addr: usize, len: usize) -> io::Result<()> {
    // SAFETY: locking changes no contents.
    unsafe { mlock(addr as *mut _, len) }.map_err(refused_by("mlock"))
}

/// Converts a range (multiples of 2 MiB, in one of the library's mappings) to 2 MiB pages and keeps its content.
/// Succeeds only if all of the range is on such pages afterwards.
pub(crate) fn collapse(addr: usize, len: usize) -> io::Result<()> {
    for page in (addr..addr + len).step_by(HUGE as usize) {
        // SAFETY: allocates one small page, without which some kernels find nothing to collapse; contents stay. The
        // kernel does it, because another thread may be writing here.
        let _ = unsafe { madvise(page as *mut _, ordinary(), Advice::LinuxPopulateRead) };
    }
    // SAFETY: keeps the contents, at the same addresses. rustix has no name for this advice.
    match unsafe { libc::madvise(addr as *mut libc::c_void, len, MADV_COLLAPSE) } {
        0 => Ok(()),
        _ => Err(refused("madvise(MADV_COLLAPSE)")),
    }
}

/// Whether the kernel reports that all of a range (multiples of 2 MiB) is on 2 MiB pages.
pub(crate) fn is_huge(addr: usize, len: usize) -> bool {
    // Before Linux 6.7 no call reports this per range, but a collapse of huge pages is cheap, and succeeds only if all
    // of it is huge.
    huge_bytes(addr, len).map_or_else(|_| collapse(addr, len).is_ok(), |bytes| bytes == len)
}

fn huge_bytes(addr: usize, len: usize) -> io::Result<usize> {
    let map = File::open("/proc/self/pagemap")?;
    let mut regions = [Region::default(); 32];
    let (mut start, end) = (addr as u64, (addr + len) as u64);
    let mut bytes = 0;
    while start < end {
        let mut argument = ScanArgument {
            size: size_of::<ScanArgument>() as u64,
            start,
            end,
            regions: regions.as_mut_ptr().expose_provenance() as u64,
            region_count: regions.len() as u64,
            all_of: PAGE_IS_HUGE,
            returned: PAGE_IS_HUGE,
            ..Default::default()
        };
        // SAFETY: the argument has the layout that this request wants, and names a buffer and its
        // length; both live across the call.
        let found = unsafe { libc::ioctl(map.as_raw_fd(), PAGEMAP_SCAN, &raw mut argument) };
        ensure!(found >= 0, io::Error::last_os_error());
        bytes += regions[..found as usize].iter().map(|[start, end, _]| end - start).sum::<u64>();
        if argument.walk_end <= start {
            break;
        }
        start = argument.walk_end;
    }
    Ok(bytes as usize)
}

/// Returns the page size that the kernel confirms for the memory at `addr`: of all whole 2 MiB pages inside the range
/// or, if there are none, of the one around its first byte.
pub(crate) fn page_size(addr: usize, len: usize) -> usize {
    let huge = HUGE as usize;
    let (first, last) = whole_pages(addr, len);
    let confirmed = if first < last { is_huge(first, last - first) } else { is_huge(addr & !(huge - 1), huge) };
    if confirmed { huge } else { ordinary() }
}

/// Returns the part of a range that consists of whole 2 MiB pages: first byte, and end.
pub(crate) fn whole_pages(addr: usize, len: usize) -> (usize, usize) {
    whole(addr, len, HUGE as usize)
}

/// Returns the part of a range that consists of whole pages of `page` bytes: first byte, and end.
fn whole(addr: usize, len: usize, page: usize) -> (usize, usize) {
    let first = addr.next_multiple_of(page);
    (first, ((addr + len) & !(page - 1)).max(first))
}

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;
