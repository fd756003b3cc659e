//! Records what captured streams allocate from pools, and free.

use std::sync::Arc;

use super::{Capture, Recorder};
use crate::core::base::error::Result;
use crate::core::graph::memory::{free, note};
use crate::core::graph::task::What;
use crate::core::pool::mem_pool::captured::{self, Recording};
use crate::core::stream::Stream;

/// The capture of a stream that allocates or frees memory of a pool.
fn capture_of(stream: &Stream) -> Result<Arc<Capture>> {
    let capture = Recorder::of(stream).take_part()?;
    capture.check()?;
    let why = match capture.is_body {
        _ if capture.is_built => {
            "graphs that are built neither take nor free memory of pools; do it in another stream, or capture the \
             graph"
        }
        true => {
            "bodies of conditional tasks neither take nor free memory of pools, since runs leave them out or repeat \
             them; do it in the graph that has the task, or outside of captures"
        }
        false => return Ok(capture),
    };
    Err(Recorder::of(stream).cannot(why).into())
}

/// Records what captured streams allocate from pools, and free.
struct PoolRecording;

/// Registers the recorder for captured requests of pools.
pub fn record_pools() {
    captured::register(&PoolRecording);
}

impl Recording for PoolRecording {
    fn malloc(&self, stream: &Stream, allocate: &mut dyn FnMut() -> Result<usize>) -> Result<usize> {
        let capture = capture_of(stream)?;
        let addr = allocate()?;
        if let Err(error) = capture.with_memory(|memory| memory.add(capture.graph, addr, stream)) {
            // The first failure is the one to report.
            note(free(addr));
            return Err(error);
        }
        capture.add(stream.handle, What::MemAlloc, vec![None])?;
        Ok(addr)
    }

    fn free(&self, stream: &Stream, addr: usize) -> Result<()> {
        let capture = capture_of(stream)?;
        capture.with_memory(|memory| memory.free(capture.graph, addr))?;
        capture.add(stream.handle, What::MemFree, vec![None]).map(drop)
    }
}
