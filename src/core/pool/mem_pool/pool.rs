//! A pool behind its handle. It lives until the last of its memory is freed, and is found by that memory.
//!
//! A pool may be destroyed, and its device reset, while other threads allocate. The destroying thread sets flags and
//! then counts the blocks; an allocating thread takes a block and reads a flag: that of the pool after it took the
//! block, or, if a core pool serves it at once, that of the bookkeeping under its lock. One of the two sees the other.
//! An allocation that finds no memory waits for pending frees, but only for those that complete without further action
//! of the program.

mod driver_pool;
mod home;
mod teardown;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

pub use self::driver_pool::DriverPool;
pub use self::home::Home;
use super::OPERATIONS;
use super::core_pool::CorePool;
use super::stats::Ended;
use crate::algo::alloc::pool::GRAIN;
use crate::algo::map::slot_table::{Handle, SlotTable};
use crate::algo::sync::reclaim::Pin;
use crate::backend::{self, Block, PoolAttribute, PoolChange, PoolOptions};
use crate::base::error::{Error, Result, invalid_param, param_invalid};
use crate::base::owner::Owner;
use crate::base::{handles, release_failure};
use crate::memory::access::AccessTable;
use crate::memory::allocation::backing::{self, PoolUse};
use crate::memory::allocation::{ALLOCATIONS, Allocation, PoolMemory, PoolTag};
use crate::memory::memory_hook::{Event, HOST, MemoryKind};
use crate::runtime::device::Device;
use crate::stream::Stream;

/// All pools, including those whose handle is destroyed.
pub(super) static POOLS: SlotTable<Pool> = SlotTable::new(handles::Kind::PoolState as u8);

/// The implementation.
pub enum Inner {
    /// The core implements the pool.
    Core(Box<CorePool>),
    /// The driver implements the pool.
    Driver(DriverPool),
}

/// A pool, without its handle.
pub struct Pool {
    /// The key by which the pool is found from its memory.
    pub key: Handle,
    /// The owner of its memory.
    pub(super) owner: Owner,
    /// The place of its memory.
    pub home: Home,
    /// The tag of its memory in the address map.
    pub tag: PoolTag,
    /// The options that it was created with.
    pub options: PoolOptions,
    /// Its users. If they are graphs, programs know the pool beside it.
    pub used_by: PoolUse,
    /// The key of the pool that serves graphs beside this one, if there is one. Locked while that pool is created, and
    /// while the access to both changes. It is no reference, because a teardown waits until the pool has none.
    pub graphs: Mutex<Option<Handle>>,
    /// The devices that may use its memory.
    pub access: Arc<AccessTable>,
    /// The implementation.
    pub inner: Inner,
    /// True if the handle is destroyed. The pool ends with its last block.
    is_retired: AtomicBool,
    /// Its handle, also after that is destroyed; 0: it has none yet.
    handle: AtomicU64,
    /// Number of failed requests.
    failures: AtomicU64,
    /// Its statistics are added to this at its end.
    pub ended: Arc<Ended>,
}

impl Pool {
    /// Creates a pool without memory.
    pub fn create(
        mut inner: Inner,
        home: Home,
        options: PoolOptions,
        used_by: PoolUse,
        access: Arc<AccessTable>,
        ended: &Arc<Ended>,
    ) -> Result<Arc<Self>> {
        backing::register(&OPERATIONS);
        let made = POOLS.publish(|key| {
            let owner = Owner::new();
            let tag = PoolTag::new(home.kind(), owner, key);
            if let Inner::Core(own) = &mut inner {
                own.set_tag(tag);
                if own.noted.is_some() {
                    // Each block is reported.
                    own.end_quick_requests();
                }
            }
            Self {
                key,
                owner,
                home,
                tag,
                options,
                used_by,
                graphs: Mutex::default(),
                access,
                inner,
                is_retired: AtomicBool::new(false),
                handle: AtomicU64::new(0),
                failures: AtomicU64::new(0),
                ended: Arc::clone(ended),
            }
        });
        made.ok_or_else(|| Error::no_more("memory pools"))
    }

    /// Returns the pool of some memory.
    #[inline]
    pub fn of<'a>(memory: &PoolMemory, pin: &'a Pin) -> Option<&'a Self> {
        POOLS.get_raw_pinned(memory.pool, pin)
    }

    /// Returns the pool of some memory, for calls that may wait.
    pub fn share_of(memory: &Allocation) -> Option<Arc<Self>> {
        POOLS.get_arc(memory.pool()?)
    }

    /// Returns the pool with this key, if it exists.
    pub fn find(key: Option<Handle>) -> Option<Arc<Self>> {
        POOLS.get_arc(key?)
    }

    /// Returns the number of pools.
    pub fn count() -> usize {
        POOLS.count()
    }

    /// Returns all pools.
    pub fn all() -> Vec<Arc<Self>> {
        POOLS.live().map(|(_, pool)| pool).collect()
    }

    /// Whether it was imported from another process.
    #[inline]
    pub fn is_imported(&self) -> bool {
        self.used_by == PoolUse::Imported
    }

    /// Sets the handle by which programs know it.
    pub(crate) fn set_handle(&self, handle: Handle) {
        self.handle.store(handle.raw(), Ordering::Relaxed);
    }

    /// Returns the handle of the pool, which may be destroyed.
    pub fn handle(&self) -> u64 {
        self.handle.load(Ordering::Relaxed)
    }

    /// Returns the number of failed requests.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Counts a failed request.
    #[cold]
    pub fn failed(&self, error: Error) -> Error {
        self.failures.fetch_add(1, Ordering::Relaxed);
        error
    }

    /// Returns what hooks see of a request for the pool's memory, or of a release, in the order of a stream.
    #[inline]
    pub fn event(&self, size: usize, rounded: usize, stream: u64) -> Event {
        let device = self.home.device().map_or(HOST, |id| id as i32);
        Event { stream, ..Event::of_request(device, MemoryKind::of_pool(self.used_by), size, rounded) }
    }

    /// Fails for requests that no pool serves, or not this one.
    #[inline]
    pub(crate) fn check_request(&self, len: usize) -> Result<()> {
        // `arguments` would take more instructions in each allocation.
        ensure!(len != 0, invalid_param!("size is 0; allocate at least one byte"));
        if self.is_imported() {
            return Err(param_invalid!(
                "memPool {:#x} was imported, and only the exporter allocates from it; import single allocations with \
                 portaclMemPoolImportPointer",
                self.handle()
            ));
        }
        Ok(())
    }

    /// Allocates without waiting. Returns the address, or `None` if that is not possible.
    #[inline(always)]
    pub fn alloc(&self, len: usize, stream: &Stream, device: Option<&Device>) -> Result<Option<usize>> {
        self.check_request(len)?;
        match &self.inner {
            Inner::Core(own) => match own.alloc(len, stream.lane()?) {
                None if self.is_retired() => Err(self.too_late(|| ())),
                found => Ok(found),
            },
            Inner::Driver(driver) => self.take(driver, len, stream, device).map(Some),
        }
    }

    /// Publishes a block of a core pool that was not served at once, and that is in the address map. Returns its
    /// address. Fails if the pool is retired.
    pub fn keep(&self, addr: usize) -> Result<usize> {
        let Inner::Core(own) = &self.inner else { return Ok(addr) };
        // Either a concurrent destroy sees the block, or this sees its flag.
        ensure!(!self.is_retired(), self.too_late(|| own.undo(addr)));
        if own.noted.is_some()
            && let Some(found) = Allocation::find_pools(addr)
        {
            // The block is reported before the program gets it.
            own.note(addr, found.len, PoolChange::Lent);
        }
        Ok(addr)
    }

    /// Allocates from a driver's pool, in multiples of the length that the driver counts.
    #[inline(always)]
    fn take(&self, driver: &DriverPool, len: usize, stream: &Stream, device: Option<&Device>) -> Result<usize> {
        let len = rounded(len);
        let block = match driver.pool.alloc(len, stream.native()) {
            Ok(block) => block,
            Err(fault) => driver.alloc_again(fault, len, stream, device).map_err(|error| self.failed(error))?,
        };
        self.keep_driver_block(driver, block)
    }

    /// Publishes a driver's block, as [`Self::keep`] does for a core pool.
    #[inline(always)]
    pub(super) fn keep_driver_block(&self, driver: &DriverPool, block: Block) -> Result<usize> {
        let undo = || {
            // The first failure is returned.
            let _ = driver.pool.free_now(block);
            driver.tally.unmade(block.len);
        };
        // Either a concurrent destroy sees the block, or this sees its flag.
        driver.tally.made(block.len);
        ensure!(!self.is_retired(), self.too_late(undo));
        if let Err(error) = Allocation::register_of_pool(block, self.tag) {
            undo();
            return Err(self.failed(error));
        }
        Ok(block.addr)
    }

    #[cold]
    fn too_late(&self, undo: impl FnOnce()) -> Error {
        undo();
        release_failure::note_outcome("memory in a destroyed pool was not freed", self.end_if_retired());
        param_invalid!(
            "another thread has destroyed memPool {:#x} during this call; destroy it after the call",
            self.handle()
        )
    }

    /// Frees memory in the order of `stream`. Returns false if another thread has freed it. After true the caller
    /// checks whether the pool [is retired](Self::is_retired), because this may have been its last block.
    #[inline(always)]
    pub fn free(&self, found: PoolMemory, stream: &Stream) -> Result<bool> {
        match &self.inner {
            Inner::Core(own) => {
                let lane = stream.lane()?;
                let position = lane.free()?;
                if !own.free(found, lane, position) {
                    return Ok(false);
                }
            }
            Inner::Driver(driver) => {
                if !driver.tally.freed_if(found.len, || ALLOCATIONS.retire(found.entry)) {
                    return Ok(false);
                }
                driver.pool.free(found.block(), stream.native())?;
            }
        }
        Ok(true)
    }

    /// Frees memory at once. Returns false if another thread has freed it.
    pub fn free_now(&self, found: &Allocation) -> Result<bool> {
        let Some(now) = Allocation::find_pools(found.base) else { return Ok(false) };
        if now.pool != self.key.raw() || now.len != found.len || now.note != found.block().token {
            return Ok(false);
        }
        let freed = match &self.inner {
            Inner::Core(own) if own.free_now(now) => Ok(()),
            Inner::Driver(driver) if driver.tally.freed_if(now.len, || ALLOCATIONS.retire(now.entry)) => {
                driver.pool.free_now(now.block())
            }
            Inner::Core(_) | Inner::Driver(_) => return Ok(false),
        };
        freed.and(self.end_if_retired())?;
        Ok(true)
    }

    /// Whether the handle of the pool is destroyed.
    #[inline]
    pub fn is_retired(&self) -> bool {
        self.is_retired.load(Ordering::SeqCst)
    }

    /// Returns the value of an attribute.
    pub fn attribute(&self, attribute: PoolAttribute) -> Result<u64> {
        match &self.inner {
            Inner::Core(own) => Ok(own.get(attribute)),
            Inner::Driver(driver) => Ok(driver.pool.get(attribute)?),
        }
    }

    /// Sets an attribute that can be set, to a value that it can have.
    pub fn set_attribute(&self, attribute: PoolAttribute, value: u64) -> Result<()> {
        match &self.inner {
            Inner::Core(own) => own.set(attribute, value),
            Inner::Driver(driver) => driver.pool.set(attribute, value)?,
        }
        Ok(())
    }

    /// Frees unused memory while `keep` bytes remain.
    pub fn trim(&self, keep: usize) -> Result<()> {
        match &self.inner {
            Inner::Core(own) => Ok(own.trim(keep as u64)?),
            // An imported pool reserves nothing in this process, and the driver refuses to trim it.
            Inner::Driver(_) if self.is_imported() => Ok(()),
            Inner::Driver(driver) => Ok(driver.pool.trim(keep)?),
        }
    }

    /// Passes a change of access to the driver, if the pool is the driver's.
    pub(crate) fn set_driver_access(&self, id: u32, access: backend::Access) -> Result<()> {
        match &self.inner {
            Inner::Core(_) => Ok(()),
            Inner::Driver(driver) => Ok(driver.pool.set_access(id, access)?),
        }
    }

    /// Returns a device's access to the pool's memory. For the driver's pools it queries the driver.
    pub(crate) fn access_of(&self, id: u32) -> Result<backend::Access> {
        match &self.inner {
            Inner::Driver(driver) if !self.is_imported() && !self.home.is_managed => Ok(driver.pool.access(id)?),
            Inner::Core(_) | Inner::Driver(_) => Ok(self.access.get(id)),
        }
    }

    /// Returns the backend's block that contains memory in this pool, if the core divides it.
    pub fn segment(&self, addr: usize) -> Option<Block> {
        match &self.inner {
            Inner::Core(own) => own.segment(addr),
            Inner::Driver(_) => None,
        }
    }
}

/// Returns the number of bytes that a request of `size` bytes gets, from core pools and from driver pools.
#[inline(always)]
pub fn rounded(size: usize) -> usize {
    // A size that overflows is too large for any pool.
    size.checked_next_multiple_of(GRAIN).unwrap_or(size)
}
