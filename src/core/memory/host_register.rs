//! The caller's host memory, registered for devices.

use crate::algo::map::address_map::InsertError;
use crate::backend::Foreign;
use crate::base::error::{Code, Error, Result, arguments, error_with, invalid_param, param_invalid, unsupported};
use crate::base::gate::{self, Binding};
use crate::memory::allocation::{Allocation, Kind, MemorySource};
use crate::memory::pointer::REGISTERED_PAGE;
use crate::memory::pointer::span::{beyond_all, stale};
use crate::memory::request::freeing;
use crate::order::places;
use crate::runtime::{self, thread};

/// `IOMEMORY` and the next three are the bits of `flag` in aclrtHostRegisterV2.
const IOMEMORY: u32 = 0x4;
const READONLY: u32 = 0x8;
const MAPPED: u32 = 0x2;
const PINNED: u32 = 0x1000_0000;

/// Implements aclrtHostRegister: returns the device address. `kind` is an aclrtHostRegisterType.
pub fn register(addr: usize, size: u64, kind: i32) -> Result<usize> {
    match kind {
        0 => register_as(addr, size, Kind::Registered { pinned: false, mapped: true }),
        4 | 8 => Err(unsupported!("type is {kind}; memory can be registered as ACL_HOST_REGISTER_MAPPED 0 only")),
        _ => Err(invalid_param!("type is {kind}; allowed: ACL_HOST_REGISTER_MAPPED 0")),
    }
}

/// Implements aclrtHostRegisterV2.
pub fn register_with_flags(addr: usize, size: u64, flag: u32) -> Result<()> {
    const ALLOWED: &str = "ACL_HOST_REG_MAPPED 0x2, ACL_HOST_REG_PINNED 0x10000000, or both";
    if flag & !(MAPPED | PINNED | IOMEMORY | READONLY) != 0 || flag == 0 {
        return Err(invalid_param!("flag is {flag:#x}; allowed: {ALLOWED}"));
    }
    if flag & (IOMEMORY | READONLY) != 0 {
        return Err(unsupported!(
            "flag is {flag:#x}; I/O memory and memory that devices only read cannot be registered; allowed: {ALLOWED}"
        ));
    }
    let kind = Kind::Registered { pinned: flag & PINNED != 0, mapped: flag & MAPPED != 0 };
    register_as(addr, size, kind).map(drop)
}

fn register_as(addr: usize, size: u64, kind: Kind) -> Result<usize> {
    arguments::not_null("ptr", addr, "pass the memory to register")?;
    arguments::not_zero("size", size, "register at least one byte")?;
    arguments::aligned("ptr", addr, REGISTERED_PAGE, format_args!("{REGISTERED_PAGE} bytes"))?;
    let len = size as usize;
    ensure!(addr.checked_add(len).is_some(), beyond_all("ptr", addr, len));
    // While the session is held a finalize waits.
    let session = thread::session_outside_host_functions()?;
    let most = session.driver.host_memory();
    ensure!(
        size <= most,
        invalid_param!(
            "size is {size}; allowed: at most {most}, the bytes of all host memory; pass the size of the memory at ptr"
        )
    );
    // Memory that this library has freed still belongs to it, and will be allocated again.
    for probe in probes(addr, len) {
        ensure!(
            Allocation::find(probe).is_some() || session.driver.foreign(probe) != Foreign::Stale,
            stale("ptr", probe)
        );
    }
    let registration = |kind, device_addr| Allocation::of_range(addr, len, kind, session.owner, device_addr);
    // The range is inserted first, so that of two calls for the same memory one fails without a lock held during the
    // driver's call. Until the driver has registered it, it counts as pageable host memory.
    registration(Kind::BEING_REGISTERED, 0).insert().map_err(|why| not_inserted(addr, len, why))?;
    gate::bind(Binding::Device);
    match session.driver.register_host(addr, len) {
        Ok(device_addr) => {
            // The program may have mapped a file twice, and registered both.
            places::may_be_of_file(addr, len, |_| false);
            places::is_also_at(device_addr, len, addr);
            registration(kind, device_addr).replace();
            Ok(device_addr)
        }
        Err(fault) => {
            Allocation::take(addr, |found| found.owner == session.owner);
            Err(fault.into())
        }
    }
}

/// Returns addresses of which at least one lies in any library memory that the range touches. Library memory comes in
/// multiples of 2 MiB, so they are both ends and the multiples between. For a range of more than 128 GiB, which may be
/// a mistake, they cover only its beginning.
fn probes(addr: usize, len: usize) -> impl Iterator<Item = usize> {
    const PAGE: usize = 2 << 20;
    const MOST: usize = (128 << 30) / PAGE;
    let last = addr + (len - 1);
    let multiples = (addr / PAGE + 1..=last / PAGE).map(|index| index * PAGE);
    [addr, last].into_iter().chain(multiples.take(MOST))
}

#[cold]
fn not_inserted(addr: usize, len: usize, why: InsertError) -> Error {
    match why {
        InsertError::Overlap { base, len: other_len } => {
            let wanted = format_args!("the {len} bytes at ptr {addr:#x}");
            match Allocation::find(base).map(|found| found.kind.source()) {
                Some(MemorySource::Device(_) | MemorySource::Backend | MemorySource::Pool | MemorySource::Mapping) => {
                    param_invalid!(
                        "{wanted} overlap the {other_len} bytes at {base:#x}, which this library allocated; memory from \
                     this library needs no registration"
                    )
                }
                Some(MemorySource::Caller) | None => error_with!(
                    Code::HostMemoryAlreadyRegistered,
                    "{wanted} overlap the {other_len} bytes at {base:#x}, which are registered already; call \
                     aclrtHostUnregister({base:#x}) first"
                ),
            }
        }
        InsertError::Unaddressable => beyond_all("ptr", addr, len),
        InsertError::Full => Error::new(Code::BadAlloc, why),
        InsertError::Empty => Error::new(Code::InternalError, why),
    }
}

/// Implements aclrtHostUnregister: the registration ends at once; enqueued work that uses the memory keeps it locked.
pub fn unregister(addr: usize) -> Result<()> {
    arguments::not_null("ptr", addr, "pass the memory that was registered")?;
    thread::refuse_inside_host_function()?;
    let taken = runtime::existing_session().and_then(|session| {
        let is_registered = |found: &Allocation| {
            found.owner == session.owner
                && matches!(found.kind, Kind::Registered { .. })
                && found.kind != Kind::BEING_REGISTERED
        };
        let registration = Allocation::take(addr, is_registered)?;
        [addr, registration.device_addr()].into_iter().for_each(|addr| places::end(addr, registration.len));
        Some(session.driver.unregister_host(addr, registration.len))
    });
    match taken {
        Some(unregistered) => Ok(unregistered?),
        None => Err(not_ended(addr)),
    }
}

/// Implements aclrtHostGetDevicePointer: returns the device address of host memory.
pub fn device_pointer(addr: usize, flag: u32) -> Result<usize> {
    arguments::not_null("pHost", addr, "pass registered host memory")?;
    arguments::no_flags("flag", flag)?;
    thread::refuse_inside_host_function()?;
    match Allocation::known(addr) {
        Some(found) => match found.kind {
            Kind::Registered { mapped: true, .. } => Ok(found.device_addr() + (addr - found.base)),
            // The library's memory has one address for all devices.
            Kind::Pinned | Kind::HostPool(_) | Kind::HostMapped(_) | Kind::Managed(_) | Kind::ManagedPool(_) => {
                Ok(addr)
            }
            Kind::Device(_) | Kind::Pool(_) | Kind::Mapped(_) | Kind::Imported(_) | Kind::Graph(_) => {
                Err(param_invalid!("pHost {addr:#x} is device memory; pass this address to devices as it is"))
            }
            Kind::Registered { .. } => Err(param_invalid!(
                "pHost {addr:#x} was registered without ACL_HOST_REG_MAPPED, so devices have no address for it; \
                 unregister it (aclrtHostUnregister), and register it with this flag"
            )),
        },
        None => Err(not_registered("pHost", addr)),
    }
}

/// Returns the error for an address at which no registration could be ended.
#[cold]
fn not_ended(addr: usize) -> Error {
    match Allocation::known(addr) {
        None => not_registered("ptr", addr),
        Some(Allocation { kind: Kind::Registered { .. }, base, len, .. }) => {
            arguments::not_its_start("ptr", addr, "registration", base, len)
        }
        Some(Allocation { kind, .. }) => {
            let (what, call) = freeing::names(kind);
            param_invalid!("ptr {addr:#x} is {what}, which is not registered; free it with {call}")
        }
    }
}

#[cold]
fn not_registered(argument: &str, addr: usize) -> Error {
    error_with!(
        Code::HostMemoryNotRegistered,
        "{argument} {addr:#x} is not registered: it never was, or aclrtHostUnregister or aclFinalize ended the \
         registration; pass registered host memory"
    )
}
