//! The decorators of memory without an address, and of address ranges.

use std::any::Any;
use std::sync::Arc;

use super::ledger::Kind;
use super::plan::Plan;
use super::site::Site;
use crate::backend::base::broker::Parcel;
use crate::backend::{Access, Driver, ImportedMemory, PhysicalMemory, Result, VirtualMemory};

/// Virtual memory whose calls are counted and made to fail.
pub(super) struct FaultVirtualMemory {
    driver: Arc<dyn Driver>,
    plan: Arc<Plan>,
}

impl FaultVirtualMemory {
    pub(super) fn new(driver: &Arc<dyn Driver>, plan: &Arc<Plan>) -> Self {
        Self { driver: Arc::clone(driver), plan: Arc::clone(plan) }
    }

    fn inner(&self) -> &dyn VirtualMemory {
        self.driver.virtual_memory()
    }
}

impl VirtualMemory for FaultVirtualMemory {
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize> {
        self.plan.enter(Site::VirtualMemoryReserve)?;
        let addr = self.inner().reserve(len, align, wish)?;
        self.plan.ledger.made(Kind::Range);
        Ok(addr)
    }

    fn release(&self, addr: usize, len: usize) -> Result<()> {
        // A release that fails can be repeated.
        self.plan.enter(Site::VirtualMemoryRelease)?;
        self.inner().release(addr, len)?;
        self.plan.ledger.released(Kind::Range);
        Ok(())
    }

    fn alloc_host(&self, len: usize, node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>> {
        self.plan.enter(Site::VirtualMemoryAllocHost)?;
        let inner = self.inner().alloc_host(len, node)?;
        Ok(FaultPhysicalMemory::wrap(inner, &self.plan, Kind::HostBlock))
    }

    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory> {
        self.plan.enter(Site::VirtualMemoryImport)?;
        let imported = self.inner().import(parcel, ordinal)?;
        let kind = if imported.on_device { Kind::DeviceBlock } else { Kind::HostBlock };
        let memory = FaultPhysicalMemory::wrap(imported.memory, &self.plan, kind);
        Ok(ImportedMemory { memory, ..imported })
    }

    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        self.plan.enter(Site::VirtualMemoryMap)?;
        self.inner().map(addr, len, inner(memory))?;
        self.plan.ledger.made(Kind::Mapping);
        Ok(())
    }

    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()> {
        self.plan.enter(Site::VirtualMemoryUnmap)?;
        self.inner().unmap(addr, len, inner(memory))?;
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
        self.inner().set_access(addr, len, inner(memory), ordinal, access)
    }
}

/// Memory whose release is counted.
pub(super) struct FaultPhysicalMemory {
    inner: Arc<dyn PhysicalMemory>,
    plan: Arc<Plan>,
    kind: Kind,
}

impl FaultPhysicalMemory {
    pub(super) fn wrap(inner: Arc<dyn PhysicalMemory>, plan: &Arc<Plan>, kind: Kind) -> Arc<dyn PhysicalMemory> {
        plan.ledger.made(kind);
        Arc::new(Self { inner, plan: Arc::clone(plan), kind })
    }
}

impl PhysicalMemory for FaultPhysicalMemory {
    fn page_size(&self) -> usize {
        self.inner.page_size()
    }

    fn export(&self) -> Result<Parcel> {
        self.plan.enter(Site::PhysicalMemoryExport)?;
        self.inner.export()
    }
}

impl Drop for FaultPhysicalMemory {
    fn drop(&mut self) {
        self.plan.ledger.released(self.kind);
    }
}

/// The memory inside a decorator.
fn inner(memory: &dyn PhysicalMemory) -> &dyn PhysicalMemory {
    let memory: &dyn Any = memory;
    let fault = memory.downcast_ref::<FaultPhysicalMemory>();
    &*fault.expect("memory of this driver").inner
}
