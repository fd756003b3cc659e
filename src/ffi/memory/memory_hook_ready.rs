//! Memory hooks that the library has: debug prints, logs, limits and profiles.

use std::ffi::c_char;
use std::io::Write;
use std::mem::MaybeUninit;

use crate::algo::host::standard_stream::StandardOutput;
use crate::base::{guard, guard_optional, text, write_rows};
use crate::core::base::error::param_invalid;
use crate::core::memory::memory_hook::{self, DebugPrint, Limit, LineProfile, Logging, ProfileRow};
use crate::memory::memory_hook::scope_of;
use crate::types::{aclError, portaclMemoryHookScope, portaclMemoryProfileNode};

/// Registers the hook "DebugPrintHook", which prints a JSON line after each alloc, malloc and free, with the names and
/// the order of CuPy's DebugPrintHook, and flushes it.
///
/// @param path the file, which is created or truncated; null: standard output.
/// @param scope this thread or all threads.
/// @param id receives the id of the hook; may be null.
/// @retval ACL_ERROR_INVALID_FILE 100003: the file cannot be written.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `scope` is unknown.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is already registered for an overlapping scope.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookRegisterDebugPrint(
    path: *const c_char,
    scope: MaybeUninit<portaclMemoryHookScope>,
    id: *mut u64,
) -> aclError {
    guard_optional("portaclMemoryHookRegisterDebugPrint", id, || {
        let scope = scope_of(scope)?;
        // SAFETY: `path` is null, which means standard output, or a C string.
        let to: Box<dyn Write + Send> = match unsafe { text::optional(path) } {
            None => Box::new(StandardOutput),
            Some(path) => Box::new(memory_hook::create_file("path", path)?),
        };
        memory_hook::register("DebugPrintHook", scope, Box::new(DebugPrint::new(to)))
    })
}

/// Registers the hook "LoggingHook", which writes a JSON line for each alloc, malloc and free: a log that can be
/// replayed. docs/allocation_log.md describes its format.
///
/// @param path the file, which is created or truncated. Each line is written at once.
/// @param scope this thread or all threads.
/// @param id receives the id of the hook; may be null.
/// @return the codes of portaclMemoryHookRegisterDebugPrint
/// @retval ACL_ERROR_INVALID_PARAM 100000: also: `path` is null.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookRegisterLogging(
    path: *const c_char,
    scope: MaybeUninit<portaclMemoryHookScope>,
    id: *mut u64,
) -> aclError {
    guard_optional("portaclMemoryHookRegisterLogging", id, || {
        let scope = scope_of(scope)?;
        // SAFETY: `path` is null or a C string that names the log.
        let path = unsafe { text::required("path", path) }?;
        let to = memory_hook::create_file("path", path)?;
        memory_hook::register("LoggingHook", scope, Box::new(Logging::new(Box::new(to))))
    })
}

/// Registers the hook "LimitHook", which refuses allocations beyond a budget with ACL_ERROR_RT_MEMORY_ALLOCATION
/// 207001. It counts allocations made while it is registered, in rounded bytes, device and host memory together.
/// Imported memory does not count; its exporter counts it.
///
/// @param most maximum number of bytes allocated at one time.
/// @param scope this thread or all threads.
/// @param id receives the id of the hook; may be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `scope` is unknown.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is already registered for an overlapping scope.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookRegisterLimit(
    most: usize,
    scope: MaybeUninit<portaclMemoryHookScope>,
    id: *mut u64,
) -> aclError {
    guard_optional("portaclMemoryHookRegisterLimit", id, || {
        memory_hook::register("LimitHook", scope_of(scope)?, Box::new(Limit::new(most)))
    })
}

/// Registers the hook "LineProfileHook", which sums allocations by the place in the program that makes them:
/// portaclMemoryHookReport returns the tree. The model is LineProfileHook of CuPy. Each allocation costs a stack walk;
/// names are resolved when the report is made.
///
/// @param maxDepth levels of the tree below its root; 0: all levels.
/// @param scope this thread or all threads.
/// @param id receives the id of the hook; may be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `scope` is unknown.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is already registered for an overlapping scope.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookRegisterLineProfile(
    maxDepth: usize,
    scope: MaybeUninit<portaclMemoryHookScope>,
    id: *mut u64,
) -> aclError {
    guard_optional("portaclMemoryHookRegisterLineProfile", id, || {
        memory_hook::register("LineProfileHook", scope_of(scope)?, Box::new(LineProfile::new(maxDepth)))
    })
}

/// Returns the report of a hook. For portaclMemoryHookRegisterLineProfile it is a legend in one line, and a tree of
/// lines `file:line:function (rounded bytes in N mallocs, rounded bytes in N allocs)`, indented by two spaces per call
/// level, callers first, siblings ordered by decreasing use. Functions without debugging information appear by name or
/// address only.
///
/// @param id the id of the hook.
/// @param text receives a zero-terminated text, truncated to `size`; null: only returns the length.
/// @param size size of `text` in bytes.
/// @param length receives the length of the whole text without its terminating zero; may be null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a registered hook, or a hook without a report.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `text` is not null and `size` is 0.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookReport(
    id: u64,
    text: *mut c_char,
    size: usize,
    length: *mut usize,
) -> aclError {
    guard_optional("portaclMemoryHookReport", length, || {
        let report = memory_hook::report(id)?.ok_or_else(|| {
            param_invalid!("id {id} is a hook without a report; pass an id from portaclMemoryHookRegisterLineProfile")
        })?;
        if !text.is_null() {
            self::text::Buffer::new("text", text, "size", size)?.write(&report);
        }
        Ok(report.len())
    })
}

/// Returns the tree of portaclMemoryHookReport as numbers: each function before the functions that it called, siblings
/// ordered by decreasing use, the root first.
///
/// @param id the id of a hook of portaclMemoryHookRegisterLineProfile.
/// @param nodes receives the elements; null: only returns their number. The caller sets `structSize` of the first
///     element.
/// @param capacity number of elements at `nodes`. If there are more, the first ones are written.
/// @param count receives the number of elements, also if it is larger than `capacity`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `count` is null, or `structSize` is not the size of the structure.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a registered hook, or a hook without a profile.
/// @note Works at any time. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemoryHookProfile(
    id: u64,
    nodes: *mut portaclMemoryProfileNode,
    capacity: usize,
    count: *mut usize,
) -> aclError {
    guard("portaclMemoryHookProfile", || {
        let rows = || {
            memory_hook::profile(id)?.ok_or_else(|| {
                param_invalid!(
                    "id {id} is a hook without a profile; pass an id from portaclMemoryHookRegisterLineProfile"
                )
            })
        };
        // SAFETY: `nodes` is null or has room for `capacity` nodes, the first of them with its size.
        unsafe { write_rows(("nodes", nodes, capacity), count, rows, node_to_c) }
    })
}

fn node_to_c(row: &ProfileRow) -> portaclMemoryProfileNode {
    let frame = row.frame.as_ref();
    let (file, line) = frame.and_then(|frame| frame.place.as_ref()).map_or(("", 0), |(file, line)| (file, *line));
    portaclMemoryProfileNode {
        structSize: size_of::<portaclMemoryProfileNode>(),
        depth: row.depth as u32,
        line,
        mallocBytes: row.tally.used,
        mallocCount: row.tally.mallocs,
        allocBytes: row.tally.acquired,
        allocCount: row.tally.allocs,
        file: text::array(file),
        function: text::array(frame.map_or("_root", |frame| &frame.function)),
    }
}
