//! The interface of backends. **The core validates, backends execute.**
//!
//! These are the preconditions of every method here (the core has checked them, so a backend need not):
//! - addresses and lengths lie inside one live allocation, or are the caller's host memory;
//! - memory on another device than the stream's is reachable for it: copies take any, other operations managed memory,
//!   and pools and mappings that the device has access to;
//! - objects that are passed belong to the same [`Driver`] and, unless stated otherwise, the same device;
//! - lengths are not zero, enumerations are known, sizes are rounded;
//! - no call is made inside a host function, and none in a forked child.
//!
//! A backend reports, as a [`Fault`], only what its caller could not know: exhausted memory, an error of a driver, a
//! failed device. It has no policy and no handles.
//!
//! Every trait is object-safe, so that decorators can wrap any backend.

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

#[macro_use]
extern crate portacl_algo as algo;

pub mod base;
pub mod fault;
pub mod graph;
pub mod kernel;
pub mod memory;
pub mod pool;
pub mod runtime;
pub mod schedule;
pub mod stream;
pub mod trace;
pub mod transfer;

pub use base::at_exit::{at_end_of_thread, at_exit, at_unload, end_process};
use base::broker::Parcel;
pub use base::call_stack::Walk;

pub use base::error::{Fault, FaultKind, Result, downcast};
pub use base::numa::{bind_to_node, host_nodes, nearest_host_node};
pub use base::python;
pub use graph::{BoundLaunch, Graph, Node, NodeLaunch, Work};
pub use kernel::{Arguments, Code, Does, Kernel, KernelInfo, Launch, Module, Parameter, Parameters, Use};
pub use memory::damage::report_damage_by;
#[cfg(any(test, debug_assertions))]
pub use memory::known::cover_all;
pub use memory::known::may_know;
pub use memory::virtual_memory::{GRANULARITY, ImportedMemory, PhysicalMemory, VirtualMemory};
pub use memory::{Advice, Block, Foreign, ForeignBlock, Home, MemoryUsage, PagePolicy, Place, Span, Usage};
pub use pool::mem_pool::{
    Access, MemoryPlace, PointerExport, Pool, PoolAttribute, PoolHandle, PoolKind, PoolOptions, PoolSharing,
    PoolSupport, Pools,
};
pub use pool::shared_memory::SharedMemory;
pub use runtime::backend::{Backend, Options};
pub use runtime::info::{DeviceInfo, PciAddress, ThreadLimits};
#[cfg(any(test, debug_assertions))]
pub use stream::failure::Heard;
pub use stream::failure::{FailedLaunch, Failure, Observer, Position, pthread, thread_number};
pub use stream::hand_over::{Delivery, Ticket};
pub use stream::host_fn::{HostFn, RepeatedFn, inside_host_function};
pub use stream::host_task::{BufferUse, HostTask, StopReason, TaskBuffer, TaskCode, TaskRun};
pub use stream::notify::{Change, NOTIFIES, Notifies, Notify, NotifyWait, SharedEvent, Until};
#[cfg(any(test, debug_assertions))]
pub use stream::op::Calls;
pub use stream::op::{Op, OpKind, Payload, Submit};
pub use stream::stream_value::{Comparison, ValueWait, ValueWrite};
pub use stream::{Event, Priority, Stream, StreamOptions, Wait};
pub use transfer::random_num::{Distribution, Number, RandomElement, RandomNum};
pub use transfer::{Copy, Copy2d, CopyIndirect, Element, Fill, Indirect, Pattern, Reduce, ReduceOp, Rows};

/// A backend: the CPU, or a GPU driver. Its module opens it, and [`Driver::shutdown`] ends it.
pub trait Driver: Send + Sync {
    /// Returns `"cpu"` or `"cuda"`.
    fn name(&self) -> &'static str;

    /// Returns the number of devices. This is cheap, and opens none of them.
    fn device_count(&self) -> u32;

    /// Returns the properties of the device with this ordinal, open or not. Does not open it.
    fn describe(&self, ordinal: u32) -> Result<DeviceInfo>;

    /// Whether the first device can use the second's memory directly. They are different, and neither has to be open.
    fn can_access_peer(&self, ordinal: u32, peer: u32) -> Result<bool>;

    /// Returns the atomic operations that kernels of a device can do on memory of a peer, or on host memory that is
    /// mapped for the device. The result has bits of [`runtime::atomics`] for each operation, numbered as in the API
    /// and CUDA (0 to 12). The devices are different, and neither has to be open.
    fn atomics(&self, ordinal: u32, peer: Option<u32>, operations: &[u32]) -> Result<Vec<u32>>;

    /// Lets the first device use the second's memory directly, or no longer. They are different,
    /// [`Self::can_access_peer`] allows it, and the first one is open. The second may be opened later. Repeating the
    /// call changes nothing. The access ends when either of them is closed.
    fn set_peer_access(&self, ordinal: u32, peer: u32, on: bool) -> Result<()>;

    /// Returns the percentage of the time in which the device was busy. On CPUs that is the time since the previous
    /// query, or since the device was opened if that came later, and 0 for a device that is not open. On GPUs it is at
    /// most the last second, and includes other processes.
    fn utilization(&self, ordinal: u32) -> Result<u32>;

    /// Opens the device with this ordinal (less than [`Self::device_count`]). From then until [`Device::close`] it
    /// holds resources. The core has a device open at most once at a time.
    fn open(&self, ordinal: u32) -> Result<Arc<dyn Device>>;

    /// Allocates page-locked host memory, usable with every device. Beyond the system's limit on locked memory it
    /// succeeds with unlocked memory, which is counted and logged once.
    fn alloc_host(&self, len: usize) -> Result<Block>;

    /// Frees a block of [`Self::alloc_host`]. Does not wait: pending operations that use the memory keep it, and it is
    /// released after the last of them.
    fn free_host(&self, block: Block) -> Result<()>;

    /// Locks `len` bytes of the caller's memory at `addr` (a multiple of 4 KiB), and makes them usable by every device.
    /// Returns the address of the first byte for devices. Beyond the system's limit it does as [`Self::alloc_host`].
    /// The range shares no byte with a block or a live registration.
    fn register_host(&self, addr: usize, len: usize) -> Result<usize>;

    /// Ends a registration that was made with the same arguments. Does not wait: pending operations that use the memory
    /// keep it locked, and it may be registered again before they complete.
    fn unregister_host(&self, addr: usize, len: usize) -> Result<()>;

    /// Returns the number of bytes of memory that the host has for this process. A system may promise more.
    fn host_memory(&self) -> u64;

    /// Returns the number of bytes that [`Self::alloc_host`] and [`Self::register_host`] should have locked and did
    /// not, since the driver was opened.
    fn unlocked_host_bytes(&self) -> u64;

    /// Returns what is at an address that the core does not know. It is [`Foreign::Unknown`] if [`may_know`] is false.
    fn foreign(&self, addr: usize) -> Foreign;

    /// Returns the allocation of another library that contains an address, or `None` if [`Self::foreign`] does not
    /// return known, or the driver does not report it.
    fn foreign_block(&self, addr: usize) -> Option<ForeignBlock>;

    /// Returns the driver's number of the device with this ordinal, or `None` without a driver.
    fn native_device(&self, ordinal: u32) -> Option<i32>;

    /// Returns the driver's pools, if it has any.
    fn pools(&self) -> Option<&dyn Pools> {
        None
    }

    /// Creates memory on this NUMA node of the host that other processes can import. Only without [`Self::pools`].
    fn share_host(&self, _node: u32) -> Result<Arc<dyn SharedMemory>> {
        Err(pool::shared_memory::only_pools())
    }

    /// Imports the memory that another process has exported as this descriptor, which stays the caller's. Returns it,
    /// on the open device with this ordinal or on the host, and its place. Any other descriptor is a fault that says
    /// so. Only without [`Self::pools`].
    fn import_memory(&self, _descriptor: BorrowedFd<'_>, _ordinal: u32) -> Result<(Box<dyn Pool>, MemoryPlace)> {
        Err(pool::shared_memory::only_pools())
    }

    /// Creates a notify with the count 0. One that is `alone` shares no page with others, so it can be an event that
    /// processes share.
    fn create_notify(&self, alone: bool) -> Result<Arc<Notify>> {
        if alone { NOTIFIES.create_alone() } else { NOTIFIES.create() }
    }

    /// Imports the notify that another process has [exported](Notify::export), with the bytes of the export. Anything
    /// else, or a notify that has ended, is a fault that says so.
    fn import_notify(&self, bytes: &[u8], descriptor: BorrowedFd<'_>) -> Result<Arc<Notify>> {
        Notify::import(bytes, descriptor)
    }

    /// Returns the address ranges and physical memory.
    fn virtual_memory(&self) -> &dyn VirtualMemory;

    /// Returns the page size, as the system confirms it, of the memory at `addr` in a live block.
    fn page_size(&self, block: Block) -> usize;

    /// Returns the length of the block that [`Self::alloc_host`] returns for `len` bytes.
    fn host_block_len(&self, len: usize) -> usize {
        len
    }

    /// Whether the next four methods are supported.
    fn has_snapshots(&self) -> bool {
        true
    }

    /// Begins a snapshot of the process. Nothing is pending, and until [`Self::release_process`] the core makes no
    /// calls that use a device, except the next two. Waits for at most `patience`. On failure nothing has changed.
    fn hold_process(&self, patience: Duration) -> Result<()>;

    /// Copies the content of all devices' memory to host memory, and releases the devices' memory. All addresses and
    /// objects stay. Memory in `kept` (address and length), which the host uses, stays as it is, and so may what other
    /// processes can have. On failure some may have been saved.
    fn save_memory(&self, kept: &[(usize, usize)]) -> Result<()>;

    /// Restores what was saved, at the same addresses; there may be nothing. On failure it is still saved.
    fn restore_memory(&self) -> Result<()>;

    /// Ends the snapshot.
    fn release_process(&self) -> Result<()>;

    /// Releases everything and joins every thread of this backend. All devices are closed already. Returns false if a
    /// thread is still in user code after `patience`; such a thread is left running.
    fn shutdown(&self, patience: Duration) -> bool;
}

/// A change of a part of a pool's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolChange {
    /// The pool has allocated the part, and no program has it.
    Got,
    /// A program has the part.
    Lent,
    /// The program has freed the part. Pending operations may still use it.
    Returned,
}

/// An open device.
pub trait Device: Send + Sync {
    /// Returns the properties, which do not change and are those of [`Driver::describe`].
    fn info(&self) -> &DeviceInfo;

    /// Returns the numerically largest (lowest) stream priority; 0 is the highest.
    fn least_priority(&self) -> u32;

    /// Returns the number of free bytes, at most [`DeviceInfo::total_memory`].
    fn free_memory(&self) -> Result<u64>;

    /// Allocates device memory of at least `len` bytes with undefined content. Does not wait for pending work.
    fn alloc(&self, len: usize, policy: PagePolicy) -> Result<Block>;

    /// Allocates memory that host and all devices use at the same address. `len` is a multiple of 2 MiB.
    fn alloc_managed(&self, len: usize) -> Result<Block>;

    /// Creates memory on this device that other processes can import. Only without [`Driver::pools`].
    fn share(&self) -> Result<Arc<dyn SharedMemory>> {
        Err(pool::shared_memory::only_pools())
    }

    /// Allocates `len` bytes of memory (a multiple of [`GRANULARITY`]) without an address, which
    /// [`Driver::virtual_memory`] maps.
    fn alloc_physical(&self, len: usize) -> Result<Arc<dyn PhysicalMemory>>;

    /// Returns what another process needs to import the first `len` bytes of a live block of [`Self::alloc`], which
    /// begins on a page. The block is freed when no process has the parcel any more. What importers have then stays
    /// readable, and its content changes.
    fn export_memory(&self, block: Block, len: usize) -> Result<Parcel>;

    /// Imports memory from another process, as many bytes as were exported, for use on this device. The memory may be
    /// on any device. [`Self::free`] unmaps it from this address. The same memory may be at the same address twice, and
    /// is then freed twice.
    fn import_memory(&self, parcel: Parcel) -> Result<Block>;

    /// Applies advice about a part of a block of [`Self::alloc_managed`], or ignores it.
    fn advise(&self, range: Span, advice: Advice) -> Result<()>;

    /// Returns the length of the block that [`Self::alloc`] returns for the same arguments. If `alloc` fails, it is any
    /// number.
    fn block_len(&self, len: usize, _policy: PagePolicy) -> usize {
        len
    }

    /// Notes that a pool which divides a block of this device has allocated or freed `len` bytes in it. Called only if
    /// [`DeviceInfo::notes_parts`] is set, before the bytes can be allocated again.
    fn note_part(&self, _addr: usize, _len: usize, _part: PoolChange) {}

    /// Returns the numbers of bytes of this device's blocks.
    fn memory_usage(&self) -> MemoryUsage;

    /// Resets a peak of [`Self::memory_usage`] to what is in use: the peak of managed memory, or the other one.
    fn restart_peak(&self, managed: bool);

    /// Frees a block. Does not wait: operations that were enqueued before on any stream keep the memory, which is
    /// released or reused only after the last of them.
    fn free(&self, block: Block) -> Result<()>;

    /// Whether a live block of [`Self::alloc`] may be reused right now without a free, because no pending operation
    /// uses it. This is cheap. False if that is unknown, or if the device has more to do when a program frees a block.
    fn is_unused(&self, _block: Block) -> bool {
        false
    }

    /// Creates an in-order queue that is independent of all others.
    fn create_stream(&self, options: StreamOptions) -> Result<Arc<dyn Stream>>;

    /// Wraps a stream of the driver, of this device, which other libraries may use as well. It is never destroyed here.
    /// It exists as long as the new stream is in use, and until its work is complete.
    fn adopt_stream(&self, native: usize, options: StreamOptions) -> Result<Arc<dyn Stream>>;

    /// Returns the driver's context of this device, or `None` without a driver.
    fn native_context(&self) -> Option<usize>;

    /// Creates an event, which was never recorded. With `timing` its records have a timestamp.
    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>>;

    /// Copies synchronously, ordered with nothing. Returns when the destination holds the data.
    fn copy(&self, copy: Copy) -> Result<()>;

    /// Copies synchronously. The copies, at least one, are ordered neither among themselves nor with anything else.
    /// Returns when all destinations hold their data.
    fn copy_batch(&self, copies: &[Copy]) -> Result<()>;

    /// Copies rows synchronously, ordered with nothing. Returns when the destination holds the data.
    fn copy_2d(&self, copy: Copy2d) -> Result<()>;

    /// Fills synchronously, ordered with nothing. Returns when complete. `dst` may be pinned host memory.
    fn fill(&self, fill: Fill) -> Result<()>;

    /// Loads a program for the device: PTX text, a cubin or a fatbin, or a shared object for this machine's processor.
    /// There is at least one byte. Unknown or damaged programs, and those for other hardware, are a fault that says so.
    /// The bytes are not needed afterwards.
    fn load_module(&self, image: &[u8]) -> Result<Arc<dyn Module>>;

    /// Reads the arguments of a launch for a graph of this device, as [`Op::Launch`] does it.
    fn bind_launch(&self, launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>>;

    /// Whether a stream that waits for a ticket ([`Op::HandOver`]) occupies no thread of the driver.
    fn streams_wait_for_tickets(&self) -> bool {
        true
    }

    /// Creates a graph for streams of this device. There may be no nodes.
    fn create_graph(&self, nodes: &[Node]) -> Result<Arc<dyn Graph>>;

    /// Changes later runs of a graph of this device. Pending runs do not change, and runs of the graph stay serialized.
    /// On failure the graph is unchanged.
    fn update_graph(&self, graph: &Arc<dyn Graph>, nodes: &[Node]) -> Result<()>;

    /// Releases everything that the device holds. The core has drained and dropped all its streams and freed its
    /// blocks. Streams and events that are still referenced can only be dropped; streams can also be queried for their
    /// progress ([`Stream::finished`], [`Stream::drain_up_to`]).
    fn close(&self) -> Result<()>;
}
