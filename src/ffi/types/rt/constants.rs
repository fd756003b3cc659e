//! Constants of `acl_rt.h`: flags and sizes.

use std::ffi::c_ulong;

/// After a failure the stream continues.
pub const ACL_CONTINUE_ON_FAILURE: u32 = 0x0000_0000;
/// A module of a server with AI chips only.
pub const ACL_DEVICE_FORM_FACTOR_A_K: i32 = 1;
/// A module of a server that also has other chips.
pub const ACL_DEVICE_FORM_FACTOR_A_X: i32 = 2;
/// A card.
pub const ACL_DEVICE_FORM_FACTOR_PCIE_CARD: i32 = 3;
/// A part of a pod.
pub const ACL_DEVICE_FORM_FACTOR_POD: i32 = 0;
/// The device does not have the feature.
pub const ACL_DEV_FEATURE_NOT_SUPPORT: i32 = 0x0000_0000;
/// The device has the feature.
pub const ACL_DEV_FEATURE_SUPPORT: i32 = 0x0000_0001;
/// The host can query and synchronize the event.
pub const ACL_EVENT_CAPTURE_STREAM_PROGRESS: u32 = 0x0000_0002;
/// Only the device uses the event.
pub const ACL_EVENT_DEVICE_USE_ONLY: u32 = 0x0000_0010;
/// The event orders a graph relative to work outside of it.
pub const ACL_EVENT_EXTERNAL: u32 = 0x0000_0020;
/// The event can be shared with other processes.
pub const ACL_EVENT_IPC: u32 = 0x0000_0040;
/// A normal record.
pub const ACL_EVENT_RECORD_DEFAULT: u32 = 0x0;
/// A record that is visible outside of the graph.
pub const ACL_EVENT_RECORD_EXTERNAL: u32 = 0x01;
/// Streams can wait for the event.
pub const ACL_EVENT_SYNC: u32 = 0x0000_0001;
/// The event has a timestamp.
pub const ACL_EVENT_TIME_LINE: u32 = 0x0000_0008;
/// A normal wait.
pub const ACL_EVENT_WAIT_DEFAULT: u32 = 0x0;
/// A wait for a record outside of the graph.
pub const ACL_EVENT_WAIT_EXTERNAL: u32 = 0x01;
/// Coherent connection.
pub const ACL_HOST_DEVICE_CONNECT_TYPE_HCCS: i32 = 1;
/// PCI Express.
pub const ACL_HOST_DEVICE_CONNECT_TYPE_PCIE: i32 = 0;
/// Unified bus.
pub const ACL_HOST_DEVICE_CONNECT_TYPE_UB: i32 = 2;
/// Register memory-mapped registers of another device.
pub const ACL_HOST_REG_IOMEMORY: c_ulong = 0x4;
/// Register memory and map it for the device.
pub const ACL_HOST_REG_MAPPED: c_ulong = 0x2;
/// Register memory as page-locked.
pub const ACL_HOST_REG_PINNED: c_ulong = 0x1000_0000;
/// Register memory that the device may only read.
pub const ACL_HOST_REG_READONLY: c_ulong = 0x8;
/// Size of aclrtIpcEventHandle.
pub const ACL_IPC_EVENT_HANDLE_SIZE: u32 = 64;
/// First part of the interface's version.
pub const ACL_MAJOR_VERSION: i32 = 1;
/// Write a summary of a graph.
pub const ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY: c_ulong = 0x0;
/// Write everything about a graph.
pub const ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE: c_ulong = 0x1;
/// Second part of the interface's version.
pub const ACL_MINOR_VERSION: i32 = 17;
/// A normal notify.
pub const ACL_NOTIFY_DEFAULT: u32 = 0x0000_0000;
/// A notify for the device only.
pub const ACL_NOTIFY_DEVICE_USE_ONLY: u32 = 0x0000_0001;
/// Third part of the interface's version.
pub const ACL_PATCH_VERSION: i32 = 0;
/// Maximum length of a version, including the terminating zero.
pub const ACL_PKG_VERSION_MAX_SIZE: i32 = 128;
/// Maximum length of a part of a version, including the terminating zero.
pub const ACL_PKG_VERSION_PARTS_MAX_SIZE: i32 = 64;
/// A binary for AI cores.
pub const ACL_RT_BINARY_MAGIC_ELF_AICORE: u32 = 0x4355_4245;
/// A binary for matrix cores.
pub const ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE: u32 = 0x4149_4343;
/// A binary for vector cores.
pub const ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE: u32 = 0x4141_5246;
/// Maximum number of barriers of one wait.
pub const ACL_RT_CMO_MAX_BARRIER_NUM: u32 = 6;
/// Coherent connection.
pub const ACL_RT_DEVS_TOPOLOGY_HCCS: u64 = 0x01;
/// Coherent connection through a switch.
pub const ACL_RT_DEVS_TOPOLOGY_HCCS_SW: u64 = 0x40;
/// Through one host bridge.
pub const ACL_RT_DEVS_TOPOLOGY_PHB: u64 = 0x08;
/// Inside one card.
pub const ACL_RT_DEVS_TOPOLOGY_PIB: u64 = 0x04;
/// Through one PCI Express switch.
pub const ACL_RT_DEVS_TOPOLOGY_PIX: u64 = 0x02;
/// Inside one package.
pub const ACL_RT_DEVS_TOPOLOGY_SIO: u64 = 0x20;
/// Between sockets.
pub const ACL_RT_DEVS_TOPOLOGY_SYS: u64 = 0x10;
/// Coherent connection.
pub const ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS: i32 = 1;
/// Inside one package.
pub const ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO: i32 = 0;
/// Unified bus, through several ports.
pub const ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH: i32 = 3;
/// Unified bus, through one port.
pub const ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH: i32 = 2;
/// Only listed processes may open the memory.
pub const ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT: c_ulong = 0x0;
/// All processes of this user that have the key may open the memory.
pub const ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION: c_ulong = 0x1;
/// Open the memory.
pub const ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT: c_ulong = 0x0;
/// Open the memory, and enable peer access.
pub const ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS: c_ulong = 0x1;
/// Maximum number of errors that a device keeps.
pub const ACL_RT_MAX_RECORD_PA_NUM_PER_DEV: u32 = 20;
/// Every stream uses the managed memory.
pub const ACL_RT_MEM_ATTACH_GLOBAL: u32 = 0x01;
/// The first connection.
pub const ACL_RT_MEM_LINK_IDX_0: u32 = 0;
/// The second connection.
pub const ACL_RT_MEM_LINK_IDX_1: u32 = 1;
/// Device memory, for aclrtCheckMemType.
pub const ACL_RT_MEM_TYPE_DEV: u32 = 0x2;
/// Memory of image and video units, for aclrtCheckMemType.
pub const ACL_RT_MEM_TYPE_DVPP: u32 = 0x8;
/// Reserved addresses, for aclrtCheckMemType.
pub const ACL_RT_MEM_TYPE_RSVD: u32 = 0x10;
/// Maximum number of entries of aclrtMemUceInfoArray.
pub const ACL_RT_MEM_UCE_INFO_MAX_NUM: i32 = 20;
/// Only listed processes may open the notify.
pub const ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT: c_ulong = 0x0;
/// All processes of this user that have the key may open the notify.
pub const ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION: c_ulong = 0x02;
/// Open the notify.
pub const ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT: c_ulong = 0x0;
/// The same as ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT.
pub const ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS: c_ulong = 0x02;
/// Only listed processes may open the physical memory.
pub const ACL_RT_VMM_EXPORT_FLAG_DEFAULT: c_ulong = 0x0;
/// All processes of this user that have the number may open the physical memory.
pub const ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION: c_ulong = 0x1;
/// After a failure the stream, and all other streams of its context, stop.
pub const ACL_STOP_ON_FAILURE: u32 = 0x0000_0001;
/// The stream is for the device's CPUs.
pub const ACL_STREAM_CPU_SCHEDULE: u32 = 0x0000_0010;
/// The stream is for the device only.
pub const ACL_STREAM_DEVICE_USE_ONLY: u32 = 0x0000_0020;
/// Submitting is fast; has no effect.
pub const ACL_STREAM_FAST_LAUNCH: u32 = 0x0000_0001;
/// Synchronization is fast; has no effect.
pub const ACL_STREAM_FAST_SYNC: u32 = 0x0000_0002;
/// The stream is long; has no effect.
pub const ACL_STREAM_HUGE: u32 = 0x0000_0008;
/// The stream stores its work for a graph.
pub const ACL_STREAM_PERSISTENT: u32 = 0x0000_0004;
/// Wait until the values have a common bit.
pub const ACL_STREAM_WAIT_VALUE_AND: u32 = 0x0000_0002;
/// Wait until the values are equal.
pub const ACL_STREAM_WAIT_VALUE_EQ: u32 = 0x0000_0001;
/// Wait until the value in memory minus the other, as a signed number, is not negative.
pub const ACL_STREAM_WAIT_VALUE_GEQ: u32 = 0x0000_0000;
/// Wait until a bit is set in neither value.
pub const ACL_STREAM_WAIT_VALUE_NOR: u32 = 0x0000_0003;
/// Maximum number of entries that aclrtGetMemUceInfo returns.
pub const MAX_MEM_UCE_INFO_ARRAY_SIZE: i32 = 128;
/// Length of the reserved part of aclrtMemUceInfo.
pub const UCE_INFO_RESERVED_SIZE: i32 = 14;
