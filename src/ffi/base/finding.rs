//! Findings of libraries over this one.

use std::ffi::c_char;

use crate::base::{Array, check_struct_size, enum_value, guard, text};
use crate::core::base::error::{Result, invalid_param};
use crate::core::base::finding::{self, Finding, FindingKind, FoundOperation};
use crate::types::{aclError, portaclFinding, portaclFindingOperation};

/// Maximum number of operations of a finding.
const MOST_OPERATIONS: usize = 1024;

/// The text behind a pointer; null is an error that names `argument`.
///
/// # Safety
///
/// `text` is null or a C string.
unsafe fn required(argument: &str, text: *const c_char) -> Result<String> {
    // SAFETY: the caller passes null or a C string, which is copied.
    Ok(unsafe { text::required(argument, text) }?.to_string_lossy().into_owned())
}

/// The operations of a finding, copied.
///
/// # Safety
///
/// The texts of the operations are null or C strings.
unsafe fn read_operations(operations: &Array<portaclFindingOperation>) -> Result<Vec<FoundOperation>> {
    let name = |index: usize, member: &str| format!("finding->operations[{index}].{member}");
    let read = |(index, it): (usize, portaclFindingOperation)| {
        Ok(FoundOperation {
            // SAFETY: the caller of this function passes null or a C string.
            call: unsafe { required(&name(index, "call"), it.call) }?,
            // SAFETY: null or a C string.
            position: unsafe { required(&name(index, "position"), it.position) }?,
            // SAFETY: null or a C string.
            site: unsafe { text::optional(it.site) }.unwrap_or_default().to_string_lossy().into_owned(),
        })
    };
    operations.iter().enumerate().map(read).collect()
}

/// Reports a fault of the program that a library over this one has found, as the checks of `PORTACL_CHECK` report
/// theirs: on standard error, in PORTACL_CHECK_LOG and PORTACL_CHECK_REPORT, and with PORTACL_CHECK_EXIT,
/// PORTACL_CHECK_SUPPRESS and PORTACL_CHECK_LIMIT. A second finding of the same kind with the same calls and sites is
/// only counted. Does nothing unless `PORTACL_CHECK` has `collectives` and the process has opened a device or called
/// portaclBackendName.
///
/// @param finding the finding; copied.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `finding`, `what`, `fix`, or the call or position of an operation is null,
///     `structSize` is not the size of the structure, an unknown kind, `operations` is null and `count` is not 0, or
///     `count` is larger than 1024.
/// @note Thread-safe. May be called inside host functions and tasks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclReportFinding(finding: *const portaclFinding) -> aclError {
    guard("portaclReportFinding", || {
        // SAFETY: the caller of portaclReportFinding passes null or a structure that begins with its size.
        unsafe { check_struct_size("finding", finding) }?;
        let found: portaclFinding = Array::new(finding, 1).get(0);
        let kind = FindingKind::of(enum_value(found.kind))?;
        // SAFETY: null or a C string, which is copied.
        let what = unsafe { required("finding->what", found.what) }?;
        // SAFETY: null or a C string, which is copied.
        let fix = unsafe { required("finding->fix", found.fix) }?;
        let count = found.count;
        ensure!(count <= MOST_OPERATIONS, invalid_param!("finding->count is {count}; allowed: 0 to {MOST_OPERATIONS}"));
        let operations = Array::checked("finding->operations", found.operations, "finding->count", count)?;
        // SAFETY: the caller of portaclReportFinding passes operations with texts.
        let operations = unsafe { read_operations(&operations) }?;
        finding::report(Finding { kind, what, fix, operations });
        Ok(())
    })
}
