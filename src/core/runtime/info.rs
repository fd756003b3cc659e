//! Facts about this library that a program may ask for at any time.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use crate::core::base::config;
use crate::core::base::error::Result;
use crate::core::runtime;

/// The version of the API (not of this library): major, minor, patch.
pub const API_VERSION: [i32; 3] = [1, 17, 0];

/// The name of the processor that programs are told to run on.
pub fn soc_name() -> &'static CStr {
    static NAME: OnceLock<CString> = OnceLock::new();
    NAME.get_or_init(|| CString::new(config::soc_name()).unwrap_or_else(|_| c"Ascend910B1".into()))
}

/// The number of that processor's architecture, for programs that choose code by it; 0 where its
/// name does not say it.
pub fn npu_arch() -> i64 {
    /// Of the Ascend 910B and 910_93.
    const A2_AND_A3: i64 = 2201;
    let name = soc_name().to_bytes();
    let known = [&b"Ascend910B"[..], b"Ascend910_93"];
    if known.iter().any(|start| name.starts_with(start)) { A2_AND_A3 } else { 0 }
}

/// The number of this process, for others to put on their lists.
pub fn process_id() -> i32 {
    std::process::id() as i32
}

/// The name of the backend that is open, which is opened now if none is.
pub fn backend_name() -> Result<&'static CStr> {
    Ok(match runtime::session()?.driver.name() {
        "cuda" => c"cuda",
        _ => c"cpu",
    })
}
