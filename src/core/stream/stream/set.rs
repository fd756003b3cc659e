//! The streams of each device.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Stream;
use crate::algo::map::slot_table::Handle;
use crate::algo::map::typed_slots;
use crate::base::handles::Object;
use crate::runtime::device::Device;

/// The streams of a device: the handle of each, after that of its context. A call that needs those of one device or
/// context walks over no others.
#[derive(Default)]
pub(crate) struct StreamSet(Mutex<BTreeSet<(u64, u64)>>);

typed_slots::state! {
    /// The streams of a device.
    pub StreamSet::of(Device);
}

impl StreamSet {
    /// Adds a stream that is about to get its handle.
    pub(crate) fn add(&self, context: Handle, stream: Handle) {
        self.0.lock().insert((context.raw(), stream.raw()));
    }

    /// Removes a stream, whose handle is removed.
    pub(crate) fn remove(&self, stream: &Stream) {
        self.0.lock().remove(&(stream.context.raw(), stream.handle.raw()));
    }

    /// Returns the live streams of a context.
    pub(crate) fn of_context(&self, context: Handle) -> Vec<Arc<Stream>> {
        let context = context.raw();
        live(self.0.lock().range((context, 0)..=(context, u64::MAX)))
    }

    /// Returns all live streams.
    pub(crate) fn all(&self) -> Vec<Arc<Stream>> {
        live(self.0.lock().iter())
    }
}

fn live<'a>(streams: impl Iterator<Item = &'a (u64, u64)>) -> Vec<Arc<Stream>> {
    let find = |(_, stream): &(u64, u64)| Stream::table().get_raw(*stream).map(|found| found.to_arc());
    streams.filter_map(find).collect()
}
