//! Memory pools: stream-ordered allocation.
//!
//! A [`MemPool`] is the object of a handle; a [`Pool`] allocates, and lives until the last of its memory is freed. The
//! library uses the driver's pools if it has any, otherwise those of the core (`core_pool.rs`), with the order of
//! streams in `core/order.rs`.

pub mod access;
pub mod captured;
pub mod core_pool;
pub mod current;
pub mod graphs;
pub mod located;
pub mod owned;
pub mod pool;
pub mod props;
mod request;
pub mod sharing;
pub mod stats;
mod steps;

use std::sync::Arc;

use self::core_pool::{CorePool, Source};
use self::pool::{DriverPool, Home, Inner, Pool};
pub use self::props::Props;
pub(crate) use self::request::free_of_graph;
pub use self::request::{free_async, malloc_async};
use self::stats::PoolTallies;
use crate::algo::alloc::pool::StreamKey;
use crate::algo::map::slot_table::{self, Handle};
use crate::backend::{PoolAttribute, PoolKind, PoolOptions, PoolSharing};
use crate::base::error::{Error, Result, invalid_param, param_invalid, unsupported};
use crate::base::handles::{self, Object, drop_all};
use crate::base::owner::Owner;
use crate::base::release_failure;
use crate::base::teardown_errors::TeardownErrors;
use crate::memory::allocation::Allocation;
use crate::memory::allocation::backing::{Backing, PoolUse};
use crate::pool::mem_pool::current::DevicePools;
use crate::runtime::device::{self, Device};
use crate::runtime::{self, Session, thread};
use crate::stream::{self, Stream};

/// A pool as its handle names it. A call that uses it holds its device, or its session.
pub struct MemPool {
    handle: Handle,
    /// The pool that allocates.
    pub pool: Arc<Pool>,
    device: Option<Arc<Device>>,
    session: Option<Arc<Session>>,
    /// True if it is the default pool of its device, with which it ends.
    pub is_default: bool,
}

handles::object!(MemPool, MemPool, |pool| !pool.is_default);

impl MemPool {
    /// Creates a new pool on `device`, or in host memory.
    fn create(
        session: Arc<Session>,
        device: Option<&Arc<Device>>,
        options: PoolOptions,
        is_default: bool,
    ) -> Result<Handle> {
        let home = Home::new(&options, device);
        let inner = Self::inner(&session, device, options)?;
        let ended = PoolTallies::of_place(device, &session).of_use(PoolUse::Program);
        let pool = Pool::create(inner, home, options, PoolUse::Program, home.first_access(), ended)?;
        Self::publish(pool, session, device, is_default)
    }

    /// Creates the implementation of a new pool.
    fn inner(session: &Arc<Session>, device: Option<&Arc<Device>>, options: PoolOptions) -> Result<Inner> {
        stream::always_wait();
        Ok(match session.driver.pools() {
            Some(pools) => Inner::Driver(DriverPool::new(pools.create(options)?)),
            None if session.driver.native_device(0).is_some() => {
                return Err(unsupported!(
                    "this driver has no memory pools (CUDA 11.2 and later have them); use aclrtMalloc and \
                     aclrtFree, or a newer driver"
                ));
            }
            None => {
                let node = options.place.node();
                let source = match device {
                    Some(device) if options.kind != PoolKind::Pinned => Source::Managed(Arc::clone(&device.native)),
                    Some(device) => Source::Device(Arc::clone(&device.native)),
                    None => Source::Host(Arc::clone(&session.driver), node),
                };
                let shared = match (options.sharing, device, node) {
                    (PoolSharing::None, _, _) | (_, None, None) => None,
                    (_, Some(device), _) => Some(device.native.share()?),
                    (_, None, Some(node)) => Some(session.driver.share_host(node)?),
                };
                Inner::Core(Box::new(CorePool::new(source, shared, options.max_size)))
            }
        })
    }

    /// Creates the handle of a pool.
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
            // The pool has no memory yet.
            let _ = pool.retire();
            Error::no_more("memory pools")
        })
    }

    fn check_has_attributes(&self) -> Result<()> {
        if self.pool.is_imported() {
            return Err(param_invalid!(
                "memPool {:#x} was imported, and its attributes are in the exporting process; read and set them there",
                self.handle.raw()
            ));
        }
        Ok(())
    }
}

/// Operations on pool memory for lower regions.
static OPERATIONS: Backing = Backing {
    pool_use: |memory| Pool::share_of(memory).map(|pool| pool.used_by),
    is_on: |memory, owner| Pool::share_of(memory).is_some_and(|pool| pool.home.opening == Some(owner)),
    block: |memory| {
        let segment = Pool::share_of(memory).and_then(|pool| pool.segment(memory.base));
        segment.unwrap_or_else(|| memory.block())
    },
    is_idle: |driver, addr| {
        driver.pools().is_some_and(|pools| pools.have_had(addr))
            || Pool::all().iter().any(|pool| pool.segment(addr).is_some())
    },
    check_access: access::check,
    release: free_now,
    retains: owned::retains,
    trim: |owner, shares_memory| trim_for(Some(owner), shares_memory),
};

/// Implements aclrtMemPoolCreate.
pub fn create(props: Props) -> Result<u64> {
    let session = thread::session_outside_host_functions()?;
    let options = props.check(&session)?;
    let device = options.place.device().map(|id| device::in_use(&session, "location.id", id)).transpose()?;
    Ok(MemPool::create(session, device.as_ref(), options, false)?.raw())
}

/// Implements aclrtMemPoolDestroy: returns at once; the memory is released with the last free.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let found = handles::unless_late::<MemPool, _>(raw, handles::get::<MemPool>("memPool", raw))?;
    let Some(is_default) = found.map(|pool| pool.is_default) else { return Ok(()) };
    if is_default {
        return Err(param_invalid!("memPool {raw:#x} is a default pool, which the library releases; omit the call"));
    }
    let Some(mem_pool) = handles::end::<MemPool>("memPool", raw)? else { return Ok(()) };
    if let Some(device) = &mem_pool.device {
        DevicePools::of(device).forget(raw);
    }
    located::forget(&mem_pool, raw);
    let ended = mem_pool.pool.retire();
    drop(mem_pool);
    slot_table::flush_deferred();
    Ok(ended?)
}

/// Frees a pool's memory by aclrtFree at once: all uses have completed.
pub fn free_now(found: &Allocation) -> Result<bool> {
    // The device is held until the memory is freed, so that it does not end in between.
    let _device = found.device();
    let _session = runtime::existing_session();
    Pool::share_of(found).map_or(Ok(false), |pool| pool.free_now(found))
}

/// Returns the attribute with this number in the API.
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
        _ => return Err(invalid_param!("attr is {number}; allowed: the values of aclrtMemPoolAttr, 1 to 8")),
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

/// Implements aclrtMemPoolGetAttr.
pub fn get_attribute(raw: u64, number: i32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let attribute = attribute(number)?;
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    mem_pool.check_has_attributes()?;
    mem_pool.pool.attribute(attribute)
}

/// Implements aclrtMemPoolSetAttr.
pub fn set_attribute(raw: u64, number: i32, value: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let attribute = attribute(number)?;
    let allowed = match attribute {
        PoolAttribute::ReservedCurrent | PoolAttribute::UsedCurrent => Some("this attribute can only be read"),
        PoolAttribute::ReservedHigh | PoolAttribute::UsedHigh if value != 0 => {
            Some("allowed: 0, which resets the highest value to the current value")
        }
        // The 32-bit attributes are flags.
        _ if is_short(number) && value > 1 => Some("allowed: 0 and 1"),
        PoolAttribute::FollowEventDependencies
        | PoolAttribute::AllowOpportunistic
        | PoolAttribute::AllowInternalDependencies
        | PoolAttribute::ReleaseThreshold
        | PoolAttribute::ReservedHigh
        | PoolAttribute::UsedHigh => None,
    };
    // A dead handle is reported first, as in all calls.
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    if let Some(allowed) = allowed {
        return Err(invalid_param!("value is {value} for attribute {number}; {allowed}"));
    }
    mem_pool.check_has_attributes()?;
    mem_pool.pool.set_attribute(attribute, value)
}

/// Implements aclrtMemPoolTrimTo.
pub fn trim_to(raw: u64, keep: usize) -> Result<()> {
    thread::refuse_inside_host_function()?;
    handles::get_arc::<MemPool>("memPool", raw)?.pool.trim(keep)
}

/// Calls `work` for each pool of the core.
fn each_core_pool(mut work: impl FnMut(&Pool, &CorePool)) {
    for pool in Pool::all() {
        if let Inner::Core(own) = &pool.inner {
            work(&pool, own);
        }
    }
}

/// Frees the memory in pools above their release thresholds, after the host has waited.
pub(crate) fn release_idle() {
    if CorePool::take_some_are_idle() {
        // This is not a failure of the wait.
        each_core_pool(|_, own| release_failure::note_outcome("unused pool memory was not freed", own.release_idle()));
    }
}

/// Frees what pools do not use when memory is short: to the device of this owner, or to the host; with `shares_memory`
/// to all devices. Returns false if there was nothing.
fn trim_for(owner: Option<Owner>, shares_memory: bool) -> bool {
    let mut any = false;
    each_core_pool(|pool, own| {
        if pool.home.opening == owner || shares_memory && pool.home.device().is_some() {
            any |= own.trim_all();
        }
    });
    any
}

/// Notes that the lane of a stream has ended.
pub(crate) fn forget_lane(lane: StreamKey) {
    each_core_pool(|_, own| own.forget(lane));
}

/// Removes the handles of a device's pools.
pub(crate) fn take_handles_of(device: &Arc<Device>) {
    drop_all::<MemPool>(|pool| pool.device.as_ref().is_some_and(|home| Arc::ptr_eq(home, device)));
}

/// Removes the handles of pools of host memory.
pub(crate) fn take_host_handles() {
    drop_all::<MemPool>(|pool| pool.session.is_some());
}

/// Releases the pools of a device in teardown.
pub(crate) fn end_with_device(device: &Device, errors: &mut TeardownErrors) {
    Pool::end_all(|pool| pool.home.is(device), |said| errors.step_on_device(said));
}

/// Releases the pools of host memory with the session.
pub(crate) fn end_with_session(errors: &mut TeardownErrors) {
    Pool::end_all(|_| true, |said| errors.step_on_device(said));
}

/// Removes the pools of a device whose memory abandoned work uses. The memory stays allocated.
pub(crate) fn forget_with_device(device: &Device) {
    Pool::forget_all(|pool| pool.home.is(device));
}

/// Removes all pools at the end of a session whose memory abandoned work uses. The memory stays allocated.
pub(crate) fn forget_with_session() {
    Pool::forget_all(|_| true);
}
