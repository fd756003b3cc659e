//! Allocators of the program, registered for streams.

use std::ffi::c_void;

use crate::base::{Out, address, guard, guard_value, handle};
use crate::core::base::error::Result;
use crate::core::stream::allocator::{self, Function};
use crate::types::{
    aclError, aclrtAllocator, aclrtAllocatorAllocAdviseFunc, aclrtAllocatorAllocFunc, aclrtAllocatorDesc,
    aclrtAllocatorFreeFunc, aclrtAllocatorGetAddrFromBlockFunc, aclrtStream,
};

fn set(allocatorDesc: aclrtAllocatorDesc, which: Function, func: Option<usize>) -> Result<()> {
    allocator::set_function(handle::from_c(allocatorDesc), which, func.unwrap_or_default())
}

/// Creates a description of an allocator of the program. The aclrtAllocatorSet* functions fill it in;
/// aclrtAllocatorRegister registers it for a stream. Works at any time. The description lives until it is destroyed,
/// also through aclFinalize.
///
/// @return the description, to be destroyed with aclrtAllocatorDestroyDesc; null if no more can be created
///     (aclGetRecentErrMsg returns the text, ACL_ERROR_BAD_ALLOC 200000).
/// @note Thread-safe. Follows aclrtAllocatorCreateDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorCreateDesc() -> aclrtAllocatorDesc {
    guard_value("aclrtAllocatorCreateDesc", std::ptr::null_mut(), || Ok(handle::to_c(allocator::create()?.raw())))
}

/// Destroys the description of an allocator. Streams that it was registered for keep the allocator.
///
/// @param allocatorDesc from aclrtAllocatorCreateDesc.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or already destroyed.
/// @note Thread-safe. Follows aclrtAllocatorDestroyDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorDestroyDesc(allocatorDesc: aclrtAllocatorDesc) -> aclError {
    guard("aclrtAllocatorDestroyDesc", || allocator::destroy(handle::from_c(allocatorDesc)))
}

/// Sets the object that is passed to the allocator's functions.
///
/// @param allocatorDesc from aclrtAllocatorCreateDesc.
/// @param allocator any pointer; may be null. The caller keeps ownership; the library does not access it.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `allocatorDesc` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
/// @note Thread-safe. Follows aclrtAllocatorSetObjToDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetObjToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    allocator: aclrtAllocator,
) -> aclError {
    guard("aclrtAllocatorSetObjToDesc", || {
        allocator::set_object(handle::from_c(allocatorDesc), address::from_c(allocator))
    })
}

/// Sets the function that allocates. It gets the allocator's object and a size in bytes, and returns a block, or null.
///
/// @param allocatorDesc from aclrtAllocatorCreateDesc.
/// @param func the function. This library never calls it.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
/// @note Thread-safe. Follows aclrtAllocatorSetAllocFuncToDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetAllocFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocFunc,
) -> aclError {
    guard("aclrtAllocatorSetAllocFuncToDesc", || set(allocatorDesc, Function::Alloc, func.map(|func| func as usize)))
}

/// Sets the function that frees a block. It gets the object and the block.
///
/// @param allocatorDesc from aclrtAllocatorCreateDesc.
/// @param func the function. This library never calls it.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
/// @note Thread-safe. Follows aclrtAllocatorSetFreeFuncToDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetFreeFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorFreeFunc,
) -> aclError {
    guard("aclrtAllocatorSetFreeFuncToDesc", || set(allocatorDesc, Function::Free, func.map(|func| func as usize)))
}

/// Sets the function that allocates near an address, if possible. It gets the object, a size in bytes and the address,
/// and returns a block, or null. This function is optional.
///
/// @param allocatorDesc from aclrtAllocatorCreateDesc.
/// @param func the function. This library never calls it.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
/// @note Thread-safe. Follows aclrtAllocatorSetAllocAdviseFuncToDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetAllocAdviseFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocAdviseFunc,
) -> aclError {
    guard("aclrtAllocatorSetAllocAdviseFuncToDesc", || {
        set(allocatorDesc, Function::AllocAdvise, func.map(|func| func as usize))
    })
}

/// Sets the function that returns the address of a block's memory.
///
/// @param allocatorDesc from aclrtAllocatorCreateDesc.
/// @param func the function. This library never calls it.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
/// @note Thread-safe. Follows aclrtAllocatorSetGetAddrFromBlockFuncToDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorGetAddrFromBlockFunc,
) -> aclError {
    guard("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", || {
        set(allocatorDesc, Function::GetAddrFromBlock, func.map(|func| func as usize))
    })
}

/// Registers an allocator for a stream. The call copies the description: later changes of the description have no
/// effect on the registration. Libraries whose work on the stream needs memory get the allocator by
/// aclrtAllocatorGetByStream. This library allocates nothing from it and never calls its functions. A stream has at
/// most one allocator; the registration ends with the stream.
///
/// @param stream a stream of aclrtCreateStream or one of its variants.
/// @param allocatorDesc a description with at least the functions that allocate, free and return addresses.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream or not a description, destroyed, one of the three functions
///     is missing, the stream already has an allocator, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtAllocatorRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorRegister(stream: aclrtStream, allocatorDesc: aclrtAllocatorDesc) -> aclError {
    guard("aclrtAllocatorRegister", || allocator::register(handle::from_c(stream), handle::from_c(allocatorDesc)))
}

/// Ends a registration of aclrtAllocatorRegister. Succeeds for a stream that went with its context or device, until
/// that is destroyed late: docs/failures.md.
///
/// @param stream a stream with an allocator.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, without an allocator, or called inside a host
///     function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtAllocatorUnregister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorUnregister(stream: aclrtStream) -> aclError {
    guard("aclrtAllocatorUnregister", || allocator::unregister(handle::from_c(stream)))
}

/// Returns the allocator that is registered for a stream.
///
/// @param stream a stream with an allocator.
/// @param allocatorDesc receives the description that was registered; it may already be destroyed.
/// @param allocator receives the object to pass to the functions.
/// @param allocFunc receives the function that allocates.
/// @param freeFunc receives the function that frees a block.
/// @param allocAdviseFunc receives the function that allocates near an address; null if there is none.
/// @param getAddrFromBlockFunc receives the function that returns the address of a block.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000, ACL_ERROR_RT_CONTEXT_NULL 107002 and ACL_ERROR_RT_STREAM_CONTEXT 107003:
///     as aclrtAllocatorUnregister.
/// @note Thread-safe. Follows aclrtAllocatorGetByStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorGetByStream(
    stream: aclrtStream,
    allocatorDesc: *mut aclrtAllocatorDesc,
    allocator: *mut aclrtAllocator,
    allocFunc: *mut aclrtAllocatorAllocFunc,
    freeFunc: *mut aclrtAllocatorFreeFunc,
    allocAdviseFunc: *mut aclrtAllocatorAllocAdviseFunc,
    getAddrFromBlockFunc: *mut aclrtAllocatorGetAddrFromBlockFunc,
) -> aclError {
    guard("aclrtAllocatorGetByStream", || {
        let description = Out::new("allocatorDesc", allocatorDesc)?;
        let object = Out::new("allocator", allocator)?;
        // C has a pointer to a function there, or null.
        let functions = [
            (Function::Alloc, Out::new("allocFunc", allocFunc.cast::<*mut c_void>())?),
            (Function::Free, Out::new("freeFunc", freeFunc.cast())?),
            (Function::AllocAdvise, Out::new("allocAdviseFunc", allocAdviseFunc.cast())?),
            (Function::GetAddrFromBlock, Out::new("getAddrFromBlockFunc", getAddrFromBlockFunc.cast())?),
        ];
        let found = allocator::of_stream(handle::from_c(stream))?;
        description.write(handle::to_c(found.description));
        object.write(address::to_c(found.allocator.object));
        functions.into_iter().for_each(|(which, out)| out.write(address::to_c(found.allocator.function(which))));
        Ok(())
    })
}
