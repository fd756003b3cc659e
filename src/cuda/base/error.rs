//! Converts the driver's status numbers to faults.

use std::ffi::c_int;

use crate::backend::{Fault, FaultKind};
use crate::base::api::Words;

/// The value of `CUDA_ERROR_INVALID_VALUE`.
pub(crate) const INVALID_VALUE: c_int = 1;
/// The value of `CUDA_ERROR_NOT_SUPPORTED`.
const NOT_SUPPORTED: c_int = 801;
/// The value of `CUDA_ERROR_OUT_OF_MEMORY`.
const OUT_OF_MEMORY: c_int = 2;
/// The value of `CUDA_ERROR_NO_DEVICE`.
pub(crate) const NO_DEVICE: c_int = 100;
/// The value of `CUDA_ERROR_INVALID_CONTEXT`.
const INVALID_CONTEXT: c_int = 201;
/// The value of `CUDA_ERROR_INVALID_HANDLE`.
const INVALID_HANDLE: c_int = 400;
/// The value of `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
const CONTEXT_IS_DESTROYED: c_int = 709;
/// The value of `CUDA_ERROR_INVALID_DEVICE`: the device cannot do it. An ordinal of the core is never wrong.
pub(crate) const INVALID_DEVICE: c_int = 101;
/// The value of `CUDA_ERROR_ALREADY_MAPPED`.
pub(crate) const ALREADY_MAPPED: c_int = 208;
/// The value of `CUDA_ERROR_NOT_READY`. It is no failure: the work goes on.
const NOT_READY: c_int = 600;

/// A driver call that did not return 0.
#[derive(Clone, Copy)]
pub enum Failure {
    /// The driver has no such function.
    Missing {
        /// The function's newest name.
        call: &'static str,
        /// The driver's version.
        version: c_int,
    },
    /// The driver returned a status.
    Status {
        /// The function that was called.
        call: &'static str,
        /// The status that it returned.
        status: c_int,
        /// The functions that return the status's name and text.
        words: Words,
    },
}

impl Failure {
    /// Returns the driver's status, if the driver was called.
    pub fn status(self) -> Option<c_int> {
        match self {
            Self::Missing { .. } => None,
            Self::Status { status, .. } => Some(status),
        }
    }

    /// Whether a query found pending work.
    pub fn is_not_ready(self) -> bool {
        self.status() == Some(NOT_READY)
    }

    /// Whether a capture by another library forbids the call, or captures the stream or event, which then has no state.
    /// Work from before the capture may be pending.
    pub fn is_of_capture(self) -> bool {
        matches!(self.status(), Some(900..=908))
    }

    /// Whether no context is current, or not the right one, or one that another library has destroyed. This shows a
    /// failure of the device only if the device's own context is current.
    pub fn wants_context(self) -> bool {
        matches!(self.status(), Some(INVALID_CONTEXT | INVALID_HANDLE | CONTEXT_IS_DESTROYED))
    }

    /// Whether the driver or the device does not support the call. Some drivers return "invalid value" then.
    pub fn is_unsupported(self) -> bool {
        matches!(self.status(), None | Some(INVALID_VALUE | NOT_SUPPORTED))
    }

    /// Whether the context is lost: every later call on this device fails in the same way.
    pub fn is_sticky(self) -> bool {
        self.status().is_some_and(is_sticky)
    }

    /// Converts the failure to a fault. `out_of_memory` is its kind if the driver is out of memory.
    #[cold]
    pub fn fault(self, out_of_memory: FaultKind) -> Fault {
        match self {
            Self::Missing { call, version } => Fault::unsupported(format!(
                "the CUDA driver (version {}.{}) has no {call}; install a newer driver",
                version / 1000,
                version % 1000 / 10
            )),
            Self::Status { call, status, words } => {
                let (name, text) = words.of(status);
                let name = name.map(|name| format!(" {name}")).unwrap_or_default();
                let text = text.map(|text| format!(": {text}")).unwrap_or_default();
                Fault::new(kind(status, out_of_memory), format!("{call} returned {status}{name}{text}"))
            }
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        failure.fault(FaultKind::OutOfDeviceMemory)
    }
}

fn kind(status: c_int, out_of_memory: FaultKind) -> FaultKind {
    match status {
        OUT_OF_MEMORY => out_of_memory,
        // The driver is not initialized, no longer initialized, or a stub. Or there is no device, or it is bad,
        // unlicensed or busy. Or the driver does not fit its kernel module.
        3 | 4 | 34 | 46 | NO_DEVICE..=102 | 803 | 804 => FaultKind::NoDevice,
        // A newer driver is needed, or there is no kernel or compiler for this device, or the call is not supported.
        36 | 209 | 221..=223 | NOT_SUPPORTED => FaultKind::Unsupported,
        // The image or the PTX is bad, or the image has no such name.
        200 | 218 | 500 => FaultKind::InvalidArgument,
        712 => FaultKind::AlreadyRegistered,
        _ if is_sticky(status) => FaultKind::Execution,
        _ => FaultKind::Driver,
    }
}

/// Whether every later call in the context fails: after uncorrectable memory or link errors, faults of a kernel or of a
/// device outside of CUDA, the end of an MPS client, or a context that another library destroyed.
const fn is_sticky(status: c_int) -> bool {
    matches!(status, 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 810 | 911)
}

/// Returns the fault for a refused handle or key from another process. `what` says what it does not name.
pub(crate) fn is_none(fault: Fault, what: &str) -> Fault {
    if fault.kind() == FaultKind::Driver { Fault::invalid(format!("{what} ({})", fault.text())) } else { fault }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
