//! Copies: direction, range and order.

use std::sync::Arc;

use crate::algo::map::slot_table::Ref;
use crate::backend::{Copy, Op, Place, Span};
use crate::base::error::{Error, Result, invalid_param, param_invalid, unsupported};
use crate::memory::allocation::{Allocation, CopyEnd, Kind as AllocationKind};
use crate::memory::{self, place_in_words};
use crate::runtime::device::Device;
use crate::runtime::thread;
use crate::stream::{self, Stream, interceptor};
use crate::transfer::synchronous;

/// The direction that a program passes, as the API numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// ACL_MEMCPY_HOST_TO_HOST
    HostToHost,
    /// ACL_MEMCPY_HOST_TO_DEVICE
    HostToDevice,
    /// ACL_MEMCPY_DEVICE_TO_HOST
    DeviceToHost,
    /// ACL_MEMCPY_DEVICE_TO_DEVICE
    DeviceToDevice,
    /// ACL_MEMCPY_DEFAULT
    Default,
    /// ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE
    HostToBufferToDevice,
    /// ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
    InnerDevice,
    /// ACL_MEMCPY_INTER_DEVICE_TO_DEVICE
    InterDevice,
}

impl Kind {
    /// Converts the number of C.
    pub fn from_number(number: i32) -> Result<Self> {
        Ok(match number {
            0 => Self::HostToHost,
            1 => Self::HostToDevice,
            2 => Self::DeviceToHost,
            3 => Self::DeviceToDevice,
            4 => Self::Default,
            5 => Self::HostToBufferToDevice,
            6 => Self::InnerDevice,
            7 => Self::InterDevice,
            _ => return Err(invalid_param!("kind is {number}; allowed: the values of aclrtMemcpyKind, 0 to 7")),
        })
    }

    /// Whether the places match the kind.
    fn fits(self, dst: Place, src: Place) -> bool {
        let (to_host, from_host) = (is_host(dst), is_host(src));
        match self {
            Self::HostToHost => to_host && from_host,
            Self::HostToDevice | Self::HostToBufferToDevice => !to_host && from_host,
            Self::DeviceToHost => to_host && !from_host,
            Self::DeviceToDevice => !to_host && !from_host,
            Self::Default => true,
            Self::InnerDevice => !to_host && dst == src,
            Self::InterDevice => !to_host && !from_host && dst != src,
        }
    }

    /// Whether the kind is one of the first four, which are numbered by their places, and the places match it.
    #[inline(always)]
    fn fits_by_number(self, dst: Place, src: Place) -> bool {
        self as u8 == u8::from(!is_host(src)) << 1 | u8::from(!is_host(dst))
    }

    /// Fails unless the places match the kind. `remedy` says what to do in this case.
    #[inline(never)]
    pub fn check(self, dst: &Span, src: &Span, remedy: &str) -> Result<()> {
        if self.fits(dst.place, src.place) || self.fits_managed(dst, src) {
            Ok(())
        } else {
            Err(contradiction(self, dst, src, remedy))
        }
    }

    /// Whether the places match the kind. Managed memory belongs to the host as well as to a device, and matches
    /// either.
    fn fits_managed(self, dst: &Span, src: &Span) -> bool {
        let places = |span: &Span| match memory::is_managed(span.addr) {
            true => vec![span.place, Place::Pinned],
            false => vec![span.place],
        };
        let sources = places(src);
        places(dst).iter().any(|&dst| sources.iter().any(|&src| self.fits(dst, src)))
    }
}

/// Whether the place is in host memory.
#[inline]
pub fn is_host(place: Place) -> bool {
    matches!(place, Place::Pageable | Place::Pinned)
}

/// The arguments of a copy as they came from C.
#[derive(Clone, Copy, Debug)]
pub struct CopyArgs {
    /// The destination.
    pub dst: usize,
    /// The room there in bytes, as the caller passes it.
    pub dest_max: usize,
    /// The source.
    pub src: usize,
    /// The number of bytes to copy.
    pub count: usize,
    /// An `aclrtMemcpyKind`.
    pub kind: i32,
}

impl CopyArgs {
    /// Checks the values of the arguments. `None`: nothing to do.
    #[inline]
    fn check(self) -> Result<Option<Kind>> {
        let Self { dst, dest_max, src, count, kind } = self;
        if count == 0 {
            return Ok(None);
        }
        let kind = Kind::from_number(kind)?;
        ensure!(dst != 0 && src != 0 && count <= dest_max, contradictory(dst, src, count, dest_max));
        Ok(Some(kind))
    }

    /// Returns the places of the addresses, destination first.
    ///
    /// It returns no [`Copy`](struct@Copy) yet: that is kept in registers up to the call that needs it in memory, and
    /// so is written there only once.
    #[inline(always)]
    fn places(self, kind: Kind) -> Result<(Place, Place)> {
        let dst = memory::span("dst", self.dst, self.count)?.place;
        let src = memory::span("src", self.src, self.count)?.place;
        if !kind.fits_by_number(dst, src) {
            let Copy { dst, src, .. } = self.between(kind, dst, src);
            kind.check(&dst, &src, "ACL_MEMCPY_DEFAULT finds the direction from the addresses")?;
        }
        Ok((dst, src))
    }

    /// Returns the places of the ends, destination first, if they are found at once: each is page-locked or on this
    /// device, inside one allocation, without a check of access, and the kind matches. With `PAGEABLE`, an end may also
    /// be host memory that is known without a lookup in the map. `None`: [`Self::places`] finds them, or fails.
    #[inline(always)]
    fn places_at_once<const PAGEABLE: bool>(self, kind: Kind, device: &Device) -> Option<(Place, Place)> {
        let place = |end, addr| {
            if PAGEABLE && memory::is_plain(addr) {
                return addr.checked_add(self.count).map(|_| Place::Pageable);
            }
            let Some(found) = Allocation::reach_end(end, addr) else {
                return (PAGEABLE && memory::is_ordinary(addr, self.count)).then_some(Place::Pageable);
            };
            let place = AllocationKind::of(found).place();
            let is_local = (place == Place::Device(device.id)) | (place == Place::Pinned);
            (is_local && self.count <= found.left.get()).then_some(place)
        };
        let (dst, src) = (place(CopyEnd::Dst, self.dst)?, place(CopyEnd::Src, self.src)?);
        let fits = kind.fits_by_number(dst, src) | (kind == Kind::Default);
        (fits && !memory::must_ask()).then_some((dst, src))
    }

    /// Returns the copy between these places.
    #[inline(always)]
    fn between(self, kind: Kind, dst: Place, src: Place) -> Copy {
        Copy {
            dst: Span { addr: self.dst, len: self.count, place: dst },
            src: Span { addr: self.src, len: self.count, place: src },
            stage_source: kind == Kind::HostToBufferToDevice,
        }
    }
}

/// Returns the error of arguments that contradict each other with any addresses.
#[cold]
fn contradictory(dst: usize, src: usize, count: usize, dest_max: usize) -> Error {
    if dst != 0 && src != 0 {
        return invalid_param!("count {count} is more than destMax {dest_max}");
    }
    let argument = if dst == 0 { "dst" } else { "src" };
    invalid_param!("{argument} is null, count is {count}")
}

#[cold]
fn contradiction(kind: Kind, dst: &Span, src: &Span, remedy: &str) -> Error {
    param_invalid!(
        "kind {kind:?} contradicts the pointers: dst {:#x} is {}, src {:#x} is {}; {remedy}",
        dst.addr,
        place_in_words(dst.place),
        src.addr,
        place_in_words(src.place)
    )
}

/// Implements aclrtMemcpy: the work is complete when it returns, and no stream orders it.
///
/// Always inlined: its arguments would go through memory.
#[inline(always)]
pub fn copy(request: CopyArgs) -> Result<()> {
    interceptor::check_unordered()?;
    let Some(kind) = request.check()? else { return Ok(()) };
    if request.count <= MAX_PINNED_COPY
        && let Some(context) = thread::current_now()
        && let Some((dst, src)) = request.places_at_once::<true>(kind, &context.device)
    {
        return synchronous::copy(&context.device, request.between(kind, dst, src));
    }
    copy_anywhere(request.dst, request.src, request.count, kind)
}

/// Writes words to a device, as [`copy`] does.
pub fn write_words(dst: usize, words: &[u64]) -> Result<()> {
    let (src, count) = (words.as_ptr().expose_provenance(), size_of_val(words));
    copy(CopyArgs { dst, dest_max: count, src, count, kind: Kind::HostToDevice as i32 })
}

/// Copies memory in any place and of any length. Checks the room.
#[inline(never)]
fn copy_anywhere(dst: usize, src: usize, count: usize, kind: Kind) -> Result<()> {
    let request = CopyArgs { dst, dest_max: count, src, count, kind: kind as i32 };
    let (dst, src) = request.places(kind)?;
    let context = thread::current()?;
    let is_local = |place| memory::is_local(place, &context.device);
    if request.count <= MAX_PINNED_COPY && is_local(dst) && is_local(src) {
        return synchronous::copy(&context.device, request.between(kind, dst, src));
    }
    // The copy takes long enough for this to matter: the pin, which delays the reclamation of destroyed objects, is
    // dropped.
    let device = context.device.clone();
    drop(context);
    let copy = request.between(kind, dst, src);
    let _held = hold_others(&copy.dst, &copy.src, &device)?;
    synchronous::copy(&device, copy)
}

/// Length of the largest synchronous copy, in bytes, during which the context's table stays pinned.
const MAX_PINNED_COPY: usize = 64 << 10;

/// Does the work of [`memory::hold_other`] for both ends of a copy.
pub fn hold_others(dst: &Span, src: &Span, own: &Device) -> Result<[Option<Arc<Device>>; 2]> {
    Ok([memory::hold_other("dst", dst, own, true)?, memory::hold_other("src", src, own, false)?])
}

/// Implements aclrtMemcpyAsync.
#[inline(always)]
pub fn copy_async(request: CopyArgs, stream: u64) -> Result<()> {
    let kind = request.check()?;
    let stream = stream::resolve(stream)?;
    let Some(kind) = kind else { return Ok(()) };
    match request.places_at_once::<false>(kind, &stream.device) {
        Some((dst, src)) if !(is_host(dst) & is_host(src)) => {
            stream.submit(Op::Copy(request.between(kind, dst, src))).map(drop)
        }
        Some(_) | None => copy_async_anywhere(request, kind, stream),
    }
}

/// Enqueues a copy of another kind, or between memory in any place.
#[inline(never)]
fn copy_async_anywhere(request: CopyArgs, kind: Kind, stream: Ref<'static, Stream>) -> Result<()> {
    let (dst, src) = request.places(kind)?;
    let copy = request.between(kind, dst, src);
    let (dst, src) = (copy.dst, copy.src);
    if is_host(dst.place) && is_host(src.place) {
        return Err(unsupported!(
            "dst and src are both host memory: asynchronous copies need a device on one side; use \
             aclrtMemcpy, or memcpy in aclrtLaunchHostFunc"
        ));
    }
    let _held = hold_others(&dst, &src, &stream.device)?;
    submit(stream, &dst, &src, Op::Copy(copy))
}

/// Queues an operation that copies from `src` to `dst`.
#[inline]
pub fn submit(stream: Ref<'static, Stream>, dst: &Span, src: &Span, op: Op<'_>) -> Result<()> {
    if dst.place != Place::Pageable && src.place != Place::Pageable {
        return stream.submit(op).map(drop);
    }
    interceptor::check_waiting()?;
    // A copy of pageable memory may wait, and no `Ref` may live across a wait.
    let share = stream.to_arc();
    drop(stream);
    share.submit(op).map(drop)
}
