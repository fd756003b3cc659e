//! Faults that say why a device has no memory.

use std::io;

use super::DeviceMemory;
use crate::backend::Fault;
use crate::base::machine;

/// Returns the fault that guard mode needs a file in memory, which the system does not provide.
pub(super) fn guard_needs_file(ordinal: u32, why: &impl std::fmt::Display) -> Fault {
    Fault::unsupported(format!(
        "guard mode needs a memory file for the memory on device {ordinal}, but the system refuses one ({why}); allow \
         memfd_create (the seccomp profile of a container may forbid it; if too many files are open, close some, or \
         raise ulimit -n), or unset PORTACL_CPU_GUARD and remove `bounds` and `all` from PORTACL_CHECK"
    ))
}

/// Returns the fault that the process cannot map `span` bytes and the library's view of them.
pub(super) fn no_addresses(ordinal: u32, size: u64, library_view: usize, span: u64, error: &io::Error) -> Fault {
    let limit = machine::most_addresses()
        .map(|most| format!(" (the process may have at most {most}: ulimit -v)"))
        .unwrap_or_default();
    let remedy = match library_view {
        _ if error.kind() != io::ErrorKind::OutOfMemory => {
            "let the system allow the mapping (the seccomp profile of a container may forbid it)"
        }
        0 => "set a smaller PORTACL_CPU_MEMORY",
        _ => "raise ulimit -v, or unset PORTACL_CPU_GUARD and remove `bounds` and `all` from PORTACL_CHECK",
    };
    let wanted = span + library_view as u64;
    Fault::out_of_device_memory(format!(
        "device {ordinal} cannot reserve its {size} bytes of memory: {error}; the device needs {wanted} bytes of \
         addresses{limit}; {remedy}"
    ))
}

impl DeviceMemory {
    /// Returns the fault that there is no room for `len` bytes, with the reason.
    pub(crate) fn exhausted(&self, len: usize) -> Fault {
        let (ordinal, size, free) = (self.ordinal, self.size, self.free_bytes());
        let text = match self.share.taken() {
            None => format!(
                "device {ordinal} has no free block of {len} bytes: {free} of {size} bytes are free; free memory, or \
                 set a larger PORTACL_CPU_MEMORY (bytes per device)"
            ),
            Some((most, own, others)) => format!(
                "device {ordinal} has no free block of {len} bytes: {free} of {size} bytes are free; of the {most} \
                 bytes of this machine that all devices share, this device uses {own} and other devices use {others}; \
                 free memory on any device, or request less"
            ),
        };
        Fault::out_of_device_memory(text)
    }

    /// Returns the fault that the kernel does not change the access to `len` bytes.
    pub(super) fn access_not_changed(&self, len: usize, error: &io::Error) -> Fault {
        Fault::out_of_host_memory(format!(
            "the system refused to change the access to {len} bytes on device {}: {error}; raise vm.max_map_count",
            self.ordinal
        ))
    }

    pub(super) fn no_1g_pages(&self) -> Fault {
        Fault::out_of_device_memory(format!(
            "device {} has no 1 GiB pages: CPU devices have pages of 4 KiB or 2 MiB; request 2 MiB pages instead",
            self.ordinal
        ))
    }
}

#[cfg(test)]
#[path = "faults_tests.rs"]
mod tests;
