//! An allocation is a request that passes through resources, each of which adds one stage.
//!
//! All memory passes through the same stages in the same order: capture (requests of pools only), hooks
//! ([`Hooks`](hooks::Hooks)), for memory of a device the blocks that were freed before
//! ([`FreedBlocks`](freed_blocks::FreedBlocks)) and the session's bounds ([`Bounded`](bounded::Bounded)), statistics
//! ([`Statistics`]), and then the source of the memory: a device, the host, a pool. Each kind of memory is a constant
//! that names its stages, so that the compiler makes one function of them. A release passes through the same stages.

pub mod bounded;
pub mod device_memory;
pub mod freed_blocks;
pub(super) mod freeing;
pub mod hooks;
pub mod malloc_config;
pub mod pinned_memory;

use std::sync::Arc;

use crate::backend::{Block, PagePolicy};
use crate::base::error::{Code, Error, Result, error_with};
use crate::base::owner::Owner;
use crate::memory::allocation::backing::backing;
use crate::memory::allocation::open_device;
use crate::memory::memory_hook::{self, Event, Found, HOST, MemoryKind, Moment};
use crate::memory::memory_stats::{DeviceTallies, HostTallies, Tally};
use crate::memory::pointer::pointer_attributes;
use crate::memory::request::freed_blocks::padded;
use crate::memory::request::hooks::event_of_address;
use crate::runtime::device::Device;
use crate::runtime::{self, Session, thread};

/// A source of memory, or a stage in front of it.
pub trait Resource {
    /// The request.
    type Request: Request;
    /// The result.
    type Memory: Named;
    /// The release.
    type Release: Release;

    /// Allocates memory.
    fn allocate(&self, request: Self::Request) -> Result<Self::Memory>;

    /// Frees memory.
    fn release(&self, release: Self::Release) -> Result<()>;
}

/// Runs a step that is seldom needed out of line. The closure moves its captures there, so that on the common path a
/// request stays in registers.
#[cold]
#[inline(never)]
pub(crate) fn seldom<T>(step: impl FnOnce() -> T) -> T {
    step()
}

/// A source of blocks, which statistics count: the last stage.
pub trait Source {
    /// Allocates from the device or the session that the request has opened, and inserts the block in the address map.
    fn take(&self, request: &MemoryRequest) -> Result<Block>;

    /// Removes the memory at this address from the address map, counts it as freed, and frees it.
    fn free(&self, addr: usize) -> Result<()>;
}

/// The stage of statistics: counts what a source allocates and frees. Opens the device, or the session, of a request.
pub struct Statistics<S>(pub S);

impl<S: Source> Resource for Statistics<S> {
    type Request = MemoryRequest;
    type Memory = Block;
    type Release = AddressRelease;

    fn allocate(&self, mut request: MemoryRequest) -> Result<Block> {
        request.open()?;
        let tally = request.tally()?;
        self.0.take(&request).inspect(|block| tally.made(block.len)).inspect_err(|_| tally.failed())
    }

    fn release(&self, release: AddressRelease) -> Result<()> {
        self.0.free(release.addr)
    }
}

/// A request, as the stages see it.
pub trait Request {
    /// Drops what may not be held while hooks of this moment run.
    fn before_hooks(&mut self, moment: Moment) -> Result<()>;

    /// Returns what hooks see before the allocation.
    fn event(&self) -> Result<Event>;
}

/// A release, as the stages see it.
pub trait Release {
    /// Whether a graph keeps the memory, so that nothing is left to do.
    fn is_retained(&self) -> Result<bool> {
        Ok(false)
    }

    /// Drops what may not be held while hooks run.
    fn before_hooks(&mut self) {}

    /// Returns what hooks see. `None` if no hook is to run.
    fn event(&self) -> Result<Option<Event>>;

    /// Returns what the watcher sees, which does not need the page size.
    fn watched(&self) -> Result<Option<Event>> {
        self.event()
    }
}

/// A release of the memory at an address.
pub struct AddressRelease {
    /// The first byte.
    pub addr: usize,
    /// The kinds of memory that the call frees.
    pub kinds: &'static [MemoryKind],
}

impl Release for AddressRelease {
    fn is_retained(&self) -> Result<bool> {
        Ok(self.kinds.contains(&MemoryKind::Pool) && (backing().retains)(self.addr)?)
    }

    fn event(&self) -> Result<Option<Event>> {
        Ok(event_of_address(self.addr, self.kinds))
    }
}

/// Allocated memory.
pub trait Named {
    /// Returns its identity for hooks. For the watcher it has no page size, which is slow to find.
    fn found(&self) -> Found;
}

/// Memory in the address map.
impl Named for usize {
    fn found(&self) -> Found {
        let attributes = memory_hook::are_registered().then(|| pointer_attributes(*self).ok()).flatten();
        let page_size = attributes.map_or(0, |attributes| attributes.page_size as usize);
        Found { addr: *self, handle: 0, page_size }
    }
}

/// A block of a backend.
impl Named for Block {
    fn found(&self) -> Found {
        let session = memory_hook::are_registered().then(runtime::existing_session).flatten();
        let page_size = session.map_or(0, |session| session.driver.page_size(*self));
        Found { addr: self.addr, handle: 0, page_size }
    }
}

/// The place of an allocation.
pub enum Target {
    /// The device of the current context.
    Current,
    /// This device.
    Device(Arc<Device>),
    /// The device with this id, if it is still the same opening.
    Opening(u32, Owner),
    /// Host memory.
    Host,
    /// Host memory of this session.
    Session(Arc<Session>),
}

impl Target {
    /// Returns the device, if it is known and open.
    fn device(&self) -> Option<&Arc<Device>> {
        match self {
            Self::Device(device) => Some(device),
            Self::Current | Self::Opening(..) | Self::Host | Self::Session(_) => None,
        }
    }
}

/// A request for device or host memory.
pub struct MemoryRequest {
    /// The kind of the memory.
    pub kind: MemoryKind,
    /// The place of the allocation.
    pub target: Target,
    /// The bytes that the program requests.
    pub size: usize,
    /// Whether a readable tail follows them, if the device has one.
    pub tail: bool,
    /// The page policy. `None` if the program cannot choose it.
    pub pages: Option<PagePolicy>,
    /// The bytes including the padding, once they are known.
    pub len: Option<usize>,
}

impl MemoryRequest {
    /// Creates a request without a tail, and without a page policy.
    pub fn new(kind: MemoryKind, target: Target, size: usize) -> Self {
        Self { kind, target, size, tail: false, pages: None, len: None }
    }

    /// Resolves the current device, which stays open while the request is held.
    pub fn open(&mut self) -> Result<()> {
        match self.target {
            Target::Current => self.target = Target::Device(thread::current()?.device.clone()),
            Target::Opening(id, owner) => self.target = Target::Device(open_again(id, owner)?),
            Target::Host => self.target = Target::Session(runtime::session()?),
            Target::Device(_) | Target::Session(_) => {}
        }
        Ok(())
    }

    /// Returns the device, after [`Self::open`].
    pub fn device(&self) -> Result<&Arc<Device>> {
        self.target.device().ok_or_else(not_open)
    }

    /// Returns the session, after [`Self::open`].
    pub(crate) fn session(&self) -> Result<&Arc<Session>> {
        if let Target::Session(session) = &self.target { Ok(session) } else { Err(not_open()) }
    }

    /// Returns the tally that counts it, after [`Self::open`].
    pub fn tally(&self) -> Result<&Tally> {
        Ok(match (&self.target, self.kind) {
            (Target::Device(device), MemoryKind::Managed) => &DeviceTallies::of(device).managed,
            (Target::Device(device), _) => &DeviceTallies::of(device).device,
            (Target::Session(session), _) => &HostTallies::of(session).pinned,
            (Target::Current | Target::Opening(..) | Target::Host, _) => return Err(not_open()),
        })
    }

    /// Returns the padded size on a device.
    fn rounded_on(&self, device: &Device) -> usize {
        let Some(pages) = self.pages else { return self.len.unwrap_or(self.size) };
        let len = self.len.or_else(|| padded(self.size, self.tail && device.readable_tail));
        len.map_or(self.size, |len| device.native.block_len(len, pages))
    }

    /// Returns the padded size in host memory.
    fn rounded_in_host_memory(&self) -> Result<usize> {
        if let Some(len) = self.len {
            return Ok(len);
        }
        let driver = runtime::session()?.driver.clone();
        Ok(padded(self.size, false).map_or(self.size, |len| driver.host_block_len(len)))
    }
}

impl Request for MemoryRequest {
    fn before_hooks(&mut self, moment: Moment) -> Result<()> {
        let (id, owner) = match &self.target {
            Target::Device(device) => (device.id, device.owner),
            // A hook may make another device current before the memory is allocated.
            Target::Current if moment == Moment::Alloc => {
                let context = thread::current()?;
                (context.device.id, context.device.owner)
            }
            Target::Current | Target::Opening(..) | Target::Host | Target::Session(_) => return Ok(()),
        };
        self.target = Target::Opening(id, owner);
        Ok(())
    }

    fn event(&self) -> Result<Event> {
        let device = match &self.target {
            Target::Current => thread::current()?.device.clone(),
            Target::Device(device) => Arc::clone(device),
            Target::Opening(id, owner) => open_again(*id, *owner)?,
            Target::Host | Target::Session(_) => {
                return Ok(Event::of_request(HOST, self.kind, self.size, self.rounded_in_host_memory()?));
            }
        };
        Ok(Event::of_request(device.id as i32, self.kind, self.size, self.rounded_on(&device)))
    }
}

#[cold]
fn not_open() -> Error {
    let text = "this is a defect in portacl: memory was requested on a device that is not open; report it";
    Error::new(Code::InternalError, text)
}

/// Returns the device that was open as `owner` before hooks ran, if it is still that opening.
pub(crate) fn open_again(id: u32, owner: Owner) -> Result<Arc<Device>> {
    open_device(id).filter(|device| device.owner == owner).ok_or_else(|| {
        error_with!(Code::ContextNull, "device {id} was reset while a memory hook ran; call aclrtSetDevice again")
    })
}
