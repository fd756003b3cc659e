//! The stages of requests for pool memory.

use std::sync::Arc;

use super::captured::recording;
use super::pool::{Pool, rounded};
use super::steps::{self, Held, Objects, Steps};
use super::{MemPool, free_now, graphs, owned};
use crate::algo::map::slot_table::{self, Ref};
use crate::base::error::{Error, Result, invalid_param, param_invalid};
use crate::base::handles;
use crate::memory;
use crate::memory::allocation::Allocation;
use crate::memory::memory_hook::{self, Event, MemoryKind, Moment};
use crate::memory::request::hooks::{self, Hooks};
use crate::memory::request::{Release, Request, Resource, seldom};
use crate::runtime::device::Device;
use crate::stream::{self, Stream};

/// The stages of requests by programs, of which the entries skip those that have nothing to do. Pools count their
/// memory themselves, under their own locks.
pub(super) const POOL: Captures = Captures(GRAPH);

/// The stages of requests for graphs, and of frees by graphs.
pub(super) const GRAPH: Hooks<PoolBlocks> = Hooks::of_program(PoolBlocks);

/// The order in which a request is served.
pub(super) enum Order {
    /// The order of this stream, in a call that does not wait.
    Stream(Ref<'static, Stream>),
    /// The order of the stream with this handle, in a call that may wait, or run hooks, which may destroy the stream.
    Handle(u64),
    /// No stream: all uses of the memory have completed.
    Complete,
}

impl Order {
    /// Returns the handle of the stream; 0 if there is none.
    pub(super) fn handle(&self) -> u64 {
        match self {
            Self::Stream(stream) => stream.handle.raw(),
            Self::Handle(handle) => *handle,
            Self::Complete => 0,
        }
    }

    /// Whether this is the order of a stream that is being captured.
    fn is_captured(&self) -> bool {
        match self {
            Self::Stream(stream) => stream.is_captured(),
            Self::Handle(_) | Self::Complete => false,
        }
    }

    /// Returns the stream, for a call that may wait: no `Ref` may live across a wait.
    fn share(self) -> Result<Arc<Stream>> {
        match self {
            Self::Stream(stream) => Ok(stream.to_arc()),
            other @ (Self::Handle(_) | Self::Complete) => Ok(stream::resolve(other.handle())?.to_arc()),
        }
    }

    /// Drops the stream, which hooks may destroy.
    fn before_hooks(&mut self) {
        if !matches!(self, Self::Complete) {
            *self = Self::Handle(self.handle());
        }
    }
}

/// A request for pool memory.
pub(super) struct PoolRequest {
    /// Whether it is for a graph.
    pub for_graph: bool,
    /// The length in bytes.
    pub size: usize,
    /// The pool's handle.
    pub pool: u64,
    /// The order of the request.
    pub order: Order,
}

impl Request for PoolRequest {
    fn before_hooks(&mut self, _moment: Moment) -> Result<()> {
        self.order.before_hooks();
        Ok(())
    }

    #[inline]
    fn event(&self) -> Result<Event> {
        match &self.order {
            Order::Stream(stream) => self.event_in(handles::get_pinned("memPool", self.pool, stream.pin())?),
            Order::Handle(_) | Order::Complete => self.event_in(&*handles::get_arc("memPool", self.pool)?),
        }
    }
}

impl PoolRequest {
    #[inline]
    fn event_in(&self, mem_pool: &MemPool) -> Result<Event> {
        mem_pool.pool.check_request(self.size)?;
        let event = mem_pool.pool.event(self.size, rounded(self.size), self.order.handle());
        Ok(if self.for_graph { Event { kind: MemoryKind::Graph, ..event } } else { event })
    }
}

/// A release of pool memory.
pub(super) struct PoolRelease {
    /// The first byte.
    pub addr: usize,
    /// The order of the release.
    pub order: Order,
}

impl Release for PoolRelease {
    fn before_hooks(&mut self) {
        self.order.before_hooks();
    }

    fn event(&self) -> Result<Option<Event>> {
        let event = hooks::event_of_address(self.addr, &[MemoryKind::Pool]);
        Ok(event.map(|event| Event { stream: self.order.handle(), ..event }))
    }

    fn watched(&self) -> Result<Option<Event>> {
        let Order::Stream(stream) = &self.order else { return self.event() };
        let Some(found) = Allocation::find_pools(self.addr) else { return Ok(None) };
        let Some(pool) = Pool::of(&found, stream.pin()) else { return Ok(None) };
        Ok(Some(Event { addr: self.addr, ..pool.event(0, found.len, stream.handle.raw()) }))
    }
}

/// Implements aclrtMemPoolMallocAsync.
#[inline(always)]
pub fn malloc_async(size: usize, raw: u64, stream: u64) -> Result<usize> {
    match stream::resolve(stream) {
        Ok(stream) => malloc_from(size, raw, stream),
        // Null is reported first. If the stream is found, null is a handle of no pool.
        Err(error) => handles::check_not_null::<MemPool>("memPool", raw).and(Err(error)),
    }
}

/// Allocates from the pool with this handle, in the order of a stream.
#[inline(always)]
pub(super) fn malloc_from(size: usize, pool: u64, stream: Ref<'static, Stream>) -> Result<usize> {
    // `|` instead of `||` needs one branch for both. Without captures and hooks, the last stage alone has work.
    if stream.is_captured() | memory_hook::exist() {
        let order = Order::Stream(stream);
        return seldom(move || POOL.allocate(PoolRequest { for_graph: false, size, pool, order }));
    }
    PoolBlocks::take(size, pool, stream)
}

/// Implements aclrtMemPoolFreeAsync: the address is invalid at once, and the memory is free when the stream reaches the
/// operation.
#[inline(always)]
pub fn free_async(addr: usize, stream: u64) -> Result<()> {
    ensure!(addr != 0, invalid_param!("ptr is null; omit the call (this API refuses null, unlike free and cudaFree)"));
    let stream = stream::resolve(stream)?;
    if stream.is_captured() | owned::is_any() | memory_hook::exist() {
        return seldom(move || POOL.release(PoolRelease { addr, order: Order::Stream(stream) }));
    }
    PoolBlocks::put_back(addr, stream)
}

/// Frees graph memory, whose uses have completed.
pub(crate) fn free_of_graph(addr: usize) -> Result<()> {
    GRAPH.release(PoolRelease { addr, order: Order::Complete })
}

/// The stage of captures: requests of captured streams are recorded, and memory that graphs own stays with them.
pub(super) struct Captures(Hooks<PoolBlocks>);

impl Resource for Captures {
    type Request = PoolRequest;
    type Memory = usize;
    type Release = PoolRelease;

    fn allocate(&self, request: PoolRequest) -> Result<usize> {
        if request.order.is_captured() { record_malloc(request) } else { self.0.allocate(request) }
    }

    fn release(&self, PoolRelease { addr, order }: PoolRelease) -> Result<()> {
        if order.is_captured() {
            recording()?.free(&*order.share()?, addr)
        } else if owned::retains(addr)? {
            Ok(())
        } else {
            self.0.release(PoolRelease { addr, order })
        }
    }
}

/// Allocates memory for the graph that a stream is captured into.
fn record_malloc(request: PoolRequest) -> Result<usize> {
    let PoolRequest { size, pool, order, .. } = request;
    // The capture may refuse the call as well.
    handles::check_not_null::<MemPool>("memPool", pool)?;
    let share = order.share()?;
    recording()?.malloc(&share, &mut || graphs::malloc(size, pool, share.handle.raw()))
}

/// The memory in pools.
pub(super) struct PoolBlocks;

impl Resource for PoolBlocks {
    type Request = PoolRequest;
    type Memory = usize;
    type Release = PoolRelease;

    fn allocate(&self, request: PoolRequest) -> Result<usize> {
        match request.order {
            Order::Stream(stream) => Self::take(request.size, request.pool, stream),
            // The request is between hooks, or for a graph.
            Order::Handle(_) | Order::Complete => steps::malloc(&request),
        }
    }

    fn release(&self, PoolRelease { addr, order }: PoolRelease) -> Result<()> {
        match order {
            Order::Stream(stream) => Self::put_back(addr, stream),
            Order::Handle(handle) => Self::put_back(addr, stream::resolve(handle)?),
            Order::Complete => {
                let found = Allocation::find(addr).filter(|found| found.base == addr);
                found.map_or(Ok(()), |found| free_now(&found).map(drop))
            }
        }
    }
}

impl PoolBlocks {
    #[inline(always)]
    fn take(size: usize, pool: u64, stream: Ref<'static, Stream>) -> Result<usize> {
        let mem_pool = handles::get_pinned::<MemPool>("memPool", pool, stream.pin())?;
        match mem_pool.pool.alloc(size, &stream, mem_pool.device.as_deref())? {
            Some(addr) => Ok(addr),
            None => seldom(move || take_more(size, pool, stream)),
        }
    }

    #[inline(always)]
    fn put_back(addr: usize, stream: Ref<'static, Stream>) -> Result<()> {
        if let Some(found) = Allocation::find_pools(addr)
            && let Some(pool) = Pool::of(&found, stream.pin())
        {
            let is_on_other_device = pool.home.opening.is_some_and(|owner| owner != stream.device.owner);
            let _held = if is_on_other_device { Some(hold(addr)?) } else { None };
            if pool.free(found, &stream)? {
                if pool.is_retired() {
                    let ended = pool.end_if_retired();
                    drop(stream);
                    slot_table::flush_deferred();
                    ended?;
                }
                return Ok(());
            }
        }
        Err(not_a_pools(addr))
    }
}

/// Allocates as [`PoolBlocks::take`] does, if the pool has to grow.
fn take_more(size: usize, pool: u64, stream: Ref<'static, Stream>) -> Result<usize> {
    let share = stream.to_arc();
    // No `Ref` may live across a wait.
    drop(stream);
    let mem_pool = handles::get_arc::<MemPool>("memPool", pool)?;
    let held = Held { pool: &mem_pool.pool, stream: &share, device: mem_pool.device.as_deref() };
    Steps { size, objects: Objects::Held(held) }.serve()
}

/// Returns a reference to the device of a pool's memory, so that it does not end while a stream of another device uses
/// the memory.
#[cold]
fn hold(addr: usize) -> Result<Arc<Device>> {
    Allocation::find(addr).and_then(|found| found.device()).ok_or_else(|| {
        param_invalid!(
            "ptr {addr:#x}: another thread has freed this memory, or reset its device, during the call; free it in one \
             thread only, and reset its device after the call"
        )
    })
}

#[cold]
fn not_a_pools(addr: usize) -> Error {
    match Allocation::find(addr) {
        Some(found) if found.pool().is_none() && found.base == addr => {
            param_invalid!("ptr {addr:#x} is not pool memory; free it with {}", memory::freeing_call(found.kind))
        }
        _ => memory::not_freed("ptr", addr),
    }
}
