//! Launches of kernels: grid, arguments and stream.

mod config;
mod host_args;
mod shape;

use std::any::Any;
use std::sync::{Arc, OnceLock};

pub use self::config::Config;
pub use self::host_args::{PlaceHolder, launch_with_data};
pub use self::shape::Shape;
use crate::backend::{self, Access, Arguments, Launch, NodeLaunch, Op, Work};
use crate::base::error::{Code, Error, Result, error_with, invalid_param};
use crate::base::handles;
use crate::kernel::function::Function;
use crate::memory;
use crate::order::checker;
use crate::order::effects::Effects;
use crate::runtime::device::Device;
use crate::stream::{self, Stream};

/// The arguments of a launch as they came from C.
#[derive(Clone, Copy, Debug)]
pub struct LaunchArgs {
    /// The name of the function argument.
    pub argument: &'static str,
    /// The handle of the kernel.
    pub function: u64,
    /// The blocks and threads.
    pub shape: Shape,
    /// Its arguments.
    pub arguments: Arguments,
    /// Its attributes.
    pub config: Config,
}

/// A launch in a graph, as it was requested.
pub struct GraphLaunch {
    /// The handle of the kernel.
    pub function: u64,
    /// The name of the kernel in its program.
    pub name: String,
    /// The number of blocks in x, y and z.
    pub grid: [u32; 3],
    /// Its blocks and threads, as the program has chosen them.
    requested: Shape,
    /// Its attributes.
    pub config: Config,
    /// A copy of its arguments.
    pub arguments: Box<[u8]>,
    /// The effects of a run on memory, for the checker. They are stored, because the kernel may be unloaded before the
    /// run.
    pub effects: Option<Box<Effects>>,
    /// The data of the launch that C was shown. It is released with the call.
    pub shown: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl GraphLaunch {
    /// Returns the number of all blocks, saturated.
    pub fn blocks(&self) -> u32 {
        self.grid.iter().fold(1_u32, |count, blocks| count.saturating_mul(*blocks))
    }

    /// Returns the shape with this many blocks. Equal numbers give equal shapes.
    pub fn shape(&self, blocks: u32) -> Shape {
        let grid = if blocks == self.blocks() { self.grid } else { [blocks, 1, 1] };
        match self.requested {
            Shape::Grid { threads, shared_bytes, .. } => Shape::Grid { grid, threads, shared_bytes },
            Shape::Blocks(_) => Shape::Blocks(blocks),
        }
    }

    fn new(launch: &Launch<'_>, request: &LaunchArgs) -> Self {
        Self {
            function: launch.function,
            name: launch.name.to_owned(),
            grid: launch.grid,
            requested: request.shape,
            config: request.config,
            arguments: launch.arguments.copy(launch.kernel.info().parameters.as_ref()),
            effects: checker::installed().map(|_| Box::new(Effects::of(&Op::Launch(launch)))),
            shown: OnceLock::new(),
        }
    }

    /// Returns the launch in a graph's node.
    pub fn of(work: &Work) -> Option<Arc<Self>> {
        if let Work::Launch(launch) = work { Arc::clone(&launch.call).downcast().ok() } else { None }
    }
}

/// Creates a graph's node for this launch.
fn bind(launch: &Launch<'_>, request: &LaunchArgs, device: &Device) -> backend::Result<NodeLaunch> {
    let bound = device.native.bind_launch(launch)?;
    Ok(NodeLaunch { bound, call: Arc::new(GraphLaunch::new(launch, request)), recorded: None })
}

/// Creates the launch on `device` that replaces another one in a graph. It keeps what the recorded launch owns, because
/// its arguments may refer to that.
pub(crate) fn replacement(request: &LaunchArgs, device: &Arc<Device>, before: &NodeLaunch) -> Result<NodeLaunch> {
    let LaunchArgs { argument, function: raw, shape, arguments, .. } = *request;
    handles::check_not_null::<Function>(argument, raw)?;
    shape.check_not_empty()?;
    if let Arguments::Block { addr: 0, len: len @ 1.. } = arguments {
        return Err(invalid_param!(
            "params->args is null, but params->argsSize is {len}; pass the arguments, or argsSize 0"
        ));
    }
    let function = handles::get_arc::<Function>(argument, raw)?;
    ensure!(Arc::ptr_eq(&function.device, device), of_another_device(request, &function, "graph", device));
    shape.check_bounds(device.native.info().threads.as_ref())?;
    check_pointers(&function, arguments, device, |_| false)?;
    let recorded = before.recorded.clone().unwrap_or_else(|| Arc::clone(&before.bound) as _);
    let launch = Launch { kept: Some(&recorded), ..launch_of(request, &function) };
    Ok(NodeLaunch { recorded: Some(Arc::clone(&recorded)), ..bind(&launch, request, device)? })
}

/// Reports the errors that come before those of the arguments: no kernel, no blocks, no stream.
pub fn check_before_arguments(request: &LaunchArgs, stream: u64) -> Result<()> {
    handles::check_not_null::<Function>(request.argument, request.function)?;
    request.shape.check_not_empty()?;
    let stream = stream::resolve(stream)?;
    handles::get_pinned::<Function>(request.argument, request.function, stream.pin()).map(drop)
}

/// Implements aclrtLaunchKernel and its variants.
pub fn launch(request: LaunchArgs, stream: u64) -> Result<()> {
    let LaunchArgs { argument, function: raw, shape, arguments, .. } = request;
    handles::check_not_null::<Function>(argument, raw)?;
    shape.check_not_empty()?;
    if let Arguments::Block { addr: 0, len: len @ 1.. } = arguments {
        return Err(invalid_param!("argsData is null, but argsSize is {len}; pass the arguments, or argsSize 0"));
    }
    let stream = stream::resolve(stream)?;
    let function = handles::get_pinned::<Function>(argument, raw, stream.pin())?;
    check_device(&request, function, &stream)?;
    submit(&request, function, &stream, None, |_| false)
}

/// Fails unless the stream's device has the kernel, and this many blocks and threads.
#[inline(always)]
fn check_device(request: &LaunchArgs, function: &Function, stream: &Stream) -> Result<()> {
    if !Arc::ptr_eq(&function.device, &stream.device) {
        return Err(of_another_device(request, function, "stream", &stream.device));
    }
    match request.shape {
        Shape::Blocks(count) if count <= stream.device.most_blocks => Ok(()),
        shape @ (Shape::Blocks(_) | Shape::Grid { .. }) => {
            shape.check_bounds(stream.device.native.info().threads.as_ref())
        }
    }
}

/// Queues the launch. `is_slot` returns whether an offset holds an address of library memory, in `data`.
#[inline(always)]
fn submit(
    request: &LaunchArgs,
    function: &Function,
    stream: &Stream,
    data: Option<&Arc<dyn Any + Send + Sync>>,
    is_slot: impl Fn(usize) -> bool,
) -> Result<()> {
    if function.has_pointers {
        check_pointers(function, request.arguments, &stream.device, is_slot)?;
    }
    let launch = Launch { kept: data, ..launch_of(request, function) };
    let queued = match stream.is_captured() {
        false => stream.submit_now(Op::Launch(&launch)),
        true => stream.launch_intercepted(&mut || bind(&launch, request, &stream.device)),
    };
    queued.map(drop)
}

/// Returns the launch in the form of backends.
#[inline(always)]
fn launch_of<'a>(request: &LaunchArgs, function: &'a Function) -> Launch<'a> {
    let LaunchArgs { function: raw, shape, arguments, config, .. } = *request;
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
        shared_bytes: config.shared_bytes().unwrap_or(shared_bytes),
        arguments,
        kept: None,
    }
}

/// Fails, if the kernel's pointer parameters are known, unless the device may use the memory of each argument.
#[inline(never)]
fn check_pointers(
    function: &Function,
    arguments: Arguments,
    device: &Device,
    is_slot: impl Fn(usize) -> bool,
) -> Result<()> {
    let Some(known) = &function.native.info().parameters else { return Ok(()) };
    for (index, parameter) in known.each.iter().enumerate() {
        let Some(access) = parameter.pointer else { continue };
        let Some(addr) = arguments.pointer(index, parameter) else { continue };
        if !is_slot(parameter.offset) {
            let what = format_args!("argument {index} (counted from 0) of kernel {}: address", function.shown);
            memory::check_pointer(what, addr, device, access == Access::ReadWrite)?;
        }
    }
    Ok(())
}

#[cold]
fn of_another_device(request: &LaunchArgs, function: &Function, what: &str, device: &Device) -> Error {
    error_with!(
        Code::StreamContext,
        "{} {:#x} ({}) was loaded on device {}, but the {what} is on device {}; load the binary on the device of the \
         {what}, too",
        request.argument,
        request.function,
        function.shown,
        function.device.id,
        device.id
    )
}
