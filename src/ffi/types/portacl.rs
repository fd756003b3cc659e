//! Types of `portacl.h`.

use std::ffi::c_uchar;

/// The version of portacl that this header belongs to: the major number. ACL_MAJOR_VERSION is that of the Ascend
/// runtime API instead.
pub const PORTACL_VERSION_MAJOR: i32 = 0;

/// The minor number of the version of portacl.
pub const PORTACL_VERSION_MINOR: i32 = 1;

/// The patch number of the version of portacl.
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

/// For aclrtMemPoolProps::handleType: the memory can be shared with other machines, where the driver can do
/// that.
pub const PORTACL_MEM_HANDLE_TYPE_FABRIC: i32 = 8;

/// What can be asked about the memory pools of a device.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum portaclMemPoolSupport {
    /// 1 if there are pools of the device's memory, else 0.
    PORTACL_MEM_POOL_SUPPORT_DEVICE = 0,
    /// For which handle types a pool can be made that is shared: ACL_MEM_HANDLE_TYPE_POSIX 2 and
    /// PORTACL_MEM_HANDLE_TYPE_FABRIC 8, added up.
    PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES = 1,
    /// 1 if there are pools of host memory (ACL_MEM_LOCATION_TYPE_HOST), else 0.
    PORTACL_MEM_POOL_SUPPORT_HOST = 2,
    /// 1 if there are pools of host memory of a NUMA node (ACL_MEM_LOCATION_TYPE_HOST_NUMA), else 0.
    PORTACL_MEM_POOL_SUPPORT_HOST_NUMA = 3,
    /// 1 if other devices on the bus, as network cards, can read and write the device's memory (GPUDirect RDMA), else 0.
    PORTACL_MEM_POOL_SUPPORT_RDMA = 4,
    /// How what those have written is flushed: 1 by the host, 2 by operations of a stream, added up.
    PORTACL_MEM_POOL_SUPPORT_RDMA_FLUSH_WRITES = 5,
    /// For whom what those have written is in order without a flush: 0 nobody, 100 the device, 200 all devices.
    PORTACL_MEM_POOL_SUPPORT_RDMA_WRITES_ORDERING = 6,
}

/// An allocation of a shared pool, named for another process. Plain bytes: they may travel anyhow.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemPoolPtrExportData {
    /// Size of this structure in bytes; the caller sets it before either call.
    pub size: usize,
    /// What names the allocation.
    pub data: [c_uchar; 64],
}
