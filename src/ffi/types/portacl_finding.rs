//! Types of `portacl.h`: findings of libraries over this one.

use std::ffi::c_char;
use std::mem::MaybeUninit;

/// The kind of a finding.
#[repr(C)]
pub enum portaclFindingKind {
    /// "collectives": ranks whose calls do not fit, so that they cannot go on.
    PORTACL_FINDING_COLLECTIVES = 1,
    /// "long wait": a rank that has waited for others for a long time. They may still come, so it is no fault for
    /// PORTACL_CHECK_EXIT.
    PORTACL_FINDING_LONG_WAIT = 2,
}

/// An operation that takes part in a finding.
#[repr(C)]
pub struct portaclFindingOperation {
    /// The call with its arguments, such as "HcclAllReduce float32 1024 sum".
    pub call: *const c_char,
    /// Its place among other operations, such as "operation 7 of rank 0".
    pub position: *const c_char,
    /// Its line in the program, as portaclCallSite writes it. Null or empty: unknown.
    pub site: *const c_char,
}

/// A finding.
#[repr(C)]
pub struct portaclFinding {
    /// sizeof(portaclFinding).
    pub structSize: usize,
    /// The kind.
    pub kind: MaybeUninit<portaclFindingKind>,
    /// What was found, in one line.
    pub what: *const c_char,
    /// What the program's author should do, in one line.
    pub fix: *const c_char,
    /// The operations. Null if `count` is 0.
    pub operations: *const portaclFindingOperation,
    /// Number of operations, at most 1024.
    pub count: usize,
}
