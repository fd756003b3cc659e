//! Generates random numbers by kernels of the library.

use std::ffi::c_void;

use cudarc::driver::sys::CUfunction;

use crate::backend::{Distribution, Number, Position, RandomElement, RandomNum, Result};
use crate::kernel::library_module::{LibraryModule, THREADS, blocks, compressed_ptx, launch};
use crate::runtime::DeviceState;
use crate::stream::state::StreamState;
use crate::transfer::memcpy::device_pointer;

/// The kernels `portacl_random_num_<what>(task)`, each a grid-stride loop, and the one that advances the counter.
pub(crate) static KERNELS: LibraryModule = LibraryModule::new(compressed_ptx!("random_num"), names);

const BITS: usize = 0;
const FLOATS: usize = 1;
const INTEGERS_32: usize = 2;
const INTEGERS_64: usize = 3;
const ADVANCE: usize = 4;

fn names() -> Vec<String> {
    let names = ["bits", "floats", "integers_32", "integers_64", "advance"];
    names.iter().map(|name| format!("portacl_random_num_{name}")).collect()
}

/// The structure `Number` of the kernels.
#[repr(C)]
struct RawNumber {
    bits: u64,
    at: u64,
    size: u64,
}

impl From<Number> for RawNumber {
    fn from(number: Number) -> Self {
        match number {
            Number::Known(bits) => Self { bits, at: 0, size: 0 },
            Number::At(span) => Self { bits: 0, at: device_pointer(span), size: span.len as u64 },
        }
    }
}

/// The structure `Task` of the kernels.
#[repr(C)]
struct Task {
    dst: u64,
    room: u64,
    distribution: u32,
    element: u32,
    first: RawNumber,
    second: RawNumber,
    seed: RawNumber,
    count: RawNumber,
    counter: u64,
}

impl Task {
    fn new(job: &RandomNum) -> Self {
        let [first, second] = job.parameters.map(RawNumber::from);
        Self {
            dst: device_pointer(job.dst),
            room: job.room(),
            distribution: job.distribution as u32,
            element: job.element as u32,
            first,
            second,
            seed: job.seed.into(),
            count: job.count.into(),
            counter: job.counter.map_or(0, device_pointer),
        }
    }
}

/// Returns the index of the kernel that generates the numbers.
fn kernel(job: &RandomNum) -> usize {
    match (job.distribution, job.element) {
        (Distribution::Dropout, _) => BITS,
        (_, RandomElement::Int32 | RandomElement::UInt32) => INTEGERS_32,
        (_, RandomElement::Int64 | RandomElement::UInt64) => INTEGERS_64,
        (_, RandomElement::Float16 | RandomElement::BFloat16 | RandomElement::Float32) => FLOATS,
    }
}

/// Calls `launch` for the kernels of a job in order. It gets the kernel, its blocks, the threads of a block, and the
/// arguments as the kernel declares them. The arguments live during the call.
pub(crate) fn launch_with<R>(
    device: &DeviceState,
    job: &RandomNum,
    launch: impl FnOnce(&[(CUfunction, u32, u32)], *mut *mut c_void) -> Result<R>,
) -> Result<R> {
    let (mut task, mut per_block) = (Task::new(job), job.per_block());
    // The number of blocks is for all numbers that there is room for: how many there will be may not be known yet.
    let blocks = blocks(job.room().div_ceil(per_block), device.info.cores);
    let make = (KERNELS.kernel(device, kernel(job))?, blocks, THREADS);
    let advance = (KERNELS.kernel(device, ADVANCE)?, 1, 1);
    let kernels = if job.counter.is_some() { &[make, advance][..] } else { &[make] };
    let mut arguments: [*mut c_void; 2] = [(&raw mut task).cast(), (&raw mut per_block).cast()];
    launch(kernels, arguments.as_mut_ptr())
}

/// Enqueues the kernels of a job.
pub(crate) fn queue(stream: &StreamState, job: &RandomNum) -> Result<Position> {
    launch_with(&stream.device, job, |kernels, arguments| {
        stream.note_use_of(job.words().chain(job.counter).chain([job.dst]).map(|span| span.place));
        stream.submit(|| {
            kernels.iter().try_for_each(|&(function, blocks, threads)| {
                // SAFETY: the kernel's arguments as it declares them; the core has checked the ranges of the job.
                unsafe { launch(stream, function, blocks, threads, arguments) }
            })
        })
    })
}

#[cfg(test)]
#[path = "random_num_tests.rs"]
mod tests;
