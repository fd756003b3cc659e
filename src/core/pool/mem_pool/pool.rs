//! What is behind the handle of a pool. It lives on after the handle until the last of its memory is
//! freed, and is found by that memory.

mod driver_pool;
mod home;
mod teardown;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use parking_lot::Mutex;

pub use self::driver_pool::DriverPool;
pub use self::home::Home;
use super::backing;
use super::core_pool::CorePool;
use super::stats::Ended;
use crate::algo::alloc::pool::{GRAIN, StreamKey};
use crate::algo::map::slot_table::{Handle, SlotTable};
use crate::algo::sync::reclaim::Pin;
use crate::backend::{self, Block, PoolAttribute, PoolSharing};
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles;
use crate::core::base::release_failure;
use crate::core::memory::access::AccessTable;
use crate::core::memory::allocation::{Allocation, Owner, PoolMemory, PoolTag};
use crate::core::order;
use crate::core::runtime::device::Device;
use crate::core::stream::Stream;

/// All of them, those included whose handle is gone.
pub(super) static POOLS: SlotTable<Pool> = SlotTable::new(handles::Kind::PoolState as u8);

/// In [`Pool::state`]: its handle is gone, and it ends with its last block.
pub(super) const RETIRED: u8 = 1;
/// Its device wants to know what becomes of its memory.
const NOTED: u8 = 2;

/// Who does the work.
pub enum Inner {
    /// The core.
    Core(Box<CorePool>),
    /// The driver.
    Driver(DriverPool),
}

/// What a pool's memory is for.
pub enum Use {
    /// The program's requests.
    Program,
    /// It is another process's, of which single allocations are imported.
    Imported,
    /// Captured requests from a pool with this access.
    Graphs(Arc<AccessTable>),
}

/// A pool without its handle.
pub struct Pool {
    /// By which it is found.
    pub key: Handle,
    /// Of its memory.
    pub(super) owner: Owner,
    /// Where its memory is.
    pub home: Home,
    /// How the address map knows its memory.
    pub tag: PoolTag,
    /// How other processes can have it.
    pub sharing: PoolSharing,
    /// It is another process's.
    pub is_imported: bool,
    /// Its memory is that of graphs, and programs know the pool beside it.
    pub serves_graphs: bool,
    /// The key of what gives memory to graphs instead of this pool, if anything does. Locked while that is made, and
    /// while the access to both changes. It holds nothing: who ends a pool waits until nobody does.
    pub graphs: Mutex<Option<Handle>>,
    /// Who may use its memory.
    pub access: Arc<AccessTable>,
    /// Who does the work.
    pub inner: Inner,
    /// [`RETIRED`], [`NOTED`] or both.
    pub(super) state: AtomicU8,
    /// Its handle, also when that is gone; 0: it has none yet.
    handle: AtomicU64,
    /// Requests that it could not serve.
    failures: AtomicU64,
    /// Where it is counted when it is gone.
    pub ended: Arc<Ended>,
}

impl Pool {
    /// A pool without memory.
    pub fn create(
        inner: Inner,
        home: Home,
        sharing: PoolSharing,
        is_for: Use,
        ended: &Arc<Ended>,
    ) -> Result<Arc<Self>> {
        backing::register();
        let (is_imported, serves_graphs) =
            (matches!(is_for, Use::Imported), matches!(is_for, Use::Graphs(_)));
        let access = match is_for {
            Use::Program | Use::Imported => Arc::new(home.first_access()),
            Use::Graphs(access) => access,
        };
        let mut made = None;
        POOLS.insert_with(|key| {
            let owner = Owner::new();
            let is_noted = matches!(&inner, Inner::Core(own) if own.is_noted());
            let pool = Arc::new(Self {
                key,
                owner,
                home,
                tag: PoolTag::new(home.kind(), owner, key),
                sharing,
                is_imported,
                serves_graphs,
                graphs: Mutex::default(),
                access,
                inner,
                state: AtomicU8::new(if is_noted { NOTED } else { 0 }),
                handle: AtomicU64::new(0),
                failures: AtomicU64::new(0),
                ended: Arc::clone(ended),
            });
            made = Some(Arc::clone(&pool));
            pool
        });
        made.ok_or_else(|| {
            Error::new(Code::BadAlloc, "no more memory pools can be made; destroy some")
        })
    }

    /// The pool of some memory.
    #[inline]
    pub fn of<'a>(memory: &PoolMemory, pin: &'a Pin) -> Option<&'a Self> {
        POOLS.get_raw_pinned(memory.pool, pin)
    }

    /// The same, for calls that may wait.
    pub fn share_of(memory: &Allocation) -> Option<Arc<Self>> {
        POOLS.get_arc(memory.pool()?)
    }

    /// The pool with this key, while it is there.
    pub fn find(key: Option<Handle>) -> Option<Arc<Self>> {
        POOLS.get_arc(key?)
    }

    /// All of them.
    pub fn all() -> Vec<Arc<Self>> {
        POOLS.snapshot().into_iter().map(|(_, pool)| pool).collect()
    }

    /// By this handle programs know it.
    pub fn set_handle(&self, handle: Handle) {
        self.handle.store(handle.raw(), Ordering::Relaxed);
    }

    /// Whether it is on another device than this one.
    #[inline]
    pub fn is_on_other_device(&self, device: &Device) -> bool {
        matches!(self.home, Home::Device(_, owner) if owner != device.owner)
    }

    /// By which programs know it, or did.
    pub fn handle(&self) -> u64 {
        self.handle.load(Ordering::Relaxed)
    }

    /// How many requests it could not serve.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Counts a request that it could not serve.
    #[cold]
    pub fn failed(&self, error: Error) -> Error {
        self.failures.fetch_add(1, Ordering::Relaxed);
        error
    }

    /// Memory that can be had without waiting: its address. None: it takes more than that.
    #[inline(always)]
    pub fn alloc(
        &self,
        len: usize,
        stream: &Stream,
        device: Option<&Device>,
    ) -> Result<Option<usize>> {
        match &self.inner {
            Inner::Core(own) => match own.alloc(len, stream, self.tag) {
                Ok(Some(addr)) => self.keep(addr).map(Some),
                Ok(None) => Ok(None),
                Err(error) => Err(self.failed(error)),
            },
            Inner::Driver(driver) => self.take(driver, len, stream, device).map(Some),
        }
    }

    /// Memory in any way that there is.
    pub fn alloc_more(
        &self,
        len: usize,
        stream: &Stream,
        device: Option<&Device>,
    ) -> Result<usize> {
        match &self.inner {
            Inner::Core(own) => {
                let taken = own.alloc_more(len, stream, device, self.tag);
                self.keep(taken.map_err(|error| self.failed(error))?)
            }
            Inner::Driver(driver) => self.take(driver, len, stream, device),
        }
    }

    /// Leaves a block of the core's own to the program, which the address map has: its address.
    #[inline]
    pub fn keep(&self, addr: usize) -> Result<usize> {
        // Whoever destroys the pool sees the block after this, or is seen here.
        match self.state.load(Ordering::SeqCst) {
            0 => Ok(addr),
            state => self.keep_noted(addr, state),
        }
    }

    /// As [`Self::keep`], where there is something to note about the pool.
    #[cold]
    fn keep_noted(&self, addr: usize, state: u8) -> Result<usize> {
        let Inner::Core(own) = &self.inner else { return Ok(addr) };
        if state & RETIRED != 0 {
            return Err(self.too_late(|| own.undo(addr)));
        }
        if let Some(found) = Allocation::find_pools(addr) {
            own.note_allocated(addr, found.len);
        }
        Ok(addr)
    }

    /// Memory of the driver's, in the lengths in which it counts its memory as well.
    #[inline(always)]
    fn take(
        &self,
        driver: &DriverPool,
        len: usize,
        stream: &Stream,
        device: Option<&Device>,
    ) -> Result<usize> {
        let len = rounded(len);
        let block = match driver.pool.alloc(len, stream.native()) {
            Ok(block) => block,
            Err(fault) => driver
                .alloc_again(fault, len, stream, device)
                .map_err(|error| self.failed(error))?,
        };
        self.keep_driver_block(driver, block)
    }

    /// As [`Self::keep`], of the driver's block, which nobody knows yet.
    #[inline(always)]
    pub(super) fn keep_driver_block(&self, driver: &DriverPool, block: Block) -> Result<usize> {
        let undo = || {
            // The first failure is the one to tell.
            let _ = driver.pool.free_now(block);
            driver.tally.unmade(block.len);
        };
        // Whoever destroys the pool sees the block after this, or is seen here.
        driver.tally.made(block.len);
        if self.is_retired() {
            return Err(self.too_late(undo));
        }
        if let Err(error) = Allocation::register_of_pool(block, self.tag) {
            undo();
            return Err(self.failed(error));
        }
        Ok(block.addr)
    }

    #[cold]
    fn too_late(&self, undo: impl FnOnce()) -> Error {
        undo();
        release_failure::note_fault("memory of a destroyed pool", self.end_if_retired());
        Error::param_invalid("memPool was destroyed by another thread meanwhile")
    }

    /// Takes memory back in the order of `stream`. False: another thread was faster. Who hears true looks
    /// whether the pool [is retired](Self::is_retired): this may have been its last.
    #[inline(always)]
    pub fn free(&self, found: PoolMemory, stream: &Stream) -> Result<bool> {
        match &self.inner {
            Inner::Core(own) => {
                let lane = order::lane(stream)?;
                let position = lane.free()?;
                if !own.free(found, lane, position) {
                    return Ok(false);
                }
            }
            Inner::Driver(driver) => {
                if !driver.tally.freed_if(found.len, || Allocation::retire(found.entry)) {
                    return Ok(false);
                }
                driver.pool.free(found.block(), stream.native())?;
            }
        }
        Ok(true)
    }

    /// Takes memory back at once. False: another thread was faster.
    pub fn free_now(&self, found: &Allocation) -> Result<bool> {
        let Some(now) = Allocation::find_pools(found.base) else { return Ok(false) };
        if now.pool != self.key.raw() || now.len != found.len || now.note != found.block().token {
            return Ok(false);
        }
        let freed = match &self.inner {
            Inner::Core(own) if own.free_now(now) => Ok(()),
            Inner::Driver(driver)
                if driver.tally.freed_if(now.len, || Allocation::retire(now.entry)) =>
            {
                driver.pool.free_now(now.block())
            }
            _ => return Ok(false),
        };
        freed.and(self.end_if_retired())?;
        Ok(true)
    }

    /// Whether its handle is gone.
    #[inline]
    pub fn is_retired(&self) -> bool {
        self.state.load(Ordering::SeqCst) & RETIRED != 0
    }

    /// Nothing comes from this stream any more, and all that did has happened.
    pub fn forget_lane(&self, lane: StreamKey) {
        if let Inner::Core(own) = &self.inner {
            own.forget(lane);
        }
    }

    /// An attribute's value.
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

    /// Gives back what is free while `keep` bytes remain.
    pub fn trim(&self, keep: usize) -> Result<()> {
        match &self.inner {
            Inner::Core(own) => Ok(own.trim(keep as u64)?),
            Inner::Driver(driver) => Ok(driver.pool.trim(keep)?),
        }
    }

    /// What the driver has to know of a change of access, if it does the work.
    pub fn set_driver_access(&self, id: u32, access: backend::Access) -> Result<()> {
        match &self.inner {
            Inner::Core(_) => Ok(()),
            Inner::Driver(driver) => Ok(driver.pool.set_access(id, access)?),
        }
    }

    /// What a device may do with its memory. Of its own pools the driver knows best.
    pub fn access_of(&self, id: u32) -> Result<backend::Access> {
        match &self.inner {
            Inner::Driver(driver) if !self.is_imported => Ok(driver.pool.access(id)?),
            _ => Ok(self.access.get(id)),
        }
    }

    /// The backend's block that memory of this pool is in, if the core cuts it up.
    pub fn segment(&self, addr: usize) -> Option<Block> {
        match &self.inner {
            Inner::Core(own) => own.segment(addr),
            Inner::Driver(_) => None,
        }
    }
}

/// Bytes that a request of `size` bytes gets, of the core's pools and of a driver's.
#[inline(always)]
pub fn rounded(size: usize) -> usize {
    // What overflows is too much for any pool.
    size.checked_next_multiple_of(GRAIN).unwrap_or(size)
}
