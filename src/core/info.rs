//! Facts about this library that a program may ask for at any time.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use super::config;

/// The version of the API (not of this library): major, minor, patch.
pub const API_VERSION: [i32; 3] = [1, 17, 0];

/// The name of the processor that programs are told to run on.
pub fn soc_name() -> &'static CStr {
    static NAME: OnceLock<CString> = OnceLock::new();
    NAME.get_or_init(|| CString::new(config::soc_name()).unwrap_or_else(|_| c"Ascend910B1".into()))
}
