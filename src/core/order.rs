//! The order of work between streams, which decides whose freed memory a stream may reuse. Only the core's own pools
//! use it: nothing is recorded before the first of them allocates. The order of all operations, which only the checker
//! needs, is in [`sequence`].
//!
//! A stream that uses such pools has a *lane*. A free has the position of the last operation submitted before it. If
//! the host has seen that operation complete, the free submits an operation of its own. An event keeps a vector clock:
//! the positions in other lanes that its record is ordered after. A stream that waits for the event is then ordered
//! after the same positions, transitively, but not after what is freed after the record.

pub mod accesses;
mod carriers;
pub mod checker;
mod clock;
pub mod effects;
pub mod ended;
pub mod known;
pub mod places;
pub mod sequence;
pub mod undecided;
mod waits;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use self::clock::{Point, Points};
use crate::algo::alloc::pool::StreamKey;
use crate::algo::map::slot_table::{Handle, Ref, SlotTable};
use crate::algo::sync::gap::Gap;
use crate::backend::{self, Op, Position};
use crate::base::error::{Code, Error, Result};
use crate::base::handles;
use crate::base::owner::Owner;

/// True if some stream has a lane.
static TRACKED: AtomicBool = AtomicBool::new(false);
static LANES: SlotTable<Lane> = SlotTable::new(handles::Kind::Lane as u8);
/// Lanes of destroyed streams, with the position at which each ends. The host has not waited for these positions, and
/// the lanes may outlive their devices.
static RETIRED: Mutex<Vec<(Arc<Lane>, Position)>> = Mutex::new(Vec::new());
/// True if there are any. Waits of the host read this instead of taking the lock, which is slow if many threads do it.
static HAS_RETIRED: AtomicBool = AtomicBool::new(false);

/// The functions that the users of lanes run when a lane changes. `core/assembly.rs` sets them.
pub struct LaneUsers {
    /// Called when a lane ends: nothing may wait for it any more.
    pub forget_lane: fn(StreamKey),
    /// Called when the host has waited: frees that were pending may be complete.
    pub release_idle: fn(),
}

static USERS: OnceLock<&'static LaneUsers> = OnceLock::new();

/// Sets the users of lanes.
pub fn install(users: &'static LaneUsers) {
    USERS.get_or_init(|| users);
}

/// Whether any stream has a lane. Programs without pools pay only for this check.
#[inline]
pub(crate) fn is_tracked() -> bool {
    // Relaxed: a thread that has seen pool memory sees this as well.
    TRACKED.load(Ordering::Relaxed)
}

/// A vector clock: positions in lanes. For a lane that it does not contain, it has no position.
pub type Clock = Points<StreamKey>;

/// Sets `clock` to the later position of each lane in either, without lanes that have ended.
fn merge(clock: &mut Clock, other: &Clock) {
    other.all().iter().for_each(|point| clock.add(*point));
    clock.prune(has_ended);
}

fn has_ended(point: &Point<StreamKey>) -> bool {
    find(point.line).is_none()
}

/// The lane of a stream.
#[repr(C)]
pub struct Lane {
    key: Handle,
    /// The backend's stream. A lane may outlive its stream, until the last operation is complete.
    native: Arc<dyn backend::Stream>,
    /// Its device.
    device: Arc<dyn backend::Device>,
    owner: Owner,
    /// The position of its last free; 0: it has freed nothing.
    freed: AtomicU64,
    /// The position up to which the host has seen it complete.
    observed: AtomicU64,
    /// The completed position that a free read last.
    finished: AtomicU64,
    /// Positions in other lanes that its next operation is ordered after.
    clock: Mutex<Clock>,
    _gap: Gap,
}

impl Lane {
    /// Returns the key by which pools know the lane.
    #[inline]
    pub fn key(&self) -> StreamKey {
        StreamKey(self.key.raw())
    }

    /// Returns the position of a free that takes place now.
    #[inline(always)]
    pub fn free(&self) -> backend::Result<Position> {
        let position = match self.native.submitted() {
            // If the host had seen this position complete, it would have seen the free complete as well.
            Some(position) if position > self.observed.load(Ordering::Relaxed) => position,
            _ => self.native.submit(Op::Mark)?,
        };
        // A read comes first, because a write to a cache line that many threads share is slow.
        if position > self.freed.load(Ordering::Relaxed) {
            self.freed.fetch_max(position, Ordering::Relaxed);
        }
        Ok(position)
    }

    /// Returns the position up to which the lane is complete now.
    #[inline]
    pub fn finished(&self) -> Position {
        self.native.finished()
    }

    /// Whether the lane is complete up to this position. The check is cheap while the stream makes no progress.
    #[inline(always)]
    pub fn has_finished(&self, position: Position) -> bool {
        position <= self.finished.load(Ordering::Relaxed) || {
            let finished = self.finished();
            self.finished.store(finished, Ordering::Relaxed);
            position <= finished
        }
    }

    /// Whether operations can still be submitted. They cannot after its stream is destroyed.
    pub(crate) fn takes_more(&self) -> bool {
        self.native.submitted().is_some()
    }

    /// Returns the positions that the next operation is ordered after.
    pub fn clock(&self) -> Clock {
        self.clock.lock().clone()
    }

    /// Returns the position in another lane that the next operation of this lane is ordered after.
    pub(crate) fn position_in(&self, other: StreamKey) -> Option<Position> {
        Some(self.clock.lock().number(other)).filter(|position| *position != 0)
    }

    /// Returns the positions that other streams are ordered after if they are ordered after the operation at
    /// `position`. A free right after that operation has the same position and is not included.
    fn clock_at(&self, position: Position) -> Clock {
        let mut clock = self.clock();
        if self.freed.load(Ordering::Relaxed) != 0 {
            clock.add(Point { line: self.key(), number: position.saturating_sub(1) });
            clock.prune(has_ended);
        }
        clock
    }

    /// Notes that the next operation waits, without a timeout, for a record that keeps `clock`.
    pub fn advance(&self, clock: &Clock) {
        merge(&mut self.clock.lock(), clock);
    }

    fn observe(&self, position: Position) {
        self.observed.fetch_max(position, Ordering::Relaxed);
    }

    /// Orders later work of the stream of `lane` after everything submitted to this lane's stream. `queue` queues an
    /// operation of the library itself there.
    pub(crate) fn let_follow(&self, lane: &Self, queue: impl FnOnce(Op<'_>) -> Result<Position>) -> Result<()> {
        let none = |fault| Error::from(fault).recoded(Code::NoStreamResource, Code::NoEventResource);
        let event = self.device.create_event(false).map_err(none)?;
        let position = self.native.submit(Op::Record(&event))?;
        queue(Op::Wait(&event, None))?;
        lane.advance(&self.clock_at(position));
        Ok(())
    }
}

/// Returns the lane with this key.
pub fn find(lane: StreamKey) -> Option<Ref<'static, Lane>> {
    LANES.get(Handle::from_raw(lane.0)?)
}

/// Creates the lane of a stream, in the slot that the stream has for it. `owner`: the owner id of its device.
#[cold]
pub(crate) fn new_lane<'a>(
    slot: &'a OnceLock<Arc<Lane>>,
    native: Arc<dyn backend::Stream>,
    device: &Arc<dyn backend::Device>,
    owner: Owner,
) -> Result<&'a Arc<Lane>> {
    let made = LANES.publish(|key| Lane {
        key,
        native,
        device: Arc::clone(device),
        owner,
        freed: AtomicU64::new(0),
        observed: AtomicU64::new(0),
        finished: AtomicU64::new(0),
        clock: Mutex::default(),
        _gap: Gap::default(),
    });
    let lane = made.ok_or_else(|| Error::no_more("streams that use memory pools"))?;
    if let Err(lane) = slot.set(lane) {
        // Another thread has created the lane first.
        LANES.remove(lane.key);
    }
    TRACKED.store(true, Ordering::Relaxed);
    let text = "this is a defect in portacl: the internal data of a stream is gone right after its creation; report it";
    slot.get().ok_or_else(|| Error::new(Code::InternalError, text))
}

/// Returns the position up to which the host has seen a lane complete. A lane that has ended is complete.
pub fn observed(lane: StreamKey) -> Position {
    find(lane).map_or(Position::MAX, |lane| lane.observed.load(Ordering::Relaxed))
}

/// Returns the position up to which a lane is complete now.
pub fn finished(lane: StreamKey) -> Position {
    find(lane).map_or(Position::MAX, |lane| lane.finished())
}

/// Returns the clock of an event that was recorded at `position` of the stream with this lane.
pub fn recorded(lane: &OnceLock<Arc<Lane>>, position: Position) -> Clock {
    lane.get().map_or_else(Clock::default, |lane| lane.clock_at(position))
}

/// Notes that the stream has dropped its waits: it is no longer ordered after what it waited for.
pub(crate) fn forget_waits(lane: &OnceLock<Arc<Lane>>) {
    if let Some(lane) = lane.get() {
        *lane.clock.lock() = Clock::default();
    }
}

/// The positions that the host knows to be complete after a wait.
#[derive(Default)]
#[must_use]
pub struct KnownPositions {
    lanes: Vec<Arc<Lane>>,
    clock: Clock,
}

impl KnownPositions {
    /// Returns these for a wait, about to begin, for everything submitted so far to the streams with these lanes.
    pub fn streams<'a>(lanes: impl IntoIterator<Item = &'a OnceLock<Arc<Lane>>>) -> Self {
        let mut awaited = Self::default();
        for lane in lanes.into_iter().filter_map(OnceLock::get) {
            awaited.lanes.push(Arc::clone(lane));
            merge(&mut awaited.clock, &lane.clock());
        }
        awaited
    }

    /// Returns these for a wait for a record that keeps `clock`.
    pub fn record(clock: Clock) -> Self {
        Self { lanes: Vec::new(), clock }
    }

    /// Notes that the wait has ended and the work is complete. Pools free the memory that they need not keep.
    pub fn is_over(self) {
        self.lanes.iter().for_each(|lane| lane.observe(lane.native.finished()));
        for &Point { line, number } in self.clock.all() {
            if let Some(lane) = find(line) {
                lane.observe(number);
            }
        }
        sweep();
        if let Some(users) = USERS.get() {
            (users.release_idle)();
        }
    }
}

/// Waits for pending frees, as far as the operations before them do not depend on the program.
pub fn wait_for_frees() {
    for (_, lane) in LANES.live() {
        let freed = lane.freed.load(Ordering::Relaxed);
        if freed > lane.observed.load(Ordering::Relaxed) {
            // Calls for the stream report its failure.
            let _ = lane.native.drain_up_to(freed);
            lane.observe(lane.native.finished());
        }
    }
    sweep();
}

/// Notes that the stream accepts no more work. Operations up to `kept` still run.
pub(crate) fn stream_ended(lane: &OnceLock<Arc<Lane>>, kept: Position) {
    if let Some(lane) = lane.get() {
        end_after(lane, kept);
        sweep();
    }
}

/// Notes that the streams of a device are destroyed. Running operations may continue and use memory on other devices.
pub fn device_ended(owner: Owner) {
    for (_, lane) in LANES.live() {
        if lane.owner == owner {
            end_after(&lane, lane.native.abandon());
        }
    }
    sweep();
}

/// Removes all lanes at the end of the session, with which all pools end.
pub fn session_ended() {
    let retired = std::mem::take(&mut *RETIRED.lock());
    retired.iter().for_each(|(lane, _)| end(lane));
}

/// Ends the lane once it is complete up to `kept`, unless it ends earlier already.
fn end_after(lane: &Arc<Lane>, kept: Position) {
    let mut retired = RETIRED.lock();
    if !retired.iter().any(|(other, _)| Arc::ptr_eq(other, lane)) {
        retired.push((Arc::clone(lane), kept));
        HAS_RETIRED.store(true, Ordering::Relaxed);
    }
}

/// Ends lanes that are complete.
fn sweep() {
    // Relaxed: a thread that adds a lane sweeps after that itself.
    if !HAS_RETIRED.load(Ordering::Relaxed) {
        return;
    }
    let mut retired = RETIRED.lock();
    let over: Vec<_> = retired.extract_if(.., |(lane, kept)| lane.native.finished() >= *kept).collect();
    HAS_RETIRED.store(!retired.is_empty(), Ordering::Relaxed);
    drop(retired);
    over.iter().for_each(|(lane, _)| end(lane));
}

fn end(lane: &Lane) {
    // The order matters: a lane that is not found counts as complete.
    LANES.remove(lane.key);
    USERS.get().iter().for_each(|users| (users.forget_lane)(lane.key()));
}
