//! Notifies: signals that a wait consumes, and counts that streams change and wait for.
//!
//! A notify is a count of 0 or 1. A record sets it to 1, and a second record changes nothing. One of the waits resets
//! it to 0 and completes. A record before the wait is not lost.

mod numbers;
mod sharing;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

pub use self::numbers::Numbers;
pub use self::sharing::{admit, export, import};
use crate::algo::map::slot_table::{self, Handle};
use crate::algo::map::typed_slots;
use crate::backend::{self, Change, NotifyWait, Op, Until};
use crate::core::base::error::{Code, Error, Result, error_with, invalid_param};
use crate::core::base::handles::{self, Object};
use crate::core::base::host_memory;
use crate::core::base::ipc_key::Offer;
use crate::core::order::sequence;
use crate::core::runtime::device::Device;
use crate::core::runtime::thread;
use crate::core::stream::{self, op_timeout};

/// The flag of a notify that only the device uses; it has no effect here.
const DEVICE_USE_ONLY: u64 = 1;

/// A notify.
pub struct Notify {
    /// The device that it belongs to.
    pub device: Arc<Device>,
    native: Arc<backend::Notify>,
    /// Its number, unique for its kind on the device.
    id: u32,
    numbers: fn(&Device) -> &Numbers,
    /// Its handle is dead, and another notify may reuse the number.
    is_destroyed: AtomicBool,
    /// Set once another process may import it.
    export: OnceLock<Offer>,
    /// It was imported from another process.
    is_imported: bool,
}

handles::object!(Notify, Notify);

/// A notify with a count, which no other process imports.
pub struct CountedNotify(pub Notify);

handles::object!(CountedNotify, CountedNotify);

impl Notify {
    /// Creates one on the current device by `make`. `function` is the name of the call in the error for too many.
    fn new(
        numbers: fn(&Device) -> &Numbers,
        function: &str,
        make: impl FnOnce() -> Result<Arc<backend::Notify>>,
    ) -> Result<Self> {
        let device = thread::current()?.device.clone();
        let id = numbers(&device).take().ok_or_else(|| {
            error_with!(
                Code::NoNotifyResource,
                "device {} has {} notifies of {function}, as many as there can be; destroy some",
                device.id,
                Numbers::MOST
            )
        })?;
        match make() {
            Ok(native) => {
                let (is_destroyed, export) = (AtomicBool::new(false), OnceLock::new());
                Ok(Self { device, native, id, numbers, is_destroyed, export, is_imported: false })
            }
            Err(error) => {
                numbers(&device).release(id);
                Err(error)
            }
        }
    }

    /// Releases its number, once.
    fn release_number(&self) {
        if !self.is_destroyed.swap(true, Ordering::Relaxed) {
            (self.numbers)(&self.device).release(self.id);
        }
    }
}

impl Drop for Notify {
    fn drop(&mut self) {
        self.release_number();
    }
}

typed_slots::state! {
    Numbers::plain(Device);
    Numbers::counted(Device);
}

fn create_native() -> Result<Arc<backend::Notify>> {
    let session = crate::core::runtime::session()?;
    let created = session.driver.create_notify();
    created.map_err(|fault| Error::from(fault).recoded(Code::NoStreamResource, Code::NoNotifyResource))
}

fn check_flag(flag: u64) -> Result<()> {
    if flag <= DEVICE_USE_ONLY {
        return Ok(());
    }
    Err(invalid_param!("flag is {flag:#x}; allowed: ACL_NOTIFY_DEFAULT 0 and ACL_NOTIFY_DEVICE_USE_ONLY 1"))
}

fn insert<T: Object>(notify: T) -> Result<u64> {
    let handle = T::table().insert(Arc::new(notify)).map(Handle::raw);
    handle.ok_or_else(|| handles::no_handle::<T>(Code::NoNotifyResource, "handles of notifies"))
}

/// aclrtCreateNotify.
pub fn create(flag: u64) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    check_flag(flag)?;
    insert(Notify::new(Numbers::plain, "aclrtCreateNotify", create_native)?)
}

/// aclrtDestroyNotify: never waits; what pending operations need stays.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let notify = handles::remove::<Notify>("notify", raw)?;
    notify.release_number();
    let is_shared = notify.is_imported || notify.export.get().is_some();
    drop(notify);
    if is_shared {
        // Other processes may wait for it.
        slot_table::flush_deferred();
    } else {
        slot_table::flush_if_many();
    }
    Ok(())
}

/// aclrtRecordNotify.
pub fn record(raw: u64, stream: u64) -> Result<()> {
    queue::<Notify>("notify", raw, stream, |notify| Op::ChangeNotify(&notify.native, Change::Set(1)))
}

/// aclrtWaitAndResetNotify: for at most this many seconds, 0 is no timeout.
pub fn wait(raw: u64, stream: u64, seconds: u32) -> Result<()> {
    let wait = NotifyWait { until: Until::Equal(1), clear: true, limit: op_timeout::seconds(seconds) };
    queue::<Notify>("notify", raw, stream, |notify| Op::WaitNotify(&notify.native, wait))
}

/// aclrtGetNotifyId.
pub fn id(raw: u64) -> Result<u32> {
    Ok(handles::get::<Notify>("notify", raw)?.id)
}

/// aclrtNotifyBatchReset: undoes records that no wait has consumed, now; all or none.
pub fn reset(count: usize, raw: impl Fn(usize) -> u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let _memory = host_memory::claim(format_args!("notifies (num is {count})"), count, 4 * size_of::<usize>())?;
    let look = |index| handles::get_arc::<Notify>(&format!("notifies[{index}]"), raw(index));
    let notifies = (0..count).map(look).collect::<Result<Vec<_>>>()?;
    notifies.iter().for_each(|notify| notify.native.set(0));
    sequence::notifies_reset(notifies.iter().map(|notify| &notify.native));
    Ok(())
}

/// Queues an operation on a notify.
fn queue<T: Object>(argument: &str, raw: u64, stream: u64, op: impl FnOnce(&T) -> Op<'_>) -> Result<()> {
    handles::check_not_null::<T>(argument, raw)?;
    let stream = stream::resolve(stream)?;
    let notify = handles::get_pinned::<T>(argument, raw, stream.pin())?;
    stream.submit(op(notify)).map(drop)
}

/// aclrtCntNotifyCreate.
pub fn create_counted(flag: u64) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    check_flag(flag)?;
    insert(CountedNotify(Notify::new(Numbers::counted, "aclrtCntNotifyCreate", create_native)?))
}

/// aclrtCntNotifyDestroy.
pub fn destroy_counted(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let notify = handles::remove::<CountedNotify>("cntNotify", raw)?;
    notify.0.release_number();
    drop(notify);
    slot_table::flush_if_many();
    Ok(())
}

/// aclrtCntNotifyRecord: `mode` is an `aclrtCntNotifyRecordMode`.
pub fn record_counted(raw: u64, stream: u64, mode: i32, value: u32) -> Result<()> {
    let change = match mode {
        0 => Change::Set(value),
        1 => Change::Add(value),
        2 => Change::Or(value),
        4 => Change::And(value),
        _ => {
            return Err(invalid_param!(
                "info->mode is {mode}; allowed of aclrtCntNotifyRecordMode: set 0, add 1, or 2 and and 4"
            ));
        }
    };
    change_counted(raw, stream, change)
}

/// aclrtCntNotifyReset.
pub fn reset_counted(raw: u64, stream: u64) -> Result<()> {
    change_counted(raw, stream, Change::Set(0))
}

fn change_counted(raw: u64, stream: u64, change: Change) -> Result<()> {
    queue::<CountedNotify>("cntNotify", raw, stream, |notify| Op::ChangeNotify(&notify.0.native, change))
}

/// The arguments of aclrtCntNotifyWaitWithTimeout.
#[derive(Clone, Copy, Debug)]
pub struct CountedWait {
    /// An `aclrtCntNotifyWaitMode`.
    pub mode: i32,
    /// The value that the count is compared with.
    pub value: u32,
    /// The timeout; 0 is none.
    pub seconds: u32,
    /// 1: the count becomes 0 afterwards.
    pub clear: u8,
}

/// aclrtCntNotifyWaitWithTimeout.
pub fn wait_counted(raw: u64, stream: u64, wait: CountedWait) -> Result<()> {
    let CountedWait { mode, value, seconds, clear } = wait;
    let until = match mode {
        0 => Until::Less(value),
        1 => Until::Equal(value),
        2 => Until::Greater(value),
        3 => Until::AtLeast(value),
        4 => Until::Bits(value),
        _ => {
            return Err(invalid_param!(
                "info->mode is {mode}; allowed of aclrtCntNotifyWaitMode: less 0, equal 1, bigger 2, bigger or \
                 equal 3 and equal with bit mask 4"
            ));
        }
    };
    if let Until::Less(0) | Until::Greater(u32::MAX) = until {
        return Err(invalid_param!(
            "info->value is {value}, and no count is {}; wait for another",
            if mode == 0 { "less" } else { "bigger" }
        ));
    }
    if clear > 1 {
        return Err(invalid_param!(
            "info->isClear is {clear}; allowed: 0 (leave the count) and 1 (set it to 0 after the wait)"
        ));
    }
    let wait = NotifyWait { until, clear: clear == 1, limit: op_timeout::seconds(seconds) };
    queue::<CountedNotify>("cntNotify", raw, stream, |notify| Op::WaitNotify(&notify.0.native, wait))
}

/// aclrtCntNotifyGetId.
pub fn id_counted(raw: u64) -> Result<u32> {
    Ok(handles::get::<CountedNotify>("cntNotify", raw)?.0.id)
}
