//! Virtual addresses and physical memory.
//!
//! Device memory lies in the device's memory, like any block. Mapping it maps that part of the device's file a
//! second time, in a reserved range of addresses. Host memory has a separate file. In guard mode a range has a view for
//! the library, at the same distance as devices have.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::host_access::{self, Watch};
use super::ipc::{self, Contents, FilePart};
use super::pinned::HOST;
use super::ranges::{CpuPhysicalMemory, Mapped, Memory, ReservedRange, around, own, refused};
use crate::backend::base::broker::Parcel;
use crate::backend::{Access, Block, Fault, ImportedMemory, PhysicalMemory, Result, VirtualMemory, bind_to_node};
use crate::base::arena::HUGE;
use crate::base::pages::{self, Mapping};
use crate::base::{files, host_ranges};
use crate::runtime::driver::CpuDriver;
use crate::runtime::shared::Shared;

/// The remedy if the process has too many mappings.
const MANY_MAPPINGS: &str = "the process may have too many mappings; if so, raise vm.max_map_count";

/// Returns the fault that a range of addresses cannot be reserved.
fn no_range(wish: usize, error: std::io::Error) -> Fault {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the standard library adds kinds of errors")]
    let what = match error.kind() {
        ErrorKind::AddrInUse | ErrorKind::AlreadyExists => {
            format!("the addresses from {wish:#x} on are not free (pass another expectPtr, or null)")
        }
        _ if wish != 0 => format!(
            "the system refused to reserve the addresses from {wish:#x} on (pass another expectPtr, or null; if memory \
             is missing, request fewer bytes, or raise ulimit -v)"
        ),
        _ => "the system refused to reserve addresses (request fewer bytes, or raise ulimit -v)".to_owned(),
    };
    refused(&what, error)
}

impl VirtualMemory for CpuDriver {
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize> {
        self.shared.ranges.reap();
        let own = self.shared.library_view;
        if own != 0 && len > own {
            return Err(refused(
                "guard mode (PORTACL_CPU_GUARD=1 or PORTACL_CHECK=bounds)",
                format_args!("a range of {len} bytes is too large; allowed: at most {own} bytes"),
            ));
        }
        let mapping = Mapping::reserved(len, align.max(HUGE as usize), wish, own);
        let mapping = mapping.map_err(|error| no_range(wish, error))?;
        let addr = mapping.addr();
        host_ranges::mapped(addr, len);
        self.shared.ranges.all.lock().insert(addr, ReservedRange { mapping, parts: BTreeMap::new() });
        Ok(addr)
    }

    fn release(&self, addr: usize, len: usize) -> Result<()> {
        self.shared.ranges.wait_for_ended(addr, len);
        let range = self.shared.ranges.all.lock().remove(&addr);
        drop(range);
        Ok(())
    }

    fn alloc_host(&self, len: usize, node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>> {
        // Host memory without an address is a file.
        let file = files::sealed_file(c"portacl-device", len as u64).map_err(|error| ipc::no_file("", &error))?;
        let part = FilePart { contents: Contents::Host, file, offset: 0, len: len as u64, lease: None };
        Ok(Arc::new(CpuPhysicalMemory { memory: Arc::new(Memory::in_file(part, None, node)?) }))
    }

    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory> {
        let part = ipc::unpack(parcel)?;
        let (on_device, len) = (part.contents != Contents::Host, part.len as usize);
        ensure!(part.len.is_multiple_of(HUGE) && part.offset.is_multiple_of(HUGE), ipc::damaged());
        let memory = Memory::in_file(part, on_device.then_some(ordinal), None)?;
        let memory = Arc::new(CpuPhysicalMemory { memory: Arc::new(memory) });
        Ok(ImportedMemory { memory, len, on_device })
    }

    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        self.shared.ranges.wait_for_ended(addr, len);
        let memory = Arc::clone(own(memory));
        let own = if memory.ordinal().is_some() { self.shared.library_view } else { 0 };
        // The lock is held from here on, because an export changes the file of the memory and its mappings.
        let mut all = self.shared.ranges.all.lock();
        pages::replace(addr, len, memory.source(), own)
            .map_err(|error| refused(&format!("{len} bytes cannot be mapped at {addr:#x} ({MANY_MAPPINGS})"), error))?;
        let watch = memory.ordinal().filter(|_| own != 0).map(|ordinal| Watch::new(addr, len, own, ordinal));
        if watch.is_some() {
            host_access::taken(&Block { addr, len, token: 0 }, len);
        }
        if let Memory::File { ordinal: None, node, .. } = *memory {
            let bound = node.map_or(Ok(()), |node| bind_to_node(Block { addr, len, token: HOST }, node));
            // The address is not in use, so a mapping that stays there is harmless.
            bound.inspect_err(|_| _ = pages::vacate(addr, len, 0))?;
            self.host.note_lock_result(len, pages::lock(addr, len));
        }
        let range = around(&mut all, addr).expect("the core has reserved it");
        range.parts.insert(addr, Mapped { len, memory, host: Access::None, watch, ended: None });
        Ok(())
    }

    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        let shared: &Shared = &self.shared;
        if shared.library_view != 0 && own(memory).ordinal().is_some() {
            host_access::becomes(addr, host_access::FREED);
            // A failure here only weakens the guard.
            let _ = pages::set_access(addr, len, Access::None);
        }
        let fence = shared.users.fence(addr, len);
        {
            let mut all = shared.ranges.all.lock();
            let range = around(&mut all, addr).expect("the core has reserved it");
            if let Some(part) = range.parts.get_mut(&addr) {
                part.ended = Some(fence);
                shared.ranges.ended.fetch_add(1, Ordering::Relaxed);
            }
        }
        shared.ranges.reap();
        Ok(())
    }

    /// Does nothing: devices here reach all memory of the process, and the core checks their access.
    fn set_access(
        &self,
        addr: usize,
        len: usize,
        memory: &dyn PhysicalMemory,
        ordinal: Option<u32>,
        access: Access,
    ) -> Result<()> {
        let guarded = self.shared.library_view != 0 && own(memory).ordinal().is_some();
        if ordinal.is_some() || !guarded {
            return Ok(());
        }
        let mut all = self.shared.ranges.all.lock();
        pages::set_access(addr, len, access)
            .map_err(|error| refused(&format!("the access to {addr:#x} cannot be changed ({MANY_MAPPINGS})"), error))?;
        if let Some(part) = around(&mut all, addr).and_then(|range| range.parts.get_mut(&addr)) {
            part.host = access;
        }
        Ok(())
    }
}
