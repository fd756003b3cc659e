//! Access to mappings.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Mapping, RANGES, check_range, forget_address, mapped_in, physical, reached};
use crate::backend::{Access, MemoryPlace, Span};
use crate::base::error::{Result, arguments, invalid_param, param_invalid};
use crate::base::host_memory;
use crate::memory::access::{AccessRequest, AccessTable, Location, access_of, check_reaches};
use crate::memory::allocation::Allocation;
use crate::runtime::device::{self, Device};
use crate::runtime::{Session, thread};

/// Number of mappings that give their home device less than full access.
static RESTRICTED: AtomicUsize = AtomicUsize::new(0);

/// Whether there is such a mapping; uses of memory are then checked.
#[inline]
pub(crate) fn restricted_exist() -> bool {
    RESTRICTED.load(Ordering::Relaxed) != 0
}

/// The access of devices and the host to a mapping.
pub struct MappingAccess {
    devices: AccessTable,
    host: Access,
    restricted: bool,
}

impl MappingAccess {
    /// Creates a table without access.
    pub(super) fn none() -> Self {
        RESTRICTED.fetch_add(1, Ordering::Relaxed);
        Self { devices: AccessTable::default(), host: Access::None, restricted: true }
    }

    /// Returns the access of the device with this id, or of the host.
    fn get(&self, who: Option<u32>) -> Access {
        who.map_or(self.host, |id| self.devices.get(id))
    }

    pub(super) fn set(&mut self, who: Option<u32>, access: Access, home: MemoryPlace) {
        match who {
            Some(id) => self.devices.set(id, access),
            None => self.host = access,
        }
        let restricted = self.get(home.device()) != Access::ReadWrite;
        match (self.restricted, restricted) {
            (true, false) => drop(RESTRICTED.fetch_sub(1, Ordering::Relaxed)),
            (false, true) => drop(RESTRICTED.fetch_add(1, Ordering::Relaxed)),
            _ => {}
        }
        self.restricted = restricted;
    }

    /// Whether there is no access at all.
    pub(super) fn is_none(&self) -> bool {
        self.host == Access::None && self.devices.is_none()
    }
}

impl Drop for MappingAccess {
    fn drop(&mut self) {
        if self.restricted {
            RESTRICTED.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Returns the id of the device, or `None` for the host.
fn who(session: &Session, argument: &str, Location { kind, id }: Location) -> Result<Option<u32>> {
    match kind {
        Location::DEVICE => {
            device::slot(session, &format!("{argument}.id"), id)?;
            Ok(Some(id))
        }
        Location::HOST if id == 0 => Ok(None),
        Location::HOST => Err(invalid_param!("{argument}.id is {id}; for the host it must be 0")),
        _ => Err(invalid_param!(
            "{argument}.type is {kind}; allowed: ACL_MEM_LOCATION_TYPE_HOST 0 and ACL_MEM_LOCATION_TYPE_DEVICE 1"
        )),
    }
}

/// Implements aclrtMemSetAccess: a list of `count` requests, all or none, for a range that whole mappings fill.
pub fn set(addr: usize, size: usize, count: usize, request: impl Fn(usize) -> AccessRequest) -> Result<()> {
    let len = check_range("virPtr", addr, size)?;
    arguments::not_zero("count", count, "describe the access of at least one location")?;
    let session = thread::session_outside_host_functions()?;
    let mut wanted = host_memory::list(format_args!("descriptions of access (count is {count})"), count)?;
    for index in 0..count {
        let AccessRequest { location, flags } = request(index);
        let access = access_of(&format!("desc[{index}].flags"), flags)?;
        wanted.push((who(&session, &format!("desc[{index}].location"), location)?, access));
    }
    let parts = mapped_in(addr, len)?;
    let mut held = Vec::new();
    for (_, memory) in &parts {
        held.extend(memory.hold()?);
        for (index, (who, access)) in wanted.iter().enumerate() {
            if let (Some(id), MemoryPlace::Device(home), true) = (*who, memory.place, *access != Access::None) {
                check_reaches(&*session.driver, format_args!("desc[{index}]"), id, home)?;
            }
        }
    }
    for (base, memory) in &parts {
        for (who, access) in &wanted {
            let native = session.driver.virtual_memory();
            native.set_access(*base, memory.len, memory.native(), *who, *access)?;
        }
        allow(*base, memory, &wanted)?;
    }
    Ok(())
}

/// Notes the access to a mapping, after the backend has set it.
pub(super) fn allow(base: usize, memory: &Arc<physical::Physical>, wanted: &[(Option<u32>, Access)]) -> Result<()> {
    let mut ranges = RANGES.lock();
    let Some((_, mapping)) = ranges.mapping_mut(base) else { return Ok(()) };
    if !Arc::ptr_eq(&mapping.memory, memory) {
        return Ok(());
    }
    for (who, access) in wanted {
        mapping.access.set(*who, *access, memory.place);
    }
    // A mapping without access is no allocation.
    if mapping.access.is_none() {
        forget_address(base);
        return Ok(());
    }
    if Allocation::find(base).is_some() {
        return Ok(());
    }
    Allocation::of_range(base, memory.len, memory.kind(), memory.owner, 0).register()
}

/// Implements aclrtMemGetAccess: returns the access of a place to the mapping around an address.
pub fn get(addr: usize, location: Location) -> Result<Access> {
    arguments::not_null("virPtr", addr, "pass a mapped address")?;
    let who = who(&*thread::session_outside_host_functions()?, "location", location)?;
    let ranges = RANGES.lock();
    match ranges.mapping(addr) {
        Some((_, mapping)) => Ok(mapping.access.get(who)),
        None => Err(super::not_mapped("virPtr", addr)),
    }
}

/// Whether `access` allows reading, or writing.
fn suffices(access: Access, writes: bool) -> bool {
    access == Access::ReadWrite || access == Access::Read && !writes
}

/// Whether `device` has access to all mappings in a span.
#[cold]
pub(crate) fn is_granted(span: &Span, device: &Device, writes: bool) -> bool {
    let ranges = RANGES.lock();
    reached(&ranges, span.addr, span.len).all(|(_, mapping)| suffices(mapping.access.get(Some(device.id)), writes))
}

/// Fails if a part of a span is mapped and neither its home nor `device` has this access. Other memory is ignored.
#[cold]
pub fn check(argument: impl Display, span: &Span, device: &Device, writes: bool) -> Result<()> {
    let ranges = RANGES.lock();
    for (base, mapping) in reached(&ranges, span.addr, span.len) {
        let suffices = |access| suffices(access, writes);
        let Mapping { access, memory, .. } = mapping;
        if !suffices(access.get(memory.place.device())) && !suffices(access.get(Some(device.id))) {
            let verb = if writes { "write" } else { "read" };
            return Err(param_invalid!(
                "{argument} {:#x} reaches the mapping at {base:#x}, which device {} may not {verb}; allow it with \
                 aclrtMemSetAccess",
                span.addr,
                device.id
            ));
        }
    }
    Ok(())
}
