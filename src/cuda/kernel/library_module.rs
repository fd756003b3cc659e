//! Loads modules of the library's kernels: PTX, which the driver compiles for a device when that is opened.
//!
//! A driver may wait for all work when it loads a kernel, so they are loaded when the device is opened.
//!
//! There are no cubins beside the PTX. They would spare a user's first process some tenths of a second, because the
//! driver caches what it compiles. But each would be a second program for the same work, and none of the tests without
//! a GPU would run it: their driver translates PTX.

use std::ffi::{CString, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys::{CUfunc_st, CUfunction, CUmod_st};
use parking_lot::Mutex;

use crate::algo::map::typed_slots::Key;
use crate::backend::Result;
use crate::runtime::{DeviceState, Raw};
use crate::stream::state::StreamState;

/// Returns `kernels/NAME.ptx`, which is compressed in the library (`build.rs`): it would be a large part of small
/// programs.
macro_rules! compressed_ptx {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".ptx.deflate"))
    };
}
pub(crate) use compressed_ptx;

/// The number of threads in a block. A few blocks of this size fill a multiprocessor of every device.
pub(crate) const THREADS: u32 = 256;

/// The number of blocks per multiprocessor. They are all its threads (at most 2048); loops in the kernels do the rest.
const BLOCKS_PER_CORE: u32 = 8;

/// A module of the library's kernels. It is a static.
pub(crate) struct LibraryModule {
    compressed: &'static [u8],
    names: fn() -> Vec<String>,
    /// The slot with each device's part of the module.
    slot: Key<LazyModule>,
}

#[derive(Default)]
struct LazyModule {
    loaded: OnceLock<Loaded>,
    /// The lock that is held while the module is loaded, so that it is loaded once.
    loading: Mutex<()>,
}

struct Loaded {
    raw: Raw<CUmod_st>,
    functions: Box<[Raw<CUfunc_st>]>,
}

impl LibraryModule {
    /// Creates a module of the kernels with these names in the text of [`compressed_ptx`].
    pub(crate) const fn new(compressed: &'static [u8], names: fn() -> Vec<String>) -> Self {
        Self { compressed, names, slot: Key::new() }
    }

    /// Returns the PTX.
    pub(crate) fn text(&self) -> String {
        let bytes = miniz_oxide::inflate::decompress_to_vec(self.compressed).expect("build.rs compressed it");
        String::from_utf8(bytes).expect("PTX is ASCII")
    }

    /// Returns the kernel at `index` among the names.
    pub(crate) fn kernel(&'static self, device: &DeviceState, index: usize) -> Result<CUfunction> {
        let slot = self.slot.of(&device.features);
        if slot.loaded.get().is_none() {
            let _loading = slot.loading.lock();
            if slot.loaded.get().is_none() {
                // Only this function sets it, under the lock.
                let _ = slot.loaded.set(self.load(device)?);
            }
        }
        Ok(slot.loaded.get().expect("loaded above").functions[index].0)
    }

    fn load(&self, device: &DeviceState) -> Result<Loaded> {
        let ptx = CString::new(self.text()).expect("PTX has no zero inside");
        // SAFETY: PTX of the library, which a zero ends.
        let raw = device.call(|api| unsafe { api.module_load_data(ptx.as_ptr().cast()) })?;
        let find = |name| {
            let name = CString::new(name).expect("no zero inside");
            // SAFETY: the module, and a name that ends with a zero.
            device.call(|api| unsafe { api.module_get_function(raw, name.as_ptr()) }).map(Raw)
        };
        let functions: Result<_> = (self.names)().into_iter().map(find).collect();
        let functions = functions.inspect_err(|_| {
            // SAFETY: loaded above, and not used by any other thread yet.
            device.driver.end_in(&device.context, |api| unsafe { api.module_unload(raw) });
        })?;
        Ok(Loaded { raw: Raw(raw), functions })
    }

    /// Unloads the module when a device closes. Nothing of the module runs any more.
    pub(crate) fn unload(&'static self, device: &DeviceState) {
        if let Some(loaded) = self.slot.of(&device.features).loaded.get() {
            // SAFETY: loaded once, unloaded once.
            device.driver.end_in(&device.context, |api| unsafe { api.module_unload(loaded.raw.0) });
        }
    }
}

/// Launches a kernel in a grid of one dimension.
///
/// # Safety
/// `function` is a kernel of a module that is loaded on the stream's device. `arguments` points to each of its
/// arguments, and they are what the kernel expects.
pub(crate) unsafe fn launch(
    stream: &StreamState,
    function: CUfunction,
    blocks: u32,
    threads: u32,
    arguments: *mut *mut c_void,
) -> Result<()> {
    let (raw, extra) = (stream.raw.0, std::ptr::null_mut());
    // SAFETY: a live kernel and a live stream of its device; the driver copies the arguments during the call.
    stream
        .device
        .call(|api| unsafe { api.launch_kernel(function, blocks, 1, 1, threads, 1, 1, 0, raw, arguments, extra) })
}

/// Returns the number of blocks that a device with this many multiprocessors gets for this many items of work.
pub(crate) fn blocks(items: u64, cores: u32) -> u32 {
    let wanted = items.div_ceil(u64::from(THREADS));
    let most = cores.saturating_mul(BLOCKS_PER_CORE).max(1);
    u32::try_from(wanted).unwrap_or(u32::MAX).clamp(1, most)
}

#[cfg(test)]
#[path = "library_module_tests.rs"]
mod tests;
