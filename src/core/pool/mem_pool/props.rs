//! The properties of a pool, from C and for C, and which of them are available.

use crate::backend::{self, Home, MemoryPlace, PoolKind, PoolOptions, PoolSharing};
use crate::base::error::{Error, Result, arguments, invalid_param, unsupported};
use crate::base::handles;
use crate::memory::access::Location;
use crate::memory::virtual_memory::physical::place_at;
use crate::pool::mem_pool::MemPool;
use crate::pool::mem_pool::pool::Inner;
use crate::runtime::{Session, thread};

/// The values of an `aclrtMemAllocationType`: ACL_MEM_ALLOCATION_TYPE_PINNED and PORTACL_MEM_ALLOCATION_TYPE_MANAGED.
const PINNED: i32 = 0;
const MANAGED: i32 = 2;
/// The bit PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS.
const DECOMPRESSION: u32 = 2;

/// A `portaclMemPoolProps`, as numbers of the API.
#[derive(Clone, Copy, Debug)]
pub struct Props {
    /// An `aclrtMemAllocationType`, or PORTACL_MEM_ALLOCATION_TYPE_MANAGED.
    pub alloc_type: i32,
    /// An `aclrtMemHandleType`, or PORTACL_MEM_HANDLE_TYPE_FABRIC.
    pub handle_type: i32,
    /// The device or the host.
    pub location: Location,
    /// Maximum number of bytes; 0: no limit.
    pub max_size: usize,
    /// Uses of the memory, as bits.
    pub usage: u32,
}

/// Returns the way of sharing with this number in the API.
pub(super) fn sharing(argument: &str, number: i32) -> Result<PoolSharing> {
    match number {
        0 => Ok(PoolSharing::None),
        2 => Ok(PoolSharing::Descriptor),
        8 => Ok(PoolSharing::Fabric),
        _ => Err(invalid_param!(
            "{argument} is {number}; allowed: ACL_MEM_HANDLE_TYPE_NONE 0, ACL_MEM_HANDLE_TYPE_POSIX 2 and \
             PORTACL_MEM_HANDLE_TYPE_FABRIC 8"
        )),
    }
}

/// Returns the place and the kind of a pool for this allocation type and location, for which `names` has the program's
/// names. Managed memory that prefers no device is on the current one.
pub(super) fn place(
    [alloc_type, location]: [&str; 2],
    number: i32,
    Location { kind, id }: Location,
    session: &Session,
) -> Result<(MemoryPlace, PoolKind)> {
    ensure!(
        matches!(number, PINNED | MANAGED),
        invalid_param!(
            "{alloc_type} is {number}; allowed: ACL_MEM_ALLOCATION_TYPE_PINNED 0 and \
             PORTACL_MEM_ALLOCATION_TYPE_MANAGED 2"
        )
    );
    let is_known =
        matches!(kind, Location::DEVICE | Location::HOST | Location::HOST_NODE | Location::NEAREST_HOST_NODE);
    ensure!(
        is_known || (kind, number) == (Location::MANAGED, MANAGED),
        invalid_param!(
            "{location}type is {kind}; allowed: ACL_MEM_LOCATION_TYPE_HOST 0, _DEVICE 1, _HOST_NUMA 4, \
             PORTACL_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT 104, and with PORTACL_MEM_ALLOCATION_TYPE_MANAGED 2 also \
             ACL_MEM_LOCATION_TYPE_MANAGED 3"
        )
    );
    let here = match (kind, number) {
        (Location::NEAREST_HOST_NODE, _) => MemoryPlace::Host(Some(backend::nearest_host_node())),
        (Location::MANAGED, MANAGED) => {
            return Ok((MemoryPlace::Device(thread::current()?.device.id), PoolKind::Managed(None)));
        }
        _ => place_at(location, Location { kind, id }, session)?,
    };
    if number == PINNED {
        return Ok((here, PoolKind::Pinned));
    }
    Ok(match here {
        MemoryPlace::Device(id) => (here, PoolKind::Managed(Some(Home::Device(id)))),
        MemoryPlace::Host(node) => {
            let home = node.map_or(Home::Host, Home::HostNode);
            (MemoryPlace::Device(thread::current()?.device.id), PoolKind::Managed(Some(home)))
        }
    })
}

impl Props {
    /// Returns the options for the backend. Fails if a property is not available.
    pub fn check(self, session: &Session) -> Result<PoolOptions> {
        let names = ["poolProps->allocType", "poolProps->location."];
        let (place, kind) = place(names, self.alloc_type, self.location, session)?;
        let sharing = sharing("poolProps->handleType", self.handle_type)?;
        let max_size = (self.max_size != 0).then_some(self.max_size as u64);
        let options = PoolOptions { place, kind, sharing, max_size, decompression: self.usage == DECOMPRESSION };
        if place == MemoryPlace::Host(None) && sharing != PoolSharing::None {
            return Err(invalid_param!(
                "poolProps->handleType is {}; a pool in host memory without a NUMA node cannot be shared; pass \
                 ACL_MEM_HANDLE_TYPE_NONE 0, or location type ACL_MEM_LOCATION_TYPE_HOST_NUMA",
                self.handle_type
            ));
        }
        ensure!(
            matches!(self.usage, 0 | DECOMPRESSION),
            invalid_param!(
                "poolProps->usage is {:#x}; allowed: 0 and PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS 2",
                self.usage
            )
        );
        if kind != PoolKind::Pinned {
            self.check_managed()?;
        }
        let is_of_driver = session.driver.pools().is_some();
        ensure!(
            sharing != PoolSharing::Fabric || is_of_driver,
            no_fabric(
                "poolProps->handleType",
                "pass ACL_MEM_HANDLE_TYPE_POSIX, or ACL_MEM_HANDLE_TYPE_NONE for a pool that is not shared"
            )
        );
        ensure!(
            !options.decompression || is_of_driver,
            unsupported!(
                "poolProps->usage is PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS 2: the cpu backend has no engine for \
                 decompression; pass 0"
            )
        );
        Ok(options)
    }

    /// Fails if a pool of managed memory cannot have these properties.
    fn check_managed(self) -> Result<()> {
        for (name, number) in
            [("handleType", self.handle_type as usize), ("maxSize", self.max_size), ("usage", self.usage as usize)]
        {
            ensure!(
                number == 0,
                invalid_param!(
                    "poolProps->{name} is {number}, but poolProps->allocType is PORTACL_MEM_ALLOCATION_TYPE_MANAGED 2: \
                     pools of managed memory are not shared and have neither a maximum nor a usage; pass 0"
                )
            );
        }
        Ok(())
    }
}

/// Implements portaclMemPoolGetProperty.
pub fn property(raw: u64, number: i32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let answers: [fn(&MemPool) -> u64; 6] = [
        |pool| if pool.pool.home.is_managed { MANAGED as u64 } else { PINNED as u64 },
        |pool| match pool.pool.options.sharing {
            // An imported pool is not exported again.
            _ if pool.pool.is_imported() => 0,
            PoolSharing::None => 0,
            PoolSharing::Descriptor => 2,
            PoolSharing::Fabric => 8,
        },
        |pool| location(&pool.pool.options).kind as u64,
        |pool| location(&pool.pool.options).id.into(),
        |pool| match &pool.pool.inner {
            Inner::Core(own) => own.most().unwrap_or(0),
            Inner::Driver(_) => pool.pool.options.max_size.unwrap_or(0),
        },
        |pool| if pool.pool.options.decompression { DECOMPRESSION.into() } else { 0 },
    ];
    let answer = arguments::numbered("what", number, &answers, "the values of portaclMemPoolProperty, 0 to 5")?;
    Ok(answer(&*handles::get_arc::<MemPool>("memPool", raw)?))
}

/// Returns the location of a pool as programs name it.
fn location(options: &PoolOptions) -> Location {
    match (options.kind, options.place) {
        (PoolKind::Managed(None), MemoryPlace::Device(id)) => Location::managed(id),
        (PoolKind::Managed(Some(Home::Host)), _) => MemoryPlace::Host(None).into(),
        (PoolKind::Managed(Some(Home::HostNode(node))), _) => MemoryPlace::Host(Some(node)).into(),
        (PoolKind::Pinned | PoolKind::Managed(_), place) => place.into(),
    }
}

/// Returns the location of a pool for error texts.
pub(super) fn in_words(options: &PoolOptions) -> String {
    let what = if options.kind == PoolKind::Pinned { "" } else { "managed memory with its preferred location " };
    let Location { kind, id } = location(options);
    let place = match kind {
        Location::DEVICE => format!("{what}on device {id}"),
        Location::HOST => format!("{what}in host memory"),
        Location::HOST_NODE => format!("{what}in host memory on NUMA node {id}"),
        _ => "managed memory without a preferred location".to_owned(),
    };
    match options.place {
        // Managed memory that prefers no device belongs to the one that was current.
        MemoryPlace::Device(current) if kind != Location::DEVICE => format!("{place} (current device {current})"),
        MemoryPlace::Device(_) | MemoryPlace::Host(_) => place,
    }
}

/// Returns the error of a request for a fabric handle if the core implements the pools.
#[cold]
pub(super) fn no_fabric(argument: &str, fix: &str) -> Error {
    unsupported!(
        "{argument} is PORTACL_MEM_HANDLE_TYPE_FABRIC: the cpu backend shares memory within one machine only; {fix}"
    )
}
