//! Errors: a code that programs compare, and a text that says what to do.
//!
//! The text is written where the failure occurs: it names the argument, its value and the bound, and includes the
//! driver's message if there is one. The C boundary adds the name of the call in front.

pub mod arguments;
mod macros;
pub mod name;

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char};
use std::fmt;
use std::io::{self, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

pub use self::macros::{error_with, invalid_param, param_invalid, unsupported};
use crate::algo::thread::per_thread::per_thread;
use crate::backend::{Fault, FaultKind};

/// The error codes that this library returns. `acl_base_rt.h` and `rt_error_codes.h` have all codes of the API; a test
/// compares the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// An invalid argument, detected from its value alone.
    InvalidParam = 100_000,
    /// aclInit was called before; the first configuration stays in force.
    RepeatInitialize = 100_002,
    /// A file cannot be opened or read.
    InvalidFile = 100_003,
    /// A file cannot be parsed.
    ParseFile = 100_006,
    /// Profiling runs already.
    ProfAlreadyRun = 100_042,
    /// Profiling does not run.
    ProfNotRun = 100_043,
    /// There is nothing left to finalize.
    RepeatFinalize = 100_037,
    /// No host memory left for the library's own needs.
    BadAlloc = 200_000,
    /// A defect of this library.
    InternalError = 500_000,
    /// A general failure.
    Failure = 500_001,
    /// An invalid argument, detected from the object that it names: a dead handle, a wrong state.
    ParamInvalid = 107_000,
    /// No such device.
    InvalidDeviceId = 107_001,
    /// The calling thread has no current context.
    ContextNull = 107_002,
    /// The stream belongs to another device or context.
    StreamContext = 107_003,
    /// The stream is not bound to the graph.
    StreamModel = 107_005,
    /// An event has no timestamp.
    EventTimestampInvalid = 107_006,
    /// The end event was recorded before the start event.
    EventTimestampReversal = 107_007,
    /// An address does not have the alignment that the call requires.
    AddrUnaligned = 107_008,
    /// A stream already has a thread for its callbacks, or a thread of the other family of calls.
    StreamSubscribe = 107_011,
    /// A thread runs no callbacks, or those of another device.
    ThreadSubscribe = 107_012,
    /// A stream has no thread for its callbacks.
    StreamNoCbReg = 107_015,
    /// A memory attribute does not exist.
    InvalidMemoryType = 107_016,
    /// A stream waited for an event longer than allowed.
    WaitTimeout = 107_019,
    /// An option of a context was not set.
    SysparamoptNotSet = 107_021,
    /// aclrtDeviceTaskAbort dropped the awaited work.
    DeviceTaskAbort = 107_022,
    /// aclrtStreamAbort dropped the awaited work.
    StreamAbort = 107_023,
    /// A captured stream waits for an event that its capture has not recorded.
    CaptureDependency = 107_024,
    /// A capture ends with a stream that has not joined.
    StreamUnjoined = 107_025,
    /// The graph is being captured.
    ModelCaptured = 107_026,
    /// The stream is being captured.
    StreamCaptured = 107_027,
    /// The event was recorded in a stream that is being captured.
    EventCaptured = 107_028,
    /// The stream is not being captured into a graph.
    StreamNotCaptured = 107_029,
    /// The mode of a capture forbids synchronous work on memory.
    CaptureModeNotSupport = 107_030,
    /// A default stream cannot be captured.
    StreamCaptureImplicit = 107_031,
    /// Two captures would merge.
    StreamCaptureConflict = 107_032,
    /// The capture did not begin with this stream.
    StreamCaptureUnmatched = 107_036,
    /// The graph is running.
    ModelRunning = 107_037,
    /// Another thread has begun the capture.
    StreamCaptureWrongThread = 107_038,
    /// An array has too little room.
    InsufficientInputArray = 107_039,
    /// The mode of a capture forbids calls that wait.
    CaptureModeBlockAsync = 107_041,
    /// A graph that is being captured cannot become part of another one.
    SubAclgraphIsCapturing = 107_045,
    /// Not available here; the text says what to do instead.
    FeatureNotSupport = 207_000,
    /// No device memory left.
    MemoryAllocation = 207_001,
    /// No event is available.
    NoEventResource = 207_007,
    /// No stream is available.
    NoStreamResource = 207_008,
    /// No notify is available.
    NoNotifyResource = 207_009,
    /// The event is not complete.
    EventNotComplete = 507_006,
    /// No callback came in time.
    ReportTimeout = 507_012,
    /// Work failed on the device.
    AicoreException = 507_015,
    /// A label belongs to another device.
    LabelContext = 507_031,
    /// Waiting for a stream or device took longer than allowed.
    StreamSyncTimeout = 507_046,
    /// Waiting for an event took longer than allowed.
    EventSyncTimeout = 507_047,
    /// The driver returned an error.
    DrvInternalError = 507_899,
    /// The capture of the stream is invalid.
    StreamCaptureInvalidated = 507_903,
    /// Pending work did not complete in time for a snapshot.
    SnapshotLockTimeout = 507_905,
    /// The process is not running, or cannot be locked.
    SnapshotLockFailed = 507_906,
    /// The process is not locked, or cannot be unlocked.
    SnapshotUnlockFailed = 507_907,
    /// The process is not locked, or its memory cannot be saved.
    SnapshotBackupFailed = 507_908,
    /// Nothing is saved, or it cannot be restored.
    SnapshotRestoreFailed = 507_909,
    /// Host memory that is registered already.
    HostMemoryAlreadyRegistered = 507_910,
    /// Host memory that is not registered.
    HostMemoryNotRegistered = 507_911,
    /// A callback of a snapshot has failed.
    SnapshotCallbackFailed = 507_912,
    /// A callback of a snapshot is registered already.
    SnapshotRegisterCallbackFailed = 507_913,
}

impl Code {
    /// Returns the number that C sees.
    pub const fn value(self) -> i32 {
        self as i32
    }

    /// Returns the code for a file that cannot be read: the host may have no memory for its bytes.
    pub fn of_read(why: &io::Error) -> Self {
        if why.kind() == io::ErrorKind::OutOfMemory { Self::BadAlloc } else { Self::InvalidFile }
    }
}

/// A failure that a call returns to its caller.
#[derive(Debug)]
pub struct Error(Box<Detail>);

#[derive(Debug)]
struct Detail {
    code: Code,
    /// The value that C sees: the code's value, unless a hook of the program chose another number.
    value: i32,
    text: String,
}

/// The result of everything in the core.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Creates an error with this code and this text.
    #[cold]
    pub fn new(code: Code, text: impl fmt::Display) -> Self {
        Self(Box::new(Detail { code, value: code.value(), text: text.to_string() }))
    }

    /// Returns the same failure with another text.
    pub fn with_text(self, text: impl fmt::Display) -> Self {
        Self(Box::new(Detail { text: text.to_string(), ..*self.0 }))
    }

    /// Returns the same failure, with the code `to` if its code is `from`.
    pub(crate) fn recoded(self, from: Code, to: Code) -> Self {
        if self.code() == from { Self::new(to, self.text()) } else { self }
    }

    /// Creates a failure whose number the program chose.
    #[cold]
    pub(crate) fn with_value(value: i32, text: impl fmt::Display) -> Self {
        Self(Box::new(Detail { code: Code::Failure, value, text: text.to_string() }))
    }

    /// Error 200000: a table is full, or the host has no memory for another entry.
    #[cold]
    pub(crate) fn no_more(what: &str) -> Self {
        let why = "the maximum number of them exists already, or the host has no memory left; release some of them, or \
                   of the objects that contain them, or free host memory";
        Self::new(Code::BadAlloc, format_args!("no more {what} can be created: {why}"))
    }

    /// Returns the code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Returns the number that C sees.
    pub fn value(&self) -> i32 {
        self.0.value
    }

    /// Returns the text, without the name of the call.
    pub fn text(&self) -> &str {
        &self.0.text
    }
}

impl From<Fault> for Error {
    #[cold]
    fn from(fault: Fault) -> Self {
        let code = match fault.kind() {
            FaultKind::OutOfDeviceMemory => Code::MemoryAllocation,
            FaultKind::OutOfHostMemory => Code::BadAlloc,
            FaultKind::OutOfResources => Code::NoStreamResource,
            FaultKind::Unsupported => Code::FeatureNotSupport,
            FaultKind::Execution => Code::AicoreException,
            FaultKind::Program(value) => return Self::with_value(value, fault.text()),
            FaultKind::WaitTimedOut => Code::WaitTimeout,
            // Abandoned: during the call another thread destroyed the object or reset its device.
            FaultKind::Abandoned | FaultKind::InvalidArgument => Code::ParamInvalid,
            FaultKind::AlreadyRegistered => Code::HostMemoryAlreadyRegistered,
            FaultKind::Aborted => Code::StreamAbort,
            FaultKind::DeviceAborted => Code::DeviceTaskAbort,
            FaultKind::Driver | FaultKind::NoDevice => Code::DrvInternalError,
        };
        Self::new(code, fault.text())
    }
}

/// Length of the longest text that a caller can fetch, in bytes, including its terminating zero.
const TEXT_CAPACITY: usize = 1024;

/// A zero-terminated text in a buffer that never moves. It is plain memory without a destructor, so that the last
/// static destructor of the program can still use it.
struct Text([u8; TEXT_CAPACITY]);

impl Text {
    const EMPTY: Self = Self([0; TEXT_CAPACITY]);

    fn set(&mut self, text: fmt::Arguments<'_>) {
        let mut rest = &mut self.0[..TEXT_CAPACITY - 1];
        // A text that does not fit is cut. `write_fmt` then returns an error, which is ignored.
        let _ = rest.write_fmt(text);
        let len = TEXT_CAPACITY - 1 - rest.len();
        let written = &mut self.0[..len];
        // A zero inside would end the text for its C reader.
        written.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b'?');
        // The beginning of a character that was cut is removed.
        let whole = str::from_utf8(written).map_or_else(|why| why.valid_up_to(), str::len);
        self.0[whole] = 0;
    }
}

per_thread! {
    /// The text of this thread's latest failure, until it is fetched.
    static RECENT: RefCell<Text> = RefCell::new(Text::EMPTY);
    /// The text that was fetched most recently. The caller may still read it.
    static FETCHED: RefCell<Text> = RefCell::new(Text::EMPTY);
    /// The code that `aclrtGetLastError` returns.
    static LAST: Cell<i32> = Cell::new(0);
}

/// The latest failure of any thread, for `err_msg_mode` 1.
static SHARED: Mutex<Text> = Mutex::new(Text::EMPTY);
static SHARED_MODE: AtomicBool = AtomicBool::new(false);

/// Sets whether [`take_recent_text`] returns the failures of all threads, not only of the calling one.
pub fn share_texts(shared: bool) {
    SHARED_MODE.store(shared, Ordering::Release);
}

/// The function that sees each failure: the call, its code and the text.
static WATCH: OnceLock<fn(&str, i32, &str)> = OnceLock::new();

/// Sets the function that sees all later failures.
pub fn watch_failures(watch: fn(&str, i32, &str)) {
    WATCH.get_or_init(|| watch);
}

/// Remembers a failure of `call` for `aclGetRecentErrMsg` and `aclrtGetLastError`; returns its code.
#[cold]
pub fn report(call: &str, code: i32, text: &str) -> i32 {
    if let Some(watch) = WATCH.get() {
        watch(call, code, text);
    }
    let said = format_args!("{call}: {text} (error {code})");
    if SHARED_MODE.load(Ordering::Acquire) {
        SHARED.lock().set(said);
    } else {
        RECENT.with_borrow_mut(|recent| recent.set(said));
    }
    LAST.set(code);
    code
}

/// Returns the text of the latest failure since the previous call (of this thread, or in `err_msg_mode` 1 of any
/// thread), or null. It is valid until this thread calls again.
pub fn take_recent_text() -> *const c_char {
    let take = |latest: &mut Text| {
        if latest.0[0] == 0 {
            return std::ptr::null();
        }
        FETCHED.with_borrow_mut(|fetched| {
            std::mem::swap(fetched, latest);
            latest.0[0] = 0;
            fetched.0.as_ptr().cast()
        })
    };
    if SHARED_MODE.load(Ordering::Acquire) { take(&mut SHARED.lock()) } else { RECENT.with_borrow_mut(take) }
}

/// Takes the text as [`take_recent_text`] does, and returns a copy.
pub(crate) fn take_recent_string() -> Option<String> {
    if take_recent_text().is_null() {
        return None;
    }
    FETCHED.with_borrow(|text| Some(CStr::from_bytes_until_nul(&text.0).ok()?.to_string_lossy().into_owned()))
}

/// Returns the code of this thread's latest failure, 0 if there was none. If `takes` is true, clears it.
pub fn last_code(takes: bool) -> i32 {
    if takes { LAST.take() } else { LAST.get() }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
