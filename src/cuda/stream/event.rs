//! Events and their timestamps. The driver only returns differences between two events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUevent_st;
use parking_lot::Mutex;

use crate::algo::map::typed_slots::Key;
use crate::backend::base::clock;
use crate::backend::{Event, Fault, FaultKind, Result, Wait, downcast};
use crate::runtime::{DeviceState, Raw};
use crate::stream::mark::{poll_until, synchronize};
use crate::stream::state::reported;

/// An event of the driver, as long as something refers to it.
pub(crate) struct Recorded {
    device: Arc<DeviceState>,
    raw: Raw<CUevent_st>,
}

impl Recorded {
    fn new(device: &Arc<DeviceState>, timing: bool) -> Result<Arc<Self>> {
        let raw = device.create_event(timing)?;
        Ok(Arc::new(Self { device: Arc::clone(device), raw }))
    }

    /// Whether the record is complete, or the device runs nothing any more.
    pub(crate) fn is_over(&self) -> bool {
        let Some(_open) = self.device.keep_open() else { return true };
        self.is_complete().unwrap_or_else(|_| self.device.context.failure().is_some())
    }

    /// Whether the record is complete.
    pub(crate) fn is_complete(&self) -> Result<bool> {
        // SAFETY: the event lives as long as `self`.
        self.device.poll(|api| unsafe { api.event_query(self.raw.0) })
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        self.device.destroy_event(self.raw);
    }
}

/// An event of a program.
pub(crate) struct CudaEvent {
    device: Arc<DeviceState>,
    timing: bool,
    /// The driver's event of the latest record.
    raw: AtomicPtr<CUevent_st>,
    /// The driver's events: first that of the latest record, then those of earlier ones that the library has awaited.
    all: Mutex<Vec<Arc<Recorded>>>,
    /// Whether the library may await a record itself. Then the next record uses another event of the driver, because
    /// the driver only returns the state of the latest record.
    is_awaited: AtomicBool,
    /// Whether graphs or other libraries know the driver's event, so that it stays.
    is_known: AtomicBool,
    /// Whether the latest record is ordered after work that completes only when the program does something.
    depends_on_program: AtomicBool,
    /// Whether the latest record of this library is in a capture of another one. Any query of it would invalidate that.
    is_captured: AtomicBool,
}

impl CudaEvent {
    pub(crate) fn new(device: &Arc<DeviceState>, timing: bool) -> Result<Self> {
        let first = Recorded::new(device, timing)?;
        Ok(Self {
            device: Arc::clone(device),
            timing,
            raw: AtomicPtr::new(first.raw.0),
            all: Mutex::new(vec![first]),
            is_awaited: AtomicBool::new(false),
            is_known: AtomicBool::new(false),
            depends_on_program: AtomicBool::new(false),
            is_captured: AtomicBool::new(false),
        })
    }

    /// Returns the driver's event of the latest record. It lives as long as `self`.
    pub(crate) fn raw(&self) -> Raw<CUevent_st> {
        // Relaxed: the core records an event and waits for it one after the other. Another thread may read the previous
        // event, as if it had asked before.
        Raw(self.raw.load(Ordering::Relaxed))
    }

    /// Returns the driver's event for a user of which the library does not know when it ends.
    pub(crate) fn raw_for_good(&self) -> Raw<CUevent_st> {
        self.is_known.store(true, Ordering::Relaxed);
        self.raw()
    }

    /// Returns the latest record, for a wait by the library.
    pub(crate) fn latest(&self) -> Arc<Recorded> {
        self.is_awaited.store(true, Ordering::Relaxed);
        Arc::clone(&self.all.lock()[0])
    }

    /// Whether the next record must leave the driver's event to the latest one.
    #[inline]
    pub(crate) fn is_record_kept(&self) -> bool {
        // Relaxed: as in `raw`.
        self.is_awaited.load(Ordering::Relaxed) && !self.is_known.load(Ordering::Relaxed)
    }

    /// Takes another event of the driver for the next record.
    #[cold]
    pub(crate) fn keep_awaited_record(&self) -> Result<()> {
        let mut all = self.all.lock();
        if let Some(free) = all.iter().position(|recorded| Arc::strong_count(recorded) == 1) {
            all.swap(0, free);
        } else {
            let next = Recorded::new(&self.device, self.timing)?;
            all.push(next);
            let last = all.len() - 1;
            all.swap(0, last);
        }
        self.raw.store(all[0].raw.0, Ordering::Relaxed);
        self.is_awaited.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Notes that the event was recorded.
    pub(crate) fn note_record(&self, depends_on_program: bool, is_captured: bool) {
        // Relaxed, also below: the core records an event and waits for it one after the other.
        self.depends_on_program.store(depends_on_program, Ordering::Relaxed);
        self.is_captured.store(is_captured, Ordering::Relaxed);
    }

    /// Whether the latest record of this library is in a capture of another one.
    pub(crate) fn is_captured(&self) -> bool {
        self.is_captured.load(Ordering::Relaxed)
    }

    /// Whether a stream that waits for the event may join a capture of another library.
    pub(crate) fn may_be_captured(&self) -> bool {
        self.is_captured() || self.is_known.load(Ordering::Relaxed)
    }

    fn refuse_capture(&self) -> Result<()> {
        let text = "the event was recorded in a stream that another library was capturing, so the host cannot wait for \
                    it; record it again outside of the capture";
        if self.is_captured() { Err(Fault::new(FaultKind::Driver, text)) } else { Ok(()) }
    }

    /// Whether the latest record may complete only when the program does something.
    pub(crate) fn depends_on_program(&self) -> bool {
        self.depends_on_program.load(Ordering::Relaxed)
    }

    /// Returns the event behind a trait object of this backend.
    pub(crate) fn of(event: &dyn Event) -> Result<&Self> {
        downcast(event, "the event was not created by the cuda backend")
    }
}

impl Event for CudaEvent {
    fn is_complete(&self) -> Result<bool> {
        if self.is_captured() {
            return Ok(false);
        }
        // SAFETY: the event lives as long as `self` and its device is open.
        reported(&self.device, self.device.poll(|api| unsafe { api.event_query(self.raw().0) }))
    }

    /// Waits for the event. With a deadline this polls the event, and the driver only returns the state of the latest
    /// record. So a record that is enqueued during the wait makes it longer.
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.refuse_capture()?;
        self.device.driver.flush_deferred();
        if let Some(deadline) = deadline {
            let wait = poll_until(deadline, || self.is_complete())?;
            if wait == Wait::TimedOut || !self.device.driver.known_pools.are_used() {
                return Ok(wait);
            }
        }
        reported(&self.device, synchronize(&self.device, self.raw()).map(|()| Wait::Done))
    }

    fn elapsed_ms(&self, start: &dyn Event) -> Result<f32> {
        let start = Self::of(start)?;
        // SAFETY: both events belong to this open device.
        self.device.call(|api| unsafe { api.event_elapsed_time(start.raw().0, self.raw().0) })
    }

    fn time_ns(&self) -> Result<u64> {
        time_ns(&self.device, self.raw())
    }

    fn native(&self) -> Option<usize> {
        Some(self.raw_for_good().0.expose_provenance())
    }
}

/// The difference in milliseconds up to which it is exact to the microsecond: the driver returns milliseconds in single
/// precision.
const EXACT_MS: f32 = if cfg!(test) { 2.0 } else { 8000.0 };
/// The distance in milliseconds up to which a base counts on from the previous one. It is twice the exact difference.
/// In tests it is larger, because they move the base more often, on machines that may be slow.
const COUNTED_MS: f32 = 16_000.0;
/// The time above which a base is taken again, a few times. On a busy machine, a thread that waits for the device
/// continues much later than the device.
const CLOSE_ENOUGH: Duration = Duration::from_micros(100);
const MOST_TRIES: usize = 8;

/// The time base of a device.
static CLOCK: Key<Mutex<Option<Base>>> = Key::new();

/// A complete event of the library with a known timestamp.
#[derive(Clone, Copy)]
struct Base {
    raw: Raw<CUevent_st>,
    at: Duration,
    /// The duration of the wait for the event.
    took: Duration,
}

impl Base {
    /// Records an event now. Its timestamp is exact to the shortest of some waits for the device.
    fn new(device: &DeviceState) -> Result<Self> {
        let mut best = Self::once(device)?;
        for _ in 1..MOST_TRIES {
            if best.took <= CLOSE_ENOUGH {
                break;
            }
            let mut other = Self::once(device).inspect_err(|_| device.destroy_event(best.raw))?;
            if other.took < best.took {
                std::mem::swap(&mut best, &mut other);
            }
            device.destroy_event(other.raw);
        }
        Ok(best)
    }

    fn once(device: &DeviceState) -> Result<Self> {
        let raw = device.create_event(true)?;
        let begin = clock::now();
        let recorded = device.on_library_stream(|stream| {
            // SAFETY: the clock's event and the device's stream belong to the device that
            // `on_library_stream` keeps open.
            device.call(|api| unsafe { api.event_record(raw.0, stream.0) })
        });
        let at = clock::now();
        recorded.inspect_err(|_| device.destroy_event(raw))?;
        Ok(Self { raw, at, took: at.saturating_sub(begin) })
    }

    /// Returns the number of milliseconds from this base to the completion of `event`.
    fn until(self, device: &DeviceState, event: Raw<CUevent_st>) -> Result<f32> {
        // SAFETY: both events were recorded and are alive.
        device.call(|api| unsafe { api.event_elapsed_time(self.raw.0, event.0) })
    }

    fn plus(self, ms: f32) -> Duration {
        let difference = Duration::from_secs_f64(f64::from(ms.abs()) / 1000.0);
        if ms < 0.0 { self.at.saturating_sub(difference) } else { self.at + difference }
    }
}

/// Returns the timestamp of `event`, in nanoseconds of the machine's clock. The base moves with the events, so that the
/// difference of two events near each other is exact.
fn time_ns(device: &DeviceState, event: Raw<CUevent_st>) -> Result<u64> {
    let mut held = CLOCK.of(&device.features).lock();
    let base = match *held {
        Some(base) => base,
        None => *held.insert(Base::new(device)?),
    };
    let ms = base.until(device, event)?;
    if ms <= EXACT_MS {
        return Ok(base.plus(ms).as_nanos() as u64);
    }
    let mut later = Base::new(device)?;
    let step = base.until(device, later.raw)?;
    if step <= COUNTED_MS {
        // The step is exact enough to count on from it. If it is not, the machine's clock is better.
        later.at = base.plus(step);
    }
    let back = later.until(device, event)?;
    *held = Some(later);
    device.destroy_event(base.raw);
    Ok(later.plus(back).as_nanos() as u64)
}
