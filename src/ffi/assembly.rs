//! The parts of the library, listed in one place. A new backend is one line here.

use crate::backend::Backend;
use crate::core::assembly::{self, Checker};

static BACKENDS: &[&Backend] = &[
    #[cfg(feature = "cuda")]
    &portacl_cuda::BACKEND,
    #[cfg(not(feature = "cuda"))]
    &WITHOUT_CUDA,
    &portacl_cpu::BACKEND,
];

static CHECKER: Checker = Checker {
    arm: portacl_check::arm,
    session_ended: portacl_check::session_ended,
    device_ended: portacl_check::device_ended,
};

/// Takes the place of the CUDA backend in a library that was built without it, and says so.
#[cfg(not(feature = "cuda"))]
static WITHOUT_CUDA: Backend = Backend {
    name: c"cuda",
    takes_schedules: false,
    binds_process: false,
    count_unopened: || None,
    open: |_, _| {
        Err(crate::backend::Fault::new(
            crate::backend::FaultKind::NoDevice,
            "this portacl was built without the cuda backend (PORTACL_CUDA=OFF); use PORTACL_BACKEND=cpu, or another build",
        ))
    },
};

/// Connects the parts. The first call of the process does this; later calls change nothing.
pub(crate) fn install() {
    assembly::install(BACKENDS, &CHECKER);
}
