//! Types of `portacl.h`.

use std::ffi::c_uchar;

/// For aclrtMemPoolProps::handleType: the memory can be shared with other machines, where the driver can do
/// that.
pub const PORTACL_MEM_HANDLE_TYPE_FABRIC: i32 = 8;

/// An allocation of a shared pool, named for another process. Plain bytes: they may travel anyhow.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemPoolPtrExportData {
    /// Size of this structure in bytes; the caller sets it before either call.
    pub size: usize,
    /// What names the allocation.
    pub data: [c_uchar; 64],
}
