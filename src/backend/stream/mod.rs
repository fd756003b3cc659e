//! Streams: operations, events, failures, host functions, waits.

pub mod decorators;
pub mod failure;
pub mod hand_over;
pub mod host_fn;
pub mod host_task;
pub mod notify;
pub mod op;
pub mod stream_value;
pub mod watch;
pub mod workers;

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use self::failure::{Observer, Position};
use self::op::Submit;
use super::{Fault, Result};

/// The priority of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// The default of the device, which other libraries of the process also use.
    #[default]
    Plain,
    /// A level. 0 is the highest; larger numbers have lower priority, up to
    /// [`least_priority`](super::Device::least_priority).
    Level(u32),
    /// That of streams of the library for which a stream of a program may wait. Where the device has hardware queues,
    /// they are others than those of programs.
    Library,
}

impl Priority {
    /// Returns the number that programs see.
    pub fn level(self) -> u32 {
        match self {
            Self::Level(level) => level,
            Self::Plain | Self::Library => 0,
        }
    }
}

/// Options of a new stream.
#[derive(Clone, Default)]
pub struct StreamOptions {
    /// The priority.
    pub priority: Priority,
    /// The receiver of failures of the stream's work, or `None` for no observer.
    pub observer: Option<Arc<dyn Observer>>,
}

/// The result of a bounded wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Wait {
    /// The awaited work is complete.
    Done,
    /// The deadline has passed, and nothing was cancelled.
    TimedOut,
}

/// An in-order queue of a device. Methods may be called from any thread; calls from several threads take some order. A
/// successful [`Submit::submit`] has enqueued the operation, which runs after everything that was enqueued before it in
/// this stream. If the operation fails, the stream's [`Observer`] receives the failure, and the stream goes on.
pub trait Stream: Any + Submit + Send + Sync {
    /// Limits the waits of a stream in teardown. Its waits for values and notifies end at this time at the latest, and
    /// have failed with [`FaultKind::WaitTimedOut`](super::FaultKind::WaitTimedOut) then.
    fn limit_waits(&self, until: Instant);

    /// Waits until the stream can take this number of operations without waiting, until it never will, as far as that
    /// is known, or until the deadline. A caller that locks something during a submission calls this before. Returns
    /// `None` if it has not waited, or there will be no room.
    fn await_room(&self, _operations: usize, _deadline: Option<Instant>) -> Option<Wait> {
        None
    }

    /// Whether everything enqueued so far is complete.
    fn is_idle(&self) -> Result<bool>;

    /// Whether [`Self::is_idle`] would return true, as far as that is known without a call of a driver. After false the
    /// caller calls that one.
    fn is_known_idle(&self) -> bool {
        false
    }

    /// Blocks until everything enqueued before the call is complete, or until the deadline. Fails with
    /// [`FaultKind::Execution`](super::FaultKind::Execution) on a failed device, and with `why` of an abort during the
    /// wait. A failed operation is no failure of the wait for it.
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>;

    /// Returns the position of the last submitted operation, 0 before the first one, or `None` if the stream accepts no
    /// more. This is cheap. Like the next two methods, it is only for drivers without [pools](super::Driver::pools).
    fn submitted(&self) -> Option<Position> {
        None
    }

    /// Returns the position up to which everything is complete. This is cheap.
    fn finished(&self) -> Position {
        0
    }

    /// Blocks until everything up to this position is complete. If the completion of an operation depends on the
    /// program (user code, or a wait for something after user code), waits only for what precedes the first such
    /// operation.
    fn drain_up_to(&self, _position: Position) -> Result<()> {
        Ok(())
    }

    /// Drops what has not started, if the device can do that, and accepts no more work. Dropped waits end, and events
    /// recorded after them complete. Does not wait for what has started. Returns the last operation that is not
    /// dropped.
    fn abandon(&self) -> Position;

    /// Drops what has not started, if the device can do that, and accepts more work. Waits for running operations on
    /// memory, until the deadline, but not for running user code. Waits for this stream, or for an event whose record
    /// is dropped, return `why`. Other streams that wait for such a record go on when the event is recorded again and
    /// that record is complete.
    fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait;

    /// Notes that nothing more will be enqueued: waits for records that an abort has dropped, or will drop, end.
    fn retire(&self);

    /// Changes the [priority](StreamOptions::priority) for what has not started.
    fn set_priority(&self, priority: u32) -> Result<()>;

    /// Returns the driver's stream, or `None` without a driver. Other libraries may then submit work to it, and this
    /// stream's waits wait for that work, too.
    fn native(&self) -> Option<usize>;
}

/// A point in a stream's work that streams and the host can wait for.
pub trait Event: Any + Send + Sync {
    /// Whether the latest record is complete, or there is none.
    fn is_complete(&self) -> Result<bool>;

    /// Whether [`Self::is_complete`] would return true, as far as that is known without a call of a driver. After false
    /// the caller calls that one.
    fn is_known_complete(&self) -> bool {
        false
    }

    /// Blocks until the latest record as of now is complete, or until the deadline. Fails with `why` of
    /// [`Stream::abort`] if that dropped the record.
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>;

    /// Returns the milliseconds from `start`'s latest record to this one's, negative if that came later. Both have
    /// timing and are complete.
    fn elapsed_ms(&self, start: &dyn Event) -> Result<f32> {
        let (start, end) = (start.time_ns()?, self.time_ns()?);
        Ok((end.wrapping_sub(start).cast_signed() as f64 / 1e6) as f32)
    }

    /// Returns the timestamp of the latest record in nanoseconds of the machine's monotonic clock. The event has
    /// timing. A pending record is a fault, but no failure of the device.
    fn time_ns(&self) -> Result<u64>;

    /// Returns the driver's event, or `None` without a driver.
    fn native(&self) -> Option<usize> {
        None
    }
}
