//! Pictures of graphs for Graphviz.

use std::ffi::c_char;
use std::path::Path;

use crate::base::{guard, handle, text};
use crate::core::graph::picture;
use crate::types::{aclError, aclmdlRI};

/// Writes a picture of a graph for Graphviz (`dot -Tsvg FILE`): a box for each task with its kind, size and parameters,
/// a frame around the tasks of each stream, and an arrow to each task from those that it is ordered after. Disabled
/// tasks have dashed boxes.
///
/// @param modelRI a graph.
/// @param path the file, which is overwritten.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_INVALID_FILE 100003: the file cannot be written.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclGraphPrintDot(modelRI: aclmdlRI, path: *const c_char) -> aclError {
    guard("portaclGraphPrintDot", || {
        // SAFETY: `path` is null or a C string that names the file to write.
        let path = unsafe { text::required("path", path) }?;
        picture::write_dot(handle::from_c(modelRI), Path::new(path))
    })
}
