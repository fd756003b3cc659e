//! The driver.

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};

use crate::backend::base::probe;
use crate::backend::base::timer::Timer;
use crate::backend::cpu::base::arena::HUGE;
use crate::backend::cpu::base::host_ranges;
use crate::backend::cpu::base::machine;
use crate::backend::cpu::base::pages;
use crate::backend::cpu::kernel::loaded_objects;
use crate::backend::cpu::kernel::module::LoadedObject;
use crate::backend::cpu::memory::bounds;
use crate::backend::cpu::memory::bounds::{Bounds, Check};
use crate::backend::cpu::memory::budget::Budget;
use crate::backend::cpu::memory::capacity;
use crate::backend::cpu::memory::capacity::Capacity;
use crate::backend::cpu::memory::device_memory::{DeviceMemory, SHARED};
use crate::backend::cpu::memory::host_access::Handler;
use crate::backend::cpu::memory::host_register::Registered;
use crate::backend::cpu::memory::pending::{Deferred, Users};
use crate::backend::cpu::memory::pinned::{HOST, HostMemory};
use crate::backend::cpu::memory::virtual_memory::Ranges;
use crate::backend::cpu::memory::windows;
use crate::backend::cpu::memory::windows::Windows;
use crate::backend::cpu::pool::shared_file::ImportedFile;
use crate::backend::cpu::pool::shared_memory::{
    HostSegments, IMPORTED, ImportedPool, Imports, MARKS, SharedHostMemory,
};
use crate::backend::cpu::runtime::device::CpuDevice;
use crate::backend::cpu::runtime::info;
use crate::backend::cpu::runtime::snapshot::Hold;
use crate::backend::cpu::runtime::utilization::Busy;
use crate::backend::cpu::stream::executor::Executor;
use crate::backend::cpu::stream::queue::Queue;
use crate::backend::cpu::transfer::memcpy;
use crate::backend::memory::known;
use crate::backend::runtime::atomics::{
    FLOAT_ADD, REDUCTION, SCALAR_8, SCALAR_16, SCALAR_32, SCALAR_64, SIGNED, UNSIGNED,
};
use crate::backend::stream::watch::Watcher;
use crate::backend::{
    AtomicMemory, Block, Device, DeviceInfo, Driver, Fault, FaultKind, Foreign, ForeignBlock,
    Notifies, Notify, Place, Pool, PoolPlace, Result, SharedMemory, Span, VirtualMemory,
};

/// How long [`Driver::shutdown`] waits for user code.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// Deferred blocks that an ordinary call looks at.
pub const REAP: usize = 8;
/// Guard mode: how long ranges of addresses can be at most where devices have less memory.
pub const GUARDED_RANGE: usize = 64 << 30;

/// How the devices are to be.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many devices there are, at most 64.
    pub devices: u32,
    /// Bytes of memory of each, a limit of its own, rounded up to 2 MiB. None: each can have nearly
    /// all memory of this machine, and all together no more than that.
    pub memory_per_device: Option<u64>,
    /// Nothing runs in the caller, nobody helps, and operations are delayed by chance: what a
    /// program has forgotten to wait for is then not there.
    pub asynchronous: bool,
    /// What the delays depend on.
    pub seed: u64,
    /// The host has no access to device memory: what touches it faults, with a text.
    pub guard: bool,
}

impl Default for Options {
    /// Four devices that share what memory there is.
    fn default() -> Self {
        Self { devices: 4, memory_per_device: None, asynchronous: false, seed: 0, guard: false }
    }
}

/// Makes the devices available. None holds memory or threads before it is opened.
pub fn open(options: Options) -> Result<Arc<dyn Driver>> {
    open_chosen(options, |count| (0..count).collect())
}

/// As [`open`], with only those devices, in that order, that `choose` picks from so many.
pub fn open_chosen(
    options: Options,
    choose: impl FnOnce(u32) -> Vec<u32>,
) -> Result<Arc<dyn Driver>> {
    Ok(Arc::new(CpuDriver::new(options, choose)?))
}

/// What all devices have in common.
pub struct Shared {
    pub options: Options,
    pub capacity: Capacity,
    /// What all devices have taken together.
    pub budget: Arc<Budget>,
    /// How far behind an address of device memory the library's own view of it is: 0, or in guard
    /// mode the addresses of a device's memory and [`GUARDED_RANGE`] at least.
    pub own_view: usize,
    /// How accesses outside of allocations are found.
    pub check: Check,
    /// Those of page-locked host memory.
    pub host_bounds: Arc<Bounds>,
    pub cores: usize,
    pub executor: Arc<Executor>,
    pub timer: Arc<Timer<Queue>>,
    pub watcher: Arc<Watcher>,
    pub notifies: Notifies,
    pub users: Users,
    pub devices: Box<[Slot]>,
    /// The number that each of them has among all, chosen or not.
    pub numbers: Box<[u32]>,
    pub windows: Windows,
    /// Memory of other processes.
    pub imports: Imports,
    /// Addresses without memory, and what is mapped there.
    pub ranges: Ranges,
    /// Programs that were unloaded while operations were using their variables.
    pub unloading: Deferred<Arc<LoadedObject>>,
    pub hold: Hold,
}

/// The place of one device.
pub struct Slot {
    /// How many 2 MiB pages of it are still to be made huge, see [`DeviceMemory::prepare`]. Here,
    /// so that it can be looked at without a lock.
    pub wanted: Arc<AtomicUsize>,
    /// Its memory while it is open.
    pub memory: RwLock<Option<Arc<DeviceMemory>>>,
    /// The device while somebody holds it.
    pub device: Mutex<Weak<CpuDevice>>,
    pub busy: Busy,
}

impl Slot {
    pub fn new() -> Self {
        Self {
            wanted: Arc::default(),
            memory: RwLock::default(),
            device: Mutex::default(),
            busy: Busy::new(),
        }
    }
}

impl Shared {
    /// The pointer to use for a span. The one place where an address that a program has becomes
    /// one that this library uses.
    #[inline]
    pub fn pointer(&self, span: &Span) -> *mut u8 {
        let mut addr = span.addr;
        if let Place::Device(ordinal) = span.place {
            addr += self.view_of(addr);
            let slot = &self.devices[ordinal as usize];
            if slot.wanted.load(Ordering::Relaxed) != 0 {
                self.prepare(ordinal, span);
            }
        }
        memcpy::address(addr)
    }

    /// How far behind an address of a device our own view of it is: nothing where it is a variable of
    /// a shared object, which both see in the same place.
    #[inline]
    pub fn view_of(&self, addr: usize) -> usize {
        if self.own_view == 0 { 0 } else { self.guarded_view_of(addr) }
    }

    #[cold]
    pub fn guarded_view_of(&self, addr: usize) -> usize {
        if loaded_objects::contain(addr) { 0 } else { self.own_view }
    }

    /// Lets go of what was given back and is not used any more, looking at `limit` of each kind.
    pub fn reap(&self, limit: usize) {
        self.imports.reap(limit);
        self.ranges.reap();
        self.unloading.reap(limit, drop);
    }

    #[cold]
    pub fn prepare(&self, ordinal: u32, span: &Span) {
        self.hold.pass();
        match self.memory_of(ordinal) {
            Some(memory) if memory.contains(span.addr) => memory.prepare(span.addr, span.len),
            Some(_) => self.ranges.prepare(span.addr, span.len),
            None => {}
        }
    }

    #[cold]
    pub fn memory_of(&self, ordinal: u32) -> Option<Arc<DeviceMemory>> {
        self.devices[ordinal as usize].memory.read().clone()
    }

    /// Nobody has this address of a device, and the host cannot use it: what is there now, if
    /// anything, is not the program's.
    #[cold]
    pub fn is_stale(&self, ordinal: u32, addr: usize) -> bool {
        // Of a device that was closed somebody else may have taken the place.
        self.memory_of(ordinal).is_some_and(|memory| memory.contains(addr))
            || !probe::is_readable(addr)
    }

    /// A kernel is about to run: what programs have given back to pools is not theirs.
    #[cold]
    pub fn settle_parts(&self) {
        let ordinals = 0..self.devices.len() as u32;
        ordinals
            .filter_map(|ordinal| self.memory_of(ordinal))
            .for_each(|memory| memory.reap_parts());
    }

    /// A kernel has run: what it, or another one, has overwritten beside allocations.
    #[cold]
    pub fn look_for_damage(&self, kernel: &str) -> Result<()> {
        let ordinals = 0..self.devices.len() as u32;
        let memories = ordinals.filter_map(|ordinal| self.memory_of(ordinal));
        let damages = memories.filter_map(|memory| memory.damage());
        let all: Vec<_> = damages.chain(self.host_bounds.damage()).collect();
        let when = format!("kernel {kernel} had run");
        let faults: Vec<_> = all.iter().map(|damage| bounds::report(damage, &when)).collect();
        faults.into_iter().next().map_or(Ok(()), Err)
    }

    /// As [`CpuDevice::reap`] of all devices: one of them needs the memory that they share.
    #[cold]
    pub fn reap_devices(&self) -> bool {
        let mut any = false;
        for slot in &self.devices {
            let device = slot.device.lock().upgrade();
            any |= device.is_some_and(|device| device.reap(usize::MAX));
        }
        any
    }

    pub fn close_device(&self, ordinal: u32) {
        *self.devices[ordinal as usize].memory.write() = None;
    }
}

pub struct CpuDriver {
    pub shared: Arc<Shared>,
    pub host: Arc<HostMemory>,
    /// Host memory that other processes can have.
    pub segments: Arc<HostSegments>,
    pub deferred: Deferred,
    pub registered: Registered,
    /// Registrations that were taken back while operations were using them.
    pub unregistered: Deferred,
    /// Set by [`Driver::shutdown`].
    pub ended: AtomicBool,
    /// In guard mode, until the end.
    pub explains_faults: Mutex<Option<Handler>>,
}

impl CpuDriver {
    pub fn new(options: Options, choose: impl FnOnce(u32) -> Vec<u32>) -> Result<Self> {
        let cores = machine::cores();
        let numbers = choose(options.devices);
        let check = Check::of(options.guard);
        let capacity = match options.memory_per_device {
            None => Capacity::of_machine(numbers.len(), check.addresses()),
            Some(each) => Capacity::of_limit(each).ok_or_else(|| {
                let most = capacity::MOST;
                let text = format!(
                    "PORTACL_CPU_MEMORY: {each} bytes per device; it must be 1 to {most} bytes"
                );
                Fault::new(FaultKind::Unsupported, text)
            })?,
        };
        let memory = capacity.each;
        let span = check.span(memory) as usize;
        let host_bounds = Arc::new(Bounds::new(check, 0, "in host memory".to_owned()));
        let host = Arc::new(HostMemory::new(Arc::clone(&host_bounds)));
        Ok(Self {
            shared: Arc::new(Shared {
                own_view: if options.guard { GUARDED_RANGE.max(span) } else { 0 },
                check,
                host_bounds,
                options,
                capacity,
                budget: Arc::new(Budget::new(capacity.all)),
                cores,
                executor: Executor::new(cores),
                timer: Arc::default(),
                watcher: Arc::default(),
                notifies: Notifies::default(),
                users: Users::new(),
                windows: Windows::new(numbers.len(), span),
                devices: numbers.iter().map(|_| Slot::new()).collect(),
                numbers: numbers.into(),
                imports: Imports::new(),
                ranges: Ranges::default(),
                unloading: Deferred::new(),
                hold: Hold::default(),
            }),
            segments: HostSegments::new(Arc::clone(&host)),
            host,
            deferred: Deferred::new(),
            registered: Registered::default(),
            unregistered: Deferred::new(),
            ended: AtomicBool::new(false),
            explains_faults: Mutex::new(options.guard.then(Handler::install)),
        })
    }

    pub fn reap(&self, limit: usize) {
        self.deferred.reap(limit, |block| self.give_host(block));
        self.shared.reap(limit);
        self.unregistered.reap(limit, |block| self.registered.unlock(block.addr, block.len));
    }

    pub fn open_memories(&self) -> Vec<Arc<DeviceMemory>> {
        (0..self.device_count()).filter_map(|ordinal| self.shared.memory_of(ordinal)).collect()
    }

    pub fn give_host(&self, block: Block) {
        if block.token & SHARED == 0 { self.host.give(block) } else { self.segments.give(block) }
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
        // All of it is memory of this process.
        Ok(true)
    }

    /// All is memory of this process: kernels do what processors do, by a loop where there is no instruction.
    fn atomics(
        &self,
        _ordinal: u32,
        _memory: AtomicMemory,
        operations: &[u32],
    ) -> Result<Vec<u32>> {
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
        let Shared { own_view, check, ref budget, .. } = *self.shared;
        let memory = DeviceMemory::new(ordinal, size, own_view, check, wanted, Arc::clone(budget))?;
        let memory = Arc::new(memory);
        let (base, len) = memory.range();
        known::cover(base, base + len);
        self.shared.windows.open(ordinal, base);
        if let Some(left) = slot.memory.write().replace(Arc::clone(&memory)) {
            // It was not closed, because something may use its memory for ever.
            std::mem::forget(left);
        }
        slot.busy.restart();
        let device = CpuDevice::new(Arc::clone(&self.shared), ordinal, memory);
        *slot.device.lock() = Arc::downgrade(&device);
        Ok(device)
    }

    fn alloc_host(&self, len: usize) -> Result<Block> {
        self.reap(REAP);
        self.host.take(len)
    }

    fn free_host(&self, block: Block) -> Result<()> {
        let damage = self.shared.host_bounds.damage_of(block.addr);
        self.reap(REAP);
        let mut fence = self.shared.users.fence(block.addr, block.len);
        if fence.has_passed() {
            self.give_host(block);
        } else {
            self.deferred.add(block, fence);
        }
        damage.map_or(Ok(()), |damage| Err(bounds::report(&damage, "it was freed")))
    }

    fn register_host(&self, addr: usize, len: usize) -> Result<usize> {
        self.reap(REAP);
        known::cover(addr, addr + len);
        let mut locked = self.registered.lock(addr, len)?;
        if locked.is_err() && self.host.make_room() {
            self.registered.unlock(addr, len);
            locked = self.registered.lock(addr, len)?;
        }
        if let Err(error) = locked {
            self.host.note_unlocked(len, &error);
        }
        Ok(addr)
    }

    fn unregister_host(&self, addr: usize, len: usize) -> Result<()> {
        self.reap(REAP);
        let mut fence = self.shared.users.fence(addr, len);
        if fence.has_passed() {
            self.registered.unlock(addr, len);
        } else {
            self.unregistered.add(Block { addr, len, token: 0 }, fence);
        }
        Ok(())
    }

    fn unlocked_host_bytes(&self) -> u64 {
        self.host.unlocked_bytes()
    }

    fn foreign(&self, addr: usize) -> Foreign {
        match self.shared.windows.device_at(addr) {
            Some(ordinal) if self.shared.is_stale(ordinal, addr) => Foreign::Stale,
            None if host_ranges::is_stale(addr) => Foreign::Stale,
            None if windows::was_near(addr) && !probe::is_readable(addr) => Foreign::Stale,
            None => loaded_objects::at(addr),
            Some(_) => Foreign::Unknown,
        }
    }

    fn foreign_block(&self, addr: usize) -> Option<ForeignBlock> {
        loaded_objects::block_at(addr)
    }

    fn native_device(&self, _ordinal: u32) -> Option<i32> {
        None
    }

    fn create_notify(&self) -> Result<Arc<Notify>> {
        self.shared.notifies.create()
    }

    fn import_notify(&self, bytes: &[u8], descriptor: BorrowedFd<'_>) -> Result<Arc<Notify>> {
        Notify::import(bytes, descriptor)
    }

    fn share_host(&self, node: u32) -> Result<Arc<dyn SharedMemory>> {
        let size = machine::memory().next_multiple_of(HUGE);
        Ok(Arc::new(SharedHostMemory::new(Arc::clone(&self.segments), size, node)?))
    }

    fn import_memory(
        &self,
        descriptor: BorrowedFd<'_>,
        ordinal: u32,
    ) -> Result<(Box<dyn Pool>, PoolPlace)> {
        let file = ImportedFile::open(descriptor)?;
        let pool = ImportedPool::new(Arc::clone(&self.shared), file, ordinal)?;
        let place = pool.place();
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
            return pages::page_size(block.addr + self.shared.own_view, block.len);
        }
        let memory = self.shared.memory_of(((block.token & !MARKS) >> 32) as u32);
        memory.map_or_else(pages::ordinary, |memory| memory.page_size(block))
    }

    fn host_block_len(&self, len: usize) -> usize {
        HostMemory::block_len(len)
    }

    fn hold_process(&self, patience: Duration) -> Result<()> {
        self.shared.hold.begin(&self.shared.devices, patience)
    }

    fn save_memory(&self, kept: &[(usize, usize)]) -> Result<()> {
        self.open_memories().iter().try_for_each(|memory| memory.save(kept))
    }

    fn restore_memory(&self) -> Result<()> {
        self.open_memories().iter().try_for_each(|memory| memory.bring_back())
    }

    fn release_process(&self) -> Result<()> {
        self.shared.hold.end(&self.shared.devices);
        Ok(())
    }

    fn shutdown(&self, patience: Duration) -> bool {
        self.ended.store(true, Ordering::Relaxed);
        self.shared.timer.stop();
        self.shared.watcher.stop();
        let all = self.shared.executor.stop(patience);
        if all {
            self.reap(usize::MAX);
            self.shared.users.clear();
            self.shared.imports.close();
            self.shared.ranges.close();
            self.shared.unloading.clear();
            self.segments.close();
            self.host.close();
            *self.explains_faults.lock() = None;
        }
        all
    }
}

impl Drop for CpuDriver {
    /// Ends the threads of a driver that was not shut down.
    fn drop(&mut self) {
        if *self.ended.get_mut() {
            return;
        }
        self.shared.timer.stop();
        self.shared.watcher.stop();
        if self.shared.executor.stop(PATIENCE) {
            self.shared.users.clear();
        }
    }
}
