//! Where a call of the program came from, for libraries over this one.

use std::ffi::c_char;

use crate::base::{guard, text};
use crate::core::base::call_site;
use crate::types::aclError;

/// Returns where the program made the call that the calling thread is in, such as `"train.cpp:31:Train"`: file, line
/// and function, or what of them is known. Calls of this library, of operators and of collectives are not those of the
/// program. A program of Python has a line of Python. It is for reports: the first one from a place takes milliseconds.
///
/// @param site receives a zero-terminated text, truncated to `size`; empty if nothing is known.
/// @param size size of `site` in bytes, at least 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `site` is null or `size` is 0.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclCallSite(site: *mut c_char, size: usize) -> aclError {
    guard("portaclCallSite", || {
        let site = text::Buffer::new("site", site, "size", size)?;
        site.write(&call_site::place());
        Ok(())
    })
}
