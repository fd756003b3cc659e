//! Marks: positions in streams by which an event knows whether its waits and resets are complete.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::Event;
use crate::backend::{self, FaultKind};
use crate::core::base::error::Result;
use crate::core::base::handles::Object;
use crate::core::stream::stream::Stream;

/// At most one mark for each stream, by its handle.
#[derive(Default)]
pub struct Marks {
    by_stream: BTreeMap<u64, Mark>,
    /// From this number of marks on a sweep is worth its time.
    many: usize,
}

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
        self.by_stream.contains_key(&stream.handle.raw())
    }

    /// The mark of this stream, or a new one: to be recorded there, and then kept.
    pub fn find_or_create(&self, stream: &Stream) -> Result<Arc<dyn backend::Event>> {
        let found = self.by_stream.get(&stream.handle.raw());
        found.map_or_else(|| super::lifetime::create_native(&stream.device, false), |mark| Ok(Arc::clone(&mark.native)))
    }

    /// Keeps a mark that was recorded in `stream` for `event`.
    pub fn keep(&mut self, event: &Event, stream: &Stream, native: Arc<dyn backend::Event>) {
        let elsewhere = !Arc::ptr_eq(&event.device, &stream.device);
        self.by_stream.entry(stream.handle.raw()).or_insert(Mark { elsewhere, native });
    }

    /// Removes marks that streams are past, if there are many.
    pub fn sweep(&mut self) {
        const FEW: usize = 4;
        if self.by_stream.len() >= self.many.max(FEW) {
            // A failure of the device is reported by other calls.
            self.by_stream.retain(|&stream, mark| !mark.is_past(stream).unwrap_or(true));
            self.many = 2 * self.by_stream.len();
        }
    }

    /// Whether a stream is past its mark.
    pub fn any_past(&self) -> Result<bool> {
        for (&stream, mark) in &self.by_stream {
            if mark.is_past(stream)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether all streams are past their marks, or have dropped them.
    pub fn all_past(&self) -> Result<bool> {
        for (&stream, mark) in &self.by_stream {
            if !mark.is_past(stream)? && !mark.was_dropped() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Removes all of them; mostly there are none.
    #[inline(always)]
    pub fn clear(&mut self) {
        if !self.by_stream.is_empty() {
            self.by_stream.clear();
        }
    }
}
