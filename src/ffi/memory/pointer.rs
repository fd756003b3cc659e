//! What an address points to.

use std::ffi::c_void;

use crate::base::{Array, address, guard_out, guard_outs};
use crate::core::base::error::invalid_param;
use crate::core::memory;
use crate::memory::virtual_memory::location_to_c;
use crate::types::{aclError, aclrtPtrAttributes};

/// Returns the location of an address: inside an allocation of this library, on CUDA also of another library that
/// allocated it from the driver, or (ACL_MEM_LOCATION_TYPE_UNREGISTERED) in unknown memory, which is not an error.
/// Needs no current context.
///
/// @param ptr the address; the memory is not read.
/// @param attributes receives location type and device id, and the page size in bytes that the system confirms (4096
///     for registered memory; 0 for memory from other libraries and unknown memory).
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: free memory of a pool, or called inside a host function.
/// @note Thread-safe. Follows aclrtPointerGetAttributes of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtPointerGetAttributes(
    ptr: *const c_void,
    attributes: *mut aclrtPtrAttributes,
) -> aclError {
    guard_out("aclrtPointerGetAttributes", "attributes", attributes, || {
        ensure!(!ptr.is_null(), invalid_param!("ptr is null; pass the address to query"));
        let found = memory::pointer_attributes(address::from_c(ptr))?;
        Ok(aclrtPtrAttributes { location: location_to_c(found.location), pageSize: found.page_size, rsv: [0; 4] })
    })
}

/// Returns start and length of the allocation that contains an address. Needs no current context.
///
/// @param ptr an address anywhere inside an allocation, mapping or registration of device or host memory; the memory is
///     not read. On CUDA also inside an allocation that another library of the process has from the driver.
/// @param pbase receives the start, as the allocating call returned it.
/// @param psize receives the usable bytes from there: the requested size with the rounding of its kind of memory, plus
///     the readable bytes after it if the allocation has them. For memory from another library, the driver's value.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not in a live allocation, or called inside a host function.
/// @note Thread-safe. Follows aclrtMemGetAddressRange of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAddressRange(
    ptr: *mut c_void,
    pbase: *mut *mut c_void,
    psize: *mut usize,
) -> aclError {
    guard_outs("aclrtMemGetAddressRange", ("pbase", pbase), ("psize", psize), || {
        ensure!(!ptr.is_null(), invalid_param!("ptr is null; pass the address to query"));
        let (base, size) = memory::address_range(address::from_c(ptr))?;
        Ok((address::to_c(base), size))
    })
}

/// Returns whether all addresses of a list are memory of one of several types. Needs no current context.
///
/// @param addrList the addresses; any values, the memory is not read.
/// @param size number of addresses, at least 1.
/// @param memType one or more ACL_RT_MEM_TYPE_* bits. Device memory is ACL_RT_MEM_TYPE_DEV; memory of the other types
///     does not exist here.
/// @param checkResult receives 1 if every address lies in memory of one of these types, else 0.
/// @param reserve must be 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `size` is 0, no or unknown bits in `memType`, or `reserve`
///     is not 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtCheckMemType of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCheckMemType(
    addrList: *mut *mut c_void,
    size: u32,
    memType: u32,
    checkResult: *mut u32,
    reserve: u32,
) -> aclError {
    guard_out("aclrtCheckMemType", "checkResult", checkResult, || {
        ensure!(!addrList.is_null(), invalid_param!("addrList is null; pass the array of addresses"));
        ensure!(size != 0, invalid_param!("size is 0; pass at least one address"));
        ensure!(reserve == 0, invalid_param!("reserve is {reserve}; it must be 0"));
        let list = Array::new(addrList, size as usize);
        Ok(u32::from(memory::all_are_of_type(list.iter().map(|addr| address::from_c(addr)), memType)?))
    })
}
