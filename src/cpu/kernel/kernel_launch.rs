//! Runs of kernels: functions of shared objects, as `include/portacl/kernel.h` defines them.
//!
//! A kernel is called once for each block. It is code of the program and runs on the library's threads, so it may not
//! call this library.
//!
//! All blocks of a launch are one operation, which is divided among threads in shares that become smaller. Unless the
//! kernel reports its uses, a launch counts as a user of all device memory, because the library does not know what it
//! accesses. In guard mode, parameters that the kernel's description marks as pointers are translated.

use std::any::Any;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::kernel_uses::{self, Uses};
use super::module::{LoadedObject, MOST_SHARED_BYTES};
use crate::algo::host::cpp_name::shown_name;
use crate::algo::thread::cancellation;
use crate::backend::base::error::downcast_shared;
use crate::backend::kernel::argument_block;
use crate::backend::memory::closed;
use crate::backend::stream::host_fn::as_user_code;
use crate::backend::{
    Arguments, BoundLaunch, FailedLaunch, Fault, FaultKind, Kernel, KernelInfo, Launch, Parameter, Result, Use,
};
use crate::memory::host_access::Running;
use crate::runtime::shared::Shared;

/// The alignment of shared memory in bytes.
const ALIGNMENT: usize = 64;
/// The divisor of a thread's share that gives the size of the smallest parts of a grid. With it uneven blocks are
/// balanced, even if the last hundredth of them is half of the work. Doubling it adds one part for each thread.
const LEAST_SHARE: u64 = 1024;

/// The structure `portaclBlock` of the header.
#[repr(C)]
pub(crate) struct Block {
    index: [u32; 3],
    count: [u32; 3],
    threads: [u32; 3],
    reserved: u32,
    shared: *mut c_void,
    shared_bytes: usize,
    fail: unsafe extern "C" fn(*const Block, i32, *const c_char),
    /// The first failure of the launch.
    failure: *const Mutex<Option<Fault>>,
}

/// Records a failure that a kernel reports: a code, and a text or null.
unsafe extern "C" fn fail(block: *const Block, code: i32, text: *const c_char) {
    // SAFETY: the kernel passes the block that it was called with, which names the failure of its launch.
    let failure = unsafe { &*(*block).failure };
    let kind = if code == 0 { FaultKind::Execution } else { FaultKind::Program(code) };
    // SAFETY: if it is not null, it is the kernel's text, which ends with a zero.
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy());
    failure.lock().get_or_insert_with(|| Fault::new(kind, text.unwrap_or("a kernel failed".into())));
}

/// The type of a kernel that a shared object exports.
pub(crate) type KernelFn = unsafe extern "C" fn(*const c_void, *const Block);

/// The type of the function that an object exports to release a launch's arguments.
pub(crate) type ReleaseFn = unsafe extern "C" fn(*const c_void);

/// A function of a shared object. It keeps the object loaded.
pub(crate) struct CpuKernel {
    pub name: String,
    pub entry: KernelFn,
    pub release: Option<ReleaseFn>,
    pub uses: Option<Uses>,
    pub info: KernelInfo,
    pub _object: Arc<LoadedObject>,
}

impl Kernel for CpuKernel {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    fn uses(&self, arguments: &[u8]) -> Option<Vec<Use>> {
        // The submission rejects too few arguments later.
        let least = self.info.parameters.as_ref().map_or(1, |known| known.size);
        if arguments.len() < least {
            return None;
        }
        kernel_uses::of_launch(self.uses?, arguments)
    }
}

/// A run of a kernel, enqueued or in a graph.
pub(crate) struct KernelRun {
    /// The kernel, which keeps the function loaded.
    kernel: Arc<CpuKernel>,
    /// What the arguments point to, or the recorded launch that this one replaces, if a graph may run it again.
    _kept: Option<Arc<dyn Any + Send + Sync>>,
    /// The core's handle of the function.
    function: u64,
    /// True if a stream or a graph has accepted the launch, so that its end is the launch's end.
    is_accepted: AtomicBool,
    /// The arguments, aligned for any C type.
    arguments: Box<[u128]>,
    grid: [u32; 3],
    threads: [u32; 3],
    shared_bytes: usize,
}

impl CpuKernel {
    /// Returns the kernel's parameters, as far as they are known.
    fn parameters(&self) -> &[Parameter] {
        self.info.parameters.as_ref().map_or(&[], |known| &known.each)
    }

    /// Returns the length of a launch's arguments in bytes, or a fault if the kernel cannot have them.
    fn size_of(&self, arguments: Arguments) -> Result<usize> {
        let known = self.info.parameters.as_ref();
        known.map_or(Ok(()), |known| known.check(&self.name, arguments))?;
        match (arguments, known) {
            (Arguments::Block { len, .. }, _) => Ok(len),
            (Arguments::Each { .. }, Some(known)) => Ok(known.size),
            (Arguments::Each { .. }, None) => Err(Fault::unsupported(format!(
                "kernel {} has no description of its parameters ({}_portacl_kernel), so an array of arguments cannot \
                 be passed; define the kernel with PORTACL_KERNEL, or pass one block of arguments with \
                 aclrtLaunchKernel",
                shown_name(&self.name),
                self.name
            ))),
        }
    }

    /// Copies the arguments of the kernel, and translates device pointers to the library's view.
    fn arguments(&self, shared: &Shared, arguments: Arguments) -> Result<Box<[u128]>> {
        let size = self.size_of(arguments)?;
        let mut block = argument_block(size)?;
        let bytes = block.as_mut_ptr().cast::<u8>();
        // SAFETY: the block has room for `size` bytes; a block of arguments has as many, and no pointer of an array is
        // null. The object's description was checked to put the parameters inside the block.
        unsafe { arguments.write_to(bytes, size, self.parameters()) };
        if shared.library_view != 0 {
            self.translate_to_library_view(shared, bytes);
            // SAFETY: the block has `size` bytes, all of them initialized, and nothing changes them during this call.
            closed::lend_arguments(unsafe { std::slice::from_raw_parts(bytes, size) });
        }
        Ok(block)
    }

    /// Translates device pointers to the library's view.
    fn translate_to_library_view(&self, shared: &Shared, bytes: *mut u8) {
        for one in self.parameters().iter().filter(|one| one.pointer.is_some()) {
            // SAFETY: inside the block, as large as an address.
            let at = unsafe { bytes.add(one.offset).cast::<usize>() };
            // SAFETY: the address has a whole pointer's bytes inside of the arguments: the core has
            // checked the offset.
            let addr = unsafe { at.read_unaligned() };
            if shared.windows.device_at(addr).is_some()
                || shared.imports.contains(addr)
                || shared.ranges.is_device(addr)
            {
                // SAFETY: nothing else uses the arguments, which this launch has copied, and the
                // pointer lies within them.
                unsafe { at.write_unaligned(addr + shared.library_view) };
            }
        }
    }
}

impl BoundLaunch for KernelRun {
    fn accept(&self) {
        self.is_accepted.store(true, Ordering::Relaxed);
    }
}

/// Prepares a run. `kept` is what must live as long as the run, for a graph that may run it again.
pub(crate) fn call(
    shared: &Shared,
    launch: &Launch<'_>,
    kept: Option<&Arc<dyn Any + Send + Sync>>,
) -> Result<KernelRun> {
    let kernel: Arc<CpuKernel> =
        downcast_shared(Arc::clone(launch.kernel) as _, "the kernel belongs to another backend")?;
    if launch.shared_bytes > MOST_SHARED_BYTES {
        return Err(Fault::invalid(format!(
            "the launch needs {} bytes of shared memory per block; allowed on this device: at most {MOST_SHARED_BYTES}",
            launch.shared_bytes
        )));
    }
    Ok(KernelRun {
        function: launch.function,
        is_accepted: AtomicBool::new(false),
        arguments: kernel.arguments(shared, launch.arguments)?,
        grid: launch.grid,
        threads: launch.threads.unwrap_or([1; 3]),
        shared_bytes: launch.shared_bytes,
        kernel,
        _kept: kept.cloned(),
    })
}

impl KernelRun {
    /// Describes this run as a failed one, with the arguments as the kernel got them.
    pub(crate) fn failed(&self) -> FailedLaunch {
        let (addr, len) = (self.arguments.as_ptr().expose_provenance(), size_of_val(&*self.arguments));
        FailedLaunch { function: self.function, arguments: Arguments::Block { addr, len }.copy(None) }
    }
}

/// Releases the arguments after the run, or when the stream or the last graph drops it.
impl Drop for KernelRun {
    fn drop(&mut self) {
        let is_accepted = *self.is_accepted.get_mut();
        if let Some(release) = self.kernel.release.filter(|_| is_accepted) {
            // SAFETY: `kernel` keeps the function loaded until this returns; the arguments are those of the launch.
            let code = || unsafe { release(self.arguments.as_ptr().cast()) };
            cancellation::without(|| as_user_code(code));
        }
    }
}

/// Runs all blocks. Returns a fault if the kernel reported one, or if it wrote outside of allocations and that is
/// detected.
pub(crate) fn run(shared: &Shared, call: &KernelRun) -> Result<()> {
    // The name is needed only if accesses outside of allocations are detected.
    let name = shared.check.is_on().then_some(&*call.kernel.name);
    if name.is_some() {
        // This guards the blocks that programs have freed to pools.
        shared.open_memories().for_each(|memory| memory.bounds.reap_parts());
    }
    let threads = shared.cores;
    let failure = Mutex::new(None);
    let ends = shares(call.grid.map(u64::from).iter().product(), threads);
    shared.helpers.parallel_on(threads, ends.len(), &|piece| {
        let first = piece.checked_sub(1).map_or(0, |before| ends[before]);
        let _named = name.map(Running::kernel);
        run_share(call, first, ends[piece] - first, &failure);
    });
    name.map_or(Ok(()), |name| shared.check_for_damage(name))?;
    failure.into_inner().map_or(Ok(()), Err)
}

/// Returns the ends of the parts of a grid. Threads begin the parts in order, and the parts become smaller: there are
/// few at first, and the last thread has little left to do when the others have finished.
fn shares(blocks: u64, threads: usize) -> Vec<u64> {
    let threads = threads as u64;
    let least = blocks.div_ceil(threads * LEAST_SHARE);
    let mut ends = Vec::new();
    let mut begun = 0;
    while begun < blocks {
        // There is one part for each thread; together they are half of what is left.
        let size = ((blocks - begun) / (2 * threads)).max(least);
        for _ in 0..threads {
            if begun < blocks {
                begun += size.min(blocks - begun);
                ends.push(begun);
            }
        }
    }
    ends
}

/// Runs `count` blocks from number `first` on: x counts fastest.
fn run_share(call: &KernelRun, first: u64, count: u64, failure: &Mutex<Option<Fault>>) {
    let mut fast = vec![0u8; call.shared_bytes + if call.shared_bytes == 0 { 0 } else { ALIGNMENT }];
    let offset = fast.as_ptr().align_offset(ALIGNMENT).min(fast.len());
    let [x, y, _] = call.grid.map(u64::from);
    let [mut column, mut row, mut layer] = [first % x, first / x % y, first / x / y].map(|at| at as u32);
    let mut block = Block {
        index: [column, row, layer],
        count: call.grid,
        threads: call.threads,
        reserved: 0,
        shared: match call.shared_bytes {
            0 => std::ptr::null_mut(),
            _ => fast[offset..].as_mut_ptr().cast(),
        },
        shared_bytes: call.shared_bytes,
        fail,
        failure,
    };
    let [columns, rows, _] = call.grid;
    let (entry, mut left) = (call.kernel.entry, count);
    // The kernel is work of the device, though a thread that waits for it may run it.
    let blocks = || {
        // The loop runs one row, or what this part contains of it, at a time: a block may be as short as a division, or
        // as an atomic increment, where each number has to wait for the previous one.
        while left > 0 {
            let end = left.min(u64::from(columns - column)) as u32 + column;
            left -= u64::from(end - column);
            while column < end {
                block.index[0] = column;
                column += 1;
                // SAFETY: `call.kernel` keeps the function loaded; the launching program guarantees that the kernel is
                // sound.
                unsafe { entry(call.arguments.as_ptr().cast(), &raw const block) };
            }
            column = 0;
            row += 1;
            if row == rows {
                row = 0;
                layer += 1;
            }
            (block.index[1], block.index[2]) = (row, layer);
        }
    };
    cancellation::without(|| as_user_code(blocks));
}

#[cfg(test)]
#[path = "kernel_launch_tests.rs"]
mod tests;
