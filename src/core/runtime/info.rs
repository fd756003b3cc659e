//! Properties of this library, available at any time.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use crate::algo::host::environment;
use crate::base::backends;
use crate::base::error::Result;
use crate::runtime;

/// The version of the API (not of this library): major, minor, patch.
pub const API_VERSION: [i32; 3] = [1, 17, 0];

/// Returns the name of the processor that programs see: `PORTACL_SOC_NAME`, or a default.
pub fn soc_name() -> &'static CStr {
    static NAME: OnceLock<CString> = OnceLock::new();
    let chosen = || {
        let name = environment::variable("PORTACL_SOC_NAME")?.into_string().ok()?;
        CString::new(name).ok().filter(|name| !name.is_empty())
    };
    NAME.get_or_init(|| chosen().unwrap_or_else(|| c"Ascend910B1".into()))
}

/// Returns the architecture number of that processor, by which programs choose code; 0 if its name implies none.
pub fn npu_arch() -> i64 {
    /// The number of the Ascend 910B and 910_93.
    const A2_AND_A3: i64 = 2201;
    let name = soc_name().to_bytes();
    if name.starts_with(b"Ascend910B") || name.starts_with(b"Ascend910_93") { A2_AND_A3 } else { 0 }
}

/// Returns the name of the open backend. Opens it if none is open.
pub fn backend_name() -> Result<&'static CStr> {
    Ok(backends::name_of(runtime::session()?.driver.name()))
}
