//! The program's callbacks at the stages of a snapshot.

use std::cell::Cell;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::thread::per_thread::per_thread;
use crate::core::base::callback;
use crate::core::base::error::{Code, Result, arguments, error_with, param_invalid};
use crate::core::runtime;

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
        arguments::numbered("stage", number, &Self::ALL, "the values of aclrtSnapShotStage, 0 to 5")
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

static CALLBACKS: Mutex<Vec<(Stage, Callback)>> = Mutex::new(Vec::new());

per_thread! {
    /// This thread is in a callback of a snapshot.
    static IN_CALLBACK: Cell<bool> = Cell::new(false);
}

/// Whether this thread is in a callback of a snapshot.
pub fn is_inside() -> bool {
    IN_CALLBACK.get()
}

/// Calls the callbacks of a stage, in the order of their registration, each for all devices in use. A failure before a
/// stage prevents it and ends the loop; after a stage all are called.
pub fn notify(stage: Stage) -> Result<()> {
    let wanted = |(at, callback): &(Stage, Callback)| (*at == stage).then(|| callback.clone());
    let callbacks: Vec<_> = CALLBACKS.lock().iter().filter_map(wanted).collect();
    let mut outcome = Ok(());
    for callback in callbacks {
        for id in runtime::open_devices() {
            let outer = IN_CALLBACK.replace(true);
            let code = callback::run("callback of a snapshot", || (callback.call)(id as i32));
            IN_CALLBACK.set(outer);
            if code == 0 {
                continue;
            }
            let failure = error_with!(
                Code::SnapshotCallbackFailed,
                "the callback {:#x} for stage {stage:?} returned {code} for device {id}, not 0",
                callback.address
            );
            ensure!(!stage.is_before(), failure);
            outcome = outcome.and(Err(failure));
        }
    }
    outcome
}

/// aclrtSnapShotCallbackRegister.
pub fn register(stage: i32, callback: Callback) -> Result<()> {
    let stage = Stage::from_number(stage)?;
    let mut callbacks = CALLBACKS.lock();
    let same = |(at, other): &(Stage, Callback)| *at == stage && other.address == callback.address;
    if callbacks.iter().any(same) {
        return Err(error_with!(
            Code::SnapshotRegisterCallbackFailed,
            "callback {:#x} is registered already for stage {stage:?}; take it back first",
            callback.address
        ));
    }
    callbacks.push((stage, callback));
    Ok(())
}

/// aclrtSnapShotCallbackUnregister.
pub fn unregister(stage: i32, address: usize) -> Result<()> {
    let stage = Stage::from_number(stage)?;
    // Dropped after the lock.
    let gone = CALLBACKS.lock().extract_if(.., |(at, other)| *at == stage && other.address == address).next();
    gone.map(drop).ok_or_else(|| param_invalid!("callback {address:#x} is not registered for stage {stage:?}"))
}
