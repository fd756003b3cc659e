//! Pictures of graphs: as text, as JSON.

use std::ffi::c_char;
use std::path::Path;

use crate::core::graph::picture;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{handle, text};
use crate::ffi::types::{aclError, aclmdlRI};

/// Prints a graph to the standard output: its name and number, and for each of its streams the tasks, with what they
/// do and which ones they come after. Tasks are told as they are in force.
///
/// @param modelRI a graph.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or
/// destroyed; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being recorded; ACL_ERROR_INVALID_FILE 100003: the
/// standard output cannot be written. Thread-safe. Follows aclmdlRIDebugPrint of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDebugPrint(modelRI: aclmdlRI) -> aclError {
    guard("aclmdlRIDebugPrint", || picture::print(handle::from_c(modelRI)))
}

/// Writes a graph to a JSON file: one object with the graph's `name`, `id` and `device`, its `streams`, each with the
/// `id` of the program's stream (null if that was destroyed) and the number of its `tasks`, and all `tasks`. A task has
/// its `id`, which is its place in the list, its `stream` and its place there (`sequence`), its `kind` as a word and
/// its `type` as aclmdlRITaskGetType tells it, whether it is `disabled`, the tasks that it comes `after`, and what it
/// does: sizes, names of kernels, events. Handles, addresses and values of 64 bits are texts in hexadecimal.
///
/// @param modelRI a graph.
/// @param path the file, which is overwritten.
/// @param flags ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0, or ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 1: with addresses and
/// arguments, too.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, or other flags; ACL_ERROR_INVALID_FILE 100003:
/// the file cannot be written; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed;
/// ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being recorded. Thread-safe. Follows aclmdlRIDebugJsonPrint of the
/// Ascend runtime API; what is in the file is this library's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDebugJsonPrint(
    modelRI: aclmdlRI,
    path: *const c_char,
    flags: u32,
) -> aclError {
    guard("aclmdlRIDebugJsonPrint", || {
        // SAFETY: `path` is null or a C string: the function's documentation asks for a file's
        // name.
        let path = unsafe { text::required("path", path) }?;
        picture::write_json(handle::from_c(modelRI), Path::new(path), flags)
    })
}
