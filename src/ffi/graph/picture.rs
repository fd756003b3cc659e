//! Graphs as text and as JSON.

use std::ffi::c_char;
use std::path::Path;

use crate::base::{guard, handle, text};
use crate::core::graph::picture;
use crate::types::{aclError, aclmdlRI};

/// Prints a graph to standard output: its name and number, and for each of its streams the tasks, with their parameters
/// and the tasks that they are ordered after. Parameters are those in effect.
///
/// @param modelRI a graph.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
/// @retval ACL_ERROR_INVALID_FILE 100003: standard output cannot be written.
/// @note Thread-safe. Follows aclmdlRIDebugPrint of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDebugPrint(modelRI: aclmdlRI) -> aclError {
    guard("aclmdlRIDebugPrint", || picture::print(handle::from_c(modelRI)))
}

/// Writes a graph to a JSON file: one object with the graph's `name`, `id` and `device`, its `streams`, each with the
/// `id` of the program's stream (null if it was destroyed) and the number of its `tasks`, and all `tasks`. A task has
/// its `id` (its index in the list), its `stream` and its position there (`sequence`), its `kind` as a word and its
/// `type` as a number of aclmdlRITaskGetType, whether it is `disabled`, the tasks that it is ordered `after`, its
/// parameters: sizes, names of kernels, events, and for a conditional task its `bodies`, which are such objects.
/// Handles, addresses and 64-bit values are strings in hexadecimal.
///
/// @param modelRI a graph.
/// @param path the file, which is overwritten.
/// @param flags ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0, or ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 1: also with addresses and
///     arguments.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or other flags.
/// @retval ACL_ERROR_INVALID_FILE 100003: the file cannot be written.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
/// @note Thread-safe. Follows aclmdlRIDebugJsonPrint of the Ascend runtime API; the format of the file is portacl's
///     choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDebugJsonPrint(modelRI: aclmdlRI, path: *const c_char, flags: u32) -> aclError {
    guard("aclmdlRIDebugJsonPrint", || {
        // SAFETY: `path` is null or a C string: the function's documentation asks for a file's
        // name.
        let path = unsafe { text::required("path", path) }?;
        picture::write_json(handle::from_c(modelRI), Path::new(path), flags)
    })
}
