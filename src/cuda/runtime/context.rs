//! Primary contexts, which the driver needs to be current on a thread before most of its calls.
//!
//! A device is used through its primary context, which the CUDA runtime and frameworks in the same process use too.
//! Each call makes the context current if it is not: the caller, or a framework, may have made another one current in
//! between. The context then stays current, as in the CUDA runtime, because restoring the earlier one would cost two
//! driver calls around each call.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::{c_int, c_uint};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use cudarc::driver::sys::{CUctx_st, CUdevice};
use parking_lot::Mutex;

use crate::algo::thread::per_thread::per_thread;
use crate::backend::{Fault, FaultKind, Result};
use crate::base::api::{Api, Outcome};
use crate::base::error::Failure;

/// A driver handle that may be used from every thread.
#[derive(Clone, Copy)]
pub(crate) struct Raw<T>(pub *mut T);

// SAFETY: driver handles are names: the driver's functions take them from any thread, and nothing
// here dereferences them.
unsafe impl<T> Send for Raw<T> {}
// SAFETY: threads share the value of a driver's handle only; the driver itself is thread-safe.
unsafe impl<T> Sync for Raw<T> {}

/// Numbers the contexts of this process, so that a thread can distinguish a context from an earlier one at the same
/// address.
static LIVES: AtomicU64 = AtomicU64::new(1);

/// The addresses of contexts of this process that ended. The driver may return one again.
static ENDED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

per_thread! {
    /// The context that this thread last made current: its number and its address.
    static ENTERED: Cell<(u64, usize)> = Cell::new((0, 0));
}

/// The primary context of a device, which this library has retained.
pub(crate) struct Context {
    api: Arc<Api>,
    /// The number of the device among those that are used.
    pub ordinal: u32,
    /// The driver's handle of the device.
    pub device: CUdevice,
    /// The handle for the driver's functions that take contexts.
    pub raw: Raw<CUctx_st>,
    life: u64,
    /// Whether an earlier context had the same address, and may still be current on threads that used it.
    is_successor: bool,
    /// The failure that ended this context, if one did.
    failed: OnceLock<Fault>,
}

impl Context {
    fn retain(api: &Arc<Api>, ordinal: u32, device: CUdevice) -> Result<Self> {
        // SAFETY: `device` comes from the driver's list.
        let raw = unsafe { api.primary_ctx_retain(device) }.map_err(|failure| {
            let fault = Fault::from(failure);
            if !failure.is_sticky() {
                return fault;
            }
            fault.with_text(|said| {
                format!(
                    "CUDA device {ordinal} cannot be opened again: work failed on it, and the driver keeps the failure \
                     until the process ends; start another process. The failure: {said}"
                )
            })
        })?;
        // Relaxed: the number only has to be different from all others.
        let life = LIVES.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            api: Arc::clone(api),
            ordinal,
            device,
            raw: Raw(raw),
            life,
            is_successor: ENDED.lock().contains(&raw.addr()),
            failed: OnceLock::new(),
        })
    }

    /// Releases the reference. If the context was current on this thread, then none is current any more.
    fn release(&self) -> Outcome {
        ENDED.lock().insert(self.raw.0.addr());
        // SAFETY: null is no context, and the device was retained once. The reference is released also if an earlier
        // call fails.
        unsafe {
            let left = match self.api.ctx_get_current() {
                Ok(current) if current == self.raw.0 => self.api.ctx_set_current(std::ptr::null_mut()),
                Err(failure) if failure.wants_context() => Ok(()),
                asked => asked.map(drop),
            };
            let released = self.api.primary_ctx_release(self.device).and(left);
            match released {
                // The driver returns again how the context failed, and has released the reference.
                Err(failure) if failure.is_sticky() && self.failed.get().is_some() => Ok(()),
                released => released,
            }
        }
    }

    /// Returns the failure that ended this context, if one did.
    pub(crate) fn failure(&self) -> Option<&Fault> {
        self.failed.get()
    }

    /// Makes this context current on the calling thread if it is not.
    #[inline(always)]
    fn enter(&self) -> Outcome {
        // SAFETY: it takes nothing, and returns the calling thread's context.
        let current = match unsafe { self.api.ctx_get_current() } {
            // Another library has destroyed the context that is current, or the context has failed.
            Err(failure) if failure.wants_context() || failure.is_sticky() => return self.set(),
            asked => asked?,
        };
        // A context that ended leaves its address current on threads that used it: hence the second
        // condition.
        let is_same_life = !self.is_successor || ENTERED.get().0 == self.life;
        if current == self.raw.0 && is_same_life { Ok(()) } else { self.set() }
    }

    #[cold]
    fn set(&self) -> Outcome {
        // SAFETY: retained, so it exists.
        unsafe { self.api.ctx_set_current(self.raw.0) }?;
        ENTERED.set((self.life, self.raw.0.addr()));
        Ok(())
    }

    /// Runs driver calls in this context, whatever happened to it before.
    #[inline(always)]
    pub(crate) fn attempt<T>(&self, calls: impl FnOnce(&Api) -> Outcome<T>) -> Outcome<T> {
        self.enter()?;
        calls(&self.api)
    }

    /// Runs driver calls in this context. If a failure ended the context, returns it without a call of the driver.
    pub(crate) fn call<T>(&self, calls: impl FnOnce(&Api) -> Outcome<T>) -> Result<T> {
        self.call_for(FaultKind::OutOfDeviceMemory, calls)
    }

    /// Runs driver calls in this context. Without device memory, the fault is `out_of_memory`. If a failure ended the
    /// context, returns it without a call of the driver.
    #[inline(always)]
    pub(crate) fn call_for<T>(&self, out_of_memory: FaultKind, calls: impl FnOnce(&Api) -> Outcome<T>) -> Result<T> {
        self.healthy()?;
        self.attempt(calls).map_err(|failure| self.note(failure, out_of_memory))
    }

    /// Allocates pinned memory.
    pub(crate) fn alloc_host(&self, len: usize, flags: c_uint) -> Result<usize> {
        // SAFETY: new memory from the driver.
        let allocate = |api: &Api| unsafe { api.mem_host_alloc(len, flags) };
        self.call_for(FaultKind::OutOfHostMemory, allocate).map(|address| address.expose_provenance())
    }

    /// Runs driver calls that need no current context. Fails if the context has failed. If the driver requires a
    /// context after all, or returns how a context failed, which may be that of another library, makes this context
    /// current and tries again.
    #[inline(always)]
    pub(crate) fn call_outside<T>(&self, calls: impl Fn(&Api) -> Outcome<T>) -> Result<T> {
        self.healthy()?;
        match calls(&self.api) {
            Ok(value) => Ok(value),
            Err(failure) if failure.wants_context() || failure.is_sticky() => self.call(calls),
            Err(failure) => Err(self.note(failure, FaultKind::OutOfDeviceMemory)),
        }
    }

    /// Fails with the fault that ended this context, if one did.
    pub(crate) fn healthy(&self) -> Result<()> {
        if self.failed.get().is_some() { Err(self.has_failed()) } else { Ok(()) }
    }

    #[cold]
    fn has_failed(&self) -> Fault {
        self.failed.get().expect("asked for where it has failed").clone()
    }

    /// Converts a failure to a fault. Remembers one that ends the context.
    #[cold]
    pub(crate) fn note(&self, failure: Failure, out_of_memory: FaultKind) -> Fault {
        let fault = failure.fault(out_of_memory);
        if !failure.is_sticky() {
            return fault;
        }
        let text = |said: &str| {
            let ordinal = self.ordinal;
            format!("a failure on CUDA device {ordinal} ended the device's context: {said}; start another process")
        };
        self.failed.get_or_init(|| fault.with_text(text)).clone()
    }
}

/// Returns the fault that there is no device whose context could hold host memory.
pub(crate) fn no_healthy_device() -> Fault {
    let text = "no CUDA device can be used: a failure ended the context of each device, or ASCEND_RT_VISIBLE_DEVICES \
                selects no device. Start another process; if ASCEND_RT_VISIBLE_DEVICES selects no device, change or \
                unset it first";
    Fault::new(FaultKind::Execution, text)
}

/// All contexts in use. Each is retained once, however many users it has.
pub(crate) struct Contexts {
    api: Arc<Api>,
    slots: Vec<Mutex<Option<Slot>>>,
    numbers: Box<[u32]>,
}

struct Slot {
    context: Arc<Context>,
    users: usize,
}

impl Contexts {
    /// Creates the list, without contexts, for the devices with these numbers of the driver.
    pub(crate) fn new(api: &Arc<Api>, numbers: Box<[u32]>) -> Self {
        let slots = numbers.iter().map(|_| Mutex::new(None)).collect();
        Self { api: Arc::clone(api), slots, numbers }
    }

    /// Returns the driver's number of the device with this ordinal.
    pub(crate) fn number(&self, ordinal: u32) -> u32 {
        self.numbers[ordinal as usize]
    }

    /// Returns the driver's handle of the device with this ordinal.
    pub(crate) fn device(&self, ordinal: u32) -> Result<CUdevice> {
        // SAFETY: the driver fails if it has no device of that number.
        Ok(unsafe { self.api.device_get(self.number(ordinal) as c_int) }?)
    }

    /// Returns the ordinal of the device with this number of the driver, if it is used.
    pub(crate) fn ordinal(&self, number: u32) -> Option<u32> {
        self.numbers.iter().position(|used| *used == number).map(|ordinal| ordinal as u32)
    }

    /// Returns the context of a device for one more user, who calls [`Self::release`].
    pub(crate) fn acquire(&self, ordinal: u32) -> Result<Arc<Context>> {
        let retain = || Context::retain(&self.api, ordinal, self.device(ordinal)?).map(Arc::new);
        let mut slot = self.slots[ordinal as usize].lock();
        let used = match &mut *slot {
            Some(used) => used,
            none => none.insert(Slot { context: retain()?, users: 0 }),
        };
        used.users += 1;
        Ok(Arc::clone(&used.context))
    }

    /// Removes one user. The last one ends the context as far as this library is concerned.
    pub(crate) fn release(&self, context: &Context) -> Outcome {
        let mut slot = self.slots[context.ordinal as usize].lock();
        let last = slot.take_if(|used| {
            used.users -= 1;
            used.users == 0
        });
        last.map_or(Ok(()), |last| last.context.release())
    }

    /// Returns a context that is in use and has not failed, for one more user.
    pub(crate) fn acquire_healthy(&self) -> Option<Arc<Context>> {
        self.slots.iter().find_map(|slot| {
            let mut slot = slot.lock();
            let used = slot.as_mut().filter(|used| used.context.failure().is_none())?;
            used.users += 1;
            Some(Arc::clone(&used.context))
        })
    }

    /// Whether `current`, which is current on this thread, is a context of this library that has ended. It stays
    /// current on other threads than the one that ends it.
    pub(crate) fn is_left_over(&self, current: Raw<CUctx_st>) -> bool {
        let (life, address) = ENTERED.get();
        let is_live = |slot: &Mutex<Option<Slot>>| slot.lock().as_ref().is_some_and(|used| used.context.life == life);
        address == current.0.addr() && !self.slots.iter().any(is_live)
    }

    /// Returns a context for what belongs to no device, for one more user: one that is in use, or that of the first
    /// device that has not failed.
    pub(crate) fn acquire_any(&self) -> Result<Arc<Context>> {
        if let Some(context) = self.acquire_healthy() {
            return Ok(context);
        }
        let is_usable = |used: &Slot| used.context.failure().is_none();
        let usable = self.slots.iter().position(|slot| slot.lock().as_ref().is_none_or(is_usable));
        self.acquire(usable.ok_or_else(no_healthy_device)? as u32)
    }
}
