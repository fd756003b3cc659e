//! Contexts: a device together with a default stream, current in a thread.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::runtime::context;
use crate::core::runtime::sys_param;
use crate::core::stream;
use crate::core::stream::overflow;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_value, handle, must_be_null};
use crate::ffi::types::{aclError, aclSysParamOpt, aclrtContext, aclrtStream};

/// Creates a context of a device with a default stream of its own, and makes it current in the calling
/// thread. The device is opened if it was not, with its default context; its reference count stays.
///
/// @param context receives the handle; the caller destroys it with aclrtDestroyContext.
/// @param deviceId 0 to the number of devices less 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_INVALID_DEVICEID 107001;
/// ACL_ERROR_BAD_ALLOC 200000 or ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be made;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
/// host function. Thread-safe. Follows aclrtCreateContext of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateContext(context: *mut aclrtContext, deviceId: i32) -> aclError {
    guard("aclrtCreateContext", || {
        let out = Out::new("context", context)?;
        out.write(handle::to_c(context::create(deviceId)?.raw()));
        Ok(())
    })
}

/// Waits for the streams of a context and destroys it with them. Threads that have it as current context
/// have none afterwards. A failure of the streams' work that nobody was told of, or a refusal of the driver, is
/// returned; the context is destroyed all the same.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param context from aclrtCreateContext; a default context is only released by aclrtResetDevice.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: a default
/// context, not a context, destroyed before, or called inside a host function; ACL_ERROR_RT_AICORE_EXCEPTION
/// 507015: work had failed; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused. Thread-safe. Follows
/// aclrtDestroyContext of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyContext(context: aclrtContext) -> aclError {
    guard("aclrtDestroyContext", || context::destroy(handle::from_c(context)))
}

/// Makes a context current in the calling thread, which switches to its device. A context may be current
/// in several threads.
///
/// @param context a live context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// context, destroyed, or gone with its device. Thread-safe. Follows aclrtSetCurrentContext of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetCurrentContext(context: aclrtContext) -> aclError {
    guard("aclrtSetCurrentContext", || context::set_current(handle::from_c(context)))
}

/// The calling thread's current context.
///
/// @param context receives the handle, which stays the library's.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: there is
/// none. Thread-safe. Follows aclrtGetCurrentContext of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetCurrentContext(context: *mut aclrtContext) -> aclError {
    guard("aclrtGetCurrentContext", || {
        let out = Out::new("context", context)?;
        out.write(handle::to_c(context::current()?));
        Ok(())
    })
}

/// The default stream of the current context: the one that a null stream means.
///
/// @param stream receives the handle, which stays the context's: it cannot be destroyed.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
/// aclrtCtxGetCurrentDefaultStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetCurrentDefaultStream(stream: *mut aclrtStream) -> aclError {
    guard("aclrtCtxGetCurrentDefaultStream", || {
        let out = Out::new("stream", stream)?;
        out.write(handle::to_c(stream::current_default()?));
        Ok(())
    })
}

/// Whether the default context of a device exists: from its first aclrtSetDevice or aclrtCreateContext until
/// it is really reset.
///
/// @param deviceId 0 to the number of devices less 1.
/// @param flags must be null.
/// @param active receives 1 or 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `active` is null, or `flags` is not;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// Thread-safe. Follows aclrtGetPrimaryCtxState of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetPrimaryCtxState(
    deviceId: i32,
    flags: *mut u32,
    active: *mut i32,
) -> aclError {
    guard("aclrtGetPrimaryCtxState", || {
        let out = Out::new("active", active)?;
        must_be_null("flags", flags)?;
        out.write(i32::from(context::primary_exists(deviceId)?));
        Ok(())
    })
}

/// Sets an option of the current context: a number for libraries above this one, without an effect here. It
/// goes with the context.
///
/// @param opt an aclSysParamOpt.
/// @param value any number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: no such option; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context. Thread-safe. Follows aclrtCtxSetSysParamOpt of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxSetSysParamOpt(
    opt: MaybeUninit<aclSysParamOpt>,
    value: i64,
) -> aclError {
    guard("aclrtCtxSetSysParamOpt", || sys_param::set_of_context(enum_value(opt), value))
}

/// An option of the current context, as aclrtCtxSetSysParamOpt set it there.
///
/// @param opt an aclSysParamOpt.
/// @param value receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or no such option; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: no current context; ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021: it was never set there. Thread-safe.
/// Follows aclrtCtxGetSysParamOpt of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetSysParamOpt(
    opt: MaybeUninit<aclSysParamOpt>,
    value: *mut i64,
) -> aclError {
    guard("aclrtCtxGetSysParamOpt", || {
        let out = Out::new("value", value)?;
        out.write(sys_param::of_context(enum_value(opt))?);
        Ok(())
    })
}

/// Sets an option of this process, apart from those of contexts: a number for libraries above this one,
/// without an effect here. It stays through aclFinalize. Works at any time.
///
/// @param opt an aclSysParamOpt.
/// @param value any number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: no such option. Thread-safe. Follows
/// aclrtSetSysParamOpt of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetSysParamOpt(
    opt: MaybeUninit<aclSysParamOpt>,
    value: i64,
) -> aclError {
    guard("aclrtSetSysParamOpt", || sys_param::set_of_process(enum_value(opt), value))
}

/// An option of this process, 0 if it was never set. Works at any time.
///
/// @param opt an aclSysParamOpt.
/// @param value receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or no such option. Thread-safe. Follows
/// aclrtGetSysParamOpt of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSysParamOpt(
    opt: MaybeUninit<aclSysParamOpt>,
    value: *mut i64,
) -> aclError {
    guard("aclrtGetSysParamOpt", || {
        let out = Out::new("value", value)?;
        out.write(sys_param::of_process(enum_value(opt))?);
        Ok(())
    })
}

/// Where overflows of the current context are to be looked for: 512 bytes of device memory that begin as 0 and
/// that nothing here writes to, since no overflow is noted. All contexts of a device share them; they go with the
/// device, and aclrtFree refuses them. Work that is queued may read and write them.
///
/// @param overflowAddr receives the address.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_MEMORY_ALLOCATION
/// 207001: no device memory left, at the first call; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899. Thread-safe. Follows
/// aclrtCtxGetFloatOverflowAddr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetFloatOverflowAddr(overflowAddr: *mut *mut c_void) -> aclError {
    guard("aclrtCtxGetFloatOverflowAddr", || {
        let out = Out::new("overflowAddr", overflowAddr)?;
        out.write(address::to_c(overflow::area()?));
        Ok(())
    })
}
