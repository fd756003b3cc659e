//! Which calls may begin while the host has no memory left.
//!
//! The allocator (`algo::host::host_memory`) serves a call that has begun from a reserve. While much of the reserve is
//! in use, new calls are refused, except those that free memory.

use std::fmt::Display;

use crate::algo::host::grow::Grow;
use crate::algo::host::host_memory::claim::Claim;
use crate::algo::host::host_memory::{self, Supply};
use crate::base::error::{Code, Error, Result, error_with};
use crate::base::gate;

/// Calls that may begin: those that release or end something or wait, and the queries that programs make before such
/// calls.
pub const GOES_ON: [&str; 82] = [
    "aclDestroyDataBuffer",
    "aclFinalize",
    "aclFinalizeCallbackUnRegister",
    "aclFinalizeReference",
    "aclInitCallbackUnRegister",
    "aclmdlRIAbort",
    "aclmdlRIBuildEnd",
    "aclmdlRICaptureEnd",
    "aclmdlRIDestroy",
    "aclmdlRIDestroyUnregisterCallback",
    "aclmdlRIUnbindStream",
    "aclprofDestroyConfig",
    "aclprofDestroyStamp",
    "aclprofDestroyStepInfo",
    "aclprofFinalize",
    "aclprofStop",
    "aclrtAllocatorDestroyDesc",
    "aclrtAllocatorUnregister",
    "aclrtBinaryUnLoad",
    "aclrtCntNotifyDestroy",
    "aclrtDestroyBinary",
    "aclrtDestroyContext",
    "aclrtDestroyEvent",
    "aclrtDestroyLabel",
    "aclrtDestroyLabelList",
    "aclrtDestroyNotify",
    "aclrtDestroyStream",
    "aclrtDestroyStreamConfigHandle",
    "aclrtDestroyStreamForce",
    "aclrtDeviceDisablePeerAccess",
    "aclrtDeviceTaskAbort",
    "aclrtExceptionInfoCallbackUnregister",
    "aclrtFree",
    "aclrtFreeBuf",
    "aclrtFreeHost",
    "aclrtFreeHostWithDevSync",
    "aclrtFreePhysical",
    "aclrtFreeWithDevSync",
    "aclrtGetCurrentContext",
    "aclrtGetDevice",
    "aclrtGetMemInfo",
    "aclrtHostUnregister",
    "aclrtIpcMemClose",
    "aclrtMemPoolDestroy",
    "aclrtMemPoolFreeAsync",
    "aclrtMemPoolTrimTo",
    "aclrtProcessHostFunc",
    "aclrtProcessReport",
    "aclrtQueryDeviceStatus",
    "aclrtQueryEvent",
    "aclrtQueryEventStatus",
    "aclrtQueryEventWaitStatus",
    "aclrtReleaseMemAddress",
    "aclrtResetDevice",
    "aclrtResetDeviceForce",
    "aclrtSetCurrentContext",
    "aclrtSnapShotCallbackUnregister",
    "aclrtSnapShotProcessRestore",
    "aclrtSnapShotProcessUnlock",
    "aclrtStreamAbort",
    "aclrtStreamQuery",
    "aclrtStreamStop",
    "aclrtSynchronizeDevice",
    "aclrtSynchronizeDeviceWithTimeout",
    "aclrtSynchronizeEvent",
    "aclrtSynchronizeEventWithTimeout",
    "aclrtSynchronizeStream",
    "aclrtSynchronizeStreamWithTimeout",
    "aclrtUnSubscribeHostFunc",
    "aclrtUnSubscribeReport",
    "aclrtUnmapMem",
    "aclrtUnuseStreamResInCurrentThread",
    "portaclBackendName",
    "portaclFreeAsync",
    "portaclMemoryHookGiveReason",
    "portaclMemoryHookNoteFailure",
    "portaclMemoryHookUnregister",
    "portaclNoteReleaseFailure",
    "portaclReleaseFailures",
    "portaclReportError",
    "portaclTaskFail",
    "portaclTaskGetState",
];

/// Claims host memory for a call whose size the program chooses: at most `count` times `each` bytes, for `what`. The
/// caller claims it before it changes anything. Until the claim is dropped, this thread has that memory.
#[inline]
pub fn claim(what: impl Display, count: usize, each: usize) -> Result<Claim> {
    Claim::new(count.saturating_mul(each)).ok_or_else(|| no_memory_for(what, count))
}

/// Returns an empty list with room for `len` elements. `what` names it in the error.
pub fn list<T>(what: impl Display, len: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.make_room(len).map_err(|_| no_memory_for(what, len))?;
    Ok(list)
}

/// Returns the error that the host has no memory for `count` of `what`.
pub(crate) fn no_memory_for(what: impl Display, count: usize) -> Error {
    error_with!(
        Code::BadAlloc,
        "the host has no memory left for {what}: {count} needed; free host memory, and call again"
    )
}

/// Decides whether a call may begin that found the gate not open.
#[cold]
pub fn enter(call: &str) -> Result<()> {
    if !gate::is(gate::SHORT) {
        return Ok(());
    }
    match host_memory::check() {
        Supply::Ample => gate::end_shortage(),
        Supply::Short if !GOES_ON.contains(&call) => {
            return Err(Error::new(
                Code::BadAlloc,
                "the host has no memory left; free host memory, or objects of this library, and call again",
            ));
        }
        Supply::Reserve | Supply::Short => {}
    }
    Ok(())
}
