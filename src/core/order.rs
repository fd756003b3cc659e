//! What the work of one stream comes behind in others, which decides whose freed memory a stream may
//! use again. Only pools of the core's own ask: nothing is noted before the first of them gives memory.
//!
//! A stream that uses such pools has a *lane*. A free stands behind the last operation that the stream was
//! given before it, which has to be one that the host has not seen finish: else it gets one of its own. An
//! event keeps what its record came behind, as positions in lanes, and a stream that waits for it comes
//! behind the same: transitively, and not behind what is freed after the record.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::algo::alloc::pool::StreamKey;
use crate::algo::map::slot_table::{Handle, Ref, SlotTable};
use crate::backend::{self, Op, Position};
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles;
use crate::core::memory::allocation::Owner;

/// Some stream has a lane.
static TRACKED: AtomicBool = AtomicBool::new(false);
static LANES: SlotTable<Lane> = SlotTable::new(handles::Kind::Lane as u8);
/// Lanes of streams that are gone, and what those have to come to: nobody has waited for that, and they
/// may outlive their device.
static ENDING: Mutex<Vec<(Arc<Lane>, Position)>> = Mutex::new(Vec::new());

/// A stream as far as its order matters.
pub trait Ordered {
    /// Where its lane is, once it has one.
    fn lane_slot(&self) -> &OnceLock<Arc<Lane>>;

    /// The backend's stream, for a lane that outlives the stream.
    fn share_backend(&self) -> Arc<dyn backend::Stream>;

    /// The backend's device.
    fn backend_device(&self) -> &Arc<dyn backend::Device>;

    /// The opening of that device.
    fn device_owner(&self) -> Owner;

    /// Submits an operation of the library itself: it is neither captured nor traced.
    fn submit_quietly(&self, op: Op<'_>) -> Result<Position>;
}

/// What those who free memory in stream order do about lanes. `core/assembly.rs` sets it.
pub struct LaneUsers {
    /// A lane ends: nothing may wait for it any more.
    pub forget_lane: fn(StreamKey),
    /// The host has waited: frees that were pending may be complete.
    pub release_idle: fn(),
}

static USERS: OnceLock<&'static LaneUsers> = OnceLock::new();

/// Sets the users of lanes.
pub fn install(users: &'static LaneUsers) {
    USERS.get_or_init(|| users);
}

/// Whether anybody wants to know the order of streams. All that those pay who do not.
#[inline]
pub fn is_tracked() -> bool {
    // Relaxed: who has seen memory of a pool sees this as well.
    TRACKED.load(Ordering::Relaxed)
}

/// Positions in lanes, sorted by lane: all that is behind none of them.
#[derive(Clone, Debug, Default)]
pub struct Clock(Option<Arc<[(StreamKey, Position)]>>);

impl Clock {
    /// None of its lanes is empty of positions.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn entries(&self) -> &[(StreamKey, Position)] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Up to where it knows of a lane.
    pub fn position(&self, lane: StreamKey) -> Option<Position> {
        let entries = self.entries();
        let found = entries.binary_search_by_key(&lane, |entry| entry.0);
        found.ok().map(|index| entries[index].1)
    }

    /// What either of them knows, as far as the lanes still live.
    fn merged(&self, other: &Self) -> Self {
        if other.is_empty() {
            return self.clone();
        }
        let mut entries = [self.entries(), other.entries()].concat();
        // Of a lane that both know the larger position comes first, and stays.
        entries.sort_unstable_by_key(|&(lane, position)| (lane, std::cmp::Reverse(position)));
        entries.dedup_by_key(|entry| entry.0);
        entries.retain(|entry| find(entry.0).is_some());
        Self((!entries.is_empty()).then(|| entries.into()))
    }
}

/// A stream as pools know it.
pub struct Lane {
    key: Handle,
    /// What does the work. A lane may outlive its stream, until the last operation is over.
    native: Arc<dyn backend::Stream>,
    /// Where it runs.
    device: Arc<dyn backend::Device>,
    owner: Owner,
    /// Where its last free stands; 0: it has freed nothing.
    freed: AtomicU64,
    /// Up to where the host has seen it finish.
    observed: AtomicU64,
    /// Up to where it had finished when a free last asked.
    finished: AtomicU64,
    /// Positions in other lanes that its next operation comes behind.
    clock: Mutex<Clock>,
}

impl Lane {
    /// How pools call it.
    #[inline]
    pub fn key(&self) -> StreamKey {
        StreamKey(self.key.raw())
    }

    /// Where a free stands that takes place now.
    #[inline(always)]
    pub fn free(&self) -> backend::Result<Position> {
        let position = match self.native.submitted() {
            // What the host has seen finish it would have seen with this free.
            Some(position) if position > self.observed.load(Ordering::Relaxed) => position,
            _ => self.native.submit(Op::Mark)?,
        };
        // Looked at first: what many threads write is slow.
        if position > self.freed.load(Ordering::Relaxed) {
            self.freed.fetch_max(position, Ordering::Relaxed);
        }
        Ok(position)
    }

    /// Up to where it has finished at this moment.
    #[inline]
    pub fn finished(&self) -> Position {
        self.native.finished()
    }

    /// Whether it has finished what is up to this position, at this moment. Cheap where it stands still.
    #[inline(always)]
    pub fn has_finished(&self, position: Position) -> bool {
        position <= self.finished.load(Ordering::Relaxed) || {
            let finished = self.finished();
            self.finished.store(finished, Ordering::Relaxed);
            position <= finished
        }
    }

    /// Whether anything can be put behind what it has been given: not once its stream is gone.
    pub fn takes_more(&self) -> bool {
        self.native.submitted().is_some()
    }

    /// What its next operation comes behind.
    pub fn clock(&self) -> Clock {
        self.clock.lock().clone()
    }

    /// Up to which position of another lane its next operation comes behind that.
    pub fn position_in(&self, other: StreamKey) -> Option<Position> {
        self.clock.lock().position(other)
    }

    /// What everything after the operation at `position` comes behind, seen from other streams: not
    /// what was freed right after it, which has its position.
    fn clock_at(&self, position: Position) -> Clock {
        let behind = self.clock();
        if self.freed.load(Ordering::Relaxed) == 0 {
            return behind;
        }
        behind.merged(&Clock(Some([(self.key(), position.saturating_sub(1))].into())))
    }

    fn advance(&self, clock: &Clock) {
        let mut behind = self.clock.lock();
        *behind = behind.merged(clock);
    }

    fn observe(&self, position: Position) {
        self.observed.fetch_max(position, Ordering::Relaxed);
    }

    /// Orders what comes next in `stream` behind everything that this lane's stream has been given.
    pub fn let_follow(&self, stream: &impl Ordered, lane: &Self) -> Result<()> {
        let event = self.device.create_event(false)?;
        let position = self.native.submit(Op::Record(&event))?;
        stream.submit_quietly(Op::Wait(&event, None))?;
        lane.advance(&self.clock_at(position));
        Ok(())
    }
}

/// The lane that pools call this.
pub fn find(lane: StreamKey) -> Option<Ref<'static, Lane>> {
    LANES.get(Handle::from_raw(lane.0)?)
}

/// The lane of a stream, which has one from now on.
#[inline]
pub fn lane(stream: &impl Ordered) -> Result<&Arc<Lane>> {
    match stream.lane_slot().get() {
        Some(lane) => Ok(lane),
        None => new_lane(stream),
    }
}

#[cold]
fn new_lane(stream: &impl Ordered) -> Result<&Arc<Lane>> {
    let mut made = None;
    let handle = LANES.insert_with(|key| {
        let lane = Arc::new(Lane {
            key,
            native: stream.share_backend(),
            device: Arc::clone(stream.backend_device()),
            owner: stream.device_owner(),
            freed: AtomicU64::new(0),
            observed: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            clock: Mutex::default(),
        });
        made = Some(Arc::clone(&lane));
        lane
    });
    let (Some(handle), Some(lane)) = (handle, made) else {
        return Err(Error::new(Code::BadAlloc, "no more streams can use memory pools"));
    };
    if stream.lane_slot().set(lane).is_err() {
        // Another thread was faster.
        LANES.remove(handle);
    }
    TRACKED.store(true, Ordering::Relaxed);
    stream
        .lane_slot()
        .get()
        .ok_or_else(|| Error::new(Code::InternalError, "a lane that was just set is gone"))
}

/// Up to where the host has seen a lane finish. What has no lane any more has finished.
pub fn observed(lane: StreamKey) -> Position {
    find(lane).map_or(Position::MAX, |lane| lane.observed.load(Ordering::Relaxed))
}

/// Up to where a lane has finished at this moment.
pub fn finished(lane: StreamKey) -> Position {
    find(lane).map_or(Position::MAX, |lane| lane.finished())
}

/// What an event keeps that was recorded at `position` of a stream.
pub fn recorded(stream: &impl Ordered, position: Position) -> Clock {
    stream.lane_slot().get().map_or_else(Clock::default, |lane| lane.clock_at(position))
}

/// A stream has been told to wait, for as long as it takes, for a record that keeps `clock`.
pub fn waits(stream: &impl Ordered, clock: &Clock) -> Result<()> {
    if !clock.is_empty() {
        lane(stream)?.advance(clock);
    }
    Ok(())
}

/// The stream has dropped waits: it comes behind nothing that it waited for.
pub fn forget_waits(stream: &impl Ordered) {
    if let Some(lane) = stream.lane_slot().get() {
        *lane.clock.lock() = Clock::default();
    }
}

/// What the end of a wait by the host tells.
#[derive(Default)]
#[must_use]
pub struct Awaited {
    lanes: Vec<Arc<Lane>>,
    clock: Clock,
}

impl Awaited {
    /// Of a wait for all that `stream` has been given so far, which is about to begin.
    pub fn stream(stream: &impl Ordered) -> Self {
        Self::streams([stream])
    }

    /// As [`Self::stream`], of several.
    pub fn streams<'a, S: Ordered + 'a>(streams: impl IntoIterator<Item = &'a S>) -> Self {
        let mut awaited = Self::default();
        for lane in streams.into_iter().filter_map(|stream| stream.lane_slot().get()) {
            awaited.lanes.push(Arc::clone(lane));
            awaited.clock = awaited.clock.merged(&lane.clock());
        }
        awaited
    }

    /// Of a wait for a record that keeps `clock`.
    pub fn record(clock: Clock) -> Self {
        Self { lanes: Vec::new(), clock }
    }

    /// It has ended, and what was waited for has happened. Pools give back what they need not keep.
    pub fn is_over(self) {
        for lane in self.lanes {
            lane.observe(lane.native.finished());
        }
        for &(lane, position) in self.clock.entries() {
            if let Some(lane) = find(lane) {
                lane.observe(position);
            }
        }
        sweep();
        if let Some(users) = USERS.get() {
            (users.release_idle)();
        }
    }
}

/// Waits for frees that have not happened, as far as what is before them does not depend on the
/// program.
pub fn wait_for_frees() {
    for (_, lane) in LANES.snapshot() {
        let freed = lane.freed.load(Ordering::Relaxed);
        if freed > lane.observed.load(Ordering::Relaxed) {
            // What a stream refuses here it has to say for itself elsewhere.
            let _ = lane.native.settle(freed);
            lane.observe(lane.native.finished());
        }
    }
    sweep();
}

/// The stream takes nothing more; up to `kept` it goes on by itself.
pub fn stream_ended(stream: &impl Ordered, kept: Position) {
    if let Some(lane) = stream.lane_slot().get() {
        end_after(lane, kept);
        sweep();
    }
}

/// The streams of a device are gone. What one has begun may go on, and use memory of other devices.
pub fn device_ended(owner: Owner) {
    for (_, lane) in LANES.snapshot() {
        if lane.owner == owner {
            end_after(&lane, lane.native.abandon());
        }
    }
    sweep();
}

/// The session is over, and all pools with it.
pub fn session_ended() {
    let errors = std::mem::take(&mut *ENDING.lock());
    errors.iter().for_each(|(lane, _)| end(lane));
}

/// Its end comes when it has got to `kept`, unless it is on its way to an earlier one.
fn end_after(lane: &Arc<Lane>, kept: Position) {
    let mut errors = ENDING.lock();
    if !errors.iter().any(|(other, _)| Arc::ptr_eq(other, lane)) {
        errors.push((Arc::clone(lane), kept));
    }
}

/// Ends lanes that have come to their end.
fn sweep() {
    let mut over = Vec::new();
    ENDING.lock().retain(|(lane, kept)| {
        let is_over = lane.native.finished() >= *kept;
        if is_over {
            over.push(Arc::clone(lane));
        }
        !is_over
    });
    over.iter().for_each(|lane| end(lane));
}

fn end(lane: &Lane) {
    // In this order: a lane that is not found has finished.
    LANES.remove(lane.key);
    if let Some(users) = USERS.get() {
        (users.forget_lane)(lane.key());
    }
}
