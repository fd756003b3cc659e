//! What a stream has for host functions.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::StreamState;
use crate::backend::Result;
use crate::backend::cuda::stream::call_slots::{CallSlots, is_reached};
use crate::backend::cuda::stream::words::{Word, Words, at};

/// What a stream needs for the calls that it waits for.
pub struct StreamCalls {
    pub word: Word,
    pub slots: CallSlots,
    /// Calls in the slots name the stream without a count of their own.
    stream: Arc<StreamState>,
}

impl StreamCalls {
    #[cold]
    pub fn new(words: &Words, stream: &Arc<StreamState>) -> Result<Self> {
        let word = words.lend(&stream.device.context)?;
        Ok(Self { word, slots: CallSlots::default(), stream: Arc::clone(stream) })
    }

    /// Releases what the stream had; its work is complete. A driver whose device has failed may have dropped calls, or
    /// may still make them: then nothing is released.
    pub fn end(self) {
        // Acquire, with the Release of the jobs.
        let is_over = is_reached(at(self.word.addr).load(Ordering::Acquire), self.word.number);
        match self.stream.device.words.get() {
            Some(words) if is_over => words.give_back(self.word),
            _ => mem::forget(self),
        }
    }
}
