//! Writes values for streams, and waits for values, by functions of the driver.
//!
//! The driver cannot end a wait, not even with its context, except by the value that is waited for. So a stream writes
//! that value when the device ends and waits remain.
//!
//! The driver does neither with managed memory: the host writes there, in the stream's order, and watches.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{
    CUdevice_attribute, CUdeviceptr, CUpointer_attribute, CUstreamWaitValue_flags, CUstreamWriteValue_flags, cuuint64_t,
};

use crate::backend::stream::watch::{Expected, word_at};
use crate::backend::{
    Comparison, Fault, FaultKind, Place, Position, Result, Span, ValueWait, ValueWrite, Wait, thread_number,
};
use crate::base::api::Api;
use crate::memory::foreign;
use crate::runtime::DeviceState;
use crate::stream::host_fn;
use crate::stream::mark::{Mark, poll_until};
use crate::stream::state::{DriverWait, StreamState, note};
use crate::stream::watch;

/// The time that a stream gets to read a value that ends its wait.
const NOTICE: Duration = Duration::from_millis(500);

/// Returns the address by which the driver reaches a word.
fn address(device: &DeviceState, span: &Span) -> Result<CUdeviceptr> {
    if span.place != Place::Pinned {
        return Ok(span.addr as CUdeviceptr);
    }
    // This does not use cuMemHostGetDevicePointer, which refuses pool memory and mapped memory.
    let name = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
    // SAFETY: the attribute is an address.
    device.call(|api| unsafe { foreign::attribute(api, name, span.addr) })
}

/// Adds to the fault of a driver without such operations what to do.
fn explain(fault: Fault) -> Fault {
    if fault.kind() != FaultKind::Unsupported {
        return fault;
    }
    fault.with_text(|said| {
        format!(
            "this CUDA driver or GPU does not let streams write a value or wait for one ({said}); use an event, or a \
             copy from page-locked memory"
        )
    })
}

/// Whether the word is managed memory, for which the host stands in for the driver. The host must be able to use it
/// while the device works, and streams must be able to wait for words.
fn is_for_host(device: &DeviceState, span: &Span) -> Result<bool> {
    let is_asked = span.place != Place::Pinned && device.words.get().is_some();
    if !is_asked || !foreign::is_managed(device, span.addr)? {
        return Ok(false);
    }
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
    // SAFETY: `device` is open.
    let ask = |api: &Api| unsafe { api.device_get_attribute(attribute as c_int, device.context.device) };
    Ok(device.call(ask)? != 0)
}

/// Enqueues the write of a value.
pub(crate) fn write(stream: &Arc<StreamState>, write: &ValueWrite) -> Result<Position> {
    let device = &stream.device;
    if is_for_host(device, &write.dst)? {
        let (addr, value) = (write.dst.addr, write.value);
        let watcher = Arc::clone(&device.driver.watcher);
        return host_fn::queue(stream, move || {
            // SAFETY: the core checked the range, and it stays while the stream uses it.
            let word = unsafe { word_at(addr) };
            // Release: a thread that reads the value sees earlier writes.
            word.store(value, Ordering::Release);
            watcher.check((addr, size_of::<u64>()));
        });
    }
    let address = address(device, &write.dst)?;
    let flags = CUstreamWriteValue_flags::CU_STREAM_WRITE_VALUE_DEFAULT as u32;
    let value: cuuint64_t = write.value;
    let written = stream.submit_calls(|api| {
        // SAFETY: a live stream, and a word that stays until the stream is past it.
        unsafe { api.stream_write_value_64(stream.raw.0, address, value, flags) }
    });
    written.map_err(explain)
}

/// Enqueues a wait for a value.
pub(crate) fn wait(stream: &Arc<StreamState>, wait: &ValueWait) -> Result<Position> {
    let device = &stream.device;
    if is_for_host(device, &wait.src)? {
        return watch::queue(stream, Expected::Value(*wait));
    }
    let address = address(device, &wait.src)?;
    let flags = match wait.comparison {
        Comparison::GreaterOrEqual => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ,
        Comparison::Equal => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_EQ,
        Comparison::And => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_AND,
        Comparison::Nor => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_NOR,
    };
    let mark = Mark::unset(device)?;
    let queued = stream.submit_in_places(1, |_| {
        // The library queries the mark, which a capture does not allow.
        stream.refuse_in_capture(
            "the captured graph cannot contain this wait; enqueue the wait before or after the capture",
        )?;
        stream.note_wait();
        stream.device.call_here(|api| {
            // SAFETY: a live stream, a word that stays until the stream is past it, and a mark of its device.
            unsafe {
                api.stream_wait_value_64(stream.raw.0, address, wait.value, flags as u32)?;
                api.event_record(mark.raw.0, stream.raw.0)
            }
        })
    });
    let position = queued.map_err(explain)?;
    let wait = DriverWait { wait: *wait, mark, position, thread: thread_number() };
    note(&stream.value_waits, wait, |other| other.mark.is_past());
    stream.note_waited();
    Ok(position)
}

/// Writes the value that the wait is for, and waits until the stream is past it.
fn end_wait(ended: &DriverWait, device: &DeviceState) -> Result<()> {
    let ValueWait { src, value, comparison } = &ended.wait;
    // No value ends this wait, as the caller could have known.
    let Some(word) = comparison.satisfying(*value) else { return Ok(()) };
    let address = address(device, src)?;
    let flags = CUstreamWriteValue_flags::CU_STREAM_WRITE_VALUE_DEFAULT as u32;
    device.on_library_stream(|own| {
        // SAFETY: a stream of our own, and memory that is kept for a stream that waits for it.
        device.call(|api| unsafe { api.stream_write_value_64(own.0, address, word, flags) })
    })?;
    poll_until(Instant::now() + NOTICE, || ended.mark.poll()).map(drop)
}

/// Ends all waits that the driver has for a stream, in their order: they have failed. The caller holds no lock.
fn end_all(stream: &StreamState) -> Result<()> {
    let waits = std::mem::take(&mut *stream.value_waits.lock());
    for wait in waits.into_iter().filter(|wait| !wait.mark.is_past()) {
        stream.fail(Expected::Value(wait.wait).never_came(), Some(wait.position), Some(wait.thread), ());
        end_wait(&wait, &stream.device)?;
    }
    Ok(())
}

/// Prepares a wait for a stream in teardown. Lets the waits of its device's streams complete until the limit of the
/// teardown or the deadline, and then ends them.
pub(crate) fn expire_waits(stream: &StreamState, deadline: Option<Instant>) -> Result<()> {
    let Some(until) = stream.waits_until() else { return Ok(()) };
    let device = &stream.device;
    let streams = device.driver.streams_that_waited(device);
    if streams.iter().all(|stream| stream.value_waits.lock().is_empty()) {
        return Ok(());
    }
    let until = deadline.map_or(until, |deadline| deadline.min(until));
    let mark = stream.mark()?;
    if poll_until(until, || mark.poll())? == Wait::Done {
        return Ok(());
    }
    let mut ending = streams.iter().filter(|stream| stream.waits_until().is_some());
    ending.try_for_each(|stream| end_all(stream))
}
