//! Marks: positions in streams by which an event knows whether its waits and resets are complete.

use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::Event;
use crate::backend::{self, FaultKind};
use crate::core::base::error::Result;
use crate::core::base::handles::Object;
use crate::core::stream::stream::Stream;

/// At most one mark for each stream, by its handle.
#[derive(Default)]
pub struct Marks(FxHashMap<u64, Mark>);

struct Mark {
    /// The stream is on another device than the event, which does not keep that device open.
    elsewhere: bool,
    native: Arc<dyn backend::Event>,
}

impl Mark {
    /// Whether the stream is past it.
    fn is_past(&self, stream: u64) -> Result<bool> {
        // While the stream exists its device stays open.
        let stream = self.elsewhere.then(|| Stream::table().get_raw(stream));
        if let Some(None) = stream {
            return Ok(true);
        }
        Ok(self.native.is_complete()?)
    }

    /// Whether an abort of the stream has dropped it.
    fn was_dropped(&self) -> bool {
        let result = self.native.synchronize(Some(Instant::now()));
        result.is_err_and(|why| matches!(why.kind(), FaultKind::Aborted | FaultKind::DeviceAborted))
    }
}

impl Marks {
    /// Whether there is a mark in this stream.
    pub fn has(&self, stream: &Stream) -> bool {
        self.0.contains_key(&stream.handle.raw())
    }

    /// The mark of this stream, or a new one: to be recorded there, and then kept.
    pub fn find_or_create(&self, stream: &Stream) -> Result<Arc<dyn backend::Event>> {
        let found = self.0.get(&stream.handle.raw());
        found.map_or_else(|| super::lifetime::create_native(&stream.device, false), |mark| Ok(Arc::clone(&mark.native)))
    }

    /// Keeps a mark that was recorded in `stream` for `event`.
    pub fn keep(&mut self, event: &Event, stream: &Stream, native: Arc<dyn backend::Event>) {
        let elsewhere = !Arc::ptr_eq(&event.device, &stream.device);
        self.0.entry(stream.handle.raw()).or_insert(Mark { elsewhere, native });
    }

    /// Before a mark in `stream`: removes marks that streams are past, if there is no room for another.
    pub fn sweep(&mut self, stream: &Stream) {
        if self.0.len() == self.0.capacity() && !self.has(stream) {
            // A failure of the device is reported by other calls.
            self.0.retain(|&stream, mark| !mark.is_past(stream).unwrap_or(true));
        }
    }

    /// Whether a stream is past its mark.
    pub fn any_past(&self) -> Result<bool> {
        self.0.iter().try_fold(false, |any, (&stream, mark)| Ok(any || mark.is_past(stream)?))
    }

    /// Whether all streams are past their marks, or have dropped them.
    pub fn all_past(&self) -> Result<bool> {
        self.0.iter().try_fold(true, |all, (&stream, mark)| Ok(all && (mark.is_past(stream)? || mark.was_dropped())))
    }

    /// Removes all of them; mostly there are none.
    #[inline(always)]
    pub fn clear(&mut self) {
        if !self.0.is_empty() {
            self.0.clear();
        }
    }
}
