//! Configurations of streams.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::mem::MaybeUninit;

use parking_lot::Mutex;

use crate::base::{
    address, enum_value, guard, guard_out, guard_value, handle as stream_handle, must_not_be_null, read, read_number,
};
use crate::core::base::error::param_invalid;
use crate::core::stream;
use crate::core::stream::stream_config::Field;
use crate::types::{aclError, aclrtStream, aclrtStreamConfigAttr, aclrtStreamConfigHandle};

/// The stream configurations created by this library, by their address. They are not handles: the structure is public,
/// and programs read and write it.
static MADE: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// Creates a stream configuration for aclrtSetStreamConfigOpt and aclrtCreateStreamV2: no flags, the highest priority,
/// no working memory. A configuration that the program creates itself, an aclrtStreamConfigHandle filled with zeros,
/// works too.
///
/// @return the configuration, to be destroyed with aclrtDestroyStreamConfigHandle; null without host memory, or in a
///     forked child whose parent has opened a device or started the CUDA driver.
/// @note Thread-safe; several threads must not change the same configuration at the same time. Follows
///     aclrtCreateStreamConfigHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStreamConfigHandle() -> *mut aclrtStreamConfigHandle {
    guard_value("aclrtCreateStreamConfigHandle", std::ptr::null_mut(), || {
        let made = Box::into_raw(Box::new(aclrtStreamConfigHandle {
            workptr: std::ptr::null_mut(),
            workSize: 0,
            flag: 0,
            priority: 0,
        }));
        MADE.lock().insert(made.addr());
        Ok(made)
    })
}

/// Destroys a configuration of aclrtCreateStreamConfigHandle. Streams created with it are not affected.
///
/// @param handle from aclrtCreateStreamConfigHandle, not destroyed.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not from aclrtCreateStreamConfigHandle, or already destroyed.
/// @note Thread-safe. Follows aclrtDestroyStreamConfigHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStreamConfigHandle(handle: *mut aclrtStreamConfigHandle) -> aclError {
    guard("aclrtDestroyStreamConfigHandle", || {
        must_not_be_null("handle", handle)?;
        if !MADE.lock().remove(&handle.addr()) {
            return Err(param_invalid!(
                "handle {:#x} is not from aclrtCreateStreamConfigHandle, or was destroyed before",
                handle.addr()
            ));
        }
        // SAFETY: made above, and no other call has removed it from the set.
        drop(unsafe { Box::from_raw(handle) });
        Ok(())
    })
}

/// Sets one field of a stream configuration; the other fields do not change.
///
/// | attr | value | meaning |
/// |---|---|---|
/// | ACL_RT_STREAM_WORK_ADDR_PTR | void*, 8 bytes | working memory; no effect, because no device here needs it |
/// | ACL_RT_STREAM_WORK_SIZE | size_t, 8 bytes | its size in bytes; no effect |
/// | ACL_RT_STREAM_FLAG | uint32_t or size_t, 4 or 8 bytes | an OR of ACL_STREAM_* flags |
/// | ACL_RT_STREAM_PRIORITY | uint32_t, 4 bytes | 0 is the highest |
///
/// @param handle a configuration: from aclrtCreateStreamConfigHandle and not destroyed, or of the program.
/// @param attr the field.
/// @param attrValue pointer to the value; checked when a stream is created.
/// @param valueSize size of the value in bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `handle` or `attrValue` is null, an unknown field, or a wrong size for the
///     field.
/// @note Thread-safe for different configurations. Follows aclrtSetStreamConfigOpt of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamConfigOpt(
    handle: *mut aclrtStreamConfigHandle,
    attr: MaybeUninit<aclrtStreamConfigAttr>,
    attrValue: *const c_void,
    valueSize: usize,
) -> aclError {
    guard("aclrtSetStreamConfigOpt", || {
        must_not_be_null("handle", handle)?;
        must_not_be_null("attrValue", attrValue)?;
        let field = Field::from_number(enum_value(attr), valueSize)?;
        // 4 or 8 bytes, as checked.
        let number = read_number(attrValue, valueSize == 4) as usize;
        // SAFETY: `handle` is not null, and its owner lets this call write one field of the
        // description.
        unsafe {
            match field {
                Field::WorkAddress => (&raw mut (*handle).workptr).write_unaligned(address::to_c(number)),
                Field::WorkSize => (&raw mut (*handle).workSize).write_unaligned(number),
                Field::Flags => (&raw mut (*handle).flag).write_unaligned(number),
                Field::Priority => (&raw mut (*handle).priority).write_unaligned(number as u32),
            }
        }
        Ok(())
    })
}

/// Creates a stream in the current context from a configuration. Unlike in aclrtCreateStreamWithConfig, the priority
/// takes effect: of the streams that have work, those with a smaller number run first. Flags are those of
/// aclrtCreateStreamWithConfig. Working memory is not used.
///
/// @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
/// @param handle a configuration: from aclrtCreateStreamConfigHandle and not destroyed, or of the program.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or a priority lower than the lowest of
///     aclrtDeviceGetStreamPriorityRange.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be created.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtCreateStreamV2 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStreamV2(
    stream: *mut aclrtStream,
    handle: *const aclrtStreamConfigHandle,
) -> aclError {
    guard_out("aclrtCreateStreamV2", "stream", stream, || {
        let described = read("handle", handle)?;
        Ok(stream_handle::to_c(stream::create_with_priority(described.flag as u64, described.priority)?))
    })
}
