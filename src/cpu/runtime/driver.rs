//! The driver of the CPU backend.

use std::os::fd::BorrowedFd;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::backend::base::probe;
use crate::backend::memory::known;
use crate::backend::runtime::atomics::{
    FLOAT_ADD, REDUCTION, SCALAR_8, SCALAR_16, SCALAR_32, SCALAR_64, SIGNED, UNSIGNED,
};
use crate::backend::{
    Block, Device, DeviceInfo, Driver, Fault, Foreign, ForeignBlock, MemoryPlace, Options, Pool, Result, SharedMemory,
    VirtualMemory,
};
use crate::base::arena::{Arena, HUGE};
use crate::base::{host_ranges, machine, pages};
use crate::memory::bounds::{self, Bounds, Check};
use crate::memory::capacity::{self, Budget, Capacity};
use crate::memory::device_memory::{DeviceMemory, SHARED};
use crate::memory::host_access::Handler;
use crate::memory::host_register::Registered;
use crate::memory::pending::{Deferred, REAP, Users};
use crate::memory::pinned::{HOST, HostMemory};
use crate::memory::ranges::Ranges;
use crate::memory::windows::{self, Windows};
use crate::pool::imports::{IMPORTED, Imports};
use crate::pool::shared_file::ImportedFile;
use crate::pool::shared_memory::{ExportedMemory, HostSegments, ImportedPool, MARKS};
use crate::runtime::device::CpuDevice;
use crate::runtime::info;
use crate::runtime::shared::{DEVICES, DeviceSlot, Shared};
use crate::runtime::snapshot::Hold;
use crate::stream::executor::Executor;
use crate::transfer::host_task;

/// The time for which [`Driver::shutdown`] waits for user code.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// The least number of bytes for ranges of addresses in guard mode, if devices have less memory.
pub(crate) const GUARDED_RANGE: usize = 64 << 30;

/// Opens the backend with all devices.
#[cfg(any(test, debug_assertions))]
pub fn open(options: Options) -> Result<Arc<dyn Driver>> {
    open_chosen(options, |count| (0..count).collect())
}

/// Opens the backend with the devices that `choose` selects from the given number, in that order. A device holds no
/// memory or threads before it is opened.
pub(crate) fn open_chosen(options: Options, choose: impl FnOnce(u32) -> Vec<u32>) -> Result<Arc<dyn Driver>> {
    Ok(Arc::new(CpuDriver::new(options, choose)?))
}

pub(crate) struct CpuDriver {
    pub shared: Arc<Shared>,
    pub executor: Arc<Executor>,
    pub host: Arc<HostMemory>,
    /// The result of [`Driver::host_memory`], once a call has asked for it.
    host_memory: OnceLock<u64>,
    /// The host memory that other processes can import.
    pub segments: Arc<HostSegments>,
    pub deferred: Deferred,
    pub registered: Registered,
    /// The registrations that were ended while operations were using them.
    pub unregistered: Deferred,
    /// The handler of faults, in guard mode, until the driver ends.
    pub explains_faults: Mutex<Option<Handler>>,
}

impl CpuDriver {
    pub(crate) fn new(options: Options, choose: impl FnOnce(u32) -> Vec<u32>) -> Result<Self> {
        if options.guard {
            bounds::guardable(pages::ordinary())?;
        }
        let cores = machine::cores();
        let numbers = choose(options.devices.unwrap_or(DEVICES));
        let check = Check::of(options.guard);
        let capacity = match options.memory_per_device {
            None => Capacity::of_machine(numbers.len(), check.addresses()),
            Some(each) => Capacity::of_limit(each).ok_or_else(|| {
                let most = capacity::MOST;
                let text = format!("PORTACL_CPU_MEMORY is {each} bytes per device; allowed: at most {most} bytes");
                Fault::unsupported(text)
            })?,
        };
        let memory = capacity.each;
        let span = check.span(memory) as usize;
        let host_bounds = Arc::new(Bounds::new(check, 0, "in host memory".to_owned()));
        let host = Arc::new(HostMemory::new(Arc::clone(&host_bounds), options.closes_pinned));
        let executor = Executor::new(cores, options.schedule.clone());
        let guard = options.guard;
        let library_view = if guard { GUARDED_RANGE.max(span) } else { 0 };
        Ok(Self {
            shared: Arc::new(Shared {
                library_view,
                check,
                host_bounds,
                options,
                capacity,
                budget: Arc::new(Budget::new(capacity.all)),
                cores,
                helpers: Box::new(Arc::clone(&executor)),
                watcher: Arc::default(),
                task_threads: host_task::threads(),
                users: Users::default(),
                windows: Windows::new(numbers.len(), span),
                devices: numbers.iter().map(|_| DeviceSlot::default()).collect(),
                numbers: numbers.into(),
                imports: Imports::new(library_view),
                ranges: Ranges::default(),
                unloading: Deferred::new(),
                hold: Hold::default(),
            }),
            executor,
            segments: HostSegments::new(Arc::clone(&host)),
            host,
            host_memory: OnceLock::new(),
            deferred: Deferred::new(),
            registered: Registered::default(),
            unregistered: Deferred::new(),
            explains_faults: Mutex::new(guard.then(Handler::install)),
        })
    }

    pub(crate) fn reap(&self, limit: usize) {
        self.deferred.reap(limit, |block| self.free_unused_host(block));
        self.shared.reap(limit);
        self.unregistered.reap(limit, |block| self.registered.unlock(block.addr, block.len));
    }

    pub(crate) fn free_unused_host(&self, block: Block) {
        if block.token & SHARED == 0 { self.host.free_unused(block) } else { self.segments.free_unused(block) }
    }
}

impl Driver for CpuDriver {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn device_count(&self) -> u32 {
        self.shared.devices.len() as u32
    }

    fn describe(&self, ordinal: u32) -> Result<DeviceInfo> {
        Ok(info::describe(&self.shared, ordinal))
    }

    fn can_access_peer(&self, _ordinal: u32, _peer: u32) -> Result<bool> {
        // All memory belongs to the process.
        Ok(true)
    }

    /// Returns what processors can do, because all memory belongs to the process. Kernels use a loop if there is no
    /// instruction.
    fn atomics(&self, _ordinal: u32, _peer: Option<u32>, operations: &[u32]) -> Result<Vec<u32>> {
        const INTEGERS: u32 = SIGNED | UNSIGNED | SCALAR_8 | SCALAR_16 | SCALAR_32 | SCALAR_64;
        const FLOATS: u32 = SIGNED | SCALAR_32 | SCALAR_64;
        let answer = |operation: &u32| if *operation < FLOAT_ADD { INTEGERS } else { FLOATS };
        Ok(operations.iter().map(|operation| answer(operation) | REDUCTION).collect())
    }

    fn set_peer_access(&self, _ordinal: u32, _peer: u32, _on: bool) -> Result<()> {
        Ok(())
    }

    fn utilization(&self, ordinal: u32) -> Result<u32> {
        let slot = &self.shared.devices[ordinal as usize];
        let open = slot.memory.read().is_some();
        Ok(if open { slot.busy.percentage() } else { 0 })
    }

    fn open(&self, ordinal: u32) -> Result<Arc<dyn Device>> {
        let slot = &self.shared.devices[ordinal as usize];
        let size = self.shared.capacity.each;
        let wanted = Arc::clone(&slot.wanted);
        let Shared { library_view, check, ref budget, .. } = *self.shared;
        let memory = DeviceMemory::new(ordinal, size, library_view, check, wanted, Arc::clone(budget))?;
        let memory = Arc::new(memory);
        let (base, len) = memory.range();
        known::cover(base, base + len);
        self.shared.windows.open(ordinal, base);
        if let Some(left) = slot.memory.write().replace(Arc::clone(&memory)) {
            // The memory was not closed, because it may be in use forever.
            std::mem::forget(left);
        }
        // The percentage counts from this query on.
        slot.busy.percentage();
        let (shared, executor) = (Arc::clone(&self.shared), Arc::clone(&self.executor));
        Ok(Arc::new(CpuDevice::new(shared, executor, ordinal, memory)))
    }

    fn alloc_host(&self, len: usize) -> Result<Block> {
        self.reap(REAP);
        self.host.take(len)
    }

    fn free_host(&self, block: Block) -> Result<()> {
        let damage = self.shared.host_bounds.damage_of(block.addr);
        self.reap(REAP);
        let fence = self.shared.users.fence(block.addr, block.len);
        self.deferred.free(block, fence, |block| self.free_unused_host(block));
        damage.map_or(Ok(()), |damage| Err(bounds::report(&damage, "the allocation was freed")))
    }

    fn register_host(&self, addr: usize, len: usize) -> Result<usize> {
        self.reap(REAP);
        known::cover(addr, addr + len);
        let mut locked = self.registered.lock(addr, len)?;
        if locked.is_err() && self.host.make_room() {
            self.registered.unlock(addr, len);
            locked = self.registered.lock(addr, len)?;
        }
        self.host.note_lock_result(len, locked);
        Ok(addr)
    }

    fn unregister_host(&self, addr: usize, len: usize) -> Result<()> {
        self.reap(REAP);
        let fence = self.shared.users.fence(addr, len);
        self.unregistered.free(Block { addr, len, token: 0 }, fence, |_| self.registered.unlock(addr, len));
        Ok(())
    }

    fn host_memory(&self) -> u64 {
        *self.host_memory.get_or_init(machine::memory)
    }

    fn unlocked_host_bytes(&self) -> u64 {
        self.host.unlocked_bytes()
    }

    fn foreign(&self, addr: usize) -> Foreign {
        match self.shared.windows.device_at(addr) {
            Some(ordinal) if self.shared.is_stale(ordinal, addr) => Foreign::Stale,
            Some(_) => Foreign::Unknown,
            None => match host_ranges::at(addr) {
                Foreign::Unknown if windows::was_near(addr) && !probe::is_readable(addr) => Foreign::Stale,
                found @ (Foreign::Unknown | Foreign::Known(_) | Foreign::Stale) => found,
            },
        }
    }

    fn foreign_block(&self, addr: usize) -> Option<ForeignBlock> {
        host_ranges::block_at(addr)
    }

    fn native_device(&self, _ordinal: u32) -> Option<i32> {
        None
    }

    fn share_host(&self, node: u32) -> Result<Arc<dyn SharedMemory>> {
        let size = machine::memory().next_multiple_of(HUGE);
        Ok(Arc::new(ExportedMemory::of_host(Arc::clone(&self.segments), size, node)?))
    }

    fn import_memory(&self, descriptor: BorrowedFd<'_>, ordinal: u32) -> Result<(Box<dyn Pool>, MemoryPlace)> {
        let file = ImportedFile::open(descriptor)?;
        let pool = ImportedPool::new(Arc::clone(&self.shared), file, ordinal)?;
        let place = pool.place;
        Ok((Box::new(pool), place))
    }

    fn virtual_memory(&self) -> &dyn VirtualMemory {
        self
    }

    fn page_size(&self, block: Block) -> usize {
        if block.token & HOST != 0 {
            return pages::page_size(block.addr, block.len);
        }
        if block.token & IMPORTED != 0 {
            return pages::page_size(block.addr + self.shared.library_view, block.len);
        }
        let memory = self.shared.memory_of(((block.token & !MARKS) >> 32) as u32);
        memory.map_or_else(pages::ordinary, |memory| memory.page_size(block))
    }

    fn host_block_len(&self, len: usize) -> usize {
        Arena::block_len(len as u64) as usize
    }

    fn hold_process(&self, patience: Duration) -> Result<()> {
        self.shared.hold.begin(&self.shared.devices, patience)
    }

    fn save_memory(&self, kept: &[(usize, usize)]) -> Result<()> {
        self.shared.open_memories().try_for_each(|memory| memory.save(kept))
    }

    fn restore_memory(&self) -> Result<()> {
        self.shared.open_memories().try_for_each(|memory| memory.bring_back())
    }

    fn release_process(&self) -> Result<()> {
        self.shared.hold.end(&self.shared.devices);
        Ok(())
    }

    fn shutdown(&self, patience: Duration) -> bool {
        self.shared.watcher.stop();
        let deadline = Instant::now() + patience;
        let all = self.executor.stop(patience) & self.shared.task_threads.stop(deadline);
        if all {
            self.reap(usize::MAX);
            self.shared.users.clear();
            self.shared.imports.close();
            self.shared.ranges.all.lock().clear();
            self.shared.unloading.clear();
            self.segments.close();
            self.host.close();
            *self.explains_faults.lock() = None;
        }
        all
    }
}

impl Drop for CpuDriver {
    /// Shuts down a driver that was not shut down, or whose threads were still in user code then.
    fn drop(&mut self) {
        self.shutdown(PATIENCE);
    }
}
