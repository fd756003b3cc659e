//! Notifies: signals that a wait consumes, and counts that streams change and wait for.
//!
//! A notify is a count of 0 or 1. A record sets it to 1, and a second record changes nothing. One of the waits resets
//! it to 0 and completes. A record before the wait is not lost.

mod numbers;
mod sharing;

use std::sync::{Arc, OnceLock};

pub use self::numbers::Numbers;
pub use self::sharing::{admit, export, import};
use crate::algo::map::slot_table::{self, Handle};
use crate::algo::map::typed_slots;
use crate::backend::{self, Change, NotifyWait, Op, Until};
use crate::base::error::{Code, Error, Result, arguments, error_with, invalid_param};
use crate::base::handles::{self, Object};
use crate::base::host_memory;
use crate::base::ipc_key::Offer;
use crate::order::sequence;
use crate::runtime::device::Device;
use crate::runtime::{self, thread};
use crate::stream::{self, op_timeout};

/// The flag of a notify that only the device uses; it has no effect here.
const DEVICE_USE_ONLY: u64 = 1;

/// A notify of either kind.
pub struct AnyNotify<const COUNTS: bool> {
    /// The device that it belongs to.
    pub device: Arc<Device>,
    native: Arc<backend::Notify>,
    /// Its number, unique for its kind on the device.
    id: u32,
    /// The offer, once another process may import the notify.
    export: OnceLock<Offer>,
    /// True if it was imported from another process.
    is_imported: bool,
}

/// A notify.
pub type Notify = AnyNotify<false>;

handles::object!(Notify, Notify, |_| true);

/// A notify with a count, which no other process imports.
pub type CountedNotify = AnyNotify<true>;

handles::object!(CountedNotify, CountedNotify, |_| true);

impl<const COUNTS: bool> AnyNotify<COUNTS>
where
    Self: Object,
{
    /// The name of the argument for a notify of this kind.
    const ARGUMENT: &str = if COUNTS { "cntNotify" } else { "notify" };

    fn numbers(device: &Device) -> &Numbers {
        if COUNTS { Numbers::counted(device) } else { Numbers::plain(device) }
    }

    /// Adds a notify, which `native` returns, to the current device.
    fn add(is_imported: bool, native: impl FnOnce() -> Result<Arc<backend::Notify>>) -> Result<u64> {
        let device = thread::current()?.device.clone();
        let id = Self::numbers(&device).take().ok_or_else(|| {
            error_with!(
                Code::NoNotifyResource,
                "device {} has {} notifies from {}, the maximum; destroy some",
                device.id,
                Numbers::MOST,
                if COUNTS { "aclrtCntNotifyCreate" } else { "aclrtCreateNotify and aclrtNotifyImportByKey" }
            )
        })?;
        let added = native().and_then(|native| {
            let notify = Self { device: device.clone(), native, id, export: OnceLock::new(), is_imported };
            let handle = Self::table().insert(Arc::new(notify)).map(Handle::raw);
            handle.ok_or_else(|| {
                handles::no_handle::<Self>(Code::NoNotifyResource, "no more notifies can be created; destroy some")
            })
        });
        added.inspect_err(|_| Self::numbers(&device).release(id))
    }

    /// Implements aclrtCreateNotify and aclrtCntNotifyCreate.
    pub fn create(flag: u64) -> Result<u64> {
        thread::refuse_inside_host_function()?;
        if flag > DEVICE_USE_ONLY {
            return Err(invalid_param!(
                "flag is {flag:#x}; allowed: ACL_NOTIFY_DEFAULT 0 and ACL_NOTIFY_DEVICE_USE_ONLY 1"
            ));
        }
        Self::add(false, || {
            let created = runtime::session()?.driver.create_notify(false);
            created.map_err(|fault| Error::from(fault).recoded(Code::NoStreamResource, Code::NoNotifyResource))
        })
    }

    /// Implements aclrtDestroyNotify and aclrtCntNotifyDestroy: never waits; what pending operations need stays.
    /// Another notify may get the number at once.
    pub fn destroy(raw: u64) -> Result<()> {
        thread::refuse_inside_host_function()?;
        let Some(notify) = handles::end::<Self>(Self::ARGUMENT, raw)? else { return Ok(()) };
        Self::numbers(&notify.device).release(notify.id);
        let is_shared = notify.is_imported || notify.export.get().is_some();
        drop(notify);
        if is_shared {
            // Other processes may wait for the notify.
            slot_table::flush_deferred();
        } else {
            slot_table::flush_if_many();
        }
        Ok(())
    }

    /// Implements aclrtGetNotifyId and aclrtCntNotifyGetId.
    pub fn id(raw: u64) -> Result<u32> {
        Ok(handles::get::<Self>(Self::ARGUMENT, raw)?.id)
    }

    /// Queues an operation on a notify.
    fn queue(raw: u64, stream: u64, op: impl FnOnce(&Arc<backend::Notify>) -> Op<'_>) -> Result<()> {
        handles::check_not_null::<Self>(Self::ARGUMENT, raw)?;
        let stream = stream::resolve(stream)?;
        let notify = handles::get_pinned::<Self>(Self::ARGUMENT, raw, stream.pin())?;
        stream.submit(op(&notify.native)).map(drop)
    }
}

typed_slots::state! {
    Numbers::plain(Device);
    Numbers::counted(Device);
}

/// Implements aclrtRecordNotify.
pub fn record(raw: u64, stream: u64) -> Result<()> {
    Notify::queue(raw, stream, |notify| Op::ChangeNotify(notify, Change::Set(1)))
}

/// Implements aclrtWaitAndResetNotify: the stream waits for at most this many seconds; 0 is no timeout.
pub fn wait(raw: u64, stream: u64, seconds: u32) -> Result<()> {
    let wait = NotifyWait { until: Until::Equal(1), clear: true, limit: op_timeout::seconds(seconds) };
    Notify::queue(raw, stream, |notify| Op::WaitNotify(notify, wait))
}

/// Implements aclrtNotifyBatchReset: undoes records that no wait has consumed, at once. Resets all of the notifies or
/// none.
pub fn reset(count: usize, raw: impl Fn(usize) -> u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let _memory = host_memory::claim(format_args!("notifies (num is {count})"), count, 4 * size_of::<usize>())?;
    let look = |index| handles::get_arc::<Notify>(&format!("notifies[{index}]"), raw(index));
    let notifies = (0..count).map(look).collect::<Result<Vec<_>>>()?;
    notifies.iter().for_each(|notify| notify.native.set(0));
    sequence::notifies_reset(notifies.iter().map(|notify| &notify.native));
    Ok(())
}

/// Implements aclrtCntNotifyRecord: `mode` is an `aclrtCntNotifyRecordMode`.
pub fn record_counted(raw: u64, stream: u64, mode: i32, value: u32) -> Result<()> {
    let change = match mode {
        0 => Change::Set(value),
        1 => Change::Add(value),
        2 => Change::Or(value),
        4 => Change::And(value),
        _ => {
            return Err(invalid_param!(
                "info->mode is {mode}; allowed: 0 (set), 1 (add), 2 (bitwise OR) and 4 (bitwise AND) of \
                 aclrtCntNotifyRecordMode"
            ));
        }
    };
    change_counted(raw, stream, change)
}

/// Implements aclrtCntNotifyReset.
pub fn reset_counted(raw: u64, stream: u64) -> Result<()> {
    change_counted(raw, stream, Change::Set(0))
}

fn change_counted(raw: u64, stream: u64, change: Change) -> Result<()> {
    CountedNotify::queue(raw, stream, |notify| Op::ChangeNotify(notify, change))
}

/// Implements aclrtCntNotifyWaitWithTimeout: compares the count with `value` by `mode`, an `aclrtCntNotifyWaitMode`,
/// for at most this many seconds, 0 is no timeout. If `clear` is 1 the count becomes 0 afterwards.
pub fn wait_counted(raw: u64, stream: u64, mode: i32, value: u32, seconds: u32, clear: u8) -> Result<()> {
    let modes =
        [Until::Less(value), Until::Equal(value), Until::Greater(value), Until::AtLeast(value), Until::Bits(value)];
    let allowed =
        "0 (less), 1 (equal), 2 (bigger), 3 (bigger or equal) and 4 (equal with bit mask) of aclrtCntNotifyWaitMode";
    let until = arguments::numbered("info->mode", mode, &modes, allowed)?;
    if let Until::Less(0) | Until::Greater(u32::MAX) = until {
        return Err(invalid_param!(
            "info->value is {value}, but no count is {} than {value}; wait for another value",
            if mode == 0 { "less" } else { "bigger" }
        ));
    }
    let allowed = "0 (leave the count) and 1 (set it to 0 after the wait)";
    let clear = arguments::numbered("info->isClear", clear.into(), &[false, true], allowed)?;
    let wait = NotifyWait { until, clear, limit: op_timeout::seconds(seconds) };
    CountedNotify::queue(raw, stream, |notify| Op::WaitNotify(notify, wait))
}
