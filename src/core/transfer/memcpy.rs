//! Copies: direction, range and order.

use crate::algo::map::slot_table::Ref;
use crate::backend::{Op, Place, Span};
use crate::base::error::{Error, Result, invalid_param, param_invalid, unsupported};
use crate::memory::{self, place_in_words};
use crate::runtime::thread;
use crate::stream::{self, Stream, interceptor};
use crate::transfer::ends::{self, End, Expect, FoundEnds, Own};
use crate::transfer::synchronous::{self, CallingThread};

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
    fn check(self, dst: &Span, src: &Span, remedy: &str) -> Result<()> {
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

    #[inline]
    fn dst(&self) -> End<&'static str> {
        End { argument: "dst", addr: self.dst, len: self.count }
    }

    #[inline(always)]
    fn src(&self) -> End<&'static str> {
        End { argument: "src", addr: self.src, len: self.count }
    }
}

/// The direction of a copy.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    /// The direction that the program passed.
    pub kind: Kind,
    /// Whether both ends may be host memory.
    pub within_host: bool,
    /// What to do if the places of the ends contradict the kind.
    pub remedy: &'static str,
}

impl Direction {
    #[inline]
    fn of(kind: Kind, within_host: bool) -> Self {
        Self { kind, within_host, remedy: "pass ACL_MEMCPY_DEFAULT, which finds the direction from the addresses" }
    }

    /// Whether the source can be reused when the call returns.
    #[inline]
    fn stages_source(&self) -> bool {
        self.kind == Kind::HostToBufferToDevice
    }
}

impl Expect for Direction {
    #[inline(always)]
    fn accepts(&self, dst: Place, src: Place) -> bool {
        let Self { kind, within_host, .. } = *self;
        if kind.fits_by_number(dst, src) {
            return within_host || kind != Kind::HostToHost;
        }
        kind == Kind::Default && (within_host || !(is_host(dst) && is_host(src)))
    }

    #[inline]
    fn check(&mut self, dst: &Span, src: &Span) -> Result<()> {
        let is_refused = !self.within_host && is_host(dst.place) && is_host(src.place);
        if !self.kind.fits_by_number(dst.place, src.place) {
            let instead = "asynchronous copies need a device on one side; use aclrtMemcpy";
            self.kind.check(dst, src, if is_refused { instead } else { self.remedy })?;
        }
        ensure!(!is_refused, not_asynchronous());
        Ok(())
    }
}

#[cold]
fn not_asynchronous() -> Error {
    unsupported!(
        "dst and src are both host memory: asynchronous copies need a device on one side; use aclrtMemcpy, or memcpy \
         in aclrtLaunchHostFunc"
    )
}

/// Returns the error of arguments that contradict each other with any addresses.
#[cold]
fn contradictory(dst: usize, src: usize, count: usize, dest_max: usize) -> Error {
    if dst != 0 && src != 0 {
        return invalid_param!("count {count} is more than destMax {dest_max}");
    }
    let argument = if dst == 0 { "dst" } else { "src" };
    invalid_param!("{argument} is null, but count is {count}")
}

#[cold]
fn contradiction(kind: Kind, dst: &Span, src: &Span, remedy: &str) -> Error {
    param_invalid!(
        "kind {} ({kind:?}) contradicts the pointers: dst {:#x} is {}, and src {:#x} is {}; {remedy}",
        kind as i32,
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
    let direction = Direction::of(kind, true);
    if request.count <= MAX_PINNED_COPY
        && let Some(context) = thread::current_now()
        && let Some(ends) = ends::at_once::<true>(request.dst(), request.src(), &context.device, &direction)
    {
        return synchronous::copy(&context.device, ends.copy(direction.stages_source()));
    }
    copy_others(request.dst, request.src, request.count, kind)
}

/// Copies many bytes, or between ends that are not found at once. Checks the room.
#[inline(never)]
fn copy_others(dst: usize, src: usize, count: usize, kind: Kind) -> Result<()> {
    let request = CopyArgs { dst, dest_max: count, src, count, kind: kind as i32 };
    let mut direction = Direction::of(kind, true);
    let mut thread = CallingThread::NEW;
    let ends = ends::find(request.dst(), request.src(), Own::Thread(&mut thread), &mut direction)?;
    let copy = ends.copy(direction.stages_source());
    if ends.are_local && count <= MAX_PINNED_COPY {
        return synchronous::copy(thread.device()?, copy);
    }
    // The copy takes long enough for the pin to matter.
    synchronous::copy(&*thread.into_device()?, copy)
}

/// Length of the largest synchronous copy, in bytes, during which the context's table stays pinned.
const MAX_PINNED_COPY: usize = 64 << 10;

/// Writes words to a device, as [`copy`] does.
pub(crate) fn write_words(dst: usize, words: &[u64]) -> Result<()> {
    let (src, count) = (words.as_ptr().expose_provenance(), size_of_val(words));
    copy(CopyArgs { dst, dest_max: count, src, count, kind: Kind::HostToDevice as i32 })
}

/// Implements aclrtMemcpyAsync.
#[inline(always)]
pub fn copy_async(request: CopyArgs, stream: u64) -> Result<()> {
    let kind = request.check()?;
    let stream = stream::resolve(stream)?;
    let Some(kind) = kind else { return Ok(()) };
    let direction = Direction::of(kind, false);
    match ends::at_once::<false>(request.dst(), request.src(), &stream.device, &direction) {
        Some(ends) => stream.submit(Op::Copy(ends.copy(direction.stages_source()))).map(drop),
        None => copy_async_others(request.dst, request.src, request.count, kind, stream),
    }
}

/// Enqueues a copy between ends that are not found at once. Checks the room.
#[inline(never)]
fn copy_async_others(dst: usize, src: usize, count: usize, kind: Kind, stream: Ref<'static, Stream>) -> Result<()> {
    let request = CopyArgs { dst, dest_max: count, src, count, kind: kind as i32 };
    let mut direction = Direction::of(kind, false);
    let ends = ends::find(request.dst(), request.src(), Own::Device(&stream.device), &mut direction)?;
    submit(stream, &ends, Op::Copy(ends.copy(direction.stages_source())))
}

/// Queues an operation that copies between these ends.
#[inline]
pub fn submit(stream: Ref<'static, Stream>, ends: &FoundEnds, op: Op<'_>) -> Result<()> {
    if ends.dst.place != Place::Pageable && ends.src.place != Place::Pageable {
        return stream.submit(op).map(drop);
    }
    interceptor::check_waiting()?;
    // A copy of pageable memory may wait, and no `Ref` may live across a wait.
    let share = stream.to_arc();
    drop(stream);
    share.submit(op).map(drop)
}
