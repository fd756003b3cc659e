//! What this library tells about itself beyond the Ascend runtime API.

use std::ffi::{CStr, c_char};

use crate::core::base::error_name;
use crate::core::base::release_failure;
use crate::core::runtime::device_info;
use crate::core::runtime::info;
use crate::ffi::base::guard::{guard, guard_value, guard_value_anywhere};
use crate::ffi::base::value::text;
use crate::ffi::types::aclError;

/// Which backend this process uses: `"cpu"` or `"cuda"`. Decided by `PORTACL_BACKEND` and the machine when
/// the library opens its backend; this call opens it if nothing has yet.
///
/// @return a zero-terminated text that stays valid for the life of the process; null if there is no usable
/// backend, or after aclFinalize: aclGetRecentErrMsg says why. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclBackendName() -> *const c_char {
    guard_value("portaclBackendName", std::ptr::null(), || Ok(info::backend_name()?.as_ptr()))
}

/// Tells what a device is, for a person: the GPU's name, or how many cores the CPU device has.
///
/// @param deviceId 0 to the number of devices less 1; it need not be set.
/// @param name receives a zero-terminated text, cut to `size` where it is longer.
/// @param size room at `name` in bytes, at least 1; 128 is plenty.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `name` is null or `size` is 0;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no
/// usable device, or the driver does not answer. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceName(
    deviceId: i32,
    name: *mut c_char,
    size: usize,
) -> aclError {
    guard("portaclDeviceName", || {
        let out = text::Buffer::new("name", name, "size", size)?;
        out.write(&device_info::name(deviceId)?);
        Ok(())
    })
}

/// Gives the name of a return code, such as `"ACL_ERROR_RT_PARAM_INVALID"` for 107000.
///
/// @param code what a call has returned.
/// @return a zero-terminated text that stays valid for the life of the process; null for a number that is no
/// code of this API. Works at any time, also in a forked child. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclErrorName(code: aclError) -> *const c_char {
    guard_value_anywhere("portaclErrorName", std::ptr::null(), || {
        Ok(error_name::error_name(code).map_or(std::ptr::null(), CStr::as_ptr))
    })
}

/// Notes that a release has failed where nobody can be told, such as in a C++ destructor. The failure is
/// counted, its text is taken from the calling thread (aclGetRecentErrMsg gives null afterwards), and both are
/// part of the leak report.
///
/// @param call the function that failed; null: not known.
/// @param code what it has returned.
/// @return how many such failures there were since the process began, this one included; 0 in a forked child,
/// where none is noted. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclNoteReleaseFailure(call: *const c_char, code: aclError) -> u64 {
    guard_value("portaclNoteReleaseFailure", 0, || {
        // SAFETY: `call` is null or a C string that the caller keeps during the call.
        let call = unsafe { text::optional(call) };
        let call = call.map_or_else(|| "a release".into(), |call| call.to_string_lossy());
        release_failure::note(&call, code);
        Ok(release_failure::count())
    })
}

/// Tells how many failures portaclNoteReleaseFailure has noted since the process began.
///
/// @return how many; 0 in a forked child. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclReleaseFailures() -> u64 {
    guard_value("portaclReleaseFailures", 0, || Ok(release_failure::count()))
}
