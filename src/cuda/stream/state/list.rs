//! The list of all streams of a driver. It also reports a failed device to the streams' observers.

use std::collections::{BTreeMap, BTreeSet};
#[cfg(test)]
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};

use parking_lot::{Mutex, MutexGuard};

use super::{StreamState, Submitting, held};
use crate::algo::map::typed_slots::Key;
use crate::backend::{Result, inside_host_function};
use crate::runtime::{DeviceState, DriverState};

/// The streams of the open devices, by the addresses of their states.
#[derive(Default)]
pub(super) struct Streams {
    /// Every stream, including those that are dropped but have work.
    all: BTreeMap<usize, Arc<StreamState>>,
    /// Streams of `all` that are dropped. Only they are swept.
    dropped: BTreeMap<usize, Arc<StreamState>>,
    /// Streams of `all` that have waited for a value.
    waited: BTreeSet<usize>,
    /// Streams of `all` that may have work or deferred frees. Others have none.
    busy: Vec<Arc<StreamState>>,
}

static STREAMS: Key<Mutex<Streams>> = Key::new();

impl Streams {
    /// Adds a stream.
    pub(super) fn add(&mut self, stream: &Arc<StreamState>) {
        self.all.insert(stream.address(), Arc::clone(stream));
    }

    /// Removes a stream. Returns false if another thread has removed it.
    fn remove(&mut self, address: usize) -> bool {
        self.dropped.remove(&address);
        self.waited.remove(&address);
        let Some(stream) = self.all.remove(&address) else { return false };
        let place = stream.place.load(Ordering::Relaxed);
        if self.busy.get(place).is_some_and(|listed| Arc::ptr_eq(listed, &stream)) {
            self.remove_busy(place);
        }
        true
    }

    fn remove_busy(&mut self, place: usize) {
        self.busy.swap_remove(place);
        if let Some(moved) = self.busy.get(place) {
            // Relaxed: the list's lock orders the accesses.
            moved.place.store(place, Ordering::Relaxed);
        }
    }

    /// Removes the streams that have no work any more.
    fn sweep_busy(&mut self) {
        for place in (0..self.busy.len()).rev() {
            if self.busy[place].leave_busy() {
                self.remove_busy(place);
            }
        }
    }
}

/// The number of streams that calls have walked over, for tests.
#[cfg(test)]
pub(crate) static WALKED: AtomicUsize = AtomicUsize::new(0);

impl DriverState {
    pub(super) fn streams(&self) -> MutexGuard<'_, Streams> {
        STREAMS.of(&self.features).lock()
    }

    pub(crate) fn streams_that(&self, are_meant: impl Fn(&StreamState) -> bool) -> Vec<Arc<StreamState>> {
        let streams = self.streams();
        #[cfg(test)]
        WALKED.fetch_add(streams.all.len(), Ordering::Relaxed);
        streams.all.values().filter(|stream| are_meant(stream)).cloned().collect()
    }

    /// Returns the stream whose state is at this address, if it still exists.
    pub(crate) fn stream_at(&self, address: usize) -> Option<Arc<StreamState>> {
        self.streams().all.get(&address).cloned()
    }

    /// Returns the streams of a device that have waited for a value.
    pub(crate) fn streams_that_waited(&self, device: &Arc<DeviceState>) -> Vec<Arc<StreamState>> {
        let streams = self.streams();
        let waited = streams.waited.iter().filter_map(|address| streams.all.get(address));
        waited.filter(|stream| Arc::ptr_eq(&stream.device, device)).cloned().collect()
    }

    /// Submits the deferred frees of all streams, unless the driver could block. Returns false if there were none. A
    /// driver whose queue is full blocks the caller, which must not wait for the program. The memory is not free before
    /// that work completes anyway.
    pub(crate) fn flush_deferred(&self) -> bool {
        if !self.known_pools.are_used() {
            return false;
        }
        let flush = |stream: &StreamState| {
            if !stream.depends_on_program() || stream.is_idle().unwrap_or(false) {
                stream.flush_deferred();
            }
        };
        let streams = self.busy_streams(StreamState::defers);
        streams.iter().filter_map(|stream| stream.while_alive(flush)).count() > 0
    }

    /// Returns the streams that may have work, as far as that is known without a query of the driver.
    pub(crate) fn streams_with_work(&self) -> Vec<Arc<StreamState>> {
        self.busy_streams(|stream| !stream.is_known_idle())
    }

    /// Returns the streams that are meant, of those that may have work or deferred frees.
    pub(crate) fn busy_streams(&self, are_meant: impl Fn(&StreamState) -> bool) -> Vec<Arc<StreamState>> {
        let mut streams = self.streams();
        streams.sweep_busy();
        #[cfg(test)]
        WALKED.fetch_add(streams.busy.len(), Ordering::Relaxed);
        streams.busy.iter().filter(|stream| are_meant(stream)).cloned().collect()
    }

    /// Whether no stream has work.
    pub(crate) fn all_drained(&self) -> bool {
        self.streams_with_work().iter().all(|stream| !stream.has_pending_calls() && stream.is_drained())
    }

    pub(crate) fn streams_of(&self, device: &Arc<DeviceState>) -> Vec<Arc<StreamState>> {
        self.streams_that(|stream| Arc::ptr_eq(&stream.device, device))
    }

    /// Removes the streams of a device from the list. The caller destroys them.
    pub(crate) fn remove_streams_of(&self, device: &Arc<DeviceState>) -> Vec<Arc<StreamState>> {
        let of_device = self.streams_of(device);
        let mut streams = self.streams();
        of_device.into_iter().filter(|stream| streams.remove(stream.address())).collect()
    }

    /// Destroys dropped streams that have finished.
    pub(crate) fn sweep_streams(&self) {
        if !self.any_dropped.swap(false, Ordering::Relaxed) {
            return;
        }
        let dropped: Vec<_> = self.streams().dropped.values().cloned().collect();
        for stream in dropped {
            // `close` destroys what it finds in the list, so its end has to wait for this.
            let Some(_open) = stream.device.keep_open() else { continue };
            stream.flush_deferred();
            if !stream.is_drained() {
                self.any_dropped.store(true, Ordering::Relaxed);
                continue;
            }
            let removed = self.streams().remove(stream.address());
            if removed {
                stream.destroy();
            }
        }
    }
}

impl StreamState {
    /// Adds the stream to the driver's list of busy streams, before its work.
    #[inline(always)]
    pub(super) fn list_as_busy(&self, submitting: &mut Submitting) {
        if !submitting.is_listed {
            self.add_to_busy(submitting);
        }
    }

    #[cold]
    fn add_to_busy(&self, submitting: &mut Submitting) {
        let streams = &mut *self.device.driver.streams();
        // A stream that its device's close has removed submits nothing any more.
        if let Some(stream) = streams.all.get(&self.address()) {
            self.place.store(streams.busy.len(), Ordering::Relaxed);
            streams.busy.push(Arc::clone(stream));
            submitting.is_listed = true;
        }
    }

    /// Whether the stream is idle and leaves the list of busy streams. Its next operation adds it again.
    fn leave_busy(&self) -> bool {
        if !self.is_known_idle() {
            return false;
        }
        // This does not wait for the lock: the thread that has it may be about to submit.
        let Some(mut submitting) = self.submitting.try_lock() else { return false };
        if !self.is_known_idle() || !submitting.deferred.is_empty() {
            return false;
        }
        submitting.is_listed = false;
        submitting.is_prepared = false;
        true
    }

    /// Notes that the state's [`Stream`](crate::backend::Stream) is dropped.
    pub(crate) fn note_dropped(&self) {
        {
            let streams = &mut *self.device.driver.streams();
            // The close of its device has removed and destroyed it already, if it is not there.
            if let Some(stream) = streams.all.get(&self.address()) {
                streams.dropped.insert(self.address(), Arc::clone(stream));
            }
        }
        // Relaxed: the flag is a hint. A thread that misses it sweeps in its next call.
        self.device.driver.any_dropped.store(true, Ordering::Relaxed);
        // A host function may hold the last reference, and may not call the driver.
        if !inside_host_function() {
            self.device.driver.sweep_streams();
        }
    }

    /// Notes that the stream has waited for a value.
    pub(crate) fn note_waited(&self) {
        self.device.driver.streams().waited.insert(self.address());
    }
}

/// Returns `answer`. If it may be a failure of the device, observers receive that failure first.
pub(crate) fn reported<T>(device: &Arc<DeviceState>, answer: Result<T>) -> Result<T> {
    if answer.is_err() {
        report(device);
    }
    answer
}

/// Reports once that the device has failed, if it has. The driver does not say whose operation failed, so the report is
/// about any stream. The caller holds no lock.
#[cold]
fn report(device: &Arc<DeviceState>) {
    let Some(fault) = device.context.failure() else { return };
    let driver = &device.driver;
    device.reported.get_or_init(|| {
        let streams = driver.streams_of(device);
        // The driver drops these records, and reports this to no other process and no stream of another device.
        for record in streams.iter().flat_map(|stream| held(&stream.event_records)) {
            record.drop_record();
            driver.watcher.check(record.range());
        }
        let Some(stream) = streams.iter().find(|stream| stream.observer.is_some()) else { return };
        let (end, ended) = mpsc::channel::<()>();
        stream.fail(fault.clone(), None, None, end);
        // An error says that the other end is dropped, which is expected.
        let _ = ended.recv();
    });
}
