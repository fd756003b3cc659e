//! Launches of kernels: grid, arguments and stream.

use std::any::Any;
use std::sync::{Arc, OnceLock, Weak};

use crate::backend::{
    self, Access, Arguments, Block, Copy, Driver, Launch, NodeLaunch, Op, Place, Span, ThreadLimits, Work,
};
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles;
use crate::core::base::release_failure;
use crate::core::kernel::Function;
use crate::core::memory;
use crate::core::runtime;
use crate::core::runtime::device::Device;
use crate::core::stream::{self, Stream};

/// Attributes of a launch, as numbers of the API.
mod attribute {
    pub const SCHEM_MODE: i32 = 1;
    pub const DYN_UBUF_SIZE: i32 = 2;
    pub const ENGINE_TYPE: i32 = 3;
    pub const BLOCKDIM_OFFSET: i32 = 4;
    pub const BLOCK_TASK_PREFETCH: i32 = 5;
    pub const DATA_DUMP: i32 = 6;
    pub const TIMEOUT: i32 = 7;
    pub const TIMEOUT_US: i32 = 8;
    pub const ENABLE_PROFILING: i32 = 9;
}

/// The attributes of a launch. Each has an id and a value with the attribute's own width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Shared memory of each block in bytes.
    shared_bytes: Option<usize>,
    /// The attributes that were passed: bits by their ids.
    given: u16,
    /// The values of those without effect here, by [`Self::HINTS`].
    hints: [u32; 4],
}

impl Config {
    /// Attributes about speed or reporting, with the bits of their values.
    const HINTS: [(i32, u32); 4] = [
        (attribute::SCHEM_MODE, 0xff),
        (attribute::ENGINE_TYPE, u32::MAX),
        (attribute::BLOCK_TASK_PREFETCH, 0xff),
        (attribute::ENABLE_PROFILING, 0xff),
    ];

    /// The ids of the attributes that were passed.
    pub fn ids(&self) -> impl Iterator<Item = i32> {
        let given = self.given;
        (attribute::SCHEM_MODE..=attribute::ENABLE_PROFILING).filter(move |id| given & 1 << id != 0)
    }

    /// The value of an attribute; 0 for one that was not passed. Those that may only be 0 are 0.
    pub fn value(&self, id: i32) -> Result<u32> {
        if !(attribute::SCHEM_MODE..=attribute::ENABLE_PROFILING).contains(&id) {
            return Err(Error::invalid_param(format_args!(
                "attrId is {id}; allowed: the enumerators of aclrtLaunchKernelAttrId, 1 to 9"
            )));
        }
        if id == attribute::DYN_UBUF_SIZE {
            return Ok(self.shared_bytes.unwrap_or(0) as u32);
        }
        let hint = Self::HINTS.iter().position(|(hint, _)| *hint == id);
        Ok(hint.map_or(0, |index| self.hints[index]))
    }

    /// Converts attributes in the order in which they were passed; of two equal ids the later one counts.
    pub fn new(attributes: impl Iterator<Item = (i32, [u32; 2])>) -> Result<Self> {
        let mut config = Self::default();
        for (index, (id, value)) in attributes.enumerate() {
            let cannot = |name: &str, value: u64, instead: &str| {
                Error::unsupported(format_args!(
                    "cfg->attrs[{index}] is ACL_RT_LAUNCH_KERNEL_ATTR_{name} with value {value}, which kernels \
                     here do not have; {instead}"
                ))
            };
            let long = u64::from(value[0]) | u64::from(value[1]) << 32;
            if let Some(index) = Self::HINTS.iter().position(|(hint, _)| *hint == id) {
                config.hints[index] = value[0] & Self::HINTS[index].1;
            }
            match id {
                attribute::SCHEM_MODE
                | attribute::ENGINE_TYPE
                | attribute::BLOCK_TASK_PREFETCH
                | attribute::ENABLE_PROFILING => {}
                attribute::DYN_UBUF_SIZE => config.shared_bytes = Some(value[0] as usize),
                attribute::BLOCKDIM_OFFSET if value[0] == 0 => {}
                attribute::BLOCKDIM_OFFSET => {
                    let instead = "pass the number of the first block as an argument";
                    return Err(cannot("BLOCKDIM_OFFSET", u64::from(value[0]), instead));
                }
                attribute::DATA_DUMP if value[0] & 0xff == 0 => {}
                attribute::DATA_DUMP => {
                    let instead = "copy what is to be looked at";
                    return Err(cannot("DATA_DUMP", u64::from(value[0] & 0xff), instead));
                }
                attribute::TIMEOUT if value[0] & 0xffff == 0 => {}
                attribute::TIMEOUT_US if long == 0 => {}
                attribute::TIMEOUT | attribute::TIMEOUT_US => {
                    let (name, value) = match id {
                        attribute::TIMEOUT => ("TIMEOUT", u64::from(value[0] & 0xffff)),
                        _ => ("TIMEOUT_US", long),
                    };
                    return Err(cannot(name, value, "use aclrtSynchronizeStreamWithTimeout"));
                }
                _ => {
                    return Err(Error::invalid_param(format_args!(
                        "cfg->attrs[{index}].id is {id}; allowed: the enumerators of \
                         aclrtLaunchKernelAttrId, 1 to 9"
                    )));
                }
            }
            config.given |= 1 << id;
        }
        Ok(config)
    }
}

/// The blocks and threads of a launch.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// The number of blocks; the device chooses the threads.
    Blocks(u32),
    /// Blocks of a grid and threads of a block, and shared memory of a block in bytes.
    Grid {
        /// Blocks in x, y and z.
        grid: [u32; 3],
        /// Threads in x, y and z.
        threads: [u32; 3],
        /// Shared memory.
        shared_bytes: usize,
    },
}

/// A device without limits gets those of all GPUs, so that the same launches work everywhere.
const GRID: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
const THREADS: [u32; 3] = [1024, 1024, 64];
const THREADS_PER_BLOCK: u32 = 1024;

const AXES: [char; 3] = ['x', 'y', 'z'];

impl Shape {
    /// Zero blocks or threads are an error on every device.
    #[inline(always)]
    fn check_not_empty(self) -> Result<()> {
        if matches!(self, Self::Blocks(1..)) { Ok(()) } else { self.check_each_not_empty() }
    }

    #[inline(never)]
    fn check_each_not_empty(self) -> Result<()> {
        let each = match self {
            Self::Blocks(0) => {
                return Err(Error::invalid_param("numBlocks is 0; it must be 1 or more"));
            }
            Self::Blocks(_) => return Ok(()),
            Self::Grid { grid, threads, .. } => [("gridDim", grid), ("blockDim", threads)],
        };
        for (argument, counts) in each {
            if let Some(axis) = counts.iter().position(|count| *count == 0) {
                return Err(Error::invalid_param(format_args!("{argument}.{} is 0; it must be 1 or more", AXES[axis])));
            }
        }
        Ok(())
    }

    /// Fails unless a device can have this many blocks and threads.
    #[inline(never)]
    fn check_bounds(self, limits: Option<&ThreadLimits>) -> Result<()> {
        let most_blocks = limits.map_or(GRID, |limits| limits.grid);
        let most_threads = limits.map_or(THREADS, |limits| limits.block);
        let per_block = limits.map_or(THREADS_PER_BLOCK, |limits| limits.per_block);
        let (grid, threads) = match self {
            Self::Blocks(count) if count > most_blocks[0] => {
                return Err(Error::invalid_param(format_args!(
                    "numBlocks is {count}; the device runs at most {}",
                    most_blocks[0]
                )));
            }
            Self::Blocks(_) => return Ok(()),
            Self::Grid { grid, threads, .. } => (grid, threads),
        };
        for (argument, counts, most) in [("gridDim", grid, most_blocks), ("blockDim", threads, most_threads)] {
            for ((count, most), axis) in counts.into_iter().zip(most).zip(AXES) {
                if count > most {
                    return Err(Error::invalid_param(format_args!(
                        "{argument}.{axis} is {count}; the device has at most {most}"
                    )));
                }
            }
        }
        let count: u64 = threads.iter().map(|count| u64::from(*count)).product();
        if count > u64::from(per_block) {
            let [x, y, z] = threads;
            return Err(Error::invalid_param(format_args!(
                "blockDim is {x} x {y} x {z}, {count} threads; the device has at most {per_block} in a block"
            )));
        }
        Ok(())
    }
}

/// A launch as it came from C.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The name of the function argument.
    pub argument: &'static str,
    /// Its handle.
    pub function: u64,
    /// Blocks and threads.
    pub shape: Shape,
    /// Its arguments.
    pub arguments: Arguments,
    /// Its attributes.
    pub config: Config,
}

/// A launch in a graph, as it was requested.
pub struct Call {
    /// The kernel's handle.
    pub function: u64,
    /// Its name in its program.
    pub name: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block, if the program has chosen them.
    threads: Option<[u32; 3]>,
    /// Shared memory of a block that a grid was given.
    shared_bytes: usize,
    /// Its attributes.
    pub config: Config,
    /// A copy of its arguments.
    pub arguments: Box<[u8]>,
    /// What C was shown of it; released with the call.
    pub shown: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl Call {
    /// The number of all blocks; saturates.
    pub fn blocks(&self) -> u32 {
        self.grid.iter().fold(1_u32, |count, blocks| count.saturating_mul(*blocks))
    }

    /// The shape with this many blocks: equal for equal numbers.
    pub fn shape(&self, blocks: u32) -> Shape {
        let grid = if blocks == self.blocks() { self.grid } else { [blocks, 1, 1] };
        match self.threads {
            Some(threads) => Shape::Grid { grid, threads, shared_bytes: self.shared_bytes },
            None => Shape::Blocks(blocks),
        }
    }

    fn new(launch: &Launch<'_>, request: &Request) -> Self {
        let shared_bytes = match request.shape {
            Shape::Blocks(_) => 0,
            Shape::Grid { shared_bytes, .. } => shared_bytes,
        };
        Self {
            function: launch.function,
            name: launch.name.to_owned(),
            grid: launch.grid,
            threads: launch.threads,
            shared_bytes,
            config: request.config,
            arguments: launch.arguments.copy(launch.kernel.info().parameters.as_ref()),
            shown: OnceLock::new(),
        }
    }

    /// The launch in a graph's node.
    pub fn of(work: &Work) -> Option<Arc<Self>> {
        match work {
            Work::Launch(launch) => Arc::clone(&launch.call).downcast().ok(),
            _ => None,
        }
    }
}

/// The work of a graph's node for this launch.
fn bind(launch: &Launch<'_>, request: &Request, device: &Device) -> backend::Result<Work> {
    let bound = device.native.bind_launch(launch)?;
    Ok(Work::Launch(NodeLaunch { bound, call: Arc::new(Call::new(launch, request)) }))
}

/// The work of a graph's node on `device` for a launch.
pub fn work(request: &Request, device: &Arc<Device>) -> Result<Work> {
    let Request { argument, function: raw, shape, arguments, .. } = *request;
    handles::check_not_null::<Function>(argument, raw)?;
    shape.check_not_empty()?;
    if let Arguments::Block { addr: 0, len: 1.. } = arguments {
        return Err(Error::invalid_param("args is null, and argsSize is not 0"));
    }
    let function = handles::get_arc::<Function>(argument, raw)?;
    if !Arc::ptr_eq(&function.device, device) {
        return Err(Error::new(
            Code::StreamContext,
            format_args!(
                "{argument} {raw:#x} ({}) was loaded on device {}, the graph is on device {}; load the binary \
                 on that device, too",
                function.shown, function.device.id, device.id
            ),
        ));
    }
    shape.check_bounds(device.native.info().threads.as_ref())?;
    check_pointers(&function, arguments, device, |_| false)?;
    Ok(bind(&launch_of(request, &function), request, device)?)
}

/// A slot in a block of arguments for the device address of data in the same block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceHolder {
    /// The offset of the slot in bytes.
    pub addr: usize,
    /// The offset of the data.
    pub data: usize,
}

/// Bytes of a slot.
const SLOT: usize = size_of::<u64>();

impl PlaceHolder {
    /// Checks this placeholder, with index `index`, for a block of `len` bytes.
    fn check(self, index: usize, len: usize) -> Result<()> {
        let argument = format_args!("placeHolderArray[{index}]");
        if self.addr.checked_add(SLOT).is_none_or(|end| end > len) {
            return Err(Error::invalid_param(format_args!(
                "{argument}.addrOffset is {}; an address of {SLOT} bytes there is not inside the argsSize \
                 {len}",
                self.addr
            )));
        }
        if self.data >= len {
            return Err(Error::invalid_param(format_args!(
                "{argument}.dataOffset is {}; it must be below argsSize {len}",
                self.data
            )));
        }
        Ok(())
    }
}

/// Data after the arguments of a kernel, in page-locked memory, which every device can read: a copy to the device would
/// wait for the stream. Queued operations keep the memory after this is dropped; a graph that may run again keeps this.
struct Data {
    memory: Block,
    driver: Weak<dyn Driver>,
}

impl Drop for Data {
    fn drop(&mut self) {
        // A driver that has ended has freed it.
        let Some(driver) = self.driver.upgrade() else { return };
        let freed = driver.free_host(self.memory);
        release_failure::note_fault("memory of a kernel's arguments was not freed", freed);
    }
}

/// aclrtLaunchKernelWithHostArgs and its variants: as [`launch`], with arguments in one block that are followed by
/// data, which is copied to where devices can read it. The request's own arguments are ignored.
pub fn launch_with_data(request: Request, block: &[u8], place_holders: &[PlaceHolder], stream: u64) -> Result<()> {
    let own = |block: &[u8], len| {
        let addr = if len == 0 { 0 } else { block.as_ptr().expose_provenance() };
        Request { arguments: Arguments::Block { addr, len }, ..request }
    };
    let Some(first) = place_holders.iter().map(|one| one.data).min() else {
        return launch(own(block, block.len()), stream);
    };
    let Request { argument, function: raw, .. } = request;
    handles::check_not_null::<Function>(argument, raw)?;
    for (index, one) in place_holders.iter().enumerate() {
        one.check(index, block.len())?;
    }
    request.shape.check_not_empty()?;
    let stream = stream::resolve(stream)?.to_arc();
    let function = handles::get_arc::<Function>(argument, raw)?;
    check_device(&request, &function, &stream)?;
    // The data begins where the arguments end, or after that.
    let known = function.native.info().parameters.as_ref();
    let len = known.map_or(first, |known| known.size);
    if len > first {
        return Err(Error::invalid_param(format_args!(
            "a place holder's data begins {first} bytes behind the first argument; kernel {} has {len} bytes \
             of arguments",
            function.shown
        )));
    }
    let session = runtime::session()?;
    let memory = session.driver.alloc_host(block.len())?;
    let data: Arc<dyn Any + Send + Sync> = Arc::new(Data { memory, driver: Arc::downgrade(&session.driver) });
    let mut block = block.to_vec();
    for one in place_holders {
        let addr = (memory.addr + one.data) as u64;
        block[one.addr..one.addr + SLOT].copy_from_slice(&addr.to_ne_bytes());
    }
    let src = Span { addr: block.as_ptr().expose_provenance(), len: block.len(), place: Place::Pageable };
    let dst = Span { addr: memory.addr, place: Place::Pinned, ..src };
    let copied = stream.device.native.copy(Copy { dst, src, stage_source: false });
    copied?;
    let is_slot = |offset| place_holders.iter().any(|one| one.addr == offset);
    submit(&own(&block, len), &function, &stream, Some(&data), is_slot)
}

/// The errors before a check of the arguments: no kernel, no blocks, no stream.
pub fn check_before_arguments(request: &Request, stream: u64) -> Result<()> {
    handles::check_not_null::<Function>(request.argument, request.function)?;
    request.shape.check_not_empty()?;
    let stream = stream::resolve(stream)?;
    handles::get_pinned::<Function>(request.argument, request.function, stream.pin()).map(drop)
}

/// aclrtLaunchKernel and its variants.
pub fn launch(request: Request, stream: u64) -> Result<()> {
    let Request { argument, function: raw, shape, arguments, .. } = request;
    handles::check_not_null::<Function>(argument, raw)?;
    shape.check_not_empty()?;
    if let Arguments::Block { addr: 0, len: 1.. } = arguments {
        return Err(Error::invalid_param("argsData is null, and argsSize is not 0"));
    }
    let stream = stream::resolve(stream)?;
    let function = handles::get_pinned::<Function>(argument, raw, stream.pin())?;
    check_device(&request, function, &stream)?;
    submit(&request, function, &stream, None, |_| false)
}

/// Fails unless the stream's device has the kernel, and this many blocks and threads.
#[inline(always)]
fn check_device(request: &Request, function: &Function, stream: &Stream) -> Result<()> {
    if !Arc::ptr_eq(&function.device, &stream.device) {
        return Err(of_another_device(request.argument, request.function, function, stream));
    }
    match request.shape {
        Shape::Blocks(count) if count <= stream.device.most_blocks => Ok(()),
        shape => shape.check_bounds(stream.device.native.info().threads.as_ref()),
    }
}

/// Queues the launch. `is_own` returns whether an offset holds an address of library memory, in `data`.
#[inline(always)]
fn submit(
    request: &Request,
    function: &Function,
    stream: &Stream,
    data: Option<&Arc<dyn Any + Send + Sync>>,
    is_own: impl Fn(usize) -> bool,
) -> Result<()> {
    if function.has_pointers {
        check_pointers(function, request.arguments, &stream.device, is_own)?;
    }
    let launch = Launch { kept: data, ..launch_of(request, function) };
    let queued = match stream.is_captured() {
        false => stream.submit_now(Op::Launch(&launch)),
        true => stream.launch_intercepted(&mut || bind(&launch, request, &stream.device)),
    };
    queued.map(drop)
}

/// The launch for backends.
#[inline(always)]
fn launch_of<'a>(request: &Request, function: &'a Function) -> Launch<'a> {
    let Request { function: raw, shape, arguments, config, .. } = *request;
    let (grid, threads, shared_bytes) = match shape {
        Shape::Blocks(count) => ([count, 1, 1], None, 0),
        Shape::Grid { grid, threads, shared_bytes } => (grid, Some(threads), shared_bytes),
    };
    Launch {
        function: raw,
        kernel: &function.native,
        name: &function.shown,
        grid,
        threads,
        shared_bytes: config.shared_bytes.unwrap_or(shared_bytes),
        arguments,
        kept: None,
    }
}

/// If the kernel's pointer parameters are known: fails unless the device may use the memory of each argument.
#[inline(never)]
fn check_pointers(
    function: &Function,
    arguments: Arguments,
    device: &Device,
    is_own: impl Fn(usize) -> bool,
) -> Result<()> {
    let Some(known) = &function.native.info().parameters else { return Ok(()) };
    for (index, parameter) in known.each.iter().enumerate() {
        let Some(access) = parameter.pointer else { continue };
        let Some(addr) = arguments.pointer(index, parameter) else { continue };
        if !is_own(parameter.offset) {
            let what = format_args!("argument {index} of kernel {}", function.shown);
            memory::check_pointer(what, addr, device, access == Access::ReadWrite)?;
        }
    }
    Ok(())
}

#[cold]
fn of_another_device(argument: &str, raw: u64, function: &Function, stream: &Stream) -> Error {
    Error::new(
        Code::StreamContext,
        format_args!(
            "{argument} {raw:#x} ({}) was loaded on device {}, the stream is on device {}; load the binary on \
             that device, too",
            function.shown, function.device.id, stream.device.id
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_known_by_number() {
        let config = |id, value| Config::new([(id, value)].into_iter());
        assert_eq!(config(2, [64, 7]).unwrap().shared_bytes, Some(64));
        for hint in [1, 3, 5, 9] {
            let config = config(hint, [1, 0]).unwrap();
            assert_eq!(config.shared_bytes, None);
            assert_eq!(config.ids().collect::<Vec<_>>(), [hint]);
            assert_eq!(config.value(hint).unwrap(), 1);
        }
        for (id, unset, set) in
            [(4, [0, 1], [1, 0]), (6, [0xff00, 1], [1, 0]), (7, [0x1_0000, 1], [1, 0]), (8, [0, 0], [0, 1])]
        {
            let config = |value| config(id, value);
            assert_eq!(config(unset).unwrap().ids().collect::<Vec<_>>(), [id]);
            assert_eq!(config(unset).unwrap().value(id).unwrap(), 0);
            assert_eq!(config(set).unwrap_err().code(), Code::FeatureNotSupport);
        }
        for unknown in [0, 10, -1] {
            assert_eq!(config(unknown, [0, 0]).unwrap_err().code(), Code::InvalidParam);
        }
    }

    #[test]
    fn shapes_have_bounds() {
        let grid = |grid, threads| Shape::Grid { grid, threads, shared_bytes: 0 };
        let fine = grid([0x7fff_ffff, 0xffff, 0xffff], [1024, 1, 1]);
        fine.check_not_empty().and_then(|()| fine.check_bounds(None)).unwrap();
        for bad in [
            Shape::Blocks(0x8000_0000),
            grid([1, 0x1_0000, 1], [1; 3]),
            grid([1; 3], [1, 1, 65]),
            grid([1; 3], [1024, 2, 1]),
        ] {
            bad.check_not_empty().unwrap();
            assert_eq!(bad.check_bounds(None).unwrap_err().code(), Code::InvalidParam, "{bad:?}");
        }
        for empty in [Shape::Blocks(0), grid([1, 1, 0], [1; 3]), grid([1; 3], [0, 1, 1])] {
            assert_eq!(empty.check_not_empty().unwrap_err().code(), Code::InvalidParam);
        }
    }
}
