//! The source of a pool's segments.

use std::sync::Arc;

use crate::backend::{self, Block, Driver, PagePolicy};
use crate::core::runtime::device::Device;

/// Allocates and frees segments.
pub enum Source {
    /// The memory of a device.
    Device(Arc<dyn backend::Device>),
    /// Host memory, of a NUMA node if there is one.
    Host(Arc<dyn Driver>, Option<u32>),
}

impl Source {
    /// Allocates a segment. `device`: the device of the source, if it has one.
    pub(super) fn alloc(&self, len: usize, device: Option<&Device>) -> backend::Result<Block> {
        match (self, device) {
            (Self::Device(_), Some(device)) => {
                device.with_all_memory(|native| native.alloc(len, PagePolicy::HugeFirst))
            }
            (Self::Device(native), None) => native.alloc(len, PagePolicy::HugeFirst),
            (Self::Host(driver, node), _) => {
                let block = driver.alloc_host(len)?;
                if let Some(node) = *node
                    && let Err(fault) = backend::bind_to_node(block, node)
                {
                    // The first failure is the one to return.
                    let _ = driver.free_host(block);
                    return Err(fault);
                }
                Ok(block)
            }
        }
    }

    /// Frees a segment.
    pub(super) fn free(&self, block: Block) -> backend::Result<()> {
        match self {
            Self::Device(native) => native.free(block),
            Self::Host(driver, _) => driver.free_host(block),
        }
    }
}
