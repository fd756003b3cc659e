//! Callbacks about devices that are opened and closed, and streams that are created and destroyed.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use crate::base::{Callback, address, enum_from, guard, handle, text};
use crate::core::runtime::state_callback::{self, DeviceWatcher, StreamWatcher};
use crate::types::{aclError, aclrtDeviceStateCallback, aclrtStreamStateCallback};

/// Registers a callback that is called when devices are opened and released, on the thread that does it. No lock is
/// held.
///
/// The callback gets the device id, a state, and `args`. ACL_RT_DEVICE_STATE_SET_PRE: a call is about to open a closed
/// device; _SET_POST: the device is open, and its default stream exists. A repeated aclrtSetDevice, which only counts,
/// is not reported. _RESET_PRE: a call is about to release the device, which still works; _RESET_POST: the device is
/// released. aclFinalize releases all devices. A _PRE without its _POST means that the call failed or that another
/// thread changed the state in between. The callback may call all functions; devices that it opens and releases itself
/// are not reported. The registration stays until it is removed, also through aclFinalize.
///
/// @param regName zero-terminated name of the registration.
/// @param callback the callback, which must not throw; null removes the registration of that name (a running call on
///     another thread continues).
/// @param args argument of the callback; may be null. The caller keeps it valid.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `regName` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the name is already registered, or `callback` is null and the name is not
///     registered.
/// @note Thread-safe. Follows aclrtRegDeviceStateCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRegDeviceStateCallback(
    regName: *const c_char,
    callback: aclrtDeviceStateCallback,
    args: *mut c_void,
) -> aclError {
    guard("aclrtRegDeviceStateCallback", || {
        // SAFETY: `regName` is null or a C string that names the device callback.
        let name = unsafe { text::required("regName", regName) }?;
        let argument = address::from_c(args);
        let watcher = callback.map(|function| -> DeviceWatcher {
            Arc::new(move |id, state| {
                // SAFETY: the program keeps the device callback callable from any thread until it
                // registers null for its name.
                unsafe { function.may_unwind()(id as i32, enum_from(state as i32), address::to_c(argument)) }
            })
        });
        state_callback::watch_devices(&name.to_string_lossy(), watcher)
    })
}

/// Registers a callback that is called after the creation of every stream and before its destruction, including default
/// streams, on the thread that creates or destroys it. No lock is held.
///
/// The callback gets the stream, a state, and `args`. ACL_RT_STREAM_STATE_CREATE_POST: the stream exists and can be
/// used. ACL_RT_STREAM_STATE_DESTROY_PRE: the stream still exists, and its pending work may not be complete; called
/// from aclrtDestroyStream, aclrtDestroyStreamForce, the destruction of its context, a reset of its device, or
/// aclFinalize, once, except if another thread keeps the device from a reset that was reported. If a stream is created
/// while another thread resets its device, its destruction may be reported when it is over, and before its creation.
/// Destruction is also reported for streams created before the registration. The callback may call all functions;
/// streams that it creates and destroys itself are not reported. The registration stays until it is removed, also
/// through aclFinalize.
///
/// @param regName zero-terminated name of the registration.
/// @param callback the callback, which must not throw; null removes the registration of that name (a running call on
///     another thread continues).
/// @param args argument of the callback; may be null. The caller keeps it valid.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `regName` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the name is already registered, or `callback` is null and the name is not
///     registered.
/// @note Thread-safe. Follows aclrtRegStreamStateCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRegStreamStateCallback(
    regName: *const c_char,
    callback: aclrtStreamStateCallback,
    args: *mut c_void,
) -> aclError {
    guard("aclrtRegStreamStateCallback", || {
        // SAFETY: `regName` is null or a C string that names the stream callback.
        let name = unsafe { text::required("regName", regName) }?;
        let argument = address::from_c(args);
        let watcher = callback.map(|function| -> StreamWatcher {
            Arc::new(move |stream, state| {
                // SAFETY: the program keeps the stream callback callable from any thread until it
                // registers null for its name.
                unsafe { function.may_unwind()(handle::to_c(stream), enum_from(state as i32), address::to_c(argument)) }
            })
        });
        state_callback::watch_streams(&name.to_string_lossy(), watcher)
    })
}
