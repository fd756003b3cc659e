//! Streams: operations, events, failures, host functions, waits.

pub mod decorators;
pub mod failure;
pub mod hand_over;
pub mod host_fn;
pub mod notify;
pub mod op;
pub mod stream_value;
pub mod watch;

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use self::failure::{Observer, Position};
use self::op::Submit;
use super::{Fault, Result};

/// Options of a new stream.
#[derive(Clone, Default)]
pub struct StreamOptions {
    /// 0 is the highest; larger numbers have lower priority, up to [`least_priority`](super::Device::least_priority).
    pub priority: u32,
    /// Receives failures of its work; `None`: no observer.
    pub observer: Option<Arc<dyn Observer>>,
}

/// The result of a bounded wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Wait {
    /// The awaited work is complete.
    Done,
    /// The deadline passed; nothing was cancelled.
    TimedOut,
}

/// An in-order queue of a device. Methods may be called from any thread; calls from several threads take some order. A
/// successful [`Submit::submit`] has queued the operation. It runs later, and in this stream after everything that was
/// queued before it. If it fails then, the stream's [`Observer`] receives the failure, and the stream goes on with the
/// next operation.
pub trait Stream: Any + Submit + Send + Sync {
    /// The stream is in teardown: its waits for values and notifies end at this time at the latest, and have failed
    /// with [`FaultKind::WaitTimedOut`](super::FaultKind::WaitTimedOut) then.
    fn limit_waits(&self, until: Instant);

    /// True when everything queued so far is complete.
    fn is_idle(&self) -> Result<bool>;

    /// True only if [`Self::is_idle`] would return true, as far as that is known without a call of a driver. After
    /// false the caller calls that one.
    fn is_known_idle(&self) -> bool {
        false
    }

    /// Blocks until everything queued before the call is complete, or until the deadline. On a failed device:
    /// [`FaultKind::Execution`](super::FaultKind::Execution); after an abort meanwhile: its `why`. A failed operation
    /// is no failure of the wait for it.
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>;

    /// The position of the last submitted operation, 0 before the first one; `None` if the stream accepts no more.
    /// Cheap. As the next two methods, only for drivers without [pools](super::Driver::pools).
    fn submitted(&self) -> Option<Position> {
        None
    }

    /// Everything up to this position is complete. Cheap.
    fn finished(&self) -> Position {
        0
    }

    /// Blocks until everything up to this position is complete, or only what precedes the first operation whose
    /// completion depends on the program: user code, or a wait for something after user code.
    fn drain_up_to(&self, _position: Position) -> Result<()> {
        Ok(())
    }

    /// Drops what has not started, if the device can do that (waits are ended, events recorded after them complete),
    /// and accepts no more work. Does not wait for what has started. Returns the last operation that is not dropped.
    fn abandon(&self) -> Position;

    /// Drops what has not started, if the device can do that, and accepts more work. Waits for running operations on
    /// memory, until the deadline, but not for running user code. Waits for this stream, or for an event whose record
    /// is dropped, return `why`. Other streams that wait for such a record go on when the event is recorded again and
    /// that record is complete.
    fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait;

    /// Nothing more will be queued: waits for records that an abort has dropped, or will drop, end.
    fn retire(&self);

    /// Changes [`StreamOptions::priority`] for what has not started.
    fn set_priority(&self, priority: u32) -> Result<()>;

    /// The driver's stream, to which other libraries may then submit work that is awaited like this one's; `None`
    /// without a driver.
    fn native(&self) -> Option<usize>;
}

/// A point in a stream's work that streams and the host can wait for.
pub trait Event: Any + Send + Sync {
    /// True when the latest record is complete, or when there is none.
    fn is_complete(&self) -> Result<bool>;

    /// True only if [`Self::is_complete`] would return true, as far as that is known without a call of a driver. After
    /// false the caller calls that one.
    fn is_known_complete(&self) -> bool {
        false
    }

    /// Blocks until the latest record as of now is complete, or until the deadline. For a record that [`Stream::abort`]
    /// dropped: its `why`.
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>;

    /// Milliseconds from `start`'s latest record to this one's; negative if it came later. Both have timing and are
    /// complete.
    fn elapsed_ms(&self, start: &dyn Event) -> Result<f32> {
        let (start, end) = (start.time_ns()?, self.time_ns()?);
        Ok((end.wrapping_sub(start).cast_signed() as f64 / 1e6) as f32)
    }

    /// The time of the latest record in nanoseconds of the machine's monotonic clock. The event has timing. A pending
    /// record is a fault, and no failure of the device.
    fn time_ns(&self) -> Result<u64>;

    /// The driver's event; `None` without a driver.
    fn native(&self) -> Option<usize> {
        None
    }
}
