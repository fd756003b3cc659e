//! Requests of pools that take several steps, because the pool grows or because there are hooks. Hooks run when a core
//! pool allocates from the device, and may make any call. So with hooks nothing is held between the steps: each step
//! looks stream and pool up again by their handles.

use std::sync::Arc;

use super::core_pool::{Answer, CorePool, is_shortage};
use super::pool::{Inner, Pool};
use super::request::PoolRequest;
use super::{MemPool, Stream, trim_for};
use crate::base::error::{Code, Error, Result};
use crate::base::handles;
use crate::memory::memory_hook::{self, Moment, around_allocation};
use crate::memory::request::{Named, seldom};
use crate::runtime::device::Device;
use crate::{order, stream};

/// Allocates pool memory for a stream, both given by their handles, or for a graph that the stream is captured into.
pub(super) fn malloc(request: &PoolRequest) -> Result<usize> {
    let PoolRequest { for_graph, size, pool, ref order } = *request;
    let steps = Steps { size, objects: Objects::Handles { pool, stream: order.handle(), for_graph } };
    match steps.with(|held| held.pool.alloc(size, held.stream, held.device))? {
        Some(addr) => Ok(addr),
        None => steps.serve(),
    }
}

/// A request that the segments of a pool do not serve at once.
pub(super) struct Steps<'a> {
    /// The length in bytes.
    pub size: usize,
    /// The objects to allocate with.
    pub objects: Objects<'a>,
}

/// The objects of a request.
pub(super) enum Objects<'a> {
    /// The caller holds these objects: there are no hooks.
    Held(Held<'a>),
    /// The objects of these handles, or the pool beside that for graphs.
    Handles { pool: u64, stream: u64, for_graph: bool },
}

/// The objects of a step.
#[derive(Clone, Copy)]
pub(super) struct Held<'a> {
    /// The pool.
    pub pool: &'a Pool,
    /// The stream that allocates.
    pub stream: &'a Stream,
    /// The device of the pool, if it has one.
    pub device: Option<&'a Device>,
}

/// The reason why a pool cannot serve a request.
enum Lack {
    /// The pool is at its limit; the segment would have this many bytes.
    Limit(usize),
    /// Memory is exhausted.
    Memory(Error),
}

/// The address of an allocated block, or what the pool lacks for one.
type Served = std::result::Result<usize, Lack>;

/// Whether the pool has grown. The error says that memory is exhausted, so a shorter segment may succeed.
type Grown = std::result::Result<(), Error>;

impl Steps<'_> {
    /// Allocates by all available means. May wait.
    pub(super) fn serve(&self) -> Result<usize> {
        let lack = match self.grow_until_served()? {
            Ok(addr) => return Ok(addr),
            Err(lack) => lack,
        };
        let behind = self.step(|core, held| {
            let taken = core.alloc_with_wait(self.size, held.stream)?;
            taken.map(|addr| held.pool.keep(addr)).transpose()
        })?;
        behind.map_or_else(|| self.serve_after_frees(lack), Ok)
    }

    /// Allocates as a last resort, after all pending frees that do not depend on the program.
    fn serve_after_frees(&self, mut lack: Lack) -> Result<usize> {
        let is_limit = matches!(lack, Lack::Limit(_));
        if is_limit && self.step(|core, _| Ok(core.is_too_long(self.size)))? {
            return self.step(|core, _| Err(core.beyond_limit(self.size)));
        }
        order::wait_for_frees();
        if is_limit {
            match self.grow_until_served()? {
                Ok(addr) => return Ok(addr),
                Err(found) => lack = found,
            }
        }
        if let Lack::Memory(error) = lack {
            self.step(|_, held| {
                Ok(trim_for(
                    held.device.map(|device| device.owner),
                    held.device.is_some_and(|device| device.shares_memory),
                ))
            })?;
            match self.grow_until_served()? {
                Ok(addr) => return Ok(addr),
                Err(Lack::Memory(_)) => return self.step(|_, _| Err(error)),
                Err(Lack::Limit(_)) => {}
            }
        }
        self.step(|core, _| Err(core.beyond_limit(self.size)))
    }

    /// Allocates from the pool's segments, or from a new one.
    fn grow_until_served(&self) -> Result<Served> {
        loop {
            let answer = self.step(|core, held| match core.alloc_or_plan(self.size, held.stream)? {
                // From here on the block is published, too.
                Answer::Taken(addr) => held.pool.keep(addr).map(Answer::Taken),
                answer @ (Answer::Wants { .. } | Answer::Full(_)) => Ok(answer),
            })?;
            let lack = match answer {
                Answer::Taken(addr) => return Ok(Ok(addr)),
                Answer::Full(least) => Lack::Limit(least),
                Answer::Wants { least, better, grown } => {
                    let mut added = self.grow(better, grown)?;
                    if better > least && added.is_err() {
                        added = self.grow(least, grown)?;
                    }
                    match added {
                        Ok(()) => continue,
                        Err(error) => Lack::Memory(error),
                    }
                }
            };
            let found = self.step(|core, held| {
                let taken = core.alloc_slow(self.size, held.stream)?;
                taken.map(|addr| held.pool.keep(addr)).transpose()
            })?;
            match (found, lack) {
                (Some(addr), _) => return Ok(Ok(addr)),
                (None, Lack::Limit(least)) if self.step(|core, _| Ok(core.make_room(least)))? => {}
                (None, lack) => return Ok(Err(lack)),
            }
        }
    }

    /// Adds a segment, unless another thread has done so since the pool had grown `grown` times.
    fn grow(&self, len: usize, grown: u64) -> Result<Grown> {
        let (mut is_short, mut is_late) = (false, false);
        let mut take = || {
            let added = self.step(|core, held| match core.add(len, grown, held.stream.lane()?, held.device) {
                // Only if memory is exhausted may the request be repeated.
                Err(fault) if !is_shortage(&fault) => Err(fault.into()),
                added => Ok(added),
            })?;
            (is_short, is_late) = (added.is_err(), matches!(added, Ok(None)));
            added?
                .ok_or_else(|| Error::new(Code::MemoryAllocation, "another thread has grown the pool during the call"))
        };
        let added = match self.objects {
            Objects::Handles { stream, .. } if memory_hook::exist() => {
                let event = self.with(|held| Ok(held.pool.event(0, len, stream)))?;
                seldom(|| around_allocation(Moment::Alloc, event, take, Named::found))
            }
            Objects::Held(_) | Objects::Handles { .. } => take(),
        };
        match added {
            Err(error) if is_short => Ok(Err(error)),
            Err(error) if !is_late => Err(error),
            _ => Ok(Ok(())),
        }
    }

    /// Calls `work` for a core pool, and counts its failure.
    fn step<R>(&self, work: impl FnOnce(&CorePool, Held<'_>) -> Result<R>) -> Result<R> {
        self.with(|held| match &held.pool.inner {
            Inner::Core(core) => work(core, held).map_err(|error| held.pool.failed(error)),
            Inner::Driver(_) => {
                let why = "this is a defect in portacl: a pool of this library became a pool of the driver; report it";
                Err(Error::new(Code::InternalError, why))
            }
        })
    }

    /// Calls `work` with pool and stream. If they are given by handles, they are held only during the call.
    fn with<R>(&self, work: impl FnOnce(Held<'_>) -> Result<R>) -> Result<R> {
        match self.objects {
            Objects::Held(held) => work(held),
            Objects::Handles { pool, stream, for_graph } => {
                let stream = stream::resolve(stream)?.to_arc();
                let mem_pool = handles::get_arc::<MemPool>("memPool", pool)?;
                let pool = if for_graph { mem_pool.for_graphs()? } else { Arc::clone(&mem_pool.pool) };
                work(Held { pool: &pool, stream: &stream, device: mem_pool.device.as_deref() })
            }
        }
    }
}
