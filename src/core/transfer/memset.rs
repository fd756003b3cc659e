//! Setting memory: bytes and 32-bit words.

use crate::algo::map::slot_table::Ref;
use crate::backend::{Fill, Op, Pattern, Place};
use crate::base::callback;
use crate::base::error::{Result, arguments, invalid_param};
use crate::stream::{self, Stream, interceptor};
use crate::transfer::ends::{self, End, Own, Takes};
use crate::transfer::synchronous::{self, CallingThread};

/// The arguments of a fill as they came from C.
pub struct FillArgs {
    /// The first byte.
    pub addr: usize,
    /// The room there in bytes, as the caller passes it.
    pub room: usize,
    /// The pattern.
    pub pattern: Pattern,
    /// The number of repetitions.
    pub count: usize,
}

impl FillArgs {
    /// Creates the request of aclrtMemset: the low byte of `value`, `count` times.
    pub fn bytes(addr: usize, room: usize, value: i32, count: usize) -> Self {
        Self { addr, room, pattern: Pattern::Byte(value as u8), count }
    }

    /// Creates the request of aclrtMemsetD32.
    pub fn words(addr: usize, room: usize, value: u32, count: usize) -> Self {
        Self { addr, room, pattern: Pattern::Word(value), count }
    }

    /// Returns the name of the pointer argument.
    fn argument(&self) -> &'static str {
        match self.pattern {
            Pattern::Byte(_) => "devPtr",
            Pattern::Word(_) => "ptr",
        }
    }

    /// Checks the values of the arguments. Returns the length in bytes; `None`: nothing to do.
    fn check(&self) -> Result<Option<usize>> {
        let Self { addr, room, pattern, count } = *self;
        if count == 0 {
            return Ok(None);
        }
        let name = if let Pattern::Byte(_) = pattern { "count" } else { "N" };
        arguments::not_null_for(self.argument(), addr, format_args!("{name} is {count}"))?;
        if count > room / pattern.size() {
            return Err(match pattern {
                Pattern::Byte(_) => invalid_param!("count {count} is more than maxCount {room}"),
                Pattern::Word(_) => {
                    invalid_param!("N is {count} words of 4 bytes, which is more than memSize ({room} bytes)")
                }
            });
        }
        arguments::aligned(self.argument(), addr, pattern.size(), "words of 4 bytes")?;
        Ok(Some(count * pattern.size()))
    }

    /// Returns the destination of `len` bytes.
    #[inline(always)]
    fn dst(&self, len: usize) -> End<&'static str> {
        End { argument: self.argument(), addr: self.addr, len }
    }
}

const TAKES: Takes = Takes::Locked("; use memset for pageable host memory");

/// Implements aclrtMemset and aclrtMemsetD32: the work is complete when it returns, and no stream orders it.
pub fn set(request: FillArgs) -> Result<()> {
    interceptor::check_unordered()?;
    let Some(len) = request.check()? else { return Ok(()) };
    let mut thread = CallingThread::NEW;
    let (dst, _held) = ends::find_end(request.dst(len), true, Own::Thread(&mut thread), TAKES)?;
    synchronous::run(&*thread.into_device()?, Op::Fill(Fill { dst, pattern: request.pattern }))
}

/// Implements aclrtMemsetAsync and aclrtMemsetD32Async.
#[inline]
pub fn set_async(request: FillArgs, stream: u64) -> Result<()> {
    let len = request.check()?;
    let stream = stream::resolve(stream)?;
    let Some(len) = len else { return Ok(()) };
    match ends::end_at_once(request.dst(len), &stream.device) {
        Some(dst) => stream.submit(Op::Fill(Fill { dst, pattern: request.pattern })).map(drop),
        None => set_async_other(&request, len, stream),
    }
}

/// Enqueues a fill of memory that is not found at once.
fn set_async_other(request: &FillArgs, len: usize, stream: Ref<'static, Stream>) -> Result<()> {
    let (dst, _held) = ends::find_end(request.dst(len), true, Own::Device(&stream.device), TAKES)?;
    let fill = Fill { dst, pattern: request.pattern };
    if dst.place != Place::Pinned || fill.pattern.size() == 1 || stream.is_captured() {
        return stream.submit(Op::Fill(fill)).map(drop);
    }
    // Host memory is filled when the call returns. No `Ref` may live across the wait.
    callback::refuse_endless_wait()?;
    let share = stream.to_arc();
    drop(stream);
    share.submit(Op::Fill(fill))?;
    let known = share.known();
    // A wait without a deadline cannot time out. Failures of earlier work are left for a synchronize.
    share.wait(None).map(drop)?;
    known.is_seen();
    Ok(())
}
