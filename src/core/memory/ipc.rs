//! Device memory shared by processes: one exports it under a key, others import it.
//!
//! Imported memory is an allocation like others, on the device that was current, until it is closed. The exporter does
//! not learn of imports. A key ends when its memory is freed.
//!
//! Exports and imports are two short lists. A free reads one counter to learn that it ends no key.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::algo::count::Count;
use crate::backend::Block;
use crate::backend::base::broker::{self, Admission, BROKER, Form, Key};
use crate::base::error::{Error, Result, arguments, invalid_param, param_invalid, unsupported};
use crate::base::ipc_key::about;
use crate::base::owner::Owner;
use crate::base::teardown_errors::TeardownErrors;
use crate::memory::allocation::{Allocation, Kind, open_device};
use crate::memory::memory_hook::{self, MemoryKind};
use crate::memory::memory_stats::DeviceTallies;
use crate::memory::request::freeing::not_freed;
use crate::memory::request::hooks::ReportedMemory;
use crate::order::checker;
use crate::runtime::device::Device;
use crate::runtime::{self, thread};

/// Exported memory begins at a multiple of this.
const PAGE: usize = 4096;

/// Memory of this process that has a key.
struct Export {
    key: Key,
    addr: usize,
    owner: Owner,
}

/// Memory from another process.
struct Import {
    key: Key,
    /// The opening of the device that the memory is used on.
    owner: Owner,
    id: u32,
    block: Block,
    /// The number of times that it was opened and not closed.
    count: usize,
}

static EXPORTS: Mutex<Vec<Export>> = Mutex::new(Vec::new());
/// The addresses of memory that other processes may have: it was exported and is not freed, with or without a key.
static SHARED: Mutex<Vec<(usize, Owner)>> = Mutex::new(Vec::new());
/// The number of these addresses: frees check this first.
static ANY_SHARED: AtomicUsize = AtomicUsize::new(0);
static IMPORTS: Mutex<Vec<Import>> = Mutex::new(Vec::new());

/// Returns the processes that may import the memory, by the flags of an export.
pub(crate) fn admission(flags: u64) -> Result<Admission> {
    match flags {
        0 => Ok(Admission::Listed),
        1 => Ok(Admission::Anyone),
        _ => Err(invalid_param!(
            "flags is {flags:#x}; allowed: 0 (only processes that the exporter allows can import) and 1 (every \
             process can)"
        )),
    }
}

fn key_of(text: &[u8]) -> Result<Key> {
    ensure!(!text.is_empty(), invalid_param!("key is empty; pass the key that aclrtIpcMemGetExportKey returned"));
    Key::from_text(text).map_err(|fault| about("key", fault))
}

#[cold]
fn unknown_key() -> Error {
    param_invalid!(
        "key is not open in this process: it was never exported or imported here, was closed, or its memory was freed \
         or released with its device; pass a key that is open here"
    )
}

/// Implements aclrtIpcMemGetExportKey: returns the key.
pub fn export(addr: usize, size: usize, flags: u64) -> Result<Key> {
    arguments::not_null("devPtr", addr, "pass device memory from aclrtMalloc")?;
    arguments::not_zero("size", size, "export at least one byte")?;
    let admission = admission(flags)?;
    thread::refuse_inside_host_function()?;
    let found = Allocation::find(addr).filter(|found| found.base == addr).ok_or_else(|| not_freed("devPtr", addr))?;
    let (Kind::Device(_), Some(device)) = (found.kind, found.device()) else {
        return Err(not_exported(&found));
    };
    let all = Count(found.len, "byte");
    ensure!(
        size <= found.len,
        invalid_param!("size is {size}; allowed: at most {all}, the size of the allocation at devPtr {addr:#x}")
    );
    // A shorter allocation may begin there, too, but others share its page.
    if !addr.is_multiple_of(PAGE) || found.block().len < PAGE {
        return Err(param_invalid!(
            "devPtr {addr:#x} may share its page of {PAGE} bytes with other allocations, so it cannot be exported; \
             allocate at least {PAGE} bytes"
        ));
    }
    let _session = runtime::session()?;
    // Frees find it from here on, so that the memory is not cached for another allocation.
    share(addr, found.owner);
    let parcel = device.native.export_memory(found.block(), size)?;
    let key = BROKER.offer(broker::OfferKind::Memory, parcel, admission, Form::Text)?;
    checker::installed().into_iter().for_each(|checker| checker.is_shared(addr, size));
    EXPORTS.lock().push(Export { key, addr, owner: found.owner });
    // Another thread may have freed the memory before the export was registered.
    if Allocation::find(addr) != Some(found) {
        freeing(addr);
        return Err(not_freed("devPtr", addr));
    }
    Ok(key)
}

#[cold]
fn not_exported(found: &Allocation) -> Error {
    let addr = found.base;
    let instead = match found.kind {
        Kind::ManagedPool(_) => "managed memory in a pool, which cannot be shared; share memory from aclrtMalloc",
        Kind::Pool(_) | Kind::HostPool(_) => {
            "pool memory, which has no key; export memory from aclrtMalloc, or allocate it outside of captures from a \
             device's pool that was created with ACL_MEM_HANDLE_TYPE_POSIX, and call portaclMemPoolExportPointer"
        }
        Kind::Mapped(_) | Kind::HostMapped(_) => {
            "mapped memory; export its physical memory with aclrtMemExportToShareableHandle"
        }
        Kind::Imported(_) => "memory imported from another process; export it in the process that created it",
        Kind::Device(_) => "memory on a device that another thread is resetting; allocate it again after the reset",
        Kind::Managed(_) | Kind::Graph(_) | Kind::Pinned | Kind::Registered { .. } => {
            "memory that cannot be shared; share memory from aclrtMalloc"
        }
    };
    param_invalid!("devPtr {addr:#x} is {instead}")
}

/// Whether memory of this process has a key.
pub(crate) fn exports_any() -> bool {
    !EXPORTS.lock().is_empty()
}

/// Whether other processes may have memory of this process.
#[inline]
pub(crate) fn shares_any() -> bool {
    ANY_SHARED.load(Ordering::SeqCst) != 0
}

fn share(addr: usize, owner: Owner) {
    let mut shared = SHARED.lock();
    if !shared.contains(&(addr, owner)) {
        shared.push((addr, owner));
    }
    ANY_SHARED.store(shared.len(), Ordering::SeqCst);
}

/// Forgets the shared memory for which `wanted` is true. Returns whether there is any.
fn forget(wanted: impl Fn(usize, Owner) -> bool) -> bool {
    let mut shared = SHARED.lock();
    let before = shared.len();
    shared.retain(|&(addr, owner)| !wanted(addr, owner));
    ANY_SHARED.store(shared.len(), Ordering::SeqCst);
    shared.len() < before
}

/// Ends the keys of the memory at an address, which is about to be freed. Returns whether other processes may have the
/// memory: then it must not be reused.
#[inline]
pub fn freeing(addr: usize) -> bool {
    if !shares_any() {
        return false;
    }
    withdraw(|export| export.addr == addr);
    forget(|shared, _| shared == addr)
}

/// Ends the keys of the exports for which `wanted` is true. Returns their number.
#[cold]
fn withdraw(wanted: impl Fn(&Export) -> bool) -> usize {
    let mut exports = EXPORTS.lock();
    let gone: Vec<Export> = exports.extract_if(.., |export| wanted(export)).collect();
    drop(exports);
    for export in &gone {
        BROKER.withdraw(broker::OfferKind::Memory, &export.key);
    }
    gone.len()
}

/// Implements aclrtIpcMemSetImportPid.
pub fn set_import_processes(text: &[u8], processes: &[i32]) -> Result<()> {
    let key = key_of(text)?;
    let _session = thread::session_outside_host_functions()?;
    let known = BROKER.admit(broker::OfferKind::Memory, &key, processes);
    let unknown = || {
        param_invalid!(
            "key is not exported by this process: another process exported it, it was closed, or its memory was freed \
             or released with its device; call aclrtIpcMemSetImportPid in the process that exported it"
        )
    };
    if known { Ok(()) } else { Err(unknown()) }
}

/// Implements aclrtIpcMemSetAttr: `kind` and `value` as numbers of the API. The link cannot be chosen here.
pub fn set_attribute(text: &[u8], kind: i32, value: u64) -> Result<()> {
    /// The largest ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_*.
    const LAST_LINK: u64 = 3;
    let key = key_of(text)?;
    ensure!(kind == 0, invalid_param!("type is {kind}; it must be ACL_RT_IPC_MEM_ATTR_ACCESS_LINK 0"));
    if value > LAST_LINK {
        return Err(invalid_param!("attr is {value}; allowed: ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_*, 0 to {LAST_LINK}"));
    }
    let _session = thread::session_outside_host_functions()?;
    let known =
        EXPORTS.lock().iter().any(|export| export.key == key) || IMPORTS.lock().iter().any(|import| import.key == key);
    if known { Ok(()) } else { Err(unknown_key()) }
}

/// Implements aclrtIpcMemImportByKey: returns the address.
pub fn import(text: &[u8], flags: u64) -> Result<usize> {
    let key = key_of(text)?;
    if flags > 1 {
        return Err(invalid_param!(
            "flags is {flags:#x}; allowed: ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0 and \
             ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 1"
        ));
    }
    thread::refuse_inside_host_function()?;
    // The device is held, so that it is not closed meanwhile.
    let device = thread::current()?.device.clone();
    if key.is_current_process()? {
        return Err(param_invalid!("key was exported by this process; use the memory at the exported address"));
    }
    if let Some(addr) = open_again(&key, &device)? {
        return Ok(addr);
    }
    let parcel = BROKER.fetch(broker::OfferKind::Memory, &key).map_err(|fault| about("key", fault))?;
    let imported = device.native.import_memory(parcel);
    let block = imported.map_err(|fault| {
        DeviceTallies::of(&device).imported.failed();
        about("key", fault)
    })?;
    let added = add(key, &device, block).inspect_err(|_| {
        DeviceTallies::of(&device).imported.failed();
        // The first failure is returned.
        let _ = device.native.free(block);
    })?;
    if let Added::Before(addr) = added {
        device.native.free(block)?;
        return Ok(addr);
    }
    let memory = imported_memory(&block, device.id);
    // The device is not held while hooks run.
    drop(device);
    if added == Added::New {
        memory.report_import(|| close_unhooked(&key))?;
    }
    Ok(memory.addr)
}

/// Returns the memory as hooks see it.
fn imported_memory(block: &Block, id: u32) -> ReportedMemory {
    let (kind, device) = (MemoryKind::Imported, Some(id));
    ReportedMemory { kind, addr: block.addr, handle: 0, len: block.len, device }
}

/// Returns the address of an import that exists already, and counts one more opening.
fn open_again(key: &Key, device: &Device) -> Result<Option<usize>> {
    let mut imports = IMPORTS.lock();
    let Some(import) = imports.iter_mut().find(|import| import.key == *key) else {
        return Ok(None);
    };
    if import.owner != device.owner {
        return Err(param_invalid!(
            "key is imported on device {}, but device {} is current; call aclrtIpcMemClose first, or make device {0} \
             current",
            import.id,
            device.id
        ));
    }
    import.count += 1;
    Ok(Some(import.block.addr))
}

/// What an import is to the others.
#[derive(PartialEq, Eq)]
enum Added {
    /// The first of its memory.
    New,
    /// Memory that is imported already under another key, at the same address.
    Shared,
    /// Another thread has just imported the key, at this address, which is counted again.
    Before(usize),
}

/// Registers imported memory.
fn add(key: Key, device: &Arc<Device>, block: Block) -> Result<Added> {
    let mut imports = IMPORTS.lock();
    if let Some(before) = imports.iter_mut().find(|import| import.key == key && import.owner == device.owner) {
        before.count += 1;
        return Ok(Added::Before(before.block.addr));
    }
    // A driver of GPUs opens its handles of one block at one address, whatever the key.
    let there = imports.iter().find(|import| import.block.addr == block.addr);
    let is_new = there.is_none_or(|there| there.owner != device.owner);
    if is_new {
        let kind = Kind::Imported(device.id);
        Allocation::of_block(block, block.len, kind, device.owner).register()?;
        DeviceTallies::of(device).imported.made(block.len);
    } else if let Some(there) = there
        && there.block.len != block.len
    {
        return Err(unsupported!(
            "the same memory is open under another key at {:#x} with {} bytes, but key is for {} bytes; close the \
             other key (aclrtIpcMemClose), or export the same size",
            block.addr,
            there.block.len,
            block.len
        ));
    }
    imports.push(Import { key, owner: device.owner, id: device.id, block, count: 1 });
    Ok(if is_new { Added::New } else { Added::Shared })
}

/// Implements aclrtIpcMemClose: closes an import or, if there is none, an export.
pub fn close(text: &[u8]) -> Result<()> {
    let key = key_of(text)?;
    let _session = thread::session_outside_host_functions()?;
    match memory_hook::exist().then(|| released_by_close(&key)).flatten() {
        Some(memory) => memory.free(|| close_unhooked(&key)),
        None => close_unhooked(&key),
    }
}

/// Returns the memory that is released when this key is closed the next time.
fn released_by_close(key: &Key) -> Option<ReportedMemory> {
    let imports = IMPORTS.lock();
    let import = imports.iter().rfind(|import| import.key == *key)?;
    let others = imports.iter().filter(|other| other.block.addr == import.block.addr).count() > 1;
    let ends = import.count == 1 && !others;
    ends.then(|| imported_memory(&import.block, import.id))
}

fn close_unhooked(key: &Key) -> Result<()> {
    let mut imports = IMPORTS.lock();
    let Some(index) = imports.iter().rposition(|import| import.key == *key) else {
        drop(imports);
        return match withdraw(|export| export.key == *key) {
            0 => Err(unknown_key()),
            _ => Ok(()),
        };
    };
    imports[index].count -= 1;
    if imports[index].count > 0 {
        return Ok(());
    }
    let Import { owner, id, block, .. } = imports.remove(index);
    // If its device is in teardown, the teardown releases it.
    let Some(device) = open_device(id).filter(|device| device.owner == owner) else { return Ok(()) };
    if !imports.iter().any(|import| import.block.addr == block.addr) {
        Allocation::take(block.addr, |found| found.owner == owner);
        DeviceTallies::of(&device).imported.freed(block.len);
    }
    drop(imports);
    Ok(device.native.free(block)?)
}

/// Removes what was imported for a device, and ends the keys of the device's exports.
fn take_of(device: &Device) -> Vec<Import> {
    withdraw(|export| export.owner == device.owner);
    forget(|_, owner| owner == device.owner);
    IMPORTS.lock().extract_if(.., |import| import.owner == device.owner).collect()
}

/// Releases the imports of a device in teardown.
pub(crate) fn end_with_device(device: &Device, errors: &mut TeardownErrors) {
    for Import { block, .. } in take_of(device) {
        Allocation::take(block.addr, |found| found.owner == device.owner);
        errors.step_on_device(device.native.free(block));
    }
}

/// Removes the imports of a device whose memory abandoned work uses. The memory stays imported.
pub(crate) fn forget_with_device(device: &Device) {
    take_of(device);
}
