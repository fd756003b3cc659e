//! Facts about this library that a program may ask for at any time.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use super::error::{Error, Result};
use super::{config, device, runtime};

/// The version of the API (not of this library): major, minor, patch.
pub const API_VERSION: [i32; 3] = [1, 17, 0];

/// The name of the processor that programs are told to run on.
pub fn soc_name() -> &'static CStr {
    static NAME: OnceLock<CString> = OnceLock::new();
    NAME.get_or_init(|| CString::new(config::soc_name()).unwrap_or_else(|_| c"Ascend910B1".into()))
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

/// What the backend calls device `id`, which must be open.
pub fn device_name(id: i32) -> Result<String> {
    let session = runtime::session()?;
    let device = device::slot(&session, "deviceId", id)?.device().ok_or_else(|| {
        Error::param_invalid(format_args!(
            "deviceId {id} is not in use, so nothing is known of it; call aclrtSetDevice({id}) first"
        ))
    })?;
    Ok(device.native.info().name.clone())
}
