//! Pool memory while there are hooks: they run when a core pool allocates from the device, and may make any call. So
//! nothing is held between the steps: each looks stream and pool up again by their handles.

use std::cell::Cell;
use std::sync::Arc;

use super::core_pool::{Answer, CorePool, is_shortage};
use super::pool::{Home, Inner, Pool};
use super::request::{Order, PoolBlocks, PoolRelease, PoolRequest};
use super::{MemPool, Stream, graphs, trim_for};
use crate::backend::Block;
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles;
use crate::core::memory::memory_hook::{Event, HOST, MemoryKind, Moment};
use crate::core::memory::request::hooks::Hooks;
use crate::core::memory::request::{Request, Resource};
use crate::core::runtime::device::Device;
use crate::core::{order, stream};

/// Pool memory for a stream, both by their handles, or for a graph that the stream is captured into.
pub(super) fn malloc(request: &PoolRequest, stream: u64) -> Result<usize> {
    let PoolRequest { for_graph, size, pool: raw, .. } = *request;
    let pool = handles::get_arc::<MemPool>("memPool", raw)?;
    let is_own = matches!(pool.pool.inner, Inner::Core(_));
    drop(pool);
    if is_own {
        return Steps { size, raw, stream, for_graph }.serve();
    }
    // Allocations inside a driver's pools are invisible to hooks.
    let stream = stream::resolve(stream)?;
    if for_graph {
        let share = stream.to_arc();
        drop(stream);
        return graphs::malloc_unhooked(size, raw, &share);
    }
    let order = Order::Stream(stream);
    PoolBlocks.allocate(PoolRequest { for_graph, size, pool: raw, order })
}

/// A request of a core pool, in steps that hold nothing between them.
struct Steps {
    size: usize,
    raw: u64,
    stream: u64,
    for_graph: bool,
}

/// A request of a pool for a segment.
struct SegmentRequest {
    kind: MemoryKind,
    device: Option<u32>,
    len: usize,
    stream: u64,
}

impl Request for SegmentRequest {
    fn before_hooks(&mut self, _moment: Moment) -> Result<()> {
        Ok(())
    }

    fn event(&self) -> Result<Event> {
        let device = self.device.map_or(HOST, |id| id as i32);
        let event = Event::of_request(device, self.kind, 0, self.len);
        Ok(Event { stream: self.stream, ..event })
    }
}

/// The segments of a pool.
struct Segments<F>(F);

impl<F: Fn() -> Result<Block>> Resource for Segments<F> {
    type Request = SegmentRequest;
    type Memory = Block;
    type Release = PoolRelease;

    fn allocate(&self, _request: SegmentRequest) -> Result<Block> {
        (self.0)()
    }

    /// Segments are freed without hooks, when the pool decides.
    fn release(&self, _release: PoolRelease) -> Result<()> {
        Ok(())
    }
}

/// The objects of a step.
struct Held<'a> {
    pool: &'a Pool,
    core: &'a CorePool,
    stream: &'a Stream,
    device: Option<&'a Device>,
}

/// Why a pool cannot serve a request.
enum Lack {
    /// It is at its limit; the segment would have this many bytes.
    Limit { least: usize, error: Error },
    /// Memory is exhausted.
    Memory(Error),
}

impl Steps {
    /// As [`CorePool::alloc_more`].
    fn serve(&self) -> Result<usize> {
        let lack = match self.grow_until_served()? {
            Ok(addr) => return Ok(addr),
            Err(lack) => lack,
        };
        let behind = self.step(|held| {
            let taken = held.core.alloc_with_wait(self.size, held.stream, held.pool.tag)?;
            taken.map(|addr| held.pool.keep(addr)).transpose()
        })?;
        if let Some(addr) = behind {
            return Ok(addr);
        }
        match self.serve_after_frees(lack)? {
            Ok(addr) => Ok(addr),
            Err(error) => self.step(|held| Err(held.pool.failed(error))),
        }
    }

    /// As the last resort of [`CorePool::alloc_more`]. Inside: memory is exhausted.
    fn serve_after_frees(&self, lack: Lack) -> Result<std::result::Result<usize, Error>> {
        let mut lack = match lack {
            Lack::Limit { error, .. } if self.step(|held| Ok(held.core.is_too_long(self.size)))? => {
                return Ok(Err(error));
            }
            lack => lack,
        };
        order::wait_for_frees();
        if let Lack::Limit { .. } = lack {
            match self.grow_until_served()? {
                Ok(addr) => return Ok(Ok(addr)),
                Err(found) => lack = found,
            }
        }
        let error = match lack {
            Lack::Limit { error, .. } => return Ok(Err(error)),
            Lack::Memory(error) => error,
        };
        self.step(|held| {
            trim_for(held.device);
            Ok(())
        })?;
        Ok(match self.grow_until_served()? {
            Ok(addr) => Ok(addr),
            Err(Lack::Limit { error: limit, .. }) => Err(limit),
            Err(Lack::Memory(_)) => Err(error),
        })
    }

    /// From the pool's segments, or from a new one.
    fn grow_until_served(&self) -> Result<std::result::Result<usize, Lack>> {
        loop {
            let lack = match self.grow_while_possible()? {
                Ok(addr) => return Ok(Ok(addr)),
                Err(lack) => lack,
            };
            let found = self.step(|held| {
                let taken = held.core.alloc_slow(self.size, held.stream, held.pool.tag)?;
                taken.map(|addr| held.pool.keep(addr)).transpose()
            })?;
            if let Some(addr) = found {
                return Ok(Ok(addr));
            }
            match lack {
                Lack::Limit { least, .. } if self.step(|held| Ok(held.core.make_room(least)))? => {}
                lack => return Ok(Err(lack)),
            }
        }
    }

    /// The same; a segment is requested between hooks.
    fn grow_while_possible(&self) -> Result<std::result::Result<usize, Lack>> {
        loop {
            let (answer, home) = self.step(|held| {
                let answer = match held.core.alloc_or_plan(self.size, held.stream, held.pool.tag)? {
                    // From here on it is kept, too.
                    Answer::Taken(addr) => Answer::Taken(held.pool.keep(addr)?),
                    answer => answer,
                };
                Ok((answer, held.pool.home))
            })?;
            let (least, better) = match answer {
                Answer::Taken(addr) => return Ok(Ok(addr)),
                Answer::Full { least, error } => return Ok(Err(Lack::Limit { least, error })),
                Answer::Wants { least, better } => (least, better),
            };
            let mut grown = self.grow(better, home);
            if better > least
                && let Ok(Err(_)) = grown
            {
                grown = self.grow(least, home);
            }
            if let Err(error) = grown? {
                return Ok(Err(Lack::Memory(error)));
            }
        }
    }

    /// Adds a segment between hooks, unless another thread has used the room. Inside: memory is exhausted.
    fn grow(&self, len: usize, home: Home) -> Result<std::result::Result<(), Error>> {
        let (is_short, is_late) = (Cell::new(false), Cell::new(false));
        let take = || {
            self.step(|held| {
                let lane = held.stream.lane()?;
                let added = held.core.add(len, lane, held.device).map_err(|fault| {
                    is_short.set(is_shortage(&fault));
                    // If memory is exhausted the request may be repeated.
                    if is_short.get() { fault.into() } else { held.pool.failed(fault.into()) }
                })?;
                is_late.set(added.is_none());
                added.ok_or_else(|| held.core.beyond_limit(len))
            })
        };
        let kind = if self.for_graph { MemoryKind::Graph } else { MemoryKind::Pool };
        let request = SegmentRequest { kind, device: home.device(), len, stream: self.stream };
        match Hooks::of_device(Segments(take)).allocate(request) {
            Ok(_) => Ok(Ok(())),
            Err(_) if is_late.get() => Ok(Ok(())),
            Err(error) if is_short.get() => Ok(Err(error)),
            Err(error) => Err(error),
        }
    }

    /// Calls `work` with pool and stream, which are held only during the call.
    fn step<R>(&self, work: impl FnOnce(Held<'_>) -> Result<R>) -> Result<R> {
        let stream = stream::resolve(self.stream)?.to_arc();
        let mem_pool = handles::get_arc::<MemPool>("memPool", self.raw)?;
        let pool = match self.for_graph {
            true => mem_pool.for_graphs()?,
            false => Arc::clone(&mem_pool.pool),
        };
        let Inner::Core(core) = &pool.inner else {
            return Err(Error::new(Code::InternalError, "a pool of the core's became the driver's"));
        };
        let device = mem_pool.device.as_deref();
        work(Held { pool: &pool, core, stream: &stream, device })
    }
}
