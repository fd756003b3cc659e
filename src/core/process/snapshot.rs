//! Snapshots: the process is stopped, and the memory of its devices is saved in host memory and restored.
//!
//! Running, locked, backed up, locked, running: only in this order. While it is locked, calls wait at the [`gate`].
//! Calls by the thread that has locked the process, and by callbacks of the snapshot, are refused instead, because no
//! other thread would open the gate.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::algo::thread::pause::pause;
use crate::algo::thread::per_thread::per_thread;
use crate::backend::{self, Fault, FaultKind, Wait, thread_number};
use crate::core::base::callback;
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::gate;
use crate::core::base::handles::Object;
use crate::core::memory::allocation::{Allocation, Kind};
use crate::core::memory::ipc;
use crate::core::memory::virtual_memory;
use crate::core::runtime::thread;
use crate::core::runtime::{self, Session};
use crate::core::stream::Stream;

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Locked,
    BackedUp,
}

/// The stage at which a callback of the program runs, an `aclrtSnapShotStage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Before the process is locked.
    LockPre,
    /// Before memory is saved.
    BackupPre,
    /// After that.
    BackupPost,
    /// Before memory is restored.
    RestorePre,
    /// After that.
    RestorePost,
    /// After the process was unlocked.
    UnlockPost,
}

impl Stage {
    const ALL: [Self; 6] =
        [Self::LockPre, Self::BackupPre, Self::BackupPost, Self::RestorePre, Self::RestorePost, Self::UnlockPost];

    fn from_number(number: i32) -> Result<Self> {
        let found = usize::try_from(number).ok().and_then(|number| Self::ALL.get(number));
        found.copied().ok_or_else(|| {
            Error::invalid_param(format_args!("stage is {number}; allowed: the values of aclrtSnapShotStage, 0 to 5"))
        })
    }

    /// Whether the callback can prevent the stage.
    fn is_before(self) -> bool {
        matches!(self, Self::LockPre | Self::BackupPre | Self::RestorePre)
    }
}

/// A callback of the program.
#[derive(Clone)]
pub struct Callback {
    /// Its address, which identifies it.
    pub address: usize,
    /// Calls it with the id of a device; 0 is success.
    pub call: Arc<dyn Fn(i32) -> u32 + Send + Sync>,
}

struct Process {
    state: State,
    /// A call changes the state now; it holds no lock.
    changing: bool,
    callbacks: Vec<(Stage, Callback)>,
}

static PROCESS: Mutex<Process> = Mutex::new(Process { state: State::Running, changing: false, callbacks: Vec::new() });

/// The thread that has locked the process; 0: none.
static LOCKED_BY: AtomicU32 = AtomicU32::new(0);

per_thread! {
    /// This thread is in a callback of a snapshot while the process is locked.
    static IN_CALLBACK: Cell<bool> = Cell::new(false);
}

/// Calls that pass a held gate: they start no work, and may be needed to complete pending work.
const PASS: [&str; 8] = [
    "aclrtSnapShotProcessLock",
    "aclrtSnapShotProcessUnlock",
    "aclrtSnapShotProcessBackup",
    "aclrtSnapShotProcessRestore",
    "aclrtSnapShotCallbackRegister",
    "aclrtSnapShotCallbackUnregister",
    // Pending work may wait for these.
    "aclrtProcessReport",
    "aclrtProcessHostFunc",
];

/// A call has found the gate held: it continues when the process is unlocked.
#[cold]
pub fn pass_gate(call: &str) -> Result<()> {
    // Host functions may not start work, and the lock waits for them.
    if !gate::is_held() || PASS.contains(&call) || backend::inside_host_function() {
        return Ok(());
    }
    if IN_CALLBACK.get() {
        return Err(Error::param_invalid(
            "called inside a callback of a snapshot, while the process is locked, where it would wait for ever; \
             do it at ACL_RT_SNAPSHOT_LOCK_PRE or ACL_RT_SNAPSHOT_UNLOCK_POST",
        ));
    }
    if LOCKED_BY.load(Ordering::Relaxed) == thread_number() {
        return Err(Error::param_invalid(
            "this thread has locked the process (aclrtSnapShotProcessLock), and would wait for itself; call \
             aclrtSnapShotProcessUnlock first, after aclrtSnapShotProcessRestore where memory was backed up",
        ));
    }
    gate::wait();
    Ok(())
}

/// A call that changes the state; dropped at its end.
struct Change;

impl Change {
    /// Fails with `code` during another change, or if the state is not `from`.
    fn begin(from: State, code: Code) -> Result<Self> {
        let mut process = PROCESS.lock();
        if process.changing {
            return Err(Error::new(
                code,
                "another snapshot call is under way, or this comes from one of its callbacks; wait for its end",
            ));
        }
        if process.state != from {
            let now = match process.state {
                State::Running => "running: call aclrtSnapShotProcessLock first",
                State::Locked => "locked: call aclrtSnapShotProcessUnlock, or aclrtSnapShotProcessBackup",
                State::BackedUp => "backed up: call aclrtSnapShotProcessRestore first",
            };
            return Err(Error::new(code, format_args!("the process is {now}")));
        }
        process.changing = true;
        Ok(Self)
    }

    fn to(&self, state: State) {
        PROCESS.lock().state = state;
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        PROCESS.lock().changing = false;
    }
}

/// A snapshot is of the calling process only.
fn check_process(pid: i32) -> Result<()> {
    if pid <= 0 {
        return Err(Error::invalid_param(format_args!("pid is {pid}; it must be the number of a process, above 0")));
    }
    let own = std::process::id();
    if pid as u32 != own {
        return Err(Error::unsupported(format_args!(
            "pid is {pid}, and this process is {own}: a process takes snapshots of itself only; have process {pid} \
             make the call"
        )));
    }
    Ok(())
}

/// A backend's fault as an error with `code`, unless it means that something is not supported.
fn failed(code: Code, fault: &Fault) -> Error {
    let code = match fault.kind() {
        FaultKind::Unsupported => Code::FeatureNotSupport,
        _ => code,
    };
    Error::new(code, fault.text())
}

/// Calls the callbacks of a stage, in the order of their registration, each for all devices in use. A failure before a
/// stage prevents it and ends the loop; after a stage all are called.
fn notify(stage: Stage) -> Result<()> {
    let callbacks: Vec<_> = {
        let process = PROCESS.lock();
        let wanted = process.callbacks.iter().filter(|(at, _)| *at == stage);
        wanted.map(|(_, callback)| callback.clone()).collect()
    };
    let mut outcome = Ok(());
    for callback in callbacks {
        for id in devices_in_use() {
            let outer = IN_CALLBACK.replace(true);
            let code = callback::run("callback of a snapshot", || (callback.call)(id));
            IN_CALLBACK.set(outer);
            if code == 0 {
                continue;
            }
            let failure = Error::new(
                Code::SnapshotCallbackFailed,
                format_args!(
                    "the callback {:#x} for stage {stage:?} returned {code} for device {id}, not 0",
                    callback.address
                ),
            );
            if stage.is_before() {
                return Err(failure);
            }
            outcome = outcome.and(Err(failure));
        }
    }
    outcome
}

/// Held briefly, because the callbacks may reset them.
fn devices_in_use() -> Vec<i32> {
    let Some(session) = runtime::existing_session() else { return Vec::new() };
    let devices = session.devices.iter().enumerate();
    devices.filter(|(_, slot)| slot.device().is_some()).map(|(id, _)| id as i32).collect()
}

/// aclrtSnapShotProcessLock.
pub fn lock(pid: i32, has_reserve: bool) -> Result<()> {
    thread::refuse_inside_host_function()?;
    if has_reserve {
        return Err(Error::invalid_param("reserve is not null; it must be"));
    }
    check_process(pid)?;
    let change = Change::begin(State::Running, Code::SnapshotLockFailed)?;
    if !runtime::session()?.driver.has_snapshots() {
        return Err(Error::unsupported(
            "this driver has no cuCheckpointProcessLock, by which a process gives up a GPU and has it back; use a \
             newer one (NVIDIA's since release 570 have it), or copy what is to be kept to the host",
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
        held.map_err(|fault| match fault.kind() {
            FaultKind::WaitTimedOut => Error::new(Code::SnapshotLockTimeout, fault.text()),
            _ => failed(Code::SnapshotLockFailed, &fault),
        })
    });
    match locked {
        Ok(()) => change.to(State::Locked),
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
    /// Calls that do not wait have left the library long before.
    const PAUSE: Duration = Duration::from_millis(1);
    let mut before = None;
    loop {
        let streams = Stream::table().snapshot();
        for (_, stream) in &streams {
            let waited = stream
                .wait(Some(deadline))
                .map_err(|error| Error::new(Code::SnapshotLockFailed, format_args!("{}", error.text())))?;
            if waited != Wait::Done {
                let (id, device, patience) = (stream.id, stream.device.id, session.snapshot_timeout.as_millis());
                return Err(Error::new(
                    Code::SnapshotLockTimeout,
                    format_args!(
                        "stream {id} of device {device} is not done after {patience} ms; see that its work ends \
                         without further calls, or set PORTACL_SNAPSHOT_TIMEOUT_MS"
                    ),
                ));
            }
        }
        let now: Vec<_> = streams.iter().map(|(handle, stream)| (*handle, stream.submitted())).collect();
        drop(streams);
        if before.as_ref() == Some(&now) {
            return Ok(());
        }
        before = Some(now);
        pause(PAUSE);
    }
}

/// aclrtSnapShotProcessUnlock.
pub fn unlock(pid: i32, has_reserve: bool) -> Result<()> {
    thread::refuse_inside_host_function()?;
    if has_reserve {
        return Err(Error::invalid_param("reserve is not null; it must be"));
    }
    check_process(pid)?;
    let change = Change::begin(State::Locked, Code::SnapshotUnlockFailed)?;
    let session = runtime::session()?;
    let released = session.driver.release_process();
    released.map_err(|fault| failed(Code::SnapshotUnlockFailed, &fault))?;
    drop(session);
    change.to(State::Running);
    release();
    notify(Stage::UnlockPost)
}

/// aclrtSnapShotProcessBackup.
pub fn back_up(pid: i32, flags: u32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    check_flags("backupFlags", flags)?;
    check_process(pid)?;
    let change = Change::begin(State::Locked, Code::SnapshotBackupFailed)?;
    notify(Stage::BackupPre)?;
    if ipc::exports_any() || virtual_memory::exports_any() {
        return Err(Error::unsupported(
            "memory of this process is exported (aclrtIpcMemGetExportKey, aclrtMemExportToShareableHandle), and who \
             has it would see it go; close the keys (aclrtIpcMemClose) and free what was exported first",
        ));
    }
    let session = runtime::session()?;
    if let Err(fault) = session.driver.save_memory(&used_by_the_host()) {
        // The previously saved memory is restored.
        if session.driver.restore_memory().is_err() {
            change.to(State::BackedUp);
        }
        return Err(failed(Code::SnapshotBackupFailed, &fault));
    }
    change.to(State::BackedUp);
    notify(Stage::BackupPost)
}

/// Memory of devices that the host uses at the same address, even while calls are held: address and length.
fn used_by_the_host() -> Vec<(usize, usize)> {
    let all = Allocation::all();
    let managed = all.iter().filter(|found| matches!(found.kind, Kind::Managed(_)));
    managed.map(|found| (found.base, found.block().len)).collect()
}

fn check_flags(argument: &str, flags: u32) -> Result<()> {
    match flags {
        0 => Ok(()),
        _ => Err(Error::invalid_param(format_args!("args->{argument} is {flags:#x}; it must be 0"))),
    }
}

/// aclrtSnapShotProcessRestore.
pub fn restore(pid: i32, flags: u32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    check_flags("restoreFlags", flags)?;
    check_process(pid)?;
    let change = Change::begin(State::BackedUp, Code::SnapshotRestoreFailed)?;
    notify(Stage::RestorePre)?;
    let restored = runtime::session()?.driver.restore_memory();
    restored.map_err(|fault| failed(Code::SnapshotRestoreFailed, &fault))?;
    change.to(State::Locked);
    notify(Stage::RestorePost)
}

/// aclrtSnapShotCallbackRegister.
pub fn register(stage: i32, callback: Callback) -> Result<()> {
    let stage = Stage::from_number(stage)?;
    let mut process = PROCESS.lock();
    let same = |(at, other): &(Stage, Callback)| *at == stage && other.address == callback.address;
    if process.callbacks.iter().any(same) {
        return Err(Error::new(
            Code::SnapshotRegisterCallbackFailed,
            format_args!(
                "callback {:#x} is registered already for stage {stage:?}; take it back first",
                callback.address
            ),
        ));
    }
    process.callbacks.push((stage, callback));
    Ok(())
}

/// aclrtSnapShotCallbackUnregister.
pub fn unregister(stage: i32, address: usize) -> Result<()> {
    let stage = Stage::from_number(stage)?;
    let mut process = PROCESS.lock();
    let place = process.callbacks.iter().position(|(at, other)| *at == stage && other.address == address);
    let place = place.ok_or_else(|| {
        Error::param_invalid(format_args!("callback {address:#x} is not registered for stage {stage:?}"))
    })?;
    let gone = process.callbacks.remove(place);
    drop(process);
    drop(gone);
    Ok(())
}
