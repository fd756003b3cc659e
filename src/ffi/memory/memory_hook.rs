//! Memory hooks: functions of the program that observe and refuse allocations.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::backend::thread_number;
use crate::base::{
    Callback, Out, address, check_struct_size, enum_from, enum_value, guard, guard_optional, guard_value, handle,
    must_not_be_null, text,
};
use crate::core::base::error::{Result, arguments, invalid_param};
use crate::core::memory::memory_hook::{self, Event, MemoryHook, MemoryKind, Moment, Refusal, Scope};
use crate::types::{
    aclError, portaclMemoryEvent, portaclMemoryHook, portaclMemoryHookAfter, portaclMemoryHookBefore,
    portaclMemoryHookInfo, portaclMemoryHookScope, portaclMemoryKind, portaclMemoryMoment,
};

/// A hook registered from C.
struct Foreign(portaclMemoryHook);

// SAFETY: who registers a hook promises that its functions may be called on all threads that it is for, with
// its user data.
unsafe impl Send for Foreign {}
// SAFETY: portaclMemoryHookRegister asks for functions that several threads may call at the same
// time.
unsafe impl Sync for Foreign {}

impl Foreign {
    /// The functions before and after a moment.
    fn functions(&self, moment: Moment) -> (portaclMemoryHookBefore, portaclMemoryHookAfter) {
        match moment {
            Moment::Alloc => (self.0.beforeAlloc, self.0.afterAlloc),
            Moment::Malloc => (self.0.beforeMalloc, self.0.afterMalloc),
            Moment::Free => (self.0.beforeFree, self.0.afterFree),
        }
    }
}

impl MemoryHook for Foreign {
    fn before(&self, moment: Moment, event: &Event) -> std::result::Result<(), Refusal> {
        let (Some(before), _) = self.functions(moment) else { return Ok(()) };
        memory_hook::take_reason();
        // SAFETY: who registered it promises that it may be called; the event lives until it returns.
        match unsafe { before.may_unwind()(self.0.userData, &to_c(event)) } {
            0 => Ok(()),
            code => Err(Refusal { code, text: memory_hook::take_reason() }),
        }
    }

    fn after(&self, moment: Moment, event: &Event) {
        let (_, Some(after)) = self.functions(moment) else { return };
        // SAFETY: the structure's `after` is not null here, and the event lives during the call.
        unsafe { after.may_unwind()(self.0.userData, &to_c(event)) };
    }
}

fn to_c(event: &Event) -> portaclMemoryEvent {
    portaclMemoryEvent {
        structSize: size_of::<portaclMemoryEvent>(),
        deviceId: event.device,
        kind: enum_from(event.kind as i32),
        size: event.size,
        roundedSize: event.rounded,
        ptr: address::to_c(event.addr),
        memoryId: event.memory_id(),
        stream: handle::to_c(event.stream),
        pageSize: event.page_size,
        thread: thread_number().into(),
        failed: event.failed.into(),
    }
}

/// The kind of memory in `argument`.
pub(crate) fn memory_kind(argument: &str, raw: MaybeUninit<portaclMemoryKind>) -> Result<MemoryKind> {
    Ok(match enum_value(raw) {
        0 => MemoryKind::Device,
        1 => MemoryKind::Pinned,
        2 => MemoryKind::Managed,
        3 => MemoryKind::Pool,
        4 => MemoryKind::Imported,
        5 => MemoryKind::Graph,
        other => return Err(invalid_param!("{argument} is {other}; allowed: the values of portaclMemoryKind, 0 to 5")),
    })
}

fn from_c(event: portaclMemoryEvent) -> Result<Event> {
    Ok(Event {
        device: event.deviceId,
        kind: memory_kind("event->kind", event.kind)?,
        size: event.size,
        rounded: event.roundedSize,
        addr: address::from_c(event.ptr),
        handle: event.memoryId,
        stream: handle::from_c(event.stream),
        page_size: event.pageSize,
        failed: event.failed != 0,
    })
}

/// The scope of a hook.
pub fn scope_of(raw: MaybeUninit<portaclMemoryHookScope>) -> Result<Scope> {
    let allowed = "PORTACL_MEMORY_HOOK_THREAD 0 and PORTACL_MEMORY_HOOK_PROCESS 1";
    arguments::numbered("scope", enum_value(raw), &[Scope::Thread, Scope::Process], allowed)
}

/// A structure of C, of this version or a later one.
///
/// # Safety
///
/// `pointer` is null or points to a structure that begins with its size, and has as many bytes.
unsafe fn read_versioned<T>(argument: &str, pointer: *const T) -> Result<T> {
    must_not_be_null(argument, pointer)?;
    // SAFETY: `pointer` is not null, and every version of the structure begins with its size.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    let least = size_of::<T>();
    if size < least {
        return Err(invalid_param!(
            "{argument}->structSize is {size}; it must be the size of the structure, at least {least}"
        ));
    }
    // SAFETY: its size says that the whole structure is there.
    Ok(unsafe { pointer.read_unaligned() })
}

/// Registers a memory hook, which is called for each allocation and release of device, page-locked host, managed and
/// pool memory, and for each import of another process's memory and its end, after the hooks that were registered
/// earlier. *malloc* functions are called when the program allocates memory, *free* functions when it frees memory,
/// *alloc* functions inside a malloc when the library allocates from the device or the system because no cached memory
/// serves the request. If a *before* function does not return 0, the call returns its value and has no effect; the text
/// names the hook (portaclMemoryHookGiveReason adds a reason). Hooks whose before function already ran get their
/// *after* function with `failed` 1. Memory that is released with its device or by aclFinalize is not reported. A hook
/// may call any function of this library. It must return, and must not throw.
///
/// @param hook the functions; copied, so the caller need not keep the structure. The user data that it points to must
///     stay valid.
/// @param scope this thread or all threads.
/// @param id receives the id of the hook, which is never used again; may be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `hook` or its name is null, the name is empty, `structSize` is too small, or
///     `scope` is unknown.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is already registered for an overlapping scope.
/// @retval ACL_ERROR_BAD_ALLOC 200000: for this thread only: the process has no pthread key left.
/// @note Works at any time. Thread-safe. The model is MemoryHook of CuPy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookRegister(
    hook: *const portaclMemoryHook,
    scope: MaybeUninit<portaclMemoryHookScope>,
    id: *mut u64,
) -> aclError {
    guard_optional("portaclMemoryHookRegister", id, || {
        // SAFETY: portaclMemoryHookRegister takes a hook whose size the program has set.
        let hook = unsafe { read_versioned("hook", hook) }?;
        // SAFETY: `hook->name` is null or a C string, and is copied before the call returns.
        let name = unsafe { text::required("hook->name", hook.name) }?.to_string_lossy();
        memory_hook::register(&name, scope_of(scope)?, Box::new(Foreign(hook)))
    })
}

/// Unregisters a memory hook, in any order. When this returns, the hook is not called any more, and its user data may
/// be freed; if this is called inside the hook, the hook is not called again after it has returned. Waits for calls of
/// the hook on other threads. If that wait could last forever (docs/callbacks.md), this fails: the hook is not called
/// any more, but a call of it may still run. The hook stays listed; before you free its user data, unregister it again
/// outside of callbacks, which waits.
///
/// @param id the id that the registration returned.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a registered hook, or the wait could last forever.
/// @note Works at any time. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookUnregister(id: u64) -> aclError {
    guard("portaclMemoryHookUnregister", || memory_hook::unregister(id))
}

/// Lists the registered memory hooks of all threads, in the order of their registration.
///
/// @param hooks receives the elements; null: only returns their number. The caller sets `structSize` of the first
///     element.
/// @param capacity number of elements at `hooks`.
/// @param count receives the number of elements, also if it is larger than `capacity`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `count` is null, `structSize` is not the size of the structure, or
///     `capacity` is too small.
/// @note Works at any time. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookList(
    hooks: *mut portaclMemoryHookInfo,
    capacity: usize,
    count: *mut usize,
) -> aclError {
    guard("portaclMemoryHookList", || {
        let count = Out::new("count", count)?;
        let list: Vec<_> = memory_hook::list().iter().map(info_to_c).collect();
        if !hooks.is_null() && capacity != 0 {
            // SAFETY: `hooks` is not null and has at least one element, which begins with its size.
            unsafe { check_struct_size("hooks", hooks) }?;
        }
        let number = list.len();
        count.write(number);
        if hooks.is_null() {
            return Ok(());
        }
        ensure!(
            capacity >= number,
            invalid_param!("capacity is {capacity}; it must be at least {number}, the number of hooks")
        );
        // SAFETY: the caller has room for `capacity` hooks, and `list` is no longer.
        unsafe { Out::new("hooks", hooks)?.write_all(list) };
        Ok(())
    })
}

fn info_to_c(info: &memory_hook::Info) -> portaclMemoryHookInfo {
    portaclMemoryHookInfo {
        structSize: size_of::<portaclMemoryHookInfo>(),
        id: info.id,
        scope: enum_from(info.scope as i32),
        isCalledHere: info.is_called_here.into(),
        refusals: info.refusals,
        failures: info.failures,
        name: text::array(&info.name),
        lastFailure: text::array(&info.last_failure),
    }
}

/// Sets the reason of a refusal. Call it inside a *before* function of a memory hook that is about to refuse: the
/// reason becomes part of the text of the refused call. Has no effect outside of before functions.
///
/// @param reason a text, copied.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `reason` is null.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookGiveReason(reason: *const c_char) -> aclError {
    guard("portaclMemoryHookGiveReason", || {
        // SAFETY: `reason` is null or a C string that lives during the call.
        let reason = unsafe { text::required("reason", reason) }?;
        memory_hook::set_reason(&reason.to_string_lossy());
        Ok(())
    })
}

/// Reports a failure of a memory hook. Call it inside an *after* function: portaclMemoryHookList returns the number of
/// failures and the latest text. The allocation or free stays as it is. Has no effect outside of the
/// functions of a hook.
///
/// @param what a text, copied.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `what` is null.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookNoteFailure(what: *const c_char) -> aclError {
    guard("portaclMemoryHookNoteFailure", || {
        // SAFETY: `what` is null or a C string that says what failed.
        let what = unsafe { text::required("what", what) }?;
        memory_hook::note_failure(&what.to_string_lossy());
        Ok(())
    })
}

/// Writes an event as portaclMemoryHookRegisterDebugPrint does: a JSON line, without the line end.
///
/// @param moment the moment that was passed to the hook.
/// @param event the event that was passed to the hook.
/// @param line receives a zero-terminated text; null: only returns the length.
/// @param size size of `line` in bytes; 256 bytes are always enough.
/// @return the length of the line without its terminating zero; 0 if `event` is null, too small or of an unknown kind,
///     `moment` is unknown, or the line does not fit. aclGetRecentErrMsg returns the reason.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryEventToJson(
    moment: MaybeUninit<portaclMemoryMoment>,
    event: *const portaclMemoryEvent,
    line: *mut c_char,
    size: usize,
) -> usize {
    guard_value("portaclMemoryEventToJson", 0, || {
        let moments = [Moment::Alloc, Moment::Malloc, Moment::Free];
        let allowed = "the values of portaclMemoryMoment, 0 to 2";
        let moment = arguments::numbered("moment", enum_value(moment), &moments, allowed)?;
        // SAFETY: portaclMemoryEventToJson takes an event that says its size, as hooks get it.
        let event = unsafe { read_versioned("event", event) }?;
        let json = memory_hook::to_json(moment, &from_c(event)?);
        if !line.is_null() {
            ensure!(size > json.len(), invalid_param!("size is {size}; the line needs {} bytes", json.len() + 1));
            text::Buffer::new("line", line, "size", size)?.write(&json);
        }
        Ok(json.len())
    })
}
