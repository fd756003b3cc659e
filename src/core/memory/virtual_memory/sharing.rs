//! Memory without an address shared by processes.
//!
//! One process exports the memory once, and gets a key that travels as a number or as a fabric handle. Each process
//! that imports it can map it like its own memory. The memory is freed when no process has it any more.
//!
//! The exporter keeps the memory for its importers. A *lease* is a connection that lasts until the importer, or the
//! kernel on its behalf, closes it.

use std::sync::Arc;

use super::physical::{self, Physical, adopt};
use crate::backend::base::broker::{BROKER, Form, Key, MOST_TEXT, OfferKind};
use crate::base::error::{Result, arguments, invalid_param, param_invalid};
use crate::base::{handles, ipc_key};
use crate::memory::ipc;
use crate::memory::memory_stats::DeviceTallies;
use crate::runtime::device::{self, Device};
use crate::runtime::{self, Session, thread};

/// The length of a fabric handle in bytes.
pub const FABRIC: usize = 128;

/// Whether a key of this `aclrtMemSharedHandleType` is a fabric handle, and not a number.
pub fn is_fabric(share_type: i32) -> Result<bool> {
    match share_type {
        1 => Ok(false),
        2 => Ok(true),
        _ => Err(invalid_param!(
            "shareType is {share_type}; allowed: ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT 1 and \
             ACL_MEM_SHARE_HANDLE_TYPE_FABRIC 2"
        )),
    }
}

/// Converts a key to a fabric handle: its text, and zeros.
pub fn to_fabric(key: &Key) -> [u8; FABRIC] {
    let mut bytes = [0; FABRIC];
    let text = key.to_string();
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}

/// Converts a number to a key.
pub fn from_number(number: u64) -> Result<Key> {
    Key::from_number(number).map_err(|fault| ipc_key::about("shareableHandle", fault))
}

/// Converts a fabric handle to a key.
pub fn from_fabric(bytes: &[u8; FABRIC]) -> Result<Key> {
    let len = bytes.iter().position(|byte| *byte == 0).unwrap_or(FABRIC);
    let rest = bytes[len..].iter().any(|byte| *byte != 0);
    // The bytes after the zeros are not part of a key.
    let text = if rest { &bytes[..] } else { &bytes[..len.min(MOST_TEXT + 1)] };
    Key::from_text(text).map_err(|fault| ipc_key::about("shareableHandle", fault))
}

/// Implements aclrtMemExportToShareableHandle and its V2. `is_fabric`: the key is passed on as a fabric handle.
pub fn export(raw: u64, flags: u64, is_fabric: bool) -> Result<Key> {
    let admission = ipc::admission(flags)?;
    let _session = thread::session_outside_host_functions()?;
    let memory = handles::get_arc::<Physical>("handle", raw)?;
    let _device = memory.hold()?;
    let mut key = memory.memory.key.lock();
    if key.is_some() {
        return Err(param_invalid!(
            "handle {raw:#x} is for memory that has been exported before; pass on the shareable handle of that export"
        ));
    }
    let parcel = memory.native().export()?;
    let form = if is_fabric { Form::Text } else { Form::Number };
    Ok(*key.insert(BROKER.offer(OfferKind::PhysicalMemory, parcel, admission, form)?))
}

/// Implements aclrtMemSetPidToShareableHandle and its V2.
pub fn set_import_processes(key: &Key, processes: &[i32]) -> Result<()> {
    let _session = thread::session_outside_host_functions()?;
    match BROKER.admit(OfferKind::PhysicalMemory, key, processes) {
        true => Ok(()),
        false => Err(param_invalid!(
            "shareableHandle was not exported by this process, or its memory was freed; make this call in the process \
             that exported it, before the memory is freed"
        )),
    }
}

/// Implements aclrtMemImportFromShareableHandle: returns the handle of the memory, for use on device `id`.
pub fn import(key: &Key, id: i32) -> Result<u64> {
    let session = thread::session_outside_host_functions()?;
    let device = device::in_use(&session, "deviceId", id)?;
    import_on(device, key, session)
}

/// Implements aclrtMemImportFromShareableHandleV2: for use on the current device.
pub fn import_for_current(key: &Key, flags: u64) -> Result<u64> {
    arguments::no_flags("flags", flags)?;
    thread::refuse_inside_host_function()?;
    let device = thread::current()?.device.clone();
    import_on(device, key, runtime::session()?)
}

fn import_on(device: Arc<Device>, key: &Key, session: Arc<Session>) -> Result<u64> {
    if key.is_current_process()? {
        return Err(param_invalid!(
            "shareableHandle was exported by this process; use the handle that was passed to the export, or get one \
             from a mapped address with aclrtMemRetainAllocationHandle"
        ));
    }
    let about = |fault| ipc_key::about("shareableHandle", fault);
    let parcel = BROKER.fetch(OfferKind::PhysicalMemory, key).map_err(about)?;
    let imported = session.driver.virtual_memory().import(parcel, device.id);
    let imported = imported.map_err(|fault| {
        DeviceTallies::of(&device).imported.failed();
        about(fault)
    })?;
    let memory = adopt(imported, *key, &device, &session)?;
    // The device is not held while hooks run.
    drop((device, session));
    memory.report_import(|| physical::free(memory.handle))?;
    Ok(memory.handle)
}
