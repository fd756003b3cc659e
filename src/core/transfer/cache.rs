//! Caches between devices and their memory. All of them are coherent here, so calls only check their arguments, and
//! nothing is enqueued.

use crate::backend::Place;
use crate::base::error::{Result, arguments, invalid_param};
use crate::runtime::thread;
use crate::transfer::{ends, memcpy};
use crate::{memory, stream};

/// Length in bytes of the description of an operation in device memory.
pub const DESCRIPTION: usize = 64;

/// Maximum number of barriers of one wait.
pub const MOST_BARRIERS: usize = 6;

fn check_range(argument: &str, addr: usize, size: usize) -> Result<()> {
    arguments::not_null(argument, addr, "pass device memory")?;
    arguments::not_zero("size", size, "pass at least one byte")
}

fn check_type(argument: impl std::fmt::Display, number: i32) -> Result<()> {
    arguments::enumerated(argument, number, 0..=3, "aclrtCmoType").map(drop)
}

/// Implements aclrtMemFlush and aclrtMemInvalidate.
pub fn make_coherent(addr: usize, size: usize) -> Result<()> {
    check_range("devPtr", addr, size)?;
    thread::refuse_inside_host_function()?;
    match memory::span("devPtr", addr, size)?.place {
        Place::Device(_) => Ok(()),
        Place::Pinned | Place::Pageable => Err(memory::host_memory("devPtr", addr)),
    }
}

/// Implements aclrtCmoAsync, aclrtCmoAsyncWithBarrier and aclrtCmoAsyncWithDesc. A description is not read, because
/// nothing has to be done.
pub fn operate(argument: &str, addr: usize, size: usize, kind: i32, stream: u64) -> Result<()> {
    check_type("cmoType", kind)?;
    check_range(argument, addr, size)?;
    let stream = stream::resolve(stream)?;
    ends::operand(argument, addr, size, &stream.device, false).map(drop)
}

/// Implements aclrtCmoWaitBarrier: waits for barriers of operations of these kinds, all of which are complete.
pub fn wait(count: usize, kinds: impl Iterator<Item = i32>, flag: u32, stream: u64) -> Result<()> {
    let allowed = 1..=MOST_BARRIERS;
    ensure!(allowed.contains(&count), invalid_param!("taskInfo->barrierNum is {count}; allowed: 1 to {MOST_BARRIERS}"));
    let check = |(index, kind)| check_type(format_args!("taskInfo->cmoInfo[{index}].cmoType"), kind);
    kinds.enumerate().try_for_each(check)?;
    arguments::no_flags("flag", flag)?;
    stream::resolve(stream).map(drop)
}

/// Implements aclrtCmoSetDesc: writes address and size of the range, and zeros. The work is complete when it returns.
pub fn describe(description: usize, addr: usize, size: usize) -> Result<()> {
    check_range("cmoDesc", description, DESCRIPTION)?;
    check_range("src", addr, size)?;
    let device = thread::current()?.device.clone();
    ends::operand("cmoDesc", description, DESCRIPTION, &device, true)?;
    ends::operand("src", addr, size, &device, false)?;
    let words: [u64; DESCRIPTION / size_of::<u64>()] = [addr as u64, size as u64, 0, 0, 0, 0, 0, 0];
    memcpy::write_words(description, &words)
}

/// Implements aclrtDeviceL2CacheFlush.
pub fn flush_device() -> Result<()> {
    thread::current_outside_host_functions().map(drop)
}
