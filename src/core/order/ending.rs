//! The ends of lanes, which may come after those of their streams.

use std::sync::{Arc, OnceLock};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::{LANES, Lane, USERS};
use crate::backend::Position;
use crate::core::base::owner::Owner;

/// Lanes of destroyed streams, with the position at which each ends. The host has not waited for it, and the lane may
/// outlive its device.
static ENDING: Mutex<Vec<(Arc<Lane>, Position)>> = Mutex::new(Vec::new());
/// Whether there are any. Waits of the host read it instead of taking the lock, which is slow if many threads do it.
static ARE_ENDING: AtomicBool = AtomicBool::new(false);

/// The stream accepts no more work; operations up to `kept` still run.
pub fn stream_ended(lane: &OnceLock<Arc<Lane>>, kept: Position) {
    if let Some(lane) = lane.get() {
        end_after(lane, kept);
        sweep();
    }
}

/// The streams of a device are destroyed. Running operations may go on and use memory of other devices.
pub fn device_ended(owner: Owner) {
    for (_, lane) in LANES.live() {
        if lane.owner == owner {
            end_after(&lane, lane.native.abandon());
        }
    }
    sweep();
}

/// The session is over, and with it all pools.
pub fn session_ended() {
    let ending = std::mem::take(&mut *ENDING.lock());
    ending.iter().for_each(|(lane, _)| end(lane));
}

/// Ends the lane once it is complete up to `kept`, unless it ends earlier already.
fn end_after(lane: &Arc<Lane>, kept: Position) {
    let mut ending = ENDING.lock();
    if !ending.iter().any(|(other, _)| Arc::ptr_eq(other, lane)) {
        ending.push((Arc::clone(lane), kept));
        ARE_ENDING.store(true, Ordering::Relaxed);
    }
}

/// Ends lanes that are complete.
pub(super) fn sweep() {
    // Relaxed: a thread that adds a lane sweeps after that itself.
    if !ARE_ENDING.load(Ordering::Relaxed) {
        return;
    }
    let mut over = Vec::new();
    let mut ending = ENDING.lock();
    ending.retain(|(lane, kept)| {
        let is_over = lane.native.finished() >= *kept;
        if is_over {
            over.push(Arc::clone(lane));
        }
        !is_over
    });
    ARE_ENDING.store(!ending.is_empty(), Ordering::Relaxed);
    drop(ending);
    over.iter().for_each(|lane| end(lane));
}

fn end(lane: &Lane) {
    // In this order: a lane that is not found counts as complete.
    LANES.remove(lane.key);
    if let Some(users) = USERS.get() {
        (users.forget_lane)(lane.key());
    }
}
