//! Releases memory, mappings, modules and graphs to the driver when no pending work uses them any more.
//!
//! A free must not wait, because pending work may wait for the caller. But `cuMemFree` and `cuMemFreeHost` can wait for
//! everything that runs. So while a stream is busy, a block stays here, with a mark in each busy stream. A later call
//! releases it when all streams are idle. If memory runs out or [`MOST_KEPT`] bytes were freed, the call releases it
//! when all its marks are complete. No capture of another library captures a free, because the thread is outside of
//! captures while it frees.
//!
//! The call that releases past marks does not do so while a stream waits for the program, because the driver would wait
//! for that stream. The driver does not remember freed memory: an address near memory from the driver, which the driver
//! does not know and the host cannot read (`backend/base/probe.rs`), is stale. What a release reports that no call can
//! return is returned by the next teardown of the device.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::algo::map::typed_slots::Key;
use crate::algo::thread::pause::Backoff;
use crate::backend::{Position, Result};
use crate::runtime::{DeviceState, DriverState, OutsideCaptures};
use crate::stream::mark::Mark;
use crate::stream::state::StreamState;

/// The number of freed bytes after which a call releases those that no work uses, although the driver may wait for
/// other work.
const MOST_KEPT: usize = 256 << 20;

/// The entries that wait to be released.
#[derive(Default)]
struct Pending {
    entries: Mutex<Vec<PendingRelease>>,
    /// The number of bytes that were added since they were last compared with [`MOST_KEPT`].
    kept: AtomicUsize,
    /// The lock of the thread that checks the entries. An allocation that needs the memory waits for it; other calls do
    /// not.
    reaping: Mutex<()>,
}

/// An object to release, see [`release`].
pub(crate) struct Release {
    /// The device that the object belongs to. `None`: host memory, which work of every device may use.
    pub device: Option<Arc<DeviceState>>,
    /// Whether streams of other devices may use the object as well, if they have work for several devices.
    pub is_shared: bool,
    /// Whether the driver may wait for running work before it releases the object.
    pub may_wait: bool,
    /// The number of bytes that are released to the driver.
    pub bytes: usize,
    /// The addresses, if the object is a mapping.
    pub mapping: Range<usize>,
}

impl Release {
    /// Describes an object of this device, or of the host. Work that crosses devices may use it, and the driver may
    /// wait.
    pub(crate) fn new(device: Option<&Arc<DeviceState>>) -> Self {
        Self { device: device.cloned(), is_shared: true, may_wait: true, bytes: 0, mapping: 0..0 }
    }

    /// Whether the object belongs to this device.
    fn is_of(&self, owner: &DeviceState) -> bool {
        self.device.as_ref().is_some_and(|device| std::ptr::eq(&**device, owner))
    }
}

/// The function that releases an object to the driver, see [`release`].
type Now = dyn FnOnce(&DriverState, bool) -> Result<()> + Send;

struct PendingRelease {
    release: Release,
    now: Box<Now>,
    marks: Vec<StreamPosition>,
}

/// A position that a stream must reach, and the mark that follows it. Without a mark the entry stays until all streams
/// are idle.
type StreamPosition = (Arc<StreamState>, Position, Option<Mark>);

/// Puts a mark into every busy stream whose work may use this memory.
fn mark_busy_streams(driver: &DriverState, release: &Release) -> Vec<StreamPosition> {
    let mut marks = Vec::new();
    // Work of another device is no reason to keep device memory, nor to keep the device open.
    let may_use = |stream: &Arc<StreamState>| {
        release.device.is_none() || release.is_of(&stream.device) || release.is_shared && stream.crosses()
    };
    for stream in driver.streams_with_work().into_iter().filter(may_use) {
        let position = stream.submitted();
        let mark = stream.while_alive(|stream| match stream.is_idle().or_else(|_| stream.is_idle()) {
            // A device that failed runs nothing any more. One failed query is no failure of the device.
            Ok(true) | Err(_) => None,
            Ok(false) => Some(stream.mark().ok()),
        });
        if let Some(mark) = mark.flatten() {
            marks.push((stream, position, mark));
        }
    }
    marks
}

fn are_past(marks: &[StreamPosition]) -> bool {
    marks.iter().all(|(stream, position, mark)| {
        let past = mark.as_ref().is_some_and(Mark::is_past);
        if past {
            stream.note_finished(*position);
        }
        past
    })
}

/// Whether some work waits for the program, so that the driver may not wait for it.
fn depends_on_program(driver: &DriverState) -> bool {
    driver.streams_with_work().iter().any(|stream| stream.depends_on_program() && !stream.is_drained())
}

impl Pending {
    /// Releases what can be released without a wait for pending work.
    fn reap(&self, driver: &DriverState) {
        if let Some(_reaping) = self.reaping.try_lock() {
            self.release_ready(driver, false);
        }
    }

    /// Releases everything that no pending work uses. With `may_wait`, does so even if the driver waits for other work.
    fn release_ready(&self, driver: &DriverState, may_wait: bool) {
        let _outside = OutsideCaptures::enter(&driver.api);
        let entries = std::mem::take(&mut *self.entries.lock());
        // The check follows the removal of the entries: everything that was enqueued before them is then complete.
        let idle = driver.all_drained();
        let over_limit = !may_wait && self.is_over_limit(driver, &entries);
        let may_wait = may_wait || over_limit;
        let (ready, waiting): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| {
            let wanted = may_wait || !entry.release.may_wait;
            idle || wanted && are_past(&entry.marks)
        });
        self.entries.lock().extend(waiting);
        let mut count = 0;
        for entry in ready {
            // A release before this one may have waited, and a stream may wait for the program since then.
            if over_limit && !idle && entry.release.may_wait && depends_on_program(driver) {
                self.entries.lock().push(entry);
                continue;
            }
            count += 1;
            // The call that freed the block has returned.
            driver.note_refusal((entry.now)(driver, true));
        }
        driver.pending_count.fetch_sub(count, Ordering::Relaxed);
    }

    /// Whether much was freed since the last check, and the driver would not wait for work that waits for the program.
    fn is_over_limit(&self, driver: &DriverState, entries: &[PendingRelease]) -> bool {
        // Relaxed, and in two steps: one thread at a time is here.
        if self.kept.load(Ordering::Relaxed) < MOST_KEPT {
            return false;
        }
        // The count is reset whatever the result is, because a check queries the driver for every entry.
        self.kept.store(0, Ordering::Relaxed);
        // The marks show the progress of a stream that is never idle.
        for entry in entries {
            are_past(&entry.marks);
        }
        !depends_on_program(driver)
    }
}

static PENDING: Key<Pending> = Key::new();

fn of(driver: &DriverState) -> &Pending {
    PENDING.of(&driver.features)
}

/// Returns the number of pending blocks of this driver, including those that a thread has removed to check them.
pub(crate) fn count(driver: &DriverState) -> usize {
    driver.pending_count.load(Ordering::Relaxed)
}

/// Releases what pending work no longer uses, without waiting.
pub(crate) fn reap(driver: &DriverState) {
    driver.sweep_streams();
    if count(driver) > 0 {
        of(driver).reap(driver);
    }
}

/// Releases as [`reap`] does, even if the driver waits for other work.
pub(crate) fn reap_all(driver: &DriverState) {
    driver.sweep_streams();
    if count(driver) > 0 {
        let pending = of(driver);
        let _reaping = pending.reaping.lock();
        pending.release_ready(driver, true);
    }
}

/// Whether two ranges have something in common.
pub(crate) fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Waits until no mapping in this range is pending.
pub(crate) fn wait_for_mappings(driver: &DriverState, addr: usize, len: usize) {
    let (pending, mut sleeps) = (of(driver), Backoff::default());
    loop {
        if count(driver) > 0 {
            pending.reap(driver);
        }
        let _reaping = pending.reaping.lock();
        if !pending.entries.lock().iter().any(|entry| overlap(&entry.release.mapping, &(addr..addr + len))) {
            return;
        }
        drop(_reaping);
        sleeps.sleep(Duration::MAX);
    }
}

/// Whether memory on this device is pending.
pub(crate) fn has_any_of(device: &DeviceState) -> bool {
    let pending = of(&device.driver);
    let _reaping = pending.reaping.lock();
    pending.entries.lock().iter().any(|entry| entry.release.is_of(device))
}

/// Releases an object: now, or later if a stream has work that may use it. `now` releases it to the driver when no
/// pending work uses it any more. Its argument is true if it runs later: then no call can return that the driver has
/// refused.
pub(crate) fn release(
    driver: &DriverState,
    release: Release,
    now: impl FnOnce(&DriverState, bool) -> Result<()> + Send + 'static,
) -> Result<()> {
    reap(driver);
    let _outside = OutsideCaptures::enter(&driver.api);
    let marks = mark_busy_streams(driver, &release);
    if marks.is_empty() {
        return now(driver, false);
    }
    let pending = of(driver);
    // Relaxed: a thread that misses some bytes counts them the next time.
    pending.kept.fetch_add(release.bytes, Ordering::Relaxed);
    pending.entries.lock().push(PendingRelease { release, now: Box::new(now), marks });
    // Relaxed: the count is a hint. A thread that misses it checks again in its next call.
    driver.pending_count.fetch_add(1, Ordering::Relaxed);
    Ok(())
}
