//! Pools shared by processes.

use std::os::fd::{BorrowedFd, OwnedFd};

use super::pool::{DriverPool, Home, Inner, Pool};
use super::stats::PoolTallies;
use super::{MemPool, props};
use crate::backend::{Fault, FaultKind, MemoryPlace, PointerExport, PoolHandle, PoolOptions, PoolSharing};
use crate::base::error::{Code, Error, Result, arguments, invalid_param, param_invalid};
use crate::base::{handles, ipc_key};
use crate::memory;
use crate::memory::allocation::Allocation;
use crate::memory::allocation::backing::PoolUse;
use crate::memory::memory_hook::MemoryKind;
use crate::memory::request::hooks::ReportedMemory;
use crate::order::checker;
use crate::runtime::{self, thread};

/// Returns the way of sharing of an `aclrtMemHandleType` that is not none.
pub fn way(handle_type: i32) -> Result<PoolSharing> {
    match props::sharing("handleType", handle_type) {
        Ok(way @ (PoolSharing::Descriptor | PoolSharing::Fabric)) => Ok(way),
        Ok(PoolSharing::None) | Err(_) => Err(invalid_param!(
            "handleType is {handle_type}; allowed: the type that the pool was created with, either \
             ACL_MEM_HANDLE_TYPE_POSIX 2 or PORTACL_MEM_HANDLE_TYPE_FABRIC 8"
        )),
    }
}

/// Implements portaclMemPoolExportToShareableHandle.
pub fn export(raw: u64, handle_type: i32, flags: u32) -> Result<PoolHandle<OwnedFd>> {
    thread::refuse_inside_host_function()?;
    handles::check_not_null::<MemPool>("memPool", raw)?;
    let way = way(handle_type)?;
    arguments::no_flags("flags", flags)?;
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    if mem_pool.pool.is_imported() {
        return Err(param_invalid!("memPool {raw:#x} was imported; export it in the process that created it"));
    }
    let created = mem_pool.pool.options.sharing;
    if created == PoolSharing::None {
        return Err(param_invalid!(
            "memPool {raw:#x} was created with {}, so it cannot be shared; create a pool with {}",
            name(created),
            name(way)
        ));
    }
    if created != way {
        return Err(param_invalid!(
            "handleType is {}, but memPool {raw:#x} was created with {}; pass the handle type of the pool",
            name(way),
            name(created)
        ));
    }
    match &mem_pool.pool.inner {
        Inner::Core(own) => Ok(PoolHandle::Descriptor(own.shared.as_ref().ok_or_else(not_shared)?.export()?)),
        Inner::Driver(driver) => Ok(driver.pool.export()?),
    }
}

fn name(sharing: PoolSharing) -> &'static str {
    match sharing {
        PoolSharing::None => "ACL_MEM_HANDLE_TYPE_NONE",
        PoolSharing::Descriptor => "ACL_MEM_HANDLE_TYPE_POSIX",
        PoolSharing::Fabric => "PORTACL_MEM_HANDLE_TYPE_FABRIC 8",
    }
}

/// Implements portaclMemPoolImportFromShareableHandle: returns the handle of the pool.
pub fn import(handle: PoolHandle<BorrowedFd<'_>>, flags: u32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    arguments::no_flags("flags", flags)?;
    let device = thread::current()?.device.clone();
    let session = runtime::session()?;
    let sharing = match handle {
        PoolHandle::Descriptor(_) => PoolSharing::Descriptor,
        PoolHandle::Fabric(_) => PoolSharing::Fabric,
    };
    let imported = match (session.driver.pools(), handle) {
        (Some(pools), handle) => pools.import(handle, device.id).map(|pool| (pool, MemoryPlace::Device(device.id))),
        (None, PoolHandle::Descriptor(descriptor)) => session.driver.import_memory(descriptor, device.id),
        (None, PoolHandle::Fabric(_)) => {
            return Err(props::no_fabric("handleType", "create and import the pool with ACL_MEM_HANDLE_TYPE_POSIX"));
        }
    };
    let (pool, place) = imported.map_err(|fault| ipc_key::about("shareableHandle", fault))?;
    let inner = Inner::Driver(DriverPool::new(pool));
    let device = place.device().map(|_| &device);
    let options = PoolOptions { sharing, ..PoolOptions::at(place) };
    let home = Home::new(&options, device);
    let ended = PoolTallies::of_place(device, &session).of_use(PoolUse::Imported);
    let pool = Pool::create(inner, home, options, PoolUse::Imported, home.first_access(), ended)?;
    Ok(MemPool::publish(pool, session.clone(), device, false)?.raw())
}

/// Implements portaclMemPoolExportPointer.
pub fn export_pointer(addr: usize) -> Result<PointerExport> {
    thread::refuse_inside_host_function()?;
    arguments::not_null("ptr", addr, "it must be an allocation of a shared pool")?;
    // The allocation is held until it has a name, so that its device does not end in between.
    let found = Allocation::find(addr).filter(|found| found.base == addr);
    let _device = found.and_then(|found| found.device());
    let _session = runtime::existing_session();
    let found = found.and_then(|found| Some((found, Pool::share_of(&found)?)));
    let (found, pool) = found.ok_or_else(|| not_exported(addr))?;
    ensure!(
        !pool.is_imported(),
        param_invalid!("ptr {addr:#x} was imported; export it in the process that created it")
    );
    if pool.used_by == PoolUse::Graphs {
        return Err(param_invalid!(
            "ptr {addr:#x} is graph memory, which cannot be shared; allocate in a stream that is not captured"
        ));
    }
    if pool.options.sharing == PoolSharing::None {
        return Err(param_invalid!(
            "ptr {addr:#x} is in a pool that was created with handle type ACL_MEM_HANDLE_TYPE_NONE and cannot be \
             shared; allocate it from a pool that was created with ACL_MEM_HANDLE_TYPE_POSIX"
        ));
    }
    name_of(&found, &pool)
}

#[cold]
fn not_exported(addr: usize) -> Error {
    match Allocation::find(addr) {
        Some(found) if found.base == addr => param_invalid!(
            "ptr {addr:#x} is not pool memory; allocate it from a pool that was created with ACL_MEM_HANDLE_TYPE_POSIX"
        ),
        _ => memory::not_freed("ptr", addr),
    }
}

/// Implements portaclMemPoolImportPointer: returns the address.
pub fn import_pointer(raw: u64, export: &PointerExport) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    let mem_pool = handles::get_arc::<MemPool>("memPool", raw)?;
    if !mem_pool.pool.is_imported() {
        return Err(param_invalid!(
            "memPool {raw:#x} was created by this process, not imported; pass a pool from \
             portaclMemPoolImportFromShareableHandle"
        ));
    }
    let Inner::Driver(driver) = &mem_pool.pool.inner else { return Err(not_shared()) };
    // Invalid arguments do not count as failures of the pool.
    let failed = |fault: Fault| match fault.kind() == FaultKind::InvalidArgument {
        true => fault.into(),
        false => mem_pool.pool.failed(fault.into()),
    };
    let block = driver.pool.import_block(export).map_err(failed)?;
    let addr = mem_pool.pool.keep_driver_block(driver, block)?;
    let device = mem_pool.pool.home.device();
    // The pool is not held while hooks run.
    drop(mem_pool);
    let Some(found) = Allocation::find(addr).filter(|found| found.base == addr) else {
        return Ok(addr);
    };
    let kind = MemoryKind::Imported;
    let memory = ReportedMemory { kind, addr, handle: 0, len: found.len, device };
    memory.report_import(|| super::free_now(&found).map(drop))?;
    Ok(addr)
}

/// Creates a name of a pool's live memory for other processes.
fn name_of(found: &Allocation, pool: &Pool) -> Result<PointerExport> {
    let name = match &pool.inner {
        Inner::Core(own) => own.shared.as_ref().ok_or_else(not_shared)?.export_range(found.base, found.len)?,
        Inner::Driver(driver) => driver.pool.export_block(found.block())?,
    };
    if Allocation::find(found.base) != Some(*found) {
        // Another thread has freed the memory meanwhile, perhaps before there was a name to withdraw.
        if let Inner::Core(own) = &pool.inner {
            own.withdraw(found.base);
        }
        return Err(memory::not_freed("ptr", found.base));
    }
    checker::installed().into_iter().for_each(|checker| checker.is_shared(found.base, found.len));
    Ok(name)
}

/// Returns the error for a pool that is not shared. Callers have checked this, so it is a defect of the library.
#[cold]
fn not_shared() -> Error {
    Error::new(Code::InternalError, "this is a defect in portacl: the memory pool is not shared; report it")
}
