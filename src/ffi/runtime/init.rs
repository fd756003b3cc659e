//! Start and end of the library.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;

use crate::core::base::error::{Error, Result};
use crate::core::runtime;
use crate::core::runtime::life_callback::{self, Callback};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_value, text};
use crate::ffi::types::{
    aclError, aclFinalizeCallbackFunc, aclInitCallbackFunc, aclRegisterCallbackType,
};

/// The function that a caller wants called.
fn required<F>(function: Option<F>) -> Result<F> {
    function.ok_or_else(|| Error::invalid_param("cbFunc is null; it must be a function"))
}

/// A thread that was left behind in user code still runs this library's code: it must never be
/// unloaded then.
fn keep_loaded_if_left_behind(outcome: Result<()>) -> Result<()> {
    if outcome.is_err() && runtime::has_left_threads_behind() {
        let here = keep_loaded_if_left_behind as *const c_void;
        // SAFETY: dladdr fills `found` when it succeeds, and the library named there is loaded
        // already.
        unsafe {
            let mut found = std::mem::zeroed::<libc::Dl_info>();
            if libc::dladdr(here, &mut found) != 0 && !found.dli_fname.is_null() {
                libc::dlopen(
                    found.dli_fname,
                    libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE,
                );
            }
        }
    }
    outcome
}

/// Starts the library: reads the configuration and opens the backend (`PORTACL_BACKEND`).
///
/// `configPath` names a JSON file; null, an empty text and a file with `{}` mean the defaults. Keys with
/// an effect: `defaultDevice.default_device` (a device id as text: the device of threads that set none)
/// and `err_msg_mode` ("0": each thread fetches its own failure texts, "1": one text for the process);
/// others are accepted and ignored. Thread-safe: of several callers exactly one starts the library. Calls
/// that need no configuration work without aclInit, with its defaults. Functions of aclInitCallbackRegister are
/// called last.
///
/// @param configPath zero-terminated path, read during the call only; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_REPEAT_INITIALIZE 100002: started already (counted; the first configuration
/// stays); ACL_ERROR_INVALID_FILE 100003: not readable; ACL_ERROR_PARSE_FILE 100006: not JSON, or nested
/// deeper than 10; ACL_ERROR_INVALID_PARAM 100000: bad `err_msg_mode` or environment variable;
/// ACL_ERROR_FAILURE 500001: bad `default_device`, or a function of aclInitCallbackRegister failed;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside
/// a host function. Follows aclInit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInit(configPath: *const c_char) -> aclError {
    guard("aclInit", || {
        // SAFETY: null or a zero-terminated text, by the contract of this module.
        let path = unsafe { text::optional(configPath) };
        let path = path.filter(|path| !path.is_empty()).map(Path::new);
        runtime::init(path)
    })
}

/// Ends the library, however often it was started: calls the functions of aclFinalizeCallbackRegister, then
/// resets every device as aclrtResetDeviceForce does, waits for pending work, releases pinned host memory,
/// and joins the library's threads.
///
/// All handles and addresses are invalid afterwards; using or freeing them is an error, never a crash.
/// aclInit (or aclrtSetDevice) begins a new life. User code that does not return is waited for a bounded
/// time (`PORTACL_FINALIZE_TIMEOUT_MS`, 5000). A failure of work that nobody was told of, or a refusal of the
/// driver to release something, is returned; everything ends all the same. A program may also exit without
/// this call. Thread-safe.
///
/// @return ACL_SUCCESS; ACL_ERROR_REPEAT_FINALIZE 100037: not started, or another thread ends it;
/// ACL_ERROR_FAILURE 500001: user code did not return in time, its thread was left behind and the library
/// stays loaded, or a function of aclFinalizeCallbackRegister failed; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function; ACL_ERROR_RT_AICORE_EXCEPTION 507015: work had failed;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused. Follows aclFinalize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalize() -> aclError {
    guard("aclFinalize", || keep_loaded_if_left_behind(runtime::finalize()))
}

/// Takes back one aclInit (a repeated one counts too); the last one ends the library as aclFinalize does.
///
/// @param refCount receives how many are left, also on failure; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_REPEAT_FINALIZE 100037: the count was 0; otherwise as aclFinalize.
/// Thread-safe. Follows aclFinalizeReference of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeReference(refCount: *mut u64) -> aclError {
    guard("aclFinalizeReference", || {
        let (left, outcome) = runtime::finalize_reference();
        if let Ok(count) = Out::new("refCount", refCount) {
            count.write(left);
        }
        keep_loaded_if_left_behind(outcome)
    })
}

/// Has `cbFunc` called by every aclInit that starts the library, and at once if it is started already.
///
/// It gets the text of the configuration file, or `{}` where there is none, the text's length in bytes without the
/// zero behind it, and `userData`; the text is valid during the call only. Functions are called in the order in which
/// they were registered, on the thread that calls aclInit (or this), without any lock: they may call everything,
/// aclInit and this included. Meanwhile the library counts as started, and other threads may use it. A function that
/// returns another value than 0 fails the call: aclInit then ends the library again, as aclFinalize does, and this
/// does not register it. A registration stays until it is taken back, also through aclFinalize.
///
/// @param type who registers: an aclRegisterCallbackType. It has no other meaning than to name, together with the
/// function, what is registered.
/// @param cbFunc the function; it must not throw.
/// @param userData its argument, which the caller keeps alive; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or not an aclRegisterCallbackType;
/// ACL_ERROR_RT_PARAM_INVALID 107000: this function is registered for this type; ACL_ERROR_FAILURE 500001: it
/// was called and did not return 0. Thread-safe. Follows aclInitCallbackRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInitCallbackRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclInitCallbackFunc,
    userData: *mut c_void,
) -> aclError {
    guard("aclInitCallbackRegister", || {
        let function = required(cbFunc)?;
        let argument = address::from_c(userData);
        life_callback::register_init(Callback {
            kind: enum_value(r#type),
            address: function as usize,
            call: Arc::new(move |text: &CStr| {
                // SAFETY: by the contract of this function it can be called with the caller's
                // argument until it is taken back; the text outlives the call.
                unsafe { function(text.as_ptr(), text.count_bytes(), address::to_c(argument)) }
            }),
        })
    })
}

/// Takes back a registration of aclInitCallbackRegister. A call in another thread that has begun goes on.
///
/// @param type who registers: an aclRegisterCallbackType. It has no other meaning than to name, together with the
/// function, what is registered.
/// @param cbFunc the function.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or not an aclRegisterCallbackType;
/// ACL_ERROR_RT_PARAM_INVALID 107000: the function is not registered for this type. Thread-safe. Follows
/// aclInitCallbackUnRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInitCallbackUnRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclInitCallbackFunc,
) -> aclError {
    guard("aclInitCallbackUnRegister", || {
        life_callback::unregister_init(enum_value(r#type), required(cbFunc)? as usize)
    })
}

/// Has `cbFunc` called by every aclFinalize (or last aclFinalizeReference) that ends the library.
///
/// It gets `userData`. Functions are called in the opposite order to that in which they were registered, on the
/// thread that calls aclFinalize, without any lock, while devices, streams and memory are still there: they may
/// call everything. aclInit counts as repeated in them, and aclFinalize as done. A function that returns another value
/// than 0 makes aclFinalize return an error after everything is finalized. A registration stays until it is taken
/// back, also through aclFinalize.
///
/// @param type who registers: an aclRegisterCallbackType. It has no other meaning than to name, together with the
/// function, what is registered.
/// @param cbFunc the function; it must not throw.
/// @param userData its argument, which the caller keeps alive; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or not an aclRegisterCallbackType;
/// ACL_ERROR_RT_PARAM_INVALID 107000: this function is registered for this type. Thread-safe. Follows
/// aclFinalizeCallbackRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeCallbackRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclFinalizeCallbackFunc,
    userData: *mut c_void,
) -> aclError {
    guard("aclFinalizeCallbackRegister", || {
        let function = required(cbFunc)?;
        let argument = address::from_c(userData);
        life_callback::register_finalize(Callback {
            kind: enum_value(r#type),
            address: function as usize,
            // SAFETY: the program keeps the finalize callback and its argument valid until it has
            // run or is unregistered.
            call: Arc::new(move || unsafe { function(address::to_c(argument)) }),
        })
    })
}

/// Takes back a registration of aclFinalizeCallbackRegister. A call in another thread that has begun goes on.
///
/// @param type who registers: an aclRegisterCallbackType. It has no other meaning than to name, together with the
/// function, what is registered.
/// @param cbFunc the function.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or not an aclRegisterCallbackType;
/// ACL_ERROR_RT_PARAM_INVALID 107000: the function is not registered for this type. Thread-safe. Follows
/// aclFinalizeCallbackUnRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeCallbackUnRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclFinalizeCallbackFunc,
) -> aclError {
    guard("aclFinalizeCallbackUnRegister", || {
        life_callback::unregister_finalize(enum_value(r#type), required(cbFunc)? as usize)
    })
}
