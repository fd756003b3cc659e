//! Notifies shared by processes: exported under a key, which others import.

use super::Notify;
use crate::backend::base::broker::{Admission, BROKER, OfferKind};
use crate::base::error::{Result, invalid_param, param_invalid};
use crate::base::handles;
use crate::base::ipc_key::{self, Offer};
use crate::runtime::thread;
use crate::stream::event::sharing::fetch;

/// A flag without an effect. In an export: no list of processes. In an import: enable peer access, which notifies do
/// not need.
const OTHER_FLAG: u64 = 2;

fn check_flags(flags: u64, default: &str, other: &str) -> Result<()> {
    ensure!(matches!(flags, 0 | OTHER_FLAG), invalid_param!("flags is {flags:#x}; allowed: {default} 0 and {other} 2"));
    Ok(())
}

/// Implements aclrtNotifyGetExportKey: returns the key's text. The program has `room` bytes for it.
pub fn export(raw: u64, room: usize, flags: u64) -> Result<String> {
    thread::refuse_inside_host_function()?;
    check_flags(flags, "ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT", "ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION")?;
    ipc_key::check_room(room)?;
    let notify = handles::get_arc::<Notify>("notify", raw)?;
    ensure!(
        !notify.is_imported,
        param_invalid!("notify {raw:#x} was imported; export it in the process that created it")
    );
    let admission = if flags == 0 { Admission::Listed } else { Admission::Anyone };
    let export = Offer::of(&notify.export, OfferKind::Notify, admission, || notify.native.export())?;
    if export.admission != admission {
        return Err(param_invalid!(
            "notify {raw:#x} was already exported with flags other than {flags}; use the key of that export, or export \
             another notify"
        ));
    }
    Ok(export.key.to_string())
}

/// Implements aclrtNotifySetImportPid: allows these processes to import the notify, in addition to those already
/// allowed.
pub fn admit(raw: u64, processes: &[i32]) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let notify = handles::get_arc::<Notify>("notify", raw)?;
    let export = notify.export.get().ok_or_else(|| {
        param_invalid!(
            "notify {raw:#x} has not been exported by this process; call aclrtNotifyGetExportKey first, in the process \
             that created the notify"
        )
    })?;
    if BROKER.admit(OfferKind::Notify, &export.key, processes) {
        return Ok(());
    }
    Err(param_invalid!("notify {raw:#x} is no longer exported; export another notify"))
}

/// Implements aclrtNotifyImportByKey: returns a handle for a notify of another process.
pub fn import(key: &[u8], flags: u64) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    check_flags(flags, "ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT", "ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS")?;
    let native = fetch("key", key, OfferKind::Notify)?;
    Notify::add(true, || Ok(native))
}
