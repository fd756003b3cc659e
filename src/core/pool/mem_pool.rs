//! Memory pools: memory that is taken and given back in stream order.
//!
//! A [`MemPool`] is what a handle names, a [`Pool`] what gives memory; the second lives on
//! until the last of its memory is freed. Where the driver has pools they are its own, else the core's
//! (`own.rs`), with what `core/order.rs` knows of streams.

pub mod access;
mod books;
pub mod current;
pub mod graphs;
mod hooked;
mod known;
pub mod own;
pub mod pool;
mod props;
pub mod sharing;
pub mod stats;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::own::{Own, Source};
use self::pool::{DriverPool, Home, Inner, Pool, Use};
pub use self::props::Props;
use crate::algo::alloc::pool::StreamKey;
use crate::algo::map::slot_table;
use crate::algo::map::slot_table::{Handle, Ref};
use crate::backend::{Block, PoolAttribute, PoolOptions, PoolPlace, PoolSharing};
use crate::core::base::ending::Ending;
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles::take_all;
use crate::core::base::handles::{self, Object};
use crate::core::base::release_failure;
use crate::core::graph;
use crate::core::memory;
use crate::core::memory::allocation::Allocation;
use crate::core::memory::hooked_memory;
use crate::core::memory::memory_hook::{self, MemoryKind};
use crate::core::memory::memory_stats::DeviceTallies;
use crate::core::memory::memory_stats::HostTallies;
use crate::core::pool::mem_pool::current::DevicePools;
use crate::core::runtime::device::{self, Device};
use crate::core::runtime::thread;
use crate::core::runtime::{self, Session};
use crate::core::stream::{self, Stream};

/// Values of `aclrtMemLocationType`.
pub mod at_location {
    /// Host memory.
    pub const HOST: i32 = 0;
    /// Memory of a device.
    pub const DEVICE: i32 = 1;
    /// Host memory of a NUMA node.
    pub const HOST_NODE: i32 = 4;
}

/// There is a pool, or was one.
static USED: AtomicBool = AtomicBool::new(false);

/// Whether this process has had pools. Drivers give back what theirs have too much when they are told
/// to wait for something, so that they have to be told.
#[inline]
pub fn are_used() -> bool {
    USED.load(Ordering::Relaxed)
}

/// A pool as programs hold it. A call that is inside holds its device, or its session.
pub struct MemPool {
    handle: Handle,
    /// What gives the memory.
    pub pool: Arc<Pool>,
    device: Option<Arc<Device>>,
    session: Option<Arc<Session>>,
    /// The device's own: it goes with the device.
    is_default: bool,
}

handles::object!(MemPool, MemPool);

impl MemPool {
    /// A new pool on `device`, or in host memory.
    fn create(
        session: Arc<Session>,
        device: Option<&Arc<Device>>,
        options: PoolOptions,
        is_default: bool,
    ) -> Result<Handle> {
        let home = match (options.place, device) {
            (PoolPlace::Device(id), Some(device)) => Home::Device(id, device.owner),
            (PoolPlace::HostNode(node), _) => Home::HostNode(node),
            _ => Home::Host,
        };
        let inner = Self::inner(&session, device, home, options)?;
        let ended = match device {
            Some(device) => &DeviceTallies::of(device).ended_pools,
            None => &HostTallies::of(&session).ended_pools,
        };
        let pool = Pool::create(inner, home, options.sharing, Use::Program, ended)?;
        Self::publish(pool, session, device, is_default)
    }

    /// What does the work of a new pool.
    fn inner(
        session: &Arc<Session>,
        device: Option<&Arc<Device>>,
        home: Home,
        options: PoolOptions,
    ) -> Result<Inner> {
        USED.store(true, Ordering::Relaxed);
        Ok(match session.driver.pools() {
            Some(pools) => Inner::Driver(DriverPool::new(pools.create(options)?)),
            None if session.driver.native_device(0).is_some() => {
                return Err(Error::unsupported(
                    "this driver has no memory pools (CUDA 11.2 and later have them); use aclrtMalloc and \
                     aclrtFree, or a newer driver",
                ));
            }
            None => {
                let driver = || Arc::clone(&session.driver);
                let source = match (device, home) {
                    (Some(device), _) => Source::Device(Arc::clone(&device.native)),
                    (None, Home::HostNode(node)) => Source::Host(driver(), Some(node)),
                    (None, _) => Source::Host(driver(), None),
                };
                let shared = match (options.sharing, device, home) {
                    (PoolSharing::None, _, _) => None,
                    (_, Some(device), _) => Some(device.native.share()?),
                    (_, None, Home::HostNode(node)) => Some(session.driver.share_host(node)?),
                    (_, None, _) => None,
                };
                Inner::Own(Box::new(Own::new(source, shared, options.max_size)))
            }
        })
    }

    /// Gives a pool a handle.
    pub fn publish(
        pool: Arc<Pool>,
        session: Arc<Session>,
        device: Option<&Arc<Device>>,
        is_default: bool,
    ) -> Result<Handle> {
        let made = Self::table().insert_with(|handle| {
            pool.set_handle(handle);
            let device = device.cloned();
            let session = device.is_none().then_some(session);
            Arc::new(Self { handle, pool: Arc::clone(&pool), device, session, is_default })
        });
        made.ok_or_else(|| {
            // It has no memory yet.
            let _ = pool.retire();
            Error::new(Code::BadAlloc, "no more memory pools can be made; destroy some")
        })
    }

    /// Whether it is the default pool of its device, which the library makes.
    pub fn is_default(&self) -> bool {
        self.is_default
    }

    fn is_on(&self, device: &Device) -> bool {
        self.pool.home.is(device)
    }

    fn check_gives(&self, size: usize) -> Result<()> {
        if size == 0 {
            return Err(Error::invalid_param("size is 0; allocate at least one byte"));
        }
        if self.pool.is_imported {
            return Err(Error::param_invalid(format_args!(
                "memPool {:#x} was imported: its memory is the exporting process's to allocate; import single \
                 allocations with portaclMemPoolImportPointer",
                self.handle.raw()
            )));
        }
        Ok(())
    }

    fn check_has_attributes(&self) -> Result<()> {
        if self.pool.is_imported {
            return Err(Error::param_invalid(format_args!(
                "memPool {:#x} was imported: it only passes single allocations on; ask and set attributes in the \
                 process that exports it",
                self.handle.raw()
            )));
        }
        Ok(())
    }
}

/// aclrtMemPoolCreate.
pub fn create(props: Props) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let session = runtime::session()?;
    let options = props.check(&session)?;
    let device = match options.place {
        PoolPlace::Device(id) => Some(device::in_use(&session, "location.id", id)?),
        PoolPlace::Host | PoolPlace::HostNode(_) => None,
    };
    Ok(MemPool::create(session, device.as_ref(), options, false)?.raw())
}

/// aclrtMemPoolDestroy: returns at once; the memory goes with the last free.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    if handles::get::<MemPool>("memPool", raw)?.is_default {
        return Err(Error::param_invalid(format_args!(
            "memPool {raw:#x} is the default pool of its device; it goes with the device"
        )));
    }
    let mem_pool = handles::remove::<MemPool>("memPool", raw)?;
    if let Some(device) = &mem_pool.device {
        DevicePools::of(device).forget(raw);
    }
    let ended = mem_pool.pool.retire();
    drop(mem_pool);
    slot_table::flush_deferred();
    Ok(ended?)
}

/// aclrtMemPoolMallocAsync.
#[inline(always)]
pub fn malloc_async(size: usize, raw: u64, stream: u64) -> Result<usize> {
    handles::check_not_null::<MemPool>("memPool", raw)?;
    let stream = stream::resolve(stream)?;
    if stream.is_captured() {
        return malloc_captured(size, raw, stream);
    }
    malloc_now(size, raw, stream)
}

#[inline(always)]
fn malloc_now(size: usize, raw: u64, stream: Ref<'static, Stream>) -> Result<usize> {
    if memory_hook::exist() {
        return malloc_hooked(size, raw, stream);
    }
    malloc(size, raw, stream)
}

/// Memory for the graph that a stream is captured into.
#[cold]
fn malloc_captured(size: usize, raw: u64, stream: Ref<'static, Stream>) -> Result<usize> {
    // It may wait, and no `Ref` may live across that.
    let share = stream.to_arc();
    drop(stream);
    graph::memory::captured_malloc(&share, || graphs::malloc(size, raw, &share))
}

/// As [`malloc`], between the hooks of the program.
#[cold]
fn malloc_hooked(size: usize, raw: u64, stream: Ref<'static, Stream>) -> Result<usize> {
    let mem_pool = handles::look::<MemPool>("memPool", raw, stream.pin())?;
    mem_pool.check_gives(size)?;
    let device = mem_pool.pool.home.device();
    let handle = stream.handle.raw();
    drop(stream);
    let take = || hooked::malloc(size, raw, handle, false);
    hooked_memory::malloc_from_pool(MemoryKind::Pool, device, size, handle, take)
}

/// Memory of a pool, for work of `stream`.
#[inline(always)]
fn malloc(size: usize, raw: u64, stream: Ref<'static, Stream>) -> Result<usize> {
    let mem_pool = handles::look::<MemPool>("memPool", raw, stream.pin())?;
    mem_pool.check_gives(size)?;
    match mem_pool.pool.alloc(size, &stream, mem_pool.device.as_deref())? {
        Some(addr) => Ok(addr),
        None => malloc_more(size, raw, stream),
    }
}

/// As [`malloc`], where the pool has to have more memory for it.
#[cold]
fn malloc_more(size: usize, raw: u64, stream: Ref<'static, Stream>) -> Result<usize> {
    // It may wait, and no `Ref` may live across that.
    let share = stream.to_arc();
    drop(stream);
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    mem_pool.pool.alloc_more(size, &share, mem_pool.device.as_deref())
}

/// aclrtMemPoolFreeAsync: the address is invalid at once, the memory is free when the stream comes to
/// this.
#[inline(always)]
pub fn free_async(addr: usize, stream: u64) -> Result<()> {
    if addr == 0 {
        return Err(Error::invalid_param(
            "ptr is null; this API has nothing to free there (unlike free and cudaFreeAsync)",
        ));
    }
    let stream = stream::resolve(stream)?;
    if stream.is_captured() {
        return graph::memory::captured_free(&stream, addr);
    }
    if graph::memory::keeps(addr)? {
        return Ok(());
    }
    if memory_hook::exist() {
        return free_hooked(addr, stream);
    }
    free_unhooked(addr, stream)
}

/// As [`free_unhooked`], between the hooks of the program.
#[cold]
fn free_hooked(addr: usize, stream: Ref<'static, Stream>) -> Result<()> {
    let handle = stream.handle.raw();
    drop(stream);
    let free = || free_unhooked(addr, stream::resolve(handle)?);
    hooked_memory::free_in(handle, addr, &[MemoryKind::Pool], free)
}

#[inline(always)]
fn free_unhooked(addr: usize, stream: Ref<'static, Stream>) -> Result<()> {
    if let Some(found) = Allocation::find_pools(addr)
        && let Some(pool) = Pool::of(&found, stream.pin())
    {
        let _held = match pool.is_elsewhere(&stream.device) {
            true => Some(hold(addr)?),
            false => None,
        };
        if pool.free(found, &stream)? {
            if pool.is_retired() {
                let ended = pool.end_if_retired();
                drop(stream);
                slot_table::flush_deferred();
                ended?;
            }
            return Ok(());
        }
    }
    Err(not_a_pools(addr))
}

/// What keeps the device of a pool's memory from ending while a stream of another one does something there.
#[cold]
fn hold(addr: usize) -> Result<Arc<Device>> {
    Allocation::find(addr).and_then(|found| found.device()).ok_or_else(|| {
        Error::param_invalid(format_args!(
            "ptr {addr:#x} is memory that another thread has freed meanwhile, or whose device it has reset"
        ))
    })
}

#[cold]
fn not_a_pools(addr: usize) -> Error {
    match Allocation::find(addr) {
        Some(found) if found.pool().is_none() && found.base == addr => {
            Error::param_invalid(format_args!(
                "ptr {addr:#x} is no memory of a pool; free it with {}",
                memory::freeing_call(found.kind)
            ))
        }
        _ => memory::not_freed("ptr", addr),
    }
}

/// aclrtFree of a pool's memory: at once, as all that uses it has finished.
pub fn free_now(found: &Allocation) -> Result<bool> {
    // Held until it is back, so that what it is of does not end in between.
    let _device = found.device();
    let _session = runtime::existing_session();
    match Pool::share_of(found) {
        Some(pool) => pool.free_now(found),
        None => Ok(false),
    }
}

/// An attribute as the API numbers it.
fn attribute(number: i32) -> Result<PoolAttribute> {
    Ok(match number {
        1 => PoolAttribute::FollowEventDependencies,
        2 => PoolAttribute::AllowOpportunistic,
        3 => PoolAttribute::AllowInternalDependencies,
        4 => PoolAttribute::ReleaseThreshold,
        5 => PoolAttribute::ReservedCurrent,
        6 => PoolAttribute::ReservedHigh,
        7 => PoolAttribute::UsedCurrent,
        8 => PoolAttribute::UsedHigh,
        _ => {
            return Err(Error::invalid_param(format_args!(
                "attr is {number}; allowed: the values of aclrtMemPoolAttr, 1 to 8"
            )));
        }
    })
}

/// Whether an attribute is a 32-bit number; the others have 64 bits.
pub fn is_short(number: i32) -> bool {
    (1..=3).contains(&number)
}

/// Whether there is an attribute with this number.
pub fn is_attribute(number: i32) -> bool {
    attribute(number).is_ok()
}

/// aclrtMemPoolGetAttr.
pub fn get_attribute(raw: u64, number: i32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let attribute = attribute(number)?;
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    mem_pool.check_has_attributes()?;
    mem_pool.pool.attribute(attribute)
}

/// aclrtMemPoolSetAttr.
pub fn set_attribute(raw: u64, number: i32, value: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let attribute = attribute(number)?;
    let allowed = match attribute {
        PoolAttribute::FollowEventDependencies
        | PoolAttribute::AllowOpportunistic
        | PoolAttribute::AllowInternalDependencies => match value {
            0 | 1 => None,
            _ => Some("it can be 0 or 1"),
        },
        PoolAttribute::ReleaseThreshold => None,
        PoolAttribute::ReservedHigh | PoolAttribute::UsedHigh => match value {
            0 => None,
            _ => Some("it can be set to 0 only, which starts again from the present value"),
        },
        PoolAttribute::ReservedCurrent | PoolAttribute::UsedCurrent => Some("it can only be read"),
    };
    // A dead handle is told first, as everywhere.
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    if let Some(allowed) = allowed {
        return Err(Error::invalid_param(format_args!(
            "value is {value} for attribute {number}; {allowed}"
        )));
    }
    mem_pool.check_has_attributes()?;
    mem_pool.pool.set_attribute(attribute, value)
}

/// aclrtMemPoolTrimTo.
pub fn trim_to(raw: u64, keep: usize) -> Result<()> {
    thread::refuse_inside_host_function()?;
    handles::get_arc::<MemPool>("memPool", raw)?.pool.trim(keep)
}

/// Whether `memory`, which is a pool's, ends with this opening of a device.
pub fn is_on(memory: &Allocation, device: &Device) -> bool {
    Pool::share_of(memory).is_some_and(|pool| pool.home.is(device))
}

/// The host has waited for something: pools give back what is above their thresholds.
pub fn release_idle() {
    for pool in Pool::all() {
        if let Inner::Own(own) = &pool.inner {
            // No failure of the wait.
            release_failure::note_fault("memory that a pool does not keep", own.release_idle());
        }
    }
}

/// For want of memory all that pools do not use goes back to `device`, or to the host. False if there
/// was nothing.
pub fn trim_for(device: Option<&Device>) -> bool {
    let mut any = false;
    for pool in Pool::all() {
        let is_device = matches!(pool.home, Home::Device(..));
        let concerns =
            device.map_or(!is_device, |it| pool.home.is(it) || it.shares_memory && is_device);
        if let Inner::Own(own) = &pool.inner
            && concerns
        {
            any |= own.trim_all();
        }
    }
    any
}

/// Nothing comes from this stream any more.
pub fn forget_lane(lane: StreamKey) {
    for pool in Pool::all() {
        pool.forget_lane(lane);
    }
}

/// The handles of a device's pools die.
pub fn take_handles_of(device: &Arc<Device>) {
    take_all::<MemPool>(|pool| pool.device.as_ref().is_some_and(|home| Arc::ptr_eq(home, device)));
}

/// The handles of pools of host memory die.
pub fn take_host_handles() {
    take_all::<MemPool>(|pool| pool.session.is_some());
}

/// A device ends, with its pools.
pub fn end_with_device(device: &Device, ending: &mut Ending) {
    Pool::end_all(|pool| pool.home.is(device), |said| ending.step_on_device(said));
}

/// The session ends, with the pools of host memory.
pub fn end_with_session(ending: &mut Ending) {
    Pool::end_all(|_| true, |said| ending.step_on_device(said));
}

/// As [`end_with_device`], where work is left behind that uses their memory.
pub fn forget_with_device(device: &Device) {
    Pool::forget_all(|pool| pool.home.is(device));
}

/// As [`end_with_session`], where work is left behind that uses their memory.
pub fn forget_with_session() {
    Pool::forget_all(|_| true);
}

/// Whether an address that no program has is a pool's.
#[cold]
pub fn is_idle_memory(session: &Session, addr: usize) -> bool {
    session.driver.pools().is_some_and(|pools| pools.have_had(addr))
        || Pool::all().iter().any(|pool| pool.segment(addr).is_some())
}

/// What to ask the backend about a pool's memory: its own block there.
pub fn backing(memory: &Allocation) -> Block {
    let segment = Pool::share_of(memory).and_then(|pool| pool.segment(memory.base));
    segment.unwrap_or_else(|| memory.block())
}

/// Options of the pool that a device has from the beginning.
fn default_options(device: &Device) -> PoolOptions {
    PoolOptions { place: PoolPlace::Device(device.id), sharing: PoolSharing::None, max_size: None }
}
