//! Tasks of the host: a thread for tasks runs one while the stream waits for its word, as it does for a callback.
//!
//! The thread copies buffers that the task reads to pinned memory before, and buffers that it writes to the device
//! after, on a stream of the library. Copies in the task's own stream would also run after a failure, and would need
//! pinned memory for every task that is enqueued.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::algo::map::typed_slots::Key;
use crate::backend::{Block, BufferUse, Copy, Fault, HostTask, Place, Position, Result, Span, Stop, TaskRun, Ticket};
use crate::memory::pinned;
use crate::runtime::DeviceState;
use crate::stream::host_fn;
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
    /// The number of the stream's aborts when this was enqueued.
    aborts: u64,
    position: OnceLock<Position>,
}

/// Enqueues a task.
pub(crate) fn queue(stream: &Arc<StreamState>, task: &Arc<HostTask>) -> Result<Position> {
    let device = &stream.device;
    device.require_words("they cannot wait for tasks; use copies and aclrtLaunchHostFunc")?;
    let threads = &device.driver.task_threads;
    threads.ensure_thread().map_err(|error| Fault::no_thread("for tasks", &error))?;
    let (run, aborts) = (TaskRun::new(task), stream.aborts());
    let submitted = Arc::new(Submitted { stream: Arc::clone(stream), run, aborts, position: OnceLock::new() });
    note_weak(&stream.tasks, &submitted.run);
    stream.note_use_of(task.memory().map(|(memory, _)| memory.place));
    let pending = Arc::clone(&submitted);
    let position = host_fn::deliver(stream, move |ticket| {
        let driver = Arc::clone(&pending.stream.device.driver);
        driver.task_threads.start_or_queue(Box::new(move || pending.run(ticket)));
    })?;
    // Only this function sets it. A failure that is reported before has no position.
    let _ = submitted.position.set(position);
    Ok(position)
}

impl Submitted {
    /// Runs the task on this thread. The stream goes on when the ticket is dropped.
    fn run(&self, ticket: Ticket) {
        let Self { stream, run, aborts, position } = self;
        let outcome = if run.task.takes_device_addresses { self.run_directly() } else { self.run_staged() };
        if let Err(fault) = outcome
            && !stream.has_dropped(*aborts)
        {
            stream.fail(fault, position.get().copied(), Some(run.thread), ticket);
        }
    }

    fn run_directly(&self) -> Result<()> {
        let addresses: Vec<usize> =
            self.run.task.buffers.iter().map(|buffer| buffer.memory.map_or(0, |memory| memory.addr)).collect();
        self.run.run(&addresses)
    }

    fn run_staged(&self) -> Result<()> {
        let device = &self.stream.device;
        if self.run.stopped() == Some(Stop::Dropped) {
            return self.run.run(&[]);
        }
        let staging = Staging::of(device, &self.run.task)?;
        staging.copy(device, BufferUse::reads, |device, host| Copy { dst: host, src: device, stage_source: false })?;
        self.run.run(&staging.addresses)?;
        // The result of a dropped task is not used: its memory may have another purpose.
        if self.run.stopped() == Some(Stop::Dropped) {
            return Ok(());
        }
        staging.copy(device, BufferUse::writes, |device, host| Copy { dst: device, src: host, stage_source: false })
    }
}

/// Pinned memory for the device memory of a task.
struct Staging<'a> {
    device: &'a DeviceState,
    task: &'a HostTask,
    /// The address of each buffer for the host, 0 for one without bytes.
    addresses: Vec<usize>,
    block: Option<Block>,
}

impl<'a> Staging<'a> {
    fn of(device: &'a DeviceState, task: &'a HostTask) -> Result<Self> {
        let is_staged = |memory: &Span| matches!(memory.place, Place::Device(_));
        let mut len = 0;
        let mut addresses = Vec::with_capacity(task.buffers.len());
        for buffer in &task.buffers {
            addresses.push(match buffer.memory {
                Some(memory) if is_staged(&memory) => {
                    len += memory.len.next_multiple_of(ALIGNMENT);
                    len - memory.len.next_multiple_of(ALIGNMENT)
                }
                Some(memory) => memory.addr,
                None => 0,
            });
        }
        let block = if len == 0 { None } else { Some(take(device, len)?) };
        for (address, buffer) in addresses.iter_mut().zip(&task.buffers) {
            if buffer.memory.is_some_and(|memory| is_staged(&memory)) {
                *address += block.map_or(0, |block| block.addr);
            }
        }
        Ok(Self { device, task, addresses, block })
    }

    /// Copies the staged buffers for which `wanted` is true. `copy` gets their memory on the device and on the host.
    fn copy(
        &self,
        device: &DeviceState,
        wanted: impl Fn(BufferUse) -> bool,
        copy: impl Fn(Span, Span) -> Copy,
    ) -> Result<()> {
        let all = self.task.buffers.iter().zip(&self.addresses);
        let staged = all.filter_map(|(buffer, &addr)| {
            let memory = buffer.memory.filter(|memory| memory.addr != addr && wanted(buffer.does))?;
            Some(copy(memory, Span { addr, len: memory.len, place: Place::Pinned }))
        });
        let copies: Vec<Copy> = staged.collect();
        if copies.is_empty() { Ok(()) } else { memcpy::copy_batch_now(device, &copies) }
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if let Some(block) = self.block {
            release(self.device, block);
        }
    }
}

/// The cached blocks of a device, the latest last.
static CACHED: Key<Mutex<Vec<Block>>> = Key::new();

/// Returns a block for staging, a cached one if one has this length, or up to twice as much.
fn take(device: &DeviceState, len: usize) -> Result<Block> {
    let len = len.next_multiple_of(UNIT);
    let mut cached = CACHED.of(&device.features).lock();
    if let Some(place) = cached.iter().rposition(|block| (len..=2 * len).contains(&block.len)) {
        return Ok(cached.remove(place));
    }
    drop(cached);
    let block = pinned::alloc_host(&device.driver, len)?;
    Ok(Block { len, ..block })
}

/// Caches a block, and frees those that are cached for long if there are too many.
fn release(device: &DeviceState, block: Block) {
    let mut cached = CACHED.of(&device.features).lock();
    cached.push(block);
    let mut bytes = 0;
    let kept = cached.iter().rev().take_while(|block| {
        bytes += block.len;
        bytes <= MOST_CACHED
    });
    let first = cached.len() - kept.count().max(1);
    let freed: Vec<Block> = cached.drain(..first).collect();
    drop(cached);
    free(device, freed);
}

/// Frees the cached blocks of a device that closes.
pub(crate) fn free_staging(device: &DeviceState) {
    free(device, std::mem::take(&mut *CACHED.of(&device.features).lock()));
}

fn free(device: &DeviceState, blocks: Vec<Block>) {
    for block in blocks {
        device.driver.note_refusal(pinned::free(&device.driver, crate::memory::blocks::base(block)));
    }
}
