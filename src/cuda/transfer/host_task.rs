//! Tasks of the host: a thread for tasks runs one while the stream waits for its word, as it does for a callback.
//!
//! The stream copies the buffers to pinned memory before, and those that the task writes back after. A thread for tasks
//! calls no driver: a driver whose queue is full holds its lock until the task has returned. The copies back also take
//! place if the task was dropped before it began, so all buffers are copied before, and then nothing changes.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::map::typed_slots::Key;
use crate::backend::{Block, Copy, Fault, HostTask, Place, Position, Result, Span, TaskBuffer, TaskRun};
use crate::memory::{blocks, pinned};
use crate::runtime::DeviceState;
use crate::stream::host_fn::{self, Arrival};
use crate::stream::state::{StreamState, note_weak};
use crate::transfer::memcpy;

/// The alignment of a staged buffer in bytes.
const ALIGNMENT: usize = 256;
/// The number of bytes of which a block for staging has a multiple.
const UNIT: usize = 64 << 10;
/// The maximum number of bytes of cached blocks of a device. One block may be larger.
const MOST_CACHED: usize = 256 << 20;

/// A task in its stream, pending or begun.
struct Submitted {
    stream: Arc<StreamState>,
    run: Arc<TaskRun>,
    staging: Arc<Staging>,
    /// The number of the stream's aborts when this was enqueued.
    aborts: u64,
}

/// Enqueues a task.
pub(crate) fn queue(stream: &Arc<StreamState>, task: &Arc<HostTask>) -> Result<Position> {
    let device = &stream.device;
    device.require_words("they cannot wait for tasks; use copies and aclrtLaunchHostFunc")?;
    let threads = &device.driver.task_threads;
    threads.ensure_thread().map_err(|error| Fault::no_thread("for tasks", &error))?;
    stream.refuse_in_capture(
        "the captured graph cannot contain tasks of portaclLaunchTask; submit the task before or after the capture",
    )?;
    let staging = Arc::new(Staging::of(device, task)?);
    stream.note_use_of(task.memory().map(|(memory, _)| memory.place));
    let before = stream.submitted();
    let queued = queue_staged(stream, task, &staging);
    if queued.is_err() && stream.submitted() != before {
        // A part may have been enqueued, and may use the block at any time.
        std::mem::forget(staging);
    }
    queued
}

fn queue_staged(stream: &Arc<StreamState>, task: &Arc<HostTask>, staging: &Arc<Staging>) -> Result<Position> {
    staging.copy(stream, task, |_| true, |device, host| Copy { dst: host, src: device, stage_source: false })?;
    let run = TaskRun::new(task);
    // An abort that the number of aborts does not include finds the run.
    note_weak(&stream.tasks, &run);
    let (stream_of_run, staging_of_run) = (Arc::clone(stream), Arc::clone(staging));
    let aborts = stream.aborts();
    let submitted = Arc::new(Submitted { stream: stream_of_run, run, staging: staging_of_run, aborts });
    let pending = Arc::clone(&submitted);
    let position = host_fn::deliver(stream, move |arrival| {
        let driver = Arc::clone(&pending.stream.device.driver);
        driver.task_threads.start_or_queue(Box::new(move || pending.run(arrival)));
    })
    .inspect_err(|_| _ = submitted.run.cancel())?;
    let write_back = || {
        if staging.block.is_none() {
            return Ok(position);
        }
        let writes = |buffer: &TaskBuffer| buffer.does.writes();
        staging.copy(stream, task, writes, |device, host| Copy { dst: device, src: host, stage_source: false })?;
        // The last reference to the block is dropped when the stream is past the copies, and the task has ended.
        let used = Arc::clone(staging);
        host_fn::deliver_unawaited(stream, move || drop(used))
    };
    write_back().or_else(|fault| {
        // The launch has succeeded: the caller must not free what the task uses. The driver may use the block.
        std::mem::forget(Arc::clone(staging));
        if !stream.has_dropped(submitted.aborts) {
            stream.fail(fault, Some(position), Some(submitted.run.thread), ());
        }
        Ok(position)
    })
}

impl Submitted {
    /// Runs the task on this thread. The stream goes on when the arrival is dropped.
    fn run(&self, arrival: Arrival) {
        let Self { stream, run, staging, aborts } = self;
        if let Err(fault) = run.run(&staging.addresses)
            && !stream.has_dropped(*aborts)
        {
            arrival.fail(stream, fault, run.thread);
        }
    }
}

/// The addresses of a task's buffers, with pinned memory for those on a device.
struct Staging {
    device: Arc<DeviceState>,
    /// The address of each buffer for the task, 0 for one without bytes.
    addresses: Vec<usize>,
    block: Option<Block>,
}

impl Staging {
    fn of(device: &Arc<DeviceState>, task: &HostTask) -> Result<Self> {
        let is_staged = |memory: &Span| !task.takes_device_addresses && matches!(memory.place, Place::Device(_));
        let room = |memory: &Span| if is_staged(memory) { memory.len.next_multiple_of(ALIGNMENT) } else { 0 };
        let len = task.memory().map(|(memory, _)| room(&memory)).sum();
        let block = if len == 0 { None } else { Some(take(device, len)?) };
        let mut next = block.map_or(0, |block| block.addr);
        let address = |buffer: &TaskBuffer| {
            let Some(memory) = buffer.memory else { return 0 };
            let staged = next;
            next += room(&memory);
            if is_staged(&memory) { staged } else { memory.addr }
        };
        Ok(Self { device: Arc::clone(device), addresses: task.buffers.iter().map(address).collect(), block })
    }

    /// Enqueues copies of the staged buffers for which `wanted` is true. `copy` gets their memory on the device and on
    /// the host.
    fn copy(
        &self,
        stream: &StreamState,
        task: &HostTask,
        wanted: impl Fn(&TaskBuffer) -> bool,
        copy: impl Fn(Span, Span) -> Copy,
    ) -> Result<()> {
        for (buffer, &addr) in task.buffers.iter().zip(&self.addresses).filter(|(buffer, _)| wanted(buffer)) {
            if let Some(memory) = buffer.memory.filter(|memory| memory.addr != addr) {
                let staged = Span { addr, len: memory.len, place: Place::Pinned };
                stream.submit(|| memcpy::issue_copy(&stream.device, stream.raw, &copy(memory, staged)))?;
            }
        }
        Ok(())
    }
}

/// Caches the block. This runs on any thread, and may not call the driver.
impl Drop for Staging {
    fn drop(&mut self) {
        if let Some(block) = self.block {
            CACHED.of(&self.device.features).lock().push(block);
        }
    }
}

/// The cached blocks of a device, the latest last.
static CACHED: Key<Mutex<Vec<Block>>> = Key::new();

/// Returns a block for staging, a cached one if one has this length, or up to twice as much. Frees those that are
/// cached for long if there are too many.
fn take(device: &DeviceState, len: usize) -> Result<Block> {
    let len = len.next_multiple_of(UNIT);
    let mut cached = CACHED.of(&device.features).lock();
    if let Some(place) = cached.iter().rposition(|block| (len..=2 * len).contains(&block.len)) {
        return Ok(cached.remove(place));
    }
    let mut bytes = 0;
    let kept = cached.iter().rev().take_while(|block| {
        bytes += block.len;
        bytes <= MOST_CACHED
    });
    let first = cached.len() - kept.count();
    let freed: Vec<Block> = cached.drain(..first).collect();
    drop(cached);
    free(device, freed);
    let block = pinned::alloc_host(&device.driver, len)?;
    Ok(Block { len, ..block })
}

/// Frees the cached blocks of a device that closes.
pub(crate) fn free_staging(device: &DeviceState) {
    free(device, std::mem::take(&mut *CACHED.of(&device.features).lock()));
}

fn free(device: &DeviceState, cached: Vec<Block>) {
    for block in cached {
        device.driver.note_refusal(pinned::free(&device.driver, blocks::base(block)));
    }
}
