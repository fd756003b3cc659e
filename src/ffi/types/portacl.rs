//! Types of `portacl.h`.

use std::ffi::c_uchar;

/// The major version number of portacl that this header belongs to. ACL_MAJOR_VERSION is the version of the Ascend
/// runtime API instead.
pub const PORTACL_VERSION_MAJOR: i32 = 0;

/// The minor version number of portacl.
pub const PORTACL_VERSION_MINOR: i32 = 1;

/// The patch version number of portacl.
pub const PORTACL_VERSION_PATCH: i32 = 0;

// `./dev release` sets these numbers together with Cargo.toml.
const _: () = {
    const fn is(text: &str, number: i32) -> bool {
        matches!(i32::from_str_radix(text, 10), Ok(parsed) if parsed == number)
    }
    assert!(is(env!("CARGO_PKG_VERSION_MAJOR"), PORTACL_VERSION_MAJOR));
    assert!(is(env!("CARGO_PKG_VERSION_MINOR"), PORTACL_VERSION_MINOR));
    assert!(is(env!("CARGO_PKG_VERSION_PATCH"), PORTACL_VERSION_PATCH));
};

/// For aclrtMemPoolProps::handleType: the memory can be shared with other machines, if the driver supports it.
pub const PORTACL_MEM_HANDLE_TYPE_FABRIC: i32 = 8;

/// Attributes of a device about memory pools.
#[repr(C)]
pub enum portaclMemPoolSupport {
    /// 1 if the device supports pools of its memory, else 0.
    PORTACL_MEM_POOL_SUPPORT_DEVICE = 0,
    /// Handle types of pools that can be shared: ACL_MEM_HANDLE_TYPE_POSIX 2 and PORTACL_MEM_HANDLE_TYPE_FABRIC 8, as a
    /// bit mask.
    PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES = 1,
    /// 1 if pools of host memory (ACL_MEM_LOCATION_TYPE_HOST) are supported, else 0.
    PORTACL_MEM_POOL_SUPPORT_HOST = 2,
    /// 1 if pools of host memory of a NUMA node (ACL_MEM_LOCATION_TYPE_HOST_NUMA) are supported, else 0.
    PORTACL_MEM_POOL_SUPPORT_HOST_NUMA = 3,
    /// 1 if other devices on the bus, such as network cards, can read and write the device's memory (GPUDirect RDMA),
    /// else 0.
    PORTACL_MEM_POOL_SUPPORT_RDMA = 4,
    /// How such writes can be flushed, as a bit mask: 1 by the host, 2 by operations of a stream.
    PORTACL_MEM_POOL_SUPPORT_RDMA_FLUSH_WRITES = 5,
    /// For which devices such writes are ordered without a flush: 0 none, 100 this device, 200 all devices.
    PORTACL_MEM_POOL_SUPPORT_RDMA_WRITES_ORDERING = 6,
}

/// The name of an allocation of a shared pool for other processes. Plain bytes that can be passed in any way.
#[repr(C)]
pub struct portaclMemPoolPtrExportData {
    /// Size of this structure in bytes; the caller sets it before either call.
    pub size: usize,
    /// The name of the allocation.
    pub data: [c_uchar; 64],
}
