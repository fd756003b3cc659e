//! Snapshots: the process is stopped, and the memory on its devices is saved in host memory and restored.
//!
//! The states are running, locked, backed up, locked, running, only in this order. While the process is locked, calls
//! wait at the [`gate`]. Calls by the thread that has locked the process, and by callbacks of the snapshot, are refused
//! instead, because no other thread would open the gate.
//!
//! A lock waits until streams are idle, which it checks twice, because a call that passed the gate before may still
//! submit. The backend holds the rest: on CUDA the driver, on CPUs the accesses to device memory
//! (`cpu/runtime/snapshot.rs`).

mod callback;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crossbeam_utils::atomic::AtomicCell;

use self::callback::{Stage, notify};
pub use self::callback::{register, unregister};
use crate::algo::thread::pause::pause;
use crate::backend::{self, Fault, FaultKind, Wait, thread_number};
use crate::base::callback::running;
use crate::base::error::{Code, Error, Result, arguments, error_with, invalid_param, param_invalid, unsupported};
use crate::base::gate;
use crate::base::handles::Object;
use crate::memory::allocation::Allocation;
use crate::memory::{ipc, virtual_memory};
use crate::runtime::{self, Session, thread};
use crate::stream::Stream;

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessState {
    Running,
    Locked,
    BackedUp,
    /// A call is changing the state, and holds no lock.
    Changing,
}

static STATE: AtomicCell<ProcessState> = AtomicCell::new(ProcessState::Running);

/// The thread that has locked the process; 0: none.
static LOCKED_BY: AtomicU32 = AtomicU32::new(0);

/// Calls that pass a held gate: they start no work, and may be needed to complete pending work.
const PASS: [&str; 8] = [
    "aclrtSnapShotProcessLock",
    "aclrtSnapShotProcessUnlock",
    "aclrtSnapShotProcessBackup",
    "aclrtSnapShotProcessRestore",
    "aclrtSnapShotCallbackRegister",
    "aclrtSnapShotCallbackUnregister",
    // Pending work may wait for these calls.
    "aclrtProcessReport",
    "aclrtProcessHostFunc",
];

/// Called when a call has found the gate held. Waits until the process is unlocked, unless the call may pass.
#[cold]
pub fn pass_gate(call: &str) -> Result<()> {
    // Host functions may not start work, and the lock waits for them.
    if !gate::is(gate::HELD) || PASS.contains(&call) || backend::inside_host_function() {
        return Ok(());
    }
    if running() == Some(callback::KIND) {
        return Err(param_invalid!(
            "this call would wait forever inside a callback of a snapshot while the process is locked; make it at \
             stage ACL_RT_SNAPSHOT_LOCK_PRE or ACL_RT_SNAPSHOT_UNLOCK_POST"
        ));
    }
    if LOCKED_BY.load(Ordering::Relaxed) == thread_number() {
        return Err(param_invalid!(
            "this thread has locked the process (aclrtSnapShotProcessLock), so this call would wait forever; call \
             aclrtSnapShotProcessUnlock first (after aclrtSnapShotProcessRestore if memory was backed up)"
        ));
    }
    gate::wait();
    Ok(())
}

/// A change of the state by a call. The state is this one at its end.
struct Transition(ProcessState);

impl Transition {
    /// Fails with `code` during another change, or if the state is not `from`.
    fn begin(from: ProcessState, code: Code) -> Result<Self> {
        let begun = STATE.compare_exchange(from, ProcessState::Changing);
        begun.map(Self).map_err(|now| {
            let why = match now {
                ProcessState::Running => {
                    "the process is not locked: call aclrtSnapShotProcessLock first, and before a restore also \
                     aclrtSnapShotProcessBackup"
                }
                ProcessState::Locked => {
                    "the process is locked: call aclrtSnapShotProcessUnlock before another lock, or \
                     aclrtSnapShotProcessBackup before a restore"
                }
                ProcessState::BackedUp => "the process is backed up: call aclrtSnapShotProcessRestore first",
                ProcessState::Changing => {
                    "another snapshot call has not returned yet; make this call after it returns, and not inside a \
                     snapshot callback"
                }
            };
            Error::new(code, why)
        })
    }
}

impl Drop for Transition {
    fn drop(&mut self) {
        STATE.store(self.0);
    }
}

/// Does the checks that all calls make first. `argument` is the result of checking another argument. A snapshot is of
/// the calling process only.
fn check_call(pid: i32, argument: Result<()>) -> Result<()> {
    thread::refuse_inside_host_function()?;
    argument?;
    let own = std::process::id();
    ensure!(pid > 0, invalid_param!("pid is {pid}; it must be greater than 0: the id of this process, {own}"));
    if pid as u32 != own {
        return Err(unsupported!(
            "pid is {pid}, but this process is {own}: a process takes snapshots of itself only; make the call in \
             process {pid}"
        ));
    }
    Ok(())
}

/// Returns a backend's fault as an error with `code`, unless it means that something is not supported.
fn failed(code: Code, fault: &Fault) -> Error {
    let code = if fault.kind() == FaultKind::Unsupported { Code::FeatureNotSupport } else { code };
    Error::new(code, fault.text())
}

/// Implements aclrtSnapShotProcessLock. `reserve`: an error if that argument is not null.
pub fn lock(pid: i32, reserve: Result<()>) -> Result<()> {
    check_call(pid, reserve)?;
    let mut change = Transition::begin(ProcessState::Running, Code::SnapshotLockFailed)?;
    if !runtime::session()?.driver.has_snapshots() {
        return Err(unsupported!(
            "this driver has no cuCheckpointProcessLock, which snapshots need; use a newer driver (NVIDIA's from \
             release 570 on), or copy the data to the host"
        ));
    }
    notify(Stage::LockPre)?;
    let session = runtime::session()?;
    let deadline = Instant::now() + session.snapshot_timeout;
    LOCKED_BY.store(thread_number(), Ordering::Relaxed);
    gate::hold();
    let locked = drain(&session, deadline).and_then(|()| {
        let left = deadline.saturating_duration_since(Instant::now());
        let held = session.driver.hold_process(left.max(Duration::from_millis(1)));
        held.map_err(|fault| {
            if fault.kind() == FaultKind::WaitTimedOut {
                Error::new(Code::SnapshotLockTimeout, fault.text())
            } else {
                failed(Code::SnapshotLockFailed, &fault)
            }
        })
    });
    match locked {
        Ok(()) => change.0 = ProcessState::Locked,
        Err(_) => release(),
    }
    locked
}

fn release() {
    LOCKED_BY.store(0, Ordering::Relaxed);
    gate::open();
}

/// Waits until no work is pending and no call is inside. Calls that passed the gate before it was held may still submit
/// work: this ends when two checks, with a pause between them, find nothing new.
fn drain(session: &Session, deadline: Instant) -> Result<()> {
    /// The pause between the checks. Calls that do not wait leave the library much faster.
    const PAUSE: Duration = Duration::from_millis(1);
    let mut before = None;
    loop {
        let streams: Vec<_> = Stream::table().live().collect();
        for (_, stream) in &streams {
            let waited = stream
                .wait(Some(deadline))
                .map_err(|error| error_with!(Code::SnapshotLockFailed, "{}", error.text()))?;
            if waited != Wait::Done {
                let (id, device, patience) = (stream.id, stream.device.id, session.snapshot_timeout.as_millis());
                return Err(error_with!(
                    Code::SnapshotLockTimeout,
                    "stream number {id} of device {device} has pending work after {patience} ms; before the lock, make \
                     the calls that this work waits for, or set a larger PORTACL_SNAPSHOT_TIMEOUT_MS"
                ));
            }
        }
        let now: Vec<_> = streams.iter().map(|(handle, stream)| (*handle, stream.native().submitted())).collect();
        drop(streams);
        if before.as_ref() == Some(&now) {
            return Ok(());
        }
        before = Some(now);
        pause(PAUSE);
    }
}

/// Implements aclrtSnapShotProcessUnlock. `reserve`: an error if that argument is not null.
pub fn unlock(pid: i32, reserve: Result<()>) -> Result<()> {
    check_call(pid, reserve)?;
    let mut change = Transition::begin(ProcessState::Locked, Code::SnapshotUnlockFailed)?;
    let session = runtime::session()?;
    let released = session.driver.release_process();
    released.map_err(|fault| failed(Code::SnapshotUnlockFailed, &fault))?;
    drop(session);
    change.0 = ProcessState::Running;
    release();
    notify(Stage::UnlockPost)
}

/// Implements aclrtSnapShotProcessBackup.
pub fn back_up(pid: i32, flags: u32) -> Result<()> {
    check_call(pid, arguments::no_flags("args->backupFlags", flags))?;
    let _memory = Allocation::claim_lists()?;
    let mut change = Transition::begin(ProcessState::Locked, Code::SnapshotBackupFailed)?;
    notify(Stage::BackupPre)?;
    if ipc::exports_any() || virtual_memory::exports_any() {
        return Err(unsupported!(
            "this process has exported memory (aclrtIpcMemGetExportKey, aclrtMemExportToShareableHandle), and the \
             importing processes would lose it; unlock the process, close the keys (aclrtIpcMemClose), free the memory \
             with shareable handles, and lock the process again"
        ));
    }
    let session = runtime::session()?;
    // Address and length of memory of devices that the host uses at the same address, even while calls are held.
    let managed = Allocation::all().filter(|found| found.kind.is_managed());
    let managed: Vec<_> = managed.map(|found| (found.base, found.block().len)).collect();
    if let Err(fault) = session.driver.save_memory(&managed) {
        // The previously saved memory is restored.
        if session.driver.restore_memory().is_err() {
            change.0 = ProcessState::BackedUp;
        }
        return Err(failed(Code::SnapshotBackupFailed, &fault));
    }
    change.0 = ProcessState::BackedUp;
    notify(Stage::BackupPost)
}

/// Implements aclrtSnapShotProcessRestore.
pub fn restore(pid: i32, flags: u32) -> Result<()> {
    check_call(pid, arguments::no_flags("args->restoreFlags", flags))?;
    let mut change = Transition::begin(ProcessState::BackedUp, Code::SnapshotRestoreFailed)?;
    notify(Stage::RestorePre)?;
    let restored = runtime::session()?.driver.restore_memory();
    restored.map_err(|fault| failed(Code::SnapshotRestoreFailed, &fault))?;
    change.0 = ProcessState::Locked;
    notify(Stage::RestorePost)
}
