//! The program's callbacks at the stages of a snapshot.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::callback;
use crate::base::error::{Code, Result, arguments, error_with, param_invalid};
use crate::runtime::device;

/// The stage at which a callback of the program runs, an `aclrtSnapShotStage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Before the process is locked.
    LockPre,
    /// Before memory is saved.
    BackupPre,
    /// After memory was saved.
    BackupPost,
    /// Before memory is restored.
    RestorePre,
    /// After memory was restored.
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

    fn name(self) -> &'static str {
        match self {
            Self::LockPre => "ACL_RT_SNAPSHOT_LOCK_PRE",
            Self::BackupPre => "ACL_RT_SNAPSHOT_BACKUP_PRE",
            Self::BackupPost => "ACL_RT_SNAPSHOT_BACKUP_POST",
            Self::RestorePre => "ACL_RT_SNAPSHOT_RESTORE_PRE",
            Self::RestorePost => "ACL_RT_SNAPSHOT_RESTORE_POST",
            Self::UnlockPost => "ACL_RT_SNAPSHOT_UNLOCK_POST",
        }
    }

    /// Whether the callback can prevent the stage.
    fn is_before(self) -> bool {
        matches!(self, Self::LockPre | Self::BackupPre | Self::RestorePre)
    }
}

/// A callback of the program. It gets the id of a device, and returns 0 for success.
pub(super) type Callback = Arc<dyn Fn(i32) -> u32 + Send + Sync>;

/// The callbacks, with the stage and the address that identify each.
static CALLBACKS: Mutex<Vec<((Stage, usize), Callback)>> = Mutex::new(Vec::new());

/// The name of their kind in texts.
pub(super) const KIND: &str = "callback of a snapshot";

/// Calls the callbacks of a stage in the order of their registration, each for all devices in use. A failure before a
/// stage prevents the stage and ends the loop. After a stage all callbacks are called.
pub(super) fn notify(stage: Stage) -> Result<()> {
    let callbacks: Vec<_> = CALLBACKS.lock().iter().filter(|((at, _), _)| *at == stage).cloned().collect();
    let mut outcome = Ok(());
    for ((_, address), callback) in callbacks {
        for id in device::open_ids() {
            let code = callback::run(KIND, || callback(id as i32));
            if code == 0 {
                continue;
            }
            let effect = if stage.is_before() { "the call has changed nothing" } else { "the call has taken effect" };
            let failure = error_with!(
                Code::SnapshotCallbackFailed,
                "the callback {address:#x} for stage {} returned {code} instead of 0 for device {id}; {effect}",
                stage.name()
            );
            ensure!(!stage.is_before(), failure);
            outcome = outcome.and(Err(failure));
        }
    }
    outcome
}

/// Implements aclrtSnapShotCallbackRegister.
pub fn register(stage: i32, address: usize, callback: Callback) -> Result<()> {
    let stage = Stage::from_number(stage)?;
    let mut callbacks = CALLBACKS.lock();
    if callbacks.iter().any(|(id, _)| *id == (stage, address)) {
        return Err(error_with!(
            Code::SnapshotRegisterCallbackFailed,
            "callback {address:#x} is registered already for stage {}; unregister it first",
            stage.name()
        ));
    }
    callbacks.push(((stage, address), callback));
    Ok(())
}

/// Implements aclrtSnapShotCallbackUnregister.
pub fn unregister(stage: i32, address: usize) -> Result<()> {
    let stage = Stage::from_number(stage)?;
    // The callback is dropped after the lock is released.
    let gone = CALLBACKS.lock().extract_if(.., |(id, _)| *id == (stage, address)).next();
    gone.map(drop).ok_or_else(|| {
        param_invalid!(
            "callback {address:#x} is not registered for stage {}; pass a function and the stage of its registration",
            stage.name()
        )
    })
}
