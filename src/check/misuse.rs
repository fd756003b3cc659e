//! Failed calls: which codes are mistakes of the program, and which ones answers.
//!
//! Many codes are news for a program: a timeout, a device without room, a feature that is not available. A correct
//! program gets them, too. `PORTACL_CHECK=misuse` reports mistakes only. `docs/checking_codes.md` has
//! the tables of this file; a test compares them.

use self::Meaning::{Answer, Mistake};
use super::adopted::{call_now, party, report};
use super::report::FindingKind;
use crate::core::base::error::Code;

/// The meaning of a code that a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A correct program gets it, too. The text has its meaning.
    Answer(&'static str),
    /// A mistake of the program, with advice.
    Mistake(&'static str),
}

const NO_RESOURCE: &str = "no memory or no free handle is left, or the system refused a resource";
const END_RECORDING: &str = "end the capture, the building of the graph or the change of the task group first (the \
                             text of the error names the call), or use another stream or event";

/// Codes that are answers of these functions, and mistakes of others.
const ANSWERS: [(Code, &[&str], &str); 5] = [
    (Code::RepeatInitialize, &["aclInit"], "the library is initialized already; this call is counted, too"),
    (Code::RepeatFinalize, &["aclFinalize", "aclFinalizeReference"], "nothing is left to finalize"),
    (Code::ContextNull, &["aclrtGetDevice", "aclrtGetCurrentContext"], "the thread has no current device or context"),
    (
        Code::ThreadSubscribe,
        &["aclrtProcessReport", "aclrtProcessHostFunc"],
        "the thread is not subscribed to a stream now",
    ),
    (Code::SysparamoptNotSet, &["aclrtCtxGetSysParamOpt"], "the option was never set"),
];

/// The meaning of each code, if no function says otherwise. A test compares the codes with the enumeration.
const MEANINGS: [(Code, Meaning); 63] = [
    (
        Code::InvalidParam,
        Mistake(
            "correct the argument, environment variable or setting in the file; the text of the error names it and its \
             allowed values",
        ),
    ),
    (Code::RepeatInitialize, Mistake("initialize once")),
    (
        Code::InvalidFile,
        Mistake("correct the path, its permissions, or another cause that the text of the error names"),
    ),
    (Code::ParseFile, Mistake("correct the file: it must hold one JSON object, such as {}")),
    (Code::ProfAlreadyRun, Mistake("end the running profiling first (aclprofStop, aclprofFinalize)")),
    (Code::ProfNotRun, Mistake("start profiling first (aclprofInit, aclprofStart)")),
    (Code::RepeatFinalize, Mistake("call aclFinalize once for each call of aclInit")),
    (Code::BadAlloc, Answer(NO_RESOURCE)),
    (Code::InternalError, Answer("a defect of the library")),
    (
        Code::Failure,
        Answer("the configured default device is invalid, a callback did not return 0, or aclFinalize timed out"),
    ),
    (
        Code::ParamInvalid,
        Mistake(
            "pass a live object of the current device and a range inside of its allocation, and make the call in a \
             state that allows it; the text of the error says which of these is missing",
        ),
    ),
    (
        Code::InvalidDeviceId,
        Mistake(
            "pass a device that the text of the error allows, mostly an id from 0 to the result of \
             aclrtGetDeviceCount minus 1",
        ),
    ),
    (Code::ContextNull, Mistake("call aclrtSetDevice or aclrtSetCurrentContext in this thread first")),
    (
        Code::StreamContext,
        Mistake("use streams, events, kernels and graphs of one device, and make this device current first"),
    ),
    (Code::StreamModel, Mistake("bind the stream to the graph first")),
    (
        Code::EventTimestampInvalid,
        Mistake("create the event with ACL_EVENT_TIME_LINE, and record it first, and again after a reset"),
    ),
    (Code::EventTimestampReversal, Mistake("swap the two events")),
    (Code::AddrUnaligned, Mistake("pass an address with the alignment that the text of the error names")),
    (Code::StreamSubscribe, Mistake("end the subscription of the stream first, or use another stream")),
    (
        Code::ThreadSubscribe,
        Mistake("pass the id (pthread_self) of another thread; the text of the error says why this one is refused"),
    ),
    (
        Code::StreamNoCbReg,
        Mistake("subscribe a thread first (aclrtSubscribeReport or -HostFunc), or omit the call to unsubscribe"),
    ),
    (Code::InvalidMemoryType, Mistake("pass a value of aclrtMemAttr, usually ACL_HBM_MEM")),
    (Code::WaitTimeout, Answer("a timeout")),
    (Code::SysparamoptNotSet, Mistake("set the option first (aclrtCtxSetSysParamOpt)")),
    (Code::DeviceTaskAbort, Answer("the program itself has dropped the awaited work")),
    (Code::StreamAbort, Answer("the program itself has dropped the awaited work")),
    (
        Code::CaptureDependency,
        Mistake("record the event and wait for it in streams of one capture or built graph, or do both outside of it"),
    ),
    (
        Code::StreamUnjoined,
        Mistake(
            "let the stream that began the capture wait for an event of each stream that has joined the capture, then \
             end the capture",
        ),
    ),
    (
        Code::ModelCaptured,
        Mistake("end the capture or the building of the graph first, and capture the body of a conditional task once"),
    ),
    (Code::StreamCaptured, Mistake(END_RECORDING)),
    (Code::EventCaptured, Mistake(END_RECORDING)),
    (
        Code::StreamNotCaptured,
        Mistake(
            "begin a capture with the stream first (aclmdlRICaptureBegin), and end it after all threads have recorded \
             their work",
        ),
    ),
    (
        Code::CaptureModeNotSupport,
        Mistake(
            "make the call before or after the capture, or exchange the thread's mode of capture \
             (aclmdlRICaptureThreadExchangeMode)",
        ),
    ),
    (Code::StreamCaptureImplicit, Mistake("capture a stream from aclrtCreateStream")),
    (
        Code::StreamCaptureConflict,
        Mistake("capture one graph after the other, and use a stream in one thread at a time"),
    ),
    (Code::StreamCaptureUnmatched, Mistake("end the capture with the stream that it began with")),
    (Code::ModelRunning, Mistake("synchronize the stream of the run first (aclrtSynchronizeStream)")),
    (Code::StreamCaptureWrongThread, Mistake("end the capture on the thread that began it")),
    (Code::InsufficientInputArray, Answer("the array is too short; the call returns the length that it needs")),
    (
        Code::CaptureModeBlockAsync,
        Mistake(
            "make the call before or after the capture, or, unless it waits for captured work, exchange the thread's \
             mode of capture (aclmdlRICaptureThreadExchangeMode)",
        ),
    ),
    (Code::SubAclgraphIsCapturing, Mistake("end the capture or the building of the inner graph first")),
    (Code::FeatureNotSupport, Answer("the feature is not available here")),
    (Code::MemoryAllocation, Answer("no device memory is left")),
    (Code::NoEventResource, Answer(NO_RESOURCE)),
    (Code::NoStreamResource, Answer(NO_RESOURCE)),
    (Code::NoNotifyResource, Answer(NO_RESOURCE)),
    (Code::EventNotComplete, Answer("the event is not complete")),
    (Code::ReportTimeout, Answer("a timeout")),
    (
        Code::AicoreException,
        Answer(
            "enqueued work has failed on the device, or still ran when it was reset, or, in guard mode, \
             wrote outside of an allocation; the text of the error says which",
        ),
    ),
    (Code::LabelContext, Mistake("create labels and lists of labels while the device of their stream is current")),
    (Code::StreamSyncTimeout, Answer("a timeout")),
    (Code::EventSyncTimeout, Answer("a timeout")),
    (Code::DrvInternalError, Answer("the device or its driver has failed")),
    (Code::StreamCaptureInvalidated, Answer("an earlier call has made the capture invalid")),
    (Code::SnapshotLockTimeout, Answer("a timeout; the process continues")),
    (Code::SnapshotLockFailed, Mistake("unlock the process first")),
    (Code::SnapshotUnlockFailed, Mistake("lock the process first, and restore its memory if it was backed up")),
    (Code::SnapshotBackupFailed, Answer("the snapshot is not done")),
    (Code::SnapshotRestoreFailed, Answer("the snapshot is not done")),
    (Code::HostMemoryAlreadyRegistered, Mistake("register the memory once, or unregister it first")),
    (Code::HostMemoryNotRegistered, Mistake("pass the address that was registered, before it is unregistered")),
    (Code::SnapshotCallbackFailed, Answer("the snapshot is not done")),
    (Code::SnapshotRegisterCallbackFailed, Mistake("register the callback once for each stage")),
];

/// The codes by which libraries of operators refuse arguments (`aclnn*`), which are not codes of the runtime.
const OF_OPERATORS: std::ops::RangeInclusive<i32> = 161_001..=161_002;
const ADVICE_OF_OPERATORS: &str = "pass the tensors and values that the text asks for";

impl Meaning {
    /// Returns what a code means that `call` returns. `None`: it is a code that only the program itself knows.
    pub(crate) fn of(call: &str, value: i32) -> Option<Self> {
        if OF_OPERATORS.contains(&value) {
            return Some(Mistake(ADVICE_OF_OPERATORS));
        }
        let (code, meaning) = MEANINGS.iter().copied().find(|(code, _)| code.value() == value)?;
        let answers = |(of, calls, _): &&(Code, &[&str], &str)| *of == code && calls.contains(&call);
        let answer = ANSWERS.iter().find(answers).map(|(.., meaning)| Answer(meaning));
        Some(answer.unwrap_or(meaning))
    }
}

/// Reports a failed call if it is a mistake of the program.
pub(crate) fn failure(call: &str, code: i32, text: &str) {
    let Some(Mistake(advice)) = Meaning::of(call, code) else { return };
    let party = party("call", "fails", call_now());
    report(
        FindingKind::Misuse,
        format!("{call} returned {code}: {text}"),
        None,
        party,
        format!("to mend it: {advice}"),
    );
}

#[cfg(test)]
#[path = "misuse_tests.rs"]
mod tests;
