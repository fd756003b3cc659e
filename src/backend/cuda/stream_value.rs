//! Values that streams write, and wait for, which the driver does.
//!
//! It cannot end a wait, not even with its context, but by the value that is waited for: that is what a
//! stream does here with waits that last when its device ends.

use std::ffi::c_void;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{
    CUdeviceptr, CUstreamWaitValue_flags, CUstreamWriteValue_flags, cuuint64_t,
};

use parking_lot::Mutex;

use super::device::DeviceState;
use super::event::{Mark, poll_until};
use super::stream::StreamState;
use crate::backend::{
    Comparison, Failure, Fault, FaultKind, Place, Position, Result, Span, ValueWait, ValueWrite,
    Wait, thread_number,
};

/// How long a stream gets to see a value that ends its wait.
const NOTICE: Duration = Duration::from_millis(500);

/// A wait that the driver has, perhaps still.
struct DriverWait {
    wait: ValueWait,
    /// Right behind it.
    mark: Mark,
    position: Position,
    thread: u32,
}

/// Where the driver reaches a word.
fn address(device: &DeviceState, span: &Span) -> Result<CUdeviceptr> {
    if span.place != Place::Pinned {
        return Ok(span.addr as CUdeviceptr);
    }
    let host: *mut c_void = std::ptr::with_exposed_provenance_mut(span.addr);
    let mut address = 0;
    // SAFETY: pinned memory, and a place for the answer.
    device.call(|api| unsafe { api.mem_host_get_device_pointer(&mut address, host, 0) })?;
    Ok(address)
}

/// Says what to do where the driver has no such operation.
fn explain(fault: Fault) -> Fault {
    if fault.kind() != FaultKind::Unsupported {
        return fault;
    }
    let text = format!(
        "streams of this CUDA driver, or this GPU, can neither write a value nor wait for one ({}); \
         use an event, or a copy from page-locked memory",
        fault.text()
    );
    fault.with_text(text)
}

/// Queues the write of a value.
pub(super) fn write(stream: &StreamState, write: &ValueWrite) -> Result<Position> {
    let device = stream.device();
    let address = address(device, &write.dst)?;
    let flags = CUstreamWriteValue_flags::CU_STREAM_WRITE_VALUE_DEFAULT as u32;
    let value: cuuint64_t = write.value;
    let written = stream.submit_calls(|api| {
        // SAFETY: a live stream, and a word that stays until the stream is past it.
        unsafe { api.stream_write_value_64(stream.raw().0, address, value, flags) }
    });
    written.map_err(explain)
}

/// Queues a wait for a value.
pub(super) fn wait(stream: &StreamState, wait: &ValueWait) -> Result<Position> {
    let device = stream.device();
    let address = address(device, &wait.src)?;
    let flags = match wait.comparison {
        Comparison::GreaterOrEqual => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ,
        Comparison::Equal => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_EQ,
        Comparison::And => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_AND,
        Comparison::Nor => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_NOR,
    };
    let mark = Mark::unset(device)?;
    let queued = stream.submit(|| {
        stream.note_dependence();
        stream.device().call_here(|api| {
            // SAFETY: a live stream, a word that stays until the stream is past it, and a mark of its device.
            unsafe {
                api.stream_wait_value_64(stream.raw().0, address, wait.value, flags as u32)?;
                api.event_record(mark.raw().0, stream.raw().0)
            }
        })
    });
    let position = queued.map_err(explain)?;
    stream.value_waits().note(DriverWait { wait: *wait, mark, position, thread: thread_number() });
    Ok(position)
}

impl DriverWait {
    /// Writes the value that it waits for, and waits until the stream is past it.
    fn end(&self, device: &DeviceState) -> Result<()> {
        let ValueWait { src, value, comparison } = &self.wait;
        // None: it ends by nothing, as who asked for it could have known.
        let Some(word) = comparison.satisfying(*value) else { return Ok(()) };
        let address = address(device, src)?;
        let flags = CUstreamWriteValue_flags::CU_STREAM_WRITE_VALUE_DEFAULT as u32;
        device.on_own_stream(|own| {
            // SAFETY: a stream of our own, and memory that is kept for a stream that waits for it.
            device.call(|api| unsafe { api.stream_write_value_64(own.0, address, word, flags) })
        })?;
        poll_until(Instant::now() + NOTICE, || self.mark.poll()).map(drop)
    }
}

/// The waits of a stream that the driver has, perhaps still.
#[derive(Default)]
pub(super) struct ValueWaits(Mutex<List>);

#[derive(Default)]
struct List {
    waits: Vec<DriverWait>,
    /// How many were left after the last look for those that are over.
    left: usize,
}

impl ValueWaits {
    fn note(&self, wait: DriverWait) {
        let mut list = self.0.lock();
        list.waits.push(wait);
        // Seldom: each look asks the driver.
        if list.waits.len() > 2 * list.left + 8 {
            list.waits.retain(|wait| !wait.mark.is_past());
            list.left = list.waits.len();
        }
    }

    fn is_empty(&self) -> bool {
        self.0.lock().waits.is_empty()
    }

    /// Forgets them: they are over.
    pub(super) fn clear(&self) {
        let waits = std::mem::take(&mut self.0.lock().waits);
        drop(waits);
    }

    /// Ends them all, in their order: they have failed. No lock may be held.
    fn end(&self, stream: &StreamState) -> Result<()> {
        let waits = std::mem::take(&mut self.0.lock().waits);
        for wait in waits.into_iter().filter(|wait| !wait.mark.is_past()) {
            let (position, thread) = (Some(wait.position), Some(wait.thread));
            stream.fail(
                Failure { fault: wait.wait.never_came(), position, thread, launch: None },
                (),
            );
            wait.end(stream.device())?;
        }
        Ok(())
    }
}

/// Before a wait for a stream that is ending: gives what its device's streams wait for the time that it
/// has, or until the deadline, and then ends all those waits.
pub(super) fn settle(stream: &StreamState, deadline: Option<Instant>) -> Result<()> {
    let Some(until) = stream.waits_until() else { return Ok(()) };
    let device = stream.device();
    let streams = device.driver().streams_of(device);
    if streams.iter().all(|stream| stream.value_waits().is_empty()) {
        return Ok(());
    }
    let until = deadline.map_or(until, |deadline| deadline.min(until));
    let mark = Mark::new(stream)?;
    if poll_until(until, || mark.poll())? == Wait::Done {
        return Ok(());
    }
    let mut ending = streams.iter().filter(|stream| stream.waits_until().is_some());
    ending.try_for_each(|stream| stream.value_waits().end(stream))
}
