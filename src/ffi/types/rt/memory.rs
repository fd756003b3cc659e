//! Types of `acl_rt.h` about memory and copies.

use std::ffi::c_char;
use std::mem::MaybeUninit;

/// The direction of a copy.
#[repr(C)]
pub enum aclrtMemcpyKind {
    /// Host to host.
    ACL_MEMCPY_HOST_TO_HOST = 0,
    /// Host to device.
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    /// Device to host.
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    /// Device to device, the same or another.
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    /// Derived from the addresses.
    ACL_MEMCPY_DEFAULT = 4,
    /// Host to device; the source can be reused when the call returns.
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
    /// Inside one device.
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
    /// From one device to another.
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,
}

/// Advice about managed memory.
#[repr(C)]
pub enum aclrtMemManagedAdviseType {
    /// It is mostly read.
    ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,
    /// It is not mostly read.
    ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,
    /// It should be at a location.
    ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
    /// It has no preferred location.
    ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
    /// A location accesses it.
    ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
    /// A location does not access it.
    ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5,
}

/// Kinds of locations of managed memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum aclrtMemManagedLocationType {
    /// No location.
    ACL_MEM_LOCATIONTYPE_INVALID = 0,
    /// A device.
    ACL_MEM_LOCATIONTYPE_DEVICE = 1,
    /// The host.
    ACL_MEM_LOCATIONTYPE_HOST = 2,
    /// A NUMA node of the host.
    ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,
    /// The NUMA node of the calling thread.
    ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4,
}

/// A location of managed memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtMemManagedLocation {
    /// Its kind.
    pub r#type: MaybeUninit<aclrtMemManagedLocationType>,
    /// Its id.
    pub id: i32,
}

/// Page size policy of an allocation; the last three are bits to add, which have no effect here. Any other number
/// counts as not given: huge pages first from 2 MiB on, normal pages below.
#[repr(C)]
pub enum aclrtMemMallocPolicy {
    /// Huge pages if available.
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    /// Huge pages or a failure.
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    /// Normal pages.
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    /// The same as ACL_MEM_MALLOC_HUGE_FIRST, for other devices as well.
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    /// The same as ACL_MEM_MALLOC_HUGE_ONLY, for other devices as well.
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    /// The same as ACL_MEM_MALLOC_NORMAL_ONLY, for other devices as well.
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    /// Pages of 1 GiB or a failure.
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
    /// The same as ACL_MEM_MALLOC_HUGE1G_ONLY, for other devices as well.
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
    /// Added to a policy: from the slower memory.
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 256,
    /// Added to a policy: from the faster memory.
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 4096,
    /// Added to a policy: the program may only read it.
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 1048576,
}

/// How host memory is registered.
#[repr(C)]
pub enum aclrtHostRegisterType {
    /// Mapped for the device.
    ACL_HOST_REGISTER_MAPPED = 0,
    /// Memory-mapped registers of another device.
    ACL_HOST_REGISTER_IOMEMORY = 4,
    /// The device may only read it.
    ACL_HOST_REGISTER_READONLY = 8,
}

/// Attributes of an allocation.
#[repr(C)]
pub enum aclrtMallocAttrType {
    /// None.
    ACL_RT_MEM_ATTR_RSV = 0,
    /// The module that counts it; has no effect.
    ACL_RT_MEM_ATTR_MODULE_ID = 1,
    /// The device.
    ACL_RT_MEM_ATTR_DEVICE_ID = 2,
    /// One address for host and device.
    ACL_RT_MEM_ATTR_VA_FLAG = 3,
}

/// The value of an attribute of an allocation.
#[repr(C)]
pub union aclrtMallocAttrValue {
    /// The module that counts it; has no effect.
    pub moduleId: u16,
    /// The device.
    pub deviceId: u32,
    /// 1 for one address for host and device.
    pub vaFlag: u32,
    /// Reserved.
    pub rsv: [u8; 8],
}

/// An attribute of an allocation.
#[repr(C)]
pub struct aclrtMallocAttribute {
    /// The attribute.
    pub attr: MaybeUninit<aclrtMallocAttrType>,
    /// Its value.
    pub value: aclrtMallocAttrValue,
}

/// Attributes of an allocation.
#[repr(C)]
pub struct aclrtMallocConfig {
    /// The attributes.
    pub attrs: *mut aclrtMallocAttribute,
    /// Number of attributes.
    pub numAttrs: usize,
}

/// Processes of another server.
#[repr(C)]
pub struct aclrtServerPid {
    /// The device id in the pod of the server.
    pub sdid: u32,
    /// The processes.
    pub pid: *mut i32,
    /// Number of entries.
    pub num: usize,
}

/// Kinds of device memory: DDR and HBM, page size, accessible by other devices (P2P) or not.
#[repr(C)]
pub enum aclrtMemAttr {
    /// DDR, all pages.
    ACL_DDR_MEM = 0,
    /// HBM, all pages.
    ACL_HBM_MEM = 1,
    /// DDR, huge pages.
    ACL_DDR_MEM_HUGE = 2,
    /// DDR, normal pages.
    ACL_DDR_MEM_NORMAL = 3,
    /// HBM, huge pages.
    ACL_HBM_MEM_HUGE = 4,
    /// HBM, normal pages.
    ACL_HBM_MEM_NORMAL = 5,
    /// DDR for other devices, huge pages.
    ACL_DDR_MEM_P2P_HUGE = 6,
    /// DDR for other devices, normal pages.
    ACL_DDR_MEM_P2P_NORMAL = 7,
    /// HBM for other devices, huge pages.
    ACL_HBM_MEM_P2P_HUGE = 8,
    /// HBM for other devices, normal pages.
    ACL_HBM_MEM_P2P_NORMAL = 9,
    /// HBM, pages of 1 GiB.
    ACL_HBM_MEM_HUGE1G = 10,
    /// HBM for other devices, pages of 1 GiB.
    ACL_HBM_MEM_P2P_HUGE1G = 11,
    /// Any memory, normal pages.
    ACL_MEM_NORMAL = 12,
    /// Any memory, huge pages.
    ACL_MEM_HUGE = 13,
    /// Any memory, pages of 1 GiB.
    ACL_MEM_HUGE1G = 14,
    /// Any memory for other devices, normal pages.
    ACL_MEM_P2P_NORMAL = 15,
    /// Any memory for other devices, huge pages.
    ACL_MEM_P2P_HUGE = 16,
    /// Any memory for other devices, pages of 1 GiB.
    ACL_MEM_P2P_HUGE1G = 17,
}

/// Attributes of shared memory.
#[repr(C)]
pub enum aclrtIpcMemAttrType {
    /// The connection through which it is accessed.
    ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0,
}

/// Kinds of locations of memory.
#[repr(C)]
pub enum aclrtMemLocationType {
    /// Page-locked host memory.
    ACL_MEM_LOCATION_TYPE_HOST = 0,
    /// Device memory.
    ACL_MEM_LOCATION_TYPE_DEVICE = 1,
    /// Memory that the library does not know.
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
    /// Managed memory.
    ACL_MEM_LOCATION_TYPE_MANAGED = 3,
    /// A NUMA node of the host.
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
}

/// A location of memory.
#[repr(C)]
pub struct aclrtMemLocation {
    /// The id of the device, or of the NUMA node.
    pub id: u32,
    /// Its kind.
    pub r#type: MaybeUninit<aclrtMemLocationType>,
}

/// The result of aclrtPointerGetAttributes.
#[repr(C)]
pub struct aclrtPtrAttributes {
    /// The location of the address.
    pub location: aclrtMemLocation,
    /// Size of its pages in bytes; 0 for memory that is not of this library.
    pub pageSize: u32,
    /// Reserved.
    pub rsv: [u32; 4],
}

/// Memory in use by one component.
#[repr(C)]
pub struct aclrtMemUsageInfo {
    /// The component.
    pub name: [c_char; 32],
    /// Current bytes.
    pub curMemSize: u64,
    /// Peak bytes.
    pub memPeakSize: u64,
    /// Reserved.
    pub reserved: [usize; 8],
}

/// Attributes of a range of managed memory.
#[repr(C)]
pub enum aclrtMemManagedRangeAttribute {
    /// Whether it is mostly read.
    ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
    /// The preferred location: a device id, -1 for the host, -2 for none.
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
    /// The devices that access it (-1: the host).
    ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
    /// The kind of the preferred location.
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
    /// The id of the preferred location.
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
    /// The location of the latest prefetch: a device id, -1 for the host, -2 for none.
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
    /// The kind of location of the latest prefetch.
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
    /// The id of the location of the latest prefetch.
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
}
