//! Memory, and what is given back like it, on its way to the driver.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::{CUdeviceptr, CUgraphExec_st, CUmod_st};

use super::pending::Marks;
use super::virtual_memory::Physical;
use crate::backend::cuda::base::api::Api;
use crate::backend::cuda::graph::Kept;
use crate::backend::cuda::memory::device_memory::{
    Pinned, counter, in_any_context, unmap_and_free,
};
use crate::backend::cuda::runtime::context::{Context, Raw};
use crate::backend::cuda::runtime::device::DeviceState;
use crate::backend::cuda::runtime::driver::DriverState;
use crate::backend::cuda::stream::StreamState;
use crate::backend::{Block, Result};

/// Memory on its way back to the driver.
pub enum Release {
    /// From `cuMemAlloc` or `cuMemAllocManaged`; the block that a program had, to be counted.
    Device { device: Arc<DeviceState>, base: usize, block: Option<Block> },
    /// Mapped by `device_memory::map_huge`.
    Mapped { device: Arc<DeviceState>, block: Block },
    /// From `cuIpcOpenMemHandle`.
    Imported { device: Arc<DeviceState>, base: usize },
    /// From a pool, which is on this device or in host memory.
    Pooled { device: Option<Arc<DeviceState>>, addr: usize },
    /// A mapping of memory of this device, in a range that stays; the memory may go with it.
    Unmapped { device: Arc<DeviceState>, addr: usize, len: usize, memory: Arc<Physical> },
    /// From `cuMemHostAlloc`.
    Host { base: usize },
    /// From `cuModuleLoadData`: no memory, but it is given back like some.
    Module {
        device: Arc<DeviceState>,
        raw: Raw<CUmod_st>,
        /// First addresses of its variables, which are ours until it is gone.
        variables: Vec<usize>,
    },
    /// What nodes of a graph name, and what `cuGraphInstantiateWithFlags` made of them, if that has no
    /// other nodes now.
    Graph { device: Arc<DeviceState>, raw: Option<Raw<CUgraphExec_st>>, kept: Box<Kept> },
    /// By `cuMemHostRegister`.
    Registered { addr: usize },
}

impl Release {
    /// The driver may wait for running work before it takes this back.
    pub fn may_wait(&self) -> bool {
        !matches!(self, Self::Mapped { .. } | Self::Unmapped { .. } | Self::Pooled { .. })
    }

    /// What it takes back in a range that stays.
    pub fn mapping(&self) -> Option<(usize, usize, Arc<Physical>)> {
        match self {
            Self::Unmapped { addr, len, memory, .. } => Some((*addr, *len, Arc::clone(memory))),
            _ => None,
        }
    }

    /// Whether it is a mapping in this range.
    pub fn is_mapping_in(&self, from: usize, len: usize) -> bool {
        matches!(*self, Self::Unmapped { addr, len: mapped, .. }
            if addr < from + len && from < addr + mapped)
    }

    /// Whether work of this stream can use it. What another device does is no reason to keep
    /// device memory, nor to keep the device itself from being closed.
    pub fn may_be_used_by(&self, stream: &StreamState) -> bool {
        match self {
            Self::Host { .. } | Self::Registered { .. } | Self::Pooled { device: None, .. } => true,
            Self::Graph { .. } => self.is_of(stream.device()),
            Self::Device { .. }
            | Self::Module { .. }
            | Self::Mapped { .. }
            | Self::Imported { .. }
            | Self::Unmapped { .. }
            | Self::Pooled { .. } => self.is_of(stream.device()) || stream.crosses(),
        }
    }

    pub fn is_of(&self, owner: &DeviceState) -> bool {
        match self {
            Self::Device { device, .. }
            | Self::Mapped { device, .. }
            | Self::Imported { device, .. }
            | Self::Unmapped { device, .. }
            | Self::Module { device, .. }
            | Self::Graph { device, .. }
            | Self::Pooled { device: Some(device), .. } => std::ptr::eq(&**device, owner),
            Self::Pooled { device: None, .. } | Self::Host { .. } | Self::Registered { .. } => {
                false
            }
        }
    }

    fn base(&self) -> usize {
        match *self {
            Self::Device { base, .. } | Self::Imported { base, .. } | Self::Host { base } => base,
            Self::Mapped { block, .. } => block.addr,
            Self::Registered { addr } | Self::Pooled { addr, .. } => addr,
            // A range stays ours.
            Self::Module { .. } | Self::Graph { .. } | Self::Unmapped { .. } => 0,
        }
    }

    /// Gives it to the driver. No queued work uses it any more.
    pub fn now(self, driver: &DriverState) -> Result<()> {
        driver.owned().remove_after(self.base(), || match self {
            Self::Device { device, base, block } => {
                // A closed device has given everything back.
                let Some(_open) = device.keep_open() else { return Ok(()) };
                // SAFETY: a block of this device that is given back once.
                device.call(|api| unsafe { api.mem_free(base as CUdeviceptr) })?;
                // What the driver keeps counts on: with managed memory there it saves no process.
                block.inspect(|&block| counter(&device, block).sub(block.len));
                Ok(())
            }
            Self::Mapped { device, block } => {
                let Some(_open) = device.keep_open() else { return Ok(()) };
                // SAFETY: the block owns its addresses and their mapping, and `_open` keeps the
                // device open.
                device.call(|api| unsafe {
                    unmap_and_free(api, block.addr as CUdeviceptr, block.len)
                })?;
                counter(&device, block).sub(block.len);
                Ok(())
            }
            Self::Imported { device, base } => {
                let Some(_open) = device.keep_open() else { return Ok(()) };
                // SAFETY: opened once for each time that it is closed.
                device.call(|api| unsafe { api.ipc_close_mem_handle(base as CUdeviceptr) })
            }
            // Also on a device that has failed: this is about addresses, which are of no context.
            Self::Unmapped { addr, len, .. } => {
                // SAFETY: mapped there, once; no queued work uses it.
                Ok(unsafe { driver.api().mem_unmap(addr as CUdeviceptr, len) }?)
            }
            Self::Pooled { device: Some(device), addr } => {
                let Some(_open) = device.keep_open() else { return Ok(()) };
                // SAFETY: the block is freed once; the driver does not wait for memory of a pool.
                device.call(|api| unsafe { api.mem_free(addr as CUdeviceptr) })
            }
            Self::Pooled { device: None, addr } => {
                // SAFETY: the block came from a pool of the driver and is freed once, here.
                let free = |api: &Api| unsafe { api.mem_free(addr as CUdeviceptr) };
                let (context, freed) = in_any_context(driver, |context| Ok(context.call(free)))?;
                freed.and(driver.release_context(&context))
            }
            Self::Graph { device, raw, kept } => {
                let Some(_open) = device.keep_open() else { return Ok(()) };
                let destroyed = raw.map_or(Ok(()), |raw| {
                    // SAFETY: made once and destroyed once; no run of it is left.
                    device.call(|api| unsafe { api.graph_exec_destroy(raw.0) })
                });
                drop(kept);
                destroyed
            }
            Self::Module { device, raw, variables } => {
                let unloaded = match device.keep_open() {
                    // SAFETY: loaded once and unloaded once; nobody has a kernel of it.
                    Some(_open) => device.call(|api| unsafe { api.module_unload(raw.0) }),
                    None => Ok(()),
                };
                variables.into_iter().for_each(|base| driver.owned().remove_after(base, || ()));
                unloaded
            }
            Self::Host { base } | Self::Registered { addr: base } => {
                match driver.forget_pinned(base) {
                    Some((kind, context)) => {
                        let freed = unpin(&context, kind, base);
                        let released = driver.release_context(&context);
                        freed.and(released)
                    }
                    None => Ok(()),
                }
            }
        })
    }
}

fn unpin(context: &Context, kind: Pinned, base: usize) -> Result<()> {
    let pointer: *mut c_void = std::ptr::with_exposed_provenance_mut(base);
    context.call(|api| match kind {
        // SAFETY: a block of the driver that is given back once.
        Pinned::Allocated => unsafe { api.mem_free_host(pointer) },
        // SAFETY: a registration that is taken back once.
        Pinned::Registered => unsafe { api.mem_host_unregister(pointer) },
    })
}

/// Gives memory, or a module, back, at once or, while any stream has work, later.
pub fn give_back(driver: &DriverState, release: Release) -> Result<()> {
    driver.reap();
    let marks = Marks::in_busy_streams(driver, &release);
    if marks.is_empty() {
        return release.now(driver);
    }
    driver.pending().push(release, marks);
    Ok(())
}
