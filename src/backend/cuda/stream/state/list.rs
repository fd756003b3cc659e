//! All streams of a driver.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::{Mutex, MutexGuard};

use super::StreamState;
use crate::algo::map::typed_slots::Key;
use crate::backend::cuda::runtime::{DeviceState, DriverState};
use crate::backend::inside_host_function;

/// Every stream of every open device, also those that are dropped but have work.
static STREAMS: Key<Mutex<Vec<Arc<StreamState>>>> = Key::new();

impl DriverState {
    fn streams(&self) -> MutexGuard<'_, Vec<Arc<StreamState>>> {
        STREAMS.of(&self.features).lock()
    }

    pub fn add_stream(&self, stream: &Arc<StreamState>) {
        self.streams().push(Arc::clone(stream));
    }

    /// Streams that have freed memory of pools since their last [`StreamState::wait_for_frees`].
    pub fn streams_with_frees(&self) -> Vec<Arc<StreamState>> {
        self.streams().iter().filter(|stream| stream.has_frees()).cloned().collect()
    }

    /// The stream whose state is at this address, if it is still there.
    pub fn stream_at(&self, address: usize) -> Option<Arc<StreamState>> {
        self.streams().iter().find(|stream| Arc::as_ptr(stream).addr() == address).cloned()
    }

    /// Submits the deferred frees of all streams. False if there were none.
    pub fn flush_deferred(&self) -> bool {
        if !self.known_pools.are_used() {
            return false;
        }
        let streams = self.streams_with_frees();
        let mut any = false;
        for stream in streams.iter().filter(|stream| stream.defers()) {
            any |= stream.while_alive(StreamState::flush_deferred_unless_blocking).is_some();
        }
        any
    }

    /// Streams that may have work, as far as that is known without a query of the driver.
    pub fn streams_with_work(&self) -> Vec<Arc<StreamState>> {
        self.streams().iter().filter(|stream| !stream.is_known_idle()).cloned().collect()
    }

    /// No stream has work.
    pub fn all_drained(&self) -> bool {
        self.streams_with_work().iter().all(|stream| stream.is_drained())
    }

    pub fn streams_of(&self, device: &Arc<DeviceState>) -> Vec<Arc<StreamState>> {
        self.streams().iter().filter(|stream| Arc::ptr_eq(&stream.device, device)).cloned().collect()
    }

    /// Removes the streams of a device from the list. The caller destroys them.
    pub fn remove_streams_of(&self, device: &Arc<DeviceState>) -> Vec<Arc<StreamState>> {
        self.streams().extract_if(.., |stream| Arc::ptr_eq(&stream.device, device)).collect()
    }

    /// A stream in the list has lost its owner.
    pub fn stream_dropped(&self) {
        // Relaxed: a hint. A thread that misses it sweeps in its next call.
        self.any_dropped.store(true, Ordering::Relaxed);
        // A host function may hold the last reference, and may not call the driver.
        if !inside_host_function() {
            self.sweep_streams();
        }
    }

    /// Destroys dropped streams that have finished.
    pub fn sweep_streams(&self) {
        if !self.any_dropped.swap(false, Ordering::Relaxed) {
            return;
        }
        let dropped: Vec<_> = self.streams().iter().filter(|stream| stream.is_dropped()).cloned().collect();
        for stream in dropped {
            // `close` destroys what it finds in the list, so its end has to wait for this.
            let Some(_open) = stream.device.keep_open() else { continue };
            stream.flush_deferred();
            if !stream.is_drained() {
                self.any_dropped.store(true, Ordering::Relaxed);
            } else if self.remove_stream(&stream) {
                stream.destroy();
            }
        }
    }

    /// True when it was in the list.
    pub fn remove_stream(&self, stream: &Arc<StreamState>) -> bool {
        let mut streams = self.streams();
        let index = streams.iter().position(|known| Arc::ptr_eq(known, stream));
        index.map(|index| streams.swap_remove(index)).is_some()
    }
}
