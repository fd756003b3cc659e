//! Checks of addresses to free, and the call for each kind.

use crate::base::error::{Error, Result, arguments, param_invalid};
use crate::memory::allocation::{Allocation, Kind};
use crate::runtime::thread;

/// Fails if a call that frees cannot begin: `argument` names the address.
pub(crate) fn check_free(argument: &str, addr: usize) -> Result<()> {
    thread::refuse_inside_host_function()?;
    arguments::not_null(argument, addr, "omit the call (this API refuses null, unlike free and cudaFree)")
}

/// Returns the error for an address at which nothing could be freed.
#[cold]
pub(crate) fn not_freed(argument: &str, addr: usize) -> Error {
    let Some(found) = Allocation::find(addr) else {
        return param_invalid!(
            "{argument} {addr:#x} is not a live allocation of this library: it was never allocated here, was freed, or \
             was released with its device or session"
        );
    };
    if found.base != addr {
        return arguments::not_its_start(argument, addr, "allocation", found.base, found.len);
    }
    let (what, call) = names(found.kind);
    param_invalid!("{argument} {addr:#x} is {what}; free it with {call}")
}

/// Returns the call that frees memory of this kind.
pub(crate) fn freeing_call(kind: Kind) -> &'static str {
    names(kind).1
}

/// Returns two texts for memory of this kind: its name, and the call that frees it.
pub(in crate::memory) fn names(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Device(_) => ("device memory", "aclrtFree"),
        Kind::Managed(_) => ("managed memory", "aclrtFree"),
        Kind::Pinned => ("page-locked host memory", "aclrtFreeHost"),
        Kind::Pool(_) | Kind::ManagedPool(_) | Kind::HostPool(_) => {
            ("pool memory", "aclrtMemPoolFreeAsync or aclrtFree")
        }
        Kind::Mapped(_) | Kind::HostMapped(_) => ("mapped memory", "aclrtUnmapMem"),
        Kind::Imported(_) => ("memory imported from another process", "aclrtIpcMemClose"),
        Kind::Graph(_) => ("the value of a condition handle", "aclmdlRIDestroy of its graph"),
        Kind::Registered { .. } => {
            ("memory that the caller registered", "the allocator that it is from, after aclrtHostUnregister")
        }
    }
}
