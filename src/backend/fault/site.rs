//! The call sites: every method of the backend traits that can fail.

use crate::backend::{FaultKind, OpKind};

/// Declares the sites: variant, name (`trait.method`), and the kind of their failure.
macro_rules! sites {
    ($($variant:ident $name:literal $kind:ident,)*) => {
        /// A call of a backend.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Site {
            $(#[doc = $name] $variant,)*
            /// An operation that is submitted to a stream.
            Submit(OpKind),
        }

        /// The sites that are methods, in the order of the traits.
        const METHODS: &[Site] = &[$(Site::$variant,)*];

        impl Site {
            /// `trait.method`, or `stream.operation`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Submit(kind) => kind.name(),
                }
            }

            /// The kind of failure of this call.
            pub const fn refusal(self) -> FaultKind {
                match self {
                    $(Self::$variant => FaultKind::$kind,)*
                    Self::Submit(_) => FaultKind::Driver,
                }
            }
        }
    };
}

sites! {
    DriverDescribe "driver.describe" Driver,
    DriverCanAccessPeer "driver.can_access_peer" Driver,
    DriverAtomics "driver.atomics" Driver,
    DriverSetPeerAccess "driver.set_peer_access" Driver,
    DriverUtilization "driver.utilization" Driver,
    DriverOpen "driver.open" Driver,
    DriverAllocHost "driver.alloc_host" OutOfHostMemory,
    DriverFreeHost "driver.free_host" Driver,
    DriverRegisterHost "driver.register_host" OutOfHostMemory,
    DriverUnregisterHost "driver.unregister_host" Driver,
    DriverForeign "driver.foreign" Driver,
    DriverForeignBlock "driver.foreign_block" Driver,
    DriverShareHost "driver.share_host" OutOfHostMemory,
    DriverImportMemory "driver.import_memory" Driver,
    DriverCreateNotify "driver.create_notify" OutOfResources,
    DriverImportNotify "driver.import_notify" Driver,
    DriverHoldProcess "driver.hold_process" Driver,
    DriverSaveMemory "driver.save_memory" OutOfHostMemory,
    DriverRestoreMemory "driver.restore_memory" OutOfDeviceMemory,
    DriverReleaseProcess "driver.release_process" Driver,
    DeviceFreeMemory "device.free_memory" Driver,
    DeviceAlloc "device.alloc" OutOfDeviceMemory,
    DeviceAllocManaged "device.alloc_managed" OutOfDeviceMemory,
    DeviceShare "device.share" OutOfHostMemory,
    DeviceAllocPhysical "device.alloc_physical" OutOfDeviceMemory,
    DeviceExportMemory "device.export_memory" Driver,
    DeviceImportMemory "device.import_memory" Driver,
    DeviceAdvise "device.advise" Driver,
    DeviceFree "device.free" Driver,
    DeviceCreateStream "device.create_stream" OutOfResources,
    DeviceAdoptStream "device.adopt_stream" Driver,
    DeviceCreateEvent "device.create_event" OutOfResources,
    DeviceCopy "device.copy" Driver,
    DeviceCopyBatch "device.copy_batch" Driver,
    DeviceCopy2d "device.copy_2d" Driver,
    DeviceFill "device.fill" Driver,
    DeviceLoadModule "device.load_module" Driver,
    DeviceBindLaunch "device.bind_launch" Driver,
    DeviceCreateGraph "device.create_graph" Driver,
    DeviceUpdateGraph "device.update_graph" Driver,
    DeviceClose "device.close" Driver,
    GraphIsRunning "graph.is_running" Driver,
    StreamIsIdle "stream.is_idle" Driver,
    StreamSynchronize "stream.synchronize" Driver,
    StreamDrainUpTo "stream.drain_up_to" Driver,
    StreamSetPriority "stream.set_priority" Driver,
    EventIsComplete "event.is_complete" Driver,
    EventSynchronize "event.synchronize" Driver,
    EventElapsedMs "event.elapsed_ms" Driver,
    EventTimeNs "event.time_ns" Driver,
    ModuleKernel "module.kernel" Driver,
    ModuleVariable "module.variable" Driver,
    SharedMemoryAlloc "shared_memory.alloc" OutOfDeviceMemory,
    SharedMemoryExport "shared_memory.export" Driver,
    SharedMemoryExportRange "shared_memory.export_range" Driver,
    PhysicalMemoryExport "physical_memory.export" Driver,
    VirtualMemoryReserve "virtual_memory.reserve" OutOfHostMemory,
    VirtualMemoryRelease "virtual_memory.release" Driver,
    VirtualMemoryAllocHost "virtual_memory.alloc_host" OutOfHostMemory,
    VirtualMemoryImport "virtual_memory.import" Driver,
    VirtualMemoryMap "virtual_memory.map" Driver,
    VirtualMemoryUnmap "virtual_memory.unmap" Driver,
    VirtualMemorySetAccess "virtual_memory.set_access" Driver,
    PoolsCreate "pools.create" OutOfDeviceMemory,
    PoolsImport "pools.import" Driver,
    PoolAlloc "pool.alloc" OutOfDeviceMemory,
    PoolFree "pool.free" Driver,
    PoolFreeNow "pool.free_now" Driver,
    PoolGet "pool.get" Driver,
    PoolSet "pool.set" Driver,
    PoolTrim "pool.trim" Driver,
    PoolSetAccess "pool.set_access" Driver,
    PoolAccess "pool.access" Driver,
    PoolExport "pool.export" Driver,
    PoolExportBlock "pool.export_block" Driver,
    PoolImportBlock "pool.import_block" Driver,
}

/// Methods that cannot fail, and why: the decorator forwards them.
#[cfg(test)]
pub const INFALLIBLE: &[(&str, &str)] = &[
    ("driver.name", "a constant"),
    ("driver.device_count", "known since the backend was opened"),
    ("driver.unlocked_host_bytes", "a count"),
    ("driver.native_device", "a name, known since the backend was opened"),
    ("driver.pools", "whether there are any, known since the backend was opened"),
    ("driver.virtual_memory", "the backend itself"),
    ("driver.page_size", "a question about a live block"),
    ("driver.host_block_len", "arithmetic"),
    ("driver.has_snapshots", "known since the backend was opened"),
    ("driver.shutdown", "its answer is who was left behind, which a test can have without this"),
    ("device.info", "facts, known since the device was opened"),
    ("device.block_len", "arithmetic"),
    ("device.note_part", "a note"),
    ("device.memory_usage", "counts"),
    ("device.restart_peak", "a note"),
    ("device.is_unused", "a question about a live block"),
    ("device.least_priority", "likewise"),
    ("device.streams_wait_for_tickets", "known since the device was opened"),
    ("graph.abort", "drops; there is nothing to refuse"),
    ("pools.have_had", "a question about an address"),
    ("stream.is_known_idle", "a look; the decorator never knows, so that who wants to know has to ask"),
    ("event.is_known_complete", "likewise"),
    ("stream.submitted", "a look at a counter"),
    ("stream.finished", "likewise"),
    ("stream.abandon", "gives up; there is nothing to refuse"),
    ("stream.abort", "drops; there is nothing to refuse"),
    ("stream.retire", "a note"),
    ("stream.limit_waits", "likewise"),
    ("device.native_context", "a name, known since the device was opened"),
    ("stream.native", "a name"),
    ("event.native", "a name"),
    ("shared_memory.withdraw", "a note"),
    ("shared_memory.close", "gives up; there is nothing to refuse"),
    ("module.code", "a fact, known since the program was loaded"),
    ("kernel.info", "facts, known since the kernel was found"),
    ("kernel.uses", "asks a function of the kernel, which cannot refuse"),
    ("bound_launch.accept", "a note"),
    ("physical_memory.page_size", "a question about live memory"),
];

impl Site {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        METHODS.iter().copied().chain(OpKind::ALL.iter().copied().map(Self::Submit))
    }

    /// Its place in [`Site::all`].
    pub fn index(self) -> usize {
        Self::all().position(|site| site == self).expect("all are listed")
    }

    /// The site with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|site| site.name() == name)
    }

    /// Whether its operation can fail later as well.
    pub fn is_queued(self) -> bool {
        matches!(self, Self::Submit(kind) if kind.can_fail_later())
    }

    /// The names of sites similar to an unknown name, for a text that has no room for all of them.
    pub fn names_like(name: &str) -> String {
        let kind = |name: &'static str| name.split('.').next().unwrap_or_default();
        let wanted = name.split('.').next();
        let names = Self::names(|site| Some(kind(site.name())) == wanted);
        if !names.is_empty() {
            return names;
        }
        let mut kinds: Vec<_> = Self::all().map(|site| kind(site.name())).collect();
        kinds.dedup();
        format!("docs/configuration.md has them; they begin with {}", kinds.join(", "))
    }

    /// The names of sites, for a text.
    pub fn names(which: impl Fn(Self) -> bool) -> String {
        let names: Vec<_> = Self::all().filter(|site| which(*site)).map(Self::name).collect();
        names.join(", ")
    }
}
