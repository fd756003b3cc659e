//! The decorators of memory without an address, and of address ranges.

use std::any::Any;
use std::sync::Arc;

use super::FaultDriver;
use super::ledger::Kind;
use super::plan::{Counted, Plan};
use super::site::Site;
use crate::backend::base::broker::Parcel;
use crate::backend::{Access, ImportedMemory, PhysicalMemory, Result, VirtualMemory};

impl VirtualMemory for FaultDriver {
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize> {
        self.plan
            .make(Site::VirtualMemoryReserve, Kind::Range, || self.inner.virtual_memory().reserve(len, align, wish))
    }

    fn release(&self, addr: usize, len: usize) -> Result<()> {
        // A release that fails can be repeated.
        self.plan.enter(Site::VirtualMemoryRelease)?;
        self.inner.virtual_memory().release(addr, len)?;
        self.plan.ledger.released(Kind::Range);
        Ok(())
    }

    fn alloc_host(&self, len: usize, node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>> {
        self.plan.enter(Site::VirtualMemoryAllocHost)?;
        let inner = self.inner.virtual_memory().alloc_host(len, node)?;
        Ok(FaultPhysicalMemory::wrap(inner, &self.plan, Kind::HostBlock))
    }

    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory> {
        self.plan.enter(Site::VirtualMemoryImport)?;
        let imported = self.inner.virtual_memory().import(parcel, ordinal)?;
        let kind = if imported.on_device { Kind::DeviceBlock } else { Kind::HostBlock };
        let memory = FaultPhysicalMemory::wrap(imported.memory, &self.plan, kind);
        Ok(ImportedMemory { memory, ..imported })
    }

    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        self.plan
            .make(Site::VirtualMemoryMap, Kind::Mapping, || self.inner.virtual_memory().map(addr, len, inner(memory)))
    }

    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        self.plan.enter(Site::VirtualMemoryUnmap)?;
        self.inner.virtual_memory().unmap(addr, len, inner(memory))?;
        self.plan.ledger.released(Kind::Mapping);
        Ok(())
    }

    fn set_access(
        &self,
        addr: usize,
        len: usize,
        memory: &dyn PhysicalMemory,
        ordinal: Option<u32>,
        access: Access,
    ) -> Result<()> {
        self.plan.enter(Site::VirtualMemorySetAccess)?;
        self.inner.virtual_memory().set_access(addr, len, inner(memory), ordinal, access)
    }
}

/// Memory whose release is counted.
pub(super) struct FaultPhysicalMemory {
    plan: Counted,
    inner: Arc<dyn PhysicalMemory>,
}

impl FaultPhysicalMemory {
    pub(super) fn wrap(inner: Arc<dyn PhysicalMemory>, plan: &Arc<Plan>, kind: Kind) -> Arc<dyn PhysicalMemory> {
        Arc::new(Self { plan: Counted::new(plan, kind), inner })
    }
}

impl PhysicalMemory for FaultPhysicalMemory {
    forward! {
        fn page_size(&self) -> usize;
        fn export(&self) -> Result<Parcel>, Site::PhysicalMemoryExport;
    }
}

/// The memory inside a decorator.
fn inner(memory: &dyn PhysicalMemory) -> &dyn PhysicalMemory {
    let memory: &dyn Any = memory;
    let fault = memory.downcast_ref::<FaultPhysicalMemory>();
    &*fault.expect("memory of this driver").inner
}
