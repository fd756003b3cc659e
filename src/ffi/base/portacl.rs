//! Information about this library beyond the Ascend runtime API.

use std::ffi::{CStr, c_char};

use crate::base::{Out, guard, guard_value, guard_value_anywhere, text};
use crate::core::base::error;
use crate::core::base::error::name::error_name;
use crate::core::base::release_failure;
use crate::core::runtime::{device_info, info};
use crate::types::{PORTACL_VERSION_MAJOR, PORTACL_VERSION_MINOR, PORTACL_VERSION_PATCH, aclError};

/// Returns the backend of this process: `"cpu"` or `"cuda"`. `PORTACL_BACKEND` and the machine determine it when the
/// library opens its backend; this call opens it if it is not open.
///
/// @return a zero-terminated text that stays valid until the process ends; null if there is no usable backend, after
///     aclFinalize, or in a forked child whose calls fail: aclGetRecentErrMsg returns the reason.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclBackendName() -> *const c_char {
    guard_value("portaclBackendName", std::ptr::null(), || Ok(info::backend_name()?.as_ptr()))
}

/// Returns the version of the library that the process has loaded. PORTACL_VERSION_MAJOR, PORTACL_VERSION_MINOR and
/// PORTACL_VERSION_PATCH are those of the header. Works at any time.
///
/// @param major receives the major number.
/// @param minor receives the minor number.
/// @param patch receives the patch number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclGetVersion(major: *mut i32, minor: *mut i32, patch: *mut i32) -> aclError {
    guard("portaclGetVersion", || {
        let major = Out::new("major", major)?;
        let minor = Out::new("minor", minor)?;
        let patch = Out::new("patch", patch)?;
        major.write(PORTACL_VERSION_MAJOR);
        minor.write(PORTACL_VERSION_MINOR);
        patch.write(PORTACL_VERSION_PATCH);
        Ok(())
    })
}

/// Returns a readable description of a device: the GPU's name, or the number of cores of the CPU device.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param name receives a zero-terminated text, truncated to `size`.
/// @param size size of `name` in bytes, at least 1; 128 bytes are enough.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `name` is null or `size` is 0.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceName(deviceId: i32, name: *mut c_char, size: usize) -> aclError {
    guard("portaclDeviceName", || {
        text::Buffer::new("name", name, "size", size)?.write(&device_info::name(deviceId)?);
        Ok(())
    })
}

/// Returns the name of a return code, such as `"ACL_ERROR_RT_PARAM_INVALID"` for 107000.
///
/// @param code a code that a call returned.
/// @return a zero-terminated text that stays valid until the process ends; null for an unknown code. Works at any time,
///     also in a forked child.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclErrorName(code: aclError) -> *const c_char {
    guard_value_anywhere("portaclErrorName", std::ptr::null(), || {
        Ok(error_name(code).map_or(std::ptr::null(), CStr::as_ptr))
    })
}

/// Records a failure of a library that is built on this one. aclGetRecentErrMsg and aclrtGetLastError return it to the
/// calling thread, as they return failures of this library.
///
/// @param call the function that failed; null: unknown.
/// @param code the code that the function returns.
/// @param text what failed, and what to do; null: nothing more is known.
/// @return `code`
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclReportError(call: *const c_char, code: aclError, text: *const c_char) -> aclError {
    guard_value("portaclReportError", code, || {
        // SAFETY: both are null or C strings that the caller keeps until this returns.
        let [call, text] = [call, text].map(|it| unsafe { text::optional(it) });
        let [call, text] = [(call, "a library"), (text, "failed")]
            .map(|(it, default)| it.map_or(default.into(), |it| it.to_string_lossy()));
        Ok(error::report(&call, code, &text))
    })
}

/// Records that a release failed where no error can be returned, such as in a C++ destructor. The failure is counted,
/// and its text is taken from the calling thread (aclGetRecentErrMsg returns null afterwards). The next leak report
/// lists call, code and text, of at most 64 failures.
///
/// @param call the function that failed; null: unknown.
/// @param code the code that it returned.
/// @return the number of such failures since the process began, including this one; 0 in a forked child, where none is
///     recorded.
/// @note Thread-safe.
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

/// Returns the number of failures that portaclNoteReleaseFailure recorded since the process began, and of memory that
/// the library itself could not free during an unrelated call.
///
/// @return the number; 0 in a forked child.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclReleaseFailures() -> u64 {
    guard_value("portaclReleaseFailures", 0, || Ok(release_failure::count()))
}
