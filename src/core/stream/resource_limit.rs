//! Limits on the cores that work may use, of devices, streams and threads. They are stored for libraries that choose
//! the number of a kernel's blocks by them; the library does not enforce them.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::algo::map::slot_table::Handle;
use crate::algo::map::typed_slots;
use crate::algo::thread::per_thread::per_thread;
use crate::backend::DeviceInfo;
use crate::base::error::{Result, arguments};
use crate::base::handles::Object;
use crate::runtime::device::slot::DeviceSlot;
use crate::runtime::device::{self, Device};
use crate::runtime::{self, Session, info, thread};
use crate::stream::{self, Stream};

/// A kind of core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Matrix cores.
    Cube,
    /// Vector cores.
    Vector,
}

impl Resource {
    /// Converts the number of C.
    pub fn from_number(number: i32) -> Result<Self> {
        let allowed = "ACL_RT_DEV_RES_CUBE_CORE (0) and ACL_RT_DEV_RES_VECTOR_CORE (1)";
        arguments::numbered("type", number, &[Self::Cube, Self::Vector], allowed)
    }

    /// Returns the number of cores of this kind that a device has.
    fn all_of(self, device: &DeviceInfo) -> u32 {
        match self {
            Self::Cube => device.cores,
            Self::Vector => device.cores.saturating_mul(info::profile().vector_cores_per_core),
        }
    }
}

/// The limits of a device or a stream.
#[derive(Default)]
pub struct Limits {
    /// The limits, by resource; 0: no limit.
    most: [AtomicU32; 2],
}

typed_slots::state! {
    /// The limits of a device, open or not.
    pub Limits::of(DeviceSlot);
    /// The limits of a stream.
    Limits::of_stream(Stream);
}

impl Limits {
    /// Sets one of the limits, or removes all.
    fn set(&self, limit: Option<(Resource, u32)>) {
        match limit {
            Some((resource, most)) => self.most[resource as usize].store(most, Ordering::Relaxed),
            None => self.most.iter().for_each(|most| most.store(0, Ordering::Relaxed)),
        }
    }

    fn get(&self, resource: Resource) -> Option<u32> {
        Some(self.most[resource as usize].load(Ordering::Relaxed)).filter(|most| *most != 0)
    }
}

per_thread! {
    /// The stream whose limits this thread uses.
    static USED: Cell<Option<Handle>> = Cell::new(None);
}

fn check(limit: Option<(Resource, u32)>) -> Result<()> {
    limit.map_or(Ok(()), |(_, value)| arguments::not_zero("value", value, "pass at least one core"))
}

/// Returns the number of cores that a device allows: all that it has, or its limit if that is less.
fn granted(session: &Session, id: i64, resource: Resource) -> Result<u32> {
    let slot = device::slot(session, "deviceId", id)?;
    let all = resource.all_of(slot.info(&*session.driver)?);
    Ok(Limits::of(slot).get(resource).map_or(all, |most| most.min(all)))
}

/// Returns the same for an open device, with limits that take precedence over the device's.
fn granted_within(limits: Option<&Limits>, device: &Device, resource: Resource) -> Result<u32> {
    if let Some(most) = limits.and_then(|limits| limits.get(resource)) {
        return Ok(most.min(resource.all_of(device.native.info())));
    }
    let session = runtime::glance().ok_or_else(runtime::finalized)?;
    granted(&session, device.id.into(), resource)
}

/// Implements aclrtGetDeviceResLimit.
pub fn of_device(id: i32, resource: Resource) -> Result<u32> {
    granted(&*thread::session_outside_host_functions()?, id.into(), resource)
}

/// Implements aclrtSetDeviceResLimit; without a limit aclrtResetDeviceResLimit.
pub fn set_of_device(id: i32, limit: Option<(Resource, u32)>) -> Result<()> {
    check(limit)?;
    Limits::of(device::slot(&*thread::session_outside_host_functions()?, "deviceId", id)?).set(limit);
    Ok(())
}

/// Implements aclrtGetStreamResLimit.
pub fn of_stream(raw: u64, resource: Resource) -> Result<u32> {
    let stream = stream::resolve(raw)?;
    granted_within(Some(Limits::of_stream(&stream)), &stream.device, resource)
}

/// Implements aclrtSetStreamResLimit; without a limit aclrtResetStreamResLimit.
pub fn set_of_stream(raw: u64, limit: Option<(Resource, u32)>) -> Result<()> {
    check(limit)?;
    Limits::of_stream(&*stream::resolve(raw)?).set(limit);
    Ok(())
}

/// Implements aclrtUseStreamResInCurrentThread.
pub fn use_in_thread(raw: u64) -> Result<()> {
    USED.set(Some(stream::resolve(raw)?.handle));
    Ok(())
}

/// Implements aclrtUnuseStreamResInCurrentThread: does nothing if the thread uses another stream's limits, or none.
pub fn unuse_in_thread(raw: u64) -> Result<()> {
    if Some(stream::resolve(raw)?.handle) == USED.get() {
        USED.set(None);
    }
    Ok(())
}

/// Implements aclrtGetResInCurrentThread. A stream that was destroyed, or is on another device than the current
/// context, is ignored.
pub fn in_thread(resource: Resource) -> Result<u32> {
    let context = thread::current_outside_host_functions()?;
    let used = USED.get().and_then(|handle| Stream::table().get(handle));
    let used = used.filter(|stream| stream.device.owner == context.device.owner);
    let limits = used.as_ref().map(|stream| Limits::of_stream(stream));
    granted_within(limits, &context.device, resource)
}
