//! The effect of a failure under ACL_STOP_ON_FAILURE.

use super::Stream;
use crate::algo::map::slot_table::Handle;
use crate::backend::Fault;
use crate::core::stream::failure::Stop;

/// Stops all streams of a context.
pub fn context(context: Handle, fault: &Fault) {
    let stop = Stop::new(fault);
    let streams: Vec<_> = Stream::of_context(context).collect();
    // All streams know the reason before the first one stops: a refused submission always has its reason.
    for (_, stream) in &streams {
        stream.failures.note_stop(&stop);
    }
    for (_, stream) in &streams {
        let kept = stream.abandon();
        stream.failures.note_kept(kept);
    }
}
