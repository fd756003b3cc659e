//! From the driver's status numbers to faults.

use std::ffi::c_int;

use crate::backend::cuda::base::api::Words;
use crate::backend::{Fault, FaultKind};

/// `CUDA_ERROR_INVALID_VALUE`.
pub const INVALID_VALUE: c_int = 1;
/// `CUDA_ERROR_NOT_SUPPORTED`.
const NOT_SUPPORTED: c_int = 801;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
const OUT_OF_MEMORY: c_int = 2;
/// `CUDA_ERROR_NO_DEVICE`.
pub const NO_DEVICE: c_int = 100;
/// `CUDA_ERROR_INVALID_CONTEXT`.
const INVALID_CONTEXT: c_int = 201;
/// `CUDA_ERROR_INVALID_HANDLE`.
const INVALID_HANDLE: c_int = 400;
/// `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
const CONTEXT_IS_DESTROYED: c_int = 709;
/// `CUDA_ERROR_INVALID_DEVICE`: the device cannot do it. An ordinal of the core is never wrong.
pub const INVALID_DEVICE: c_int = 101;
/// `CUDA_ERROR_ALREADY_MAPPED`.
pub const ALREADY_MAPPED: c_int = 208;
/// `CUDA_ERROR_NOT_READY`: no failure, the work goes on.
const NOT_READY: c_int = 600;

/// A driver call that did not return 0.
#[derive(Clone, Copy)]
pub enum Failure {
    /// The driver has no such function.
    Missing {
        /// Its newest name.
        call: &'static str,
        /// The driver's version.
        version: c_int,
    },
    /// The driver returned a status.
    Status {
        /// What was called.
        call: &'static str,
        /// What it returned.
        status: c_int,
        /// Where its name and text come from.
        words: Words,
    },
}

impl Failure {
    /// What the driver returned, if it was called.
    pub fn status(self) -> Option<c_int> {
        match self {
            Self::Missing { .. } => None,
            Self::Status { status, .. } => Some(status),
        }
    }

    /// The query found pending work.
    pub fn is_not_ready(self) -> bool {
        self.status() == Some(NOT_READY)
    }

    /// A capture by another library forbids the call, or made its stream or event one without a state. Work from before
    /// the capture may be pending.
    pub fn is_of_capture(self) -> bool {
        matches!(self.status(), Some(900..=908))
    }

    /// No context is current, or not the right one, or one that another library has destroyed. It says nothing of the
    /// device unless its own context is current.
    pub fn wants_context(self) -> bool {
        matches!(self.status(), Some(INVALID_CONTEXT | INVALID_HANDLE | CONTEXT_IS_DESTROYED))
    }

    /// The driver or the device does not support the call. Some drivers return "invalid value" then.
    pub fn is_unsupported(self) -> bool {
        matches!(self.status(), None | Some(INVALID_VALUE | NOT_SUPPORTED))
    }

    /// The context is lost: every later call on this device fails in the same way.
    pub fn is_sticky(self) -> bool {
        self.status().is_some_and(is_sticky)
    }

    /// As a fault. `out_of_memory` is its kind if the driver is out of memory.
    #[cold]
    pub fn fault(self, out_of_memory: FaultKind) -> Fault {
        match self {
            Self::Missing { call, version } => Fault::unsupported(format!(
                "the CUDA driver (version {}.{}) has no {call}; a newer driver has it",
                version / 1000,
                version % 1000 / 10
            )),
            Self::Status { call, status, words } => {
                let (name, text) = words.of(status);
                let name = name.map(|name| format!(" {name}")).unwrap_or_default();
                let text = text.map(|text| format!(": {text}")).unwrap_or_default();
                Fault::new(kind(status, out_of_memory), format!("{call} gave {status}{name}{text}"))
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
        // Not or no longer initialised, a stub instead of a driver, no, bad, unlicensed or busy
        // device, a driver that does not fit its kernel module.
        3 | 4 | 34 | 46 | NO_DEVICE..=102 | 803 | 804 => FaultKind::NoDevice,
        // A newer driver is wanted; no kernel, or no compiler, for this device; not supported.
        36 | 209 | 221..=223 | NOT_SUPPORTED => FaultKind::Unsupported,
        // A bad image, no such name in it, bad PTX.
        200 | 218 | 500 => FaultKind::InvalidArgument,
        712 => FaultKind::AlreadyRegistered,
        _ if is_sticky(status) => FaultKind::Execution,
        _ => FaultKind::Driver,
    }
}

/// After these every call in the context fails: uncorrectable memory or link errors, faults of a kernel, a context that
/// another library destroyed.
const fn is_sticky(status: c_int) -> bool {
    matches!(status, 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721)
}

/// A refusal of a handle or key that came from another process: `what` says what it does not name.
pub fn is_none(fault: Fault, what: &str) -> Fault {
    match fault.kind() {
        FaultKind::Driver => Fault::invalid(format!("{what}: {}", fault.text())),
        _ => fault,
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
