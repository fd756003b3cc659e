//! Where the segments of a pool come from.

use std::sync::Arc;

use crate::backend::{self, Block, Driver, PagePolicy};
use crate::core::runtime::device::Device;

/// Where segments come from and go to.
pub enum Source {
    /// The memory of a device.
    Device(Arc<dyn backend::Device>),
    /// Host memory, of a NUMA node if one is named.
    Host(Arc<dyn Driver>, Option<u32>),
}

impl Source {
    /// A segment. `device`: the one that it is, where there is one.
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
                    // The first failure is the one to tell.
                    let _ = driver.free_host(block);
                    return Err(fault);
                }
                Ok(block)
            }
        }
    }

    /// Gives a segment back.
    pub(super) fn free(&self, block: Block) -> backend::Result<()> {
        match self {
            Self::Device(native) => native.free(block),
            Self::Host(driver, _) => driver.free_host(block),
        }
    }
}
