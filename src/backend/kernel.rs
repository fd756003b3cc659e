//! Programs of a device, and running them.

use std::any::Any;
use std::sync::Arc;

use super::Result;

/// A program that is loaded on a device. Kernels of it that somebody holds, and launches that are
/// queued, keep what they need of it.
pub trait Module: Send + Sync {
    /// The kernel with this name. None of that name: [`super::FaultKind::InvalidArgument`].
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>>;
}

/// A kernel of a [`Module`], for [`super::Stream::launch`] on the same device.
pub trait Kernel: Any + Send + Sync {}

/// A run of a kernel: once for each block of the grid, in any order and at the same time.
pub struct Launch<'a> {
    /// What runs; of the stream's device. Who needs it after the call takes a share of it.
    pub kernel: &'a Arc<dyn Kernel>,
    /// What it is called.
    pub name: &'a str,
    /// How many blocks in x, y and z, each above 0; at most 2^31 - 1 in x and 65,535 in y and z.
    pub grid: [u32; 3],
    /// How many threads a block has in each direction, above 0 and within the device's limits.
    /// `None`: the caller knows of blocks only, and the device chooses.
    pub threads: Option<[u32; 3]>,
    /// Fast memory of each block in bytes, beyond what the kernel declares.
    pub shared_bytes: usize,
    /// What each block gets.
    pub arguments: Arguments,
}

/// Arguments of a kernel: addresses in the caller's memory, which is read during the call and not
/// afterwards.
#[derive(Clone, Copy, Debug)]
pub enum Arguments {
    /// All of them in one block, each where the kernel expects it. `len` may be 0.
    Block {
        /// First byte.
        addr: usize,
        /// How many bytes.
        len: usize,
    },
    /// An array with the address of each, in the order of the kernel's parameters.
    Each {
        /// The first address of the array; null only for a kernel without parameters.
        array: usize,
    },
}
