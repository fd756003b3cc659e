//! Releases memory, mappings, modules and graphs to the driver when no pending work uses them any more.
//!
//! A free must not wait, because pending work may wait for the caller. But `cuMemFree` and `cuMemFreeHost` can wait for
//! everything that runs. So while a stream is busy, a block stays here until each busy stream has passed the work that
//! was enqueued before the free. A later call releases it when all streams are idle. If memory runs out or
//! [`MOST_KEPT`] bytes were freed, the call releases it when the streams have passed that work.
//!
//! Frees share the positions that they wait for, and the marks of streams (`stream/state/marks.rs`): they form batches.
//! Small blocks wait for the positions at the next check, which is rare while it releases nothing. While a stream waits
//! for the program, a free makes no call of the driver, which could wait for that stream.
//!
//! The call that releases past marks does not do so while a stream waits for the program, because the driver would wait
//! for that stream. The driver does not remember freed memory: an address near memory from the driver, which the driver
//! does not know and the host cannot read (`backend/base/probe.rs`), is stale. What a release reports that no call can
//! return is returned by the next teardown of the device.

mod queues;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::Mutex;

use queues::{Lists, Queue};

use crate::algo::map::typed_slots::Key;
use crate::algo::thread::pause::Backoff;
use crate::backend::Result;
use crate::runtime::{DeviceState, DriverState};
use crate::stream::state::StreamState;

/// The number of freed bytes after which a call releases those that no work uses, although the driver may wait for
/// other work.
const MOST_KEPT: usize = 256 << 20;

/// The size in bytes of a block that is large enough to wait for exactly the work before its free.
const LARGE: usize = 1 << 20;

/// The objects that wait to be released.
#[derive(Default)]
struct Pending {
    lists: Mutex<Lists>,
    /// The lock of the thread that checks the lists. An allocation that needs the memory waits for it; other calls do
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
}

/// The function that releases an object to the driver, see [`release`].
type Now = dyn FnOnce(&DriverState, bool) -> Result<()> + Send;

struct PendingRelease {
    release: Release,
    now: Box<Now>,
}

/// Whether some work waits for the program, so that the driver may not wait for it.
fn depends_on_program(driver: &DriverState) -> bool {
    let dependent = driver.busy_streams(|stream| stream.depends_on_program() && !stream.is_known_idle());
    dependent.iter().any(|stream| stream.has_pending_calls() || !stream.is_drained())
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
        let streams = driver.streams_with_work();
        let (busy, may_record) = (streams.len(), !any_held(&streams));
        self.close_batches(driver, may_record);
        let are_all_past = self.collect_unused(may_record);
        let idle = are_all_past && driver.all_drained();
        let over_limit = !may_wait && self.is_over_limit(driver);
        let mut count = 0;
        for entry in self.take_ready(|entry| idle || may_wait || over_limit || !entry.release.may_wait) {
            // A release before this one may have waited, and a stream may wait for the program since then.
            if over_limit && !idle && entry.release.may_wait && depends_on_program(driver) {
                let users = entry.release.users();
                self.lists.lock().queue(users).unused.push(entry);
                continue;
            }
            count += 1;
            let mapping = entry.release.mapping.start;
            // The call that freed the block has returned.
            driver.note_refusal((entry.now)(driver, true));
            if mapping != 0 {
                self.lists.lock().mappings.remove(&mapping);
            }
        }
        self.lists.lock().checked(busy, count > 0);
        driver.pending_count.fetch_sub(count, Ordering::Relaxed);
    }

    /// Lets the objects without positions wait for the present ones.
    fn close_batches(&self, driver: &DriverState, may_record: bool) {
        let take = |queue: &mut Queue| {
            (!queue.open.is_empty()).then(|| (queue.users.clone(), std::mem::take(&mut queue.open)))
        };
        let opened: Vec<_> = self.lists.lock().queues.iter_mut().filter_map(take).collect();
        for (users, entries) in opened {
            // The positions are read after the removal of the entries, so they follow all frees.
            let positions = users.positions(driver.streams_with_work(), may_record);
            self.lists.lock().queue(users).add(entries, positions);
        }
    }

    /// Finds the objects that no work uses any more. Returns whether that are all.
    fn collect_unused(&self, may_record: bool) -> bool {
        let (mut are_all_past, count) = (true, self.lists.lock().queues.len());
        for place in 0..count {
            // The lists are not locked while the driver is queried.
            let next = || self.lists.lock().queues[place].batches.pop_front();
            while let Some(mut batch) = next() {
                let is_past = batch.is_past(may_record);
                let queue = &mut self.lists.lock().queues[place];
                if !is_past {
                    queue.batches.push_front(batch);
                    are_all_past = false;
                    break;
                }
                queue.unused.append(&mut batch.entries);
            }
        }
        are_all_past
    }

    /// Removes the unused objects that are wanted. Removes queues of devices, too, when they are empty.
    fn take_ready(&self, is_wanted: impl Fn(&PendingRelease) -> bool) -> Vec<PendingRelease> {
        let mut lists = self.lists.lock();
        let ready = lists.queues.iter_mut().flat_map(|queue| queue.unused.extract_if(.., |entry| is_wanted(entry)));
        let ready = ready.collect();
        lists.queues.retain(|queue| !queue.is_empty());
        ready
    }

    /// Whether much was freed since the last check, and the driver would not wait for work that waits for the program.
    fn is_over_limit(&self, driver: &DriverState) -> bool {
        let mut lists = self.lists.lock();
        let is_over = lists.kept >= MOST_KEPT;
        if is_over {
            lists.kept = 0;
        }
        drop(lists);
        is_over && !depends_on_program(driver)
    }
}

/// Whether one of these streams waits for the program.
fn any_held(streams: &[Arc<StreamState>]) -> bool {
    streams.iter().any(|stream| stream.is_held())
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

/// Releases as [`reap`] does, for calls that programs make often: only sometimes if the latest checks have released
/// nothing.
pub(crate) fn reap_sometimes(driver: &DriverState) {
    driver.sweep_streams();
    if count(driver) > 0 && of(driver).lists.lock().is_due() {
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
        if !pending.lists.lock().overlaps_mapping(&(addr..addr + len)) {
            return;
        }
        sleeps.sleep(Duration::MAX);
    }
}

/// Whether memory on this device is pending.
pub(crate) fn has_any_of(device: &Arc<DeviceState>) -> bool {
    let pending = of(&device.driver);
    let _reaping = pending.reaping.lock();
    let is_of = |queue: &Queue| queue.users.device.as_ref().is_some_and(|owner| Arc::ptr_eq(owner, device));
    pending.lists.lock().queues.iter().any(|queue| is_of(queue) && !queue.is_empty())
}

/// Releases an object: now, or later if a stream has work that may use it. `now` releases it to the driver when no
/// pending work uses it any more. Its argument is true if it runs later: then no call can return that the driver has
/// refused.
pub(crate) fn release(
    driver: &DriverState,
    release: Release,
    now: impl FnOnce(&DriverState, bool) -> Result<()> + Send + 'static,
) -> Result<()> {
    driver.sweep_streams();
    let users = release.users();
    let is_exact = release.bytes >= LARGE || !release.may_wait;
    let mut is_due = false;
    if count(driver) > 0 {
        let mut lists = of(driver).lists.lock();
        is_due = lists.is_due();
        if !is_due && !is_exact && lists.has_any_for(&users) {
            lists.note(driver, &release);
            lists.queue(users).open.push(PendingRelease { release, now: Box::new(now) });
            return Ok(());
        }
    }
    let streams = driver.streams_with_work();
    let may_call = !any_held(&streams);
    if is_due && may_call {
        of(driver).reap(driver);
    }
    let busy = streams.len();
    let positions = users.positions(streams, may_call);
    if positions.is_empty() {
        return now(driver, false);
    }
    let mut lists = of(driver).lists.lock();
    if is_due && !may_call {
        (lists.kept, _) = (0, lists.checked(busy, false));
    }
    lists.note(driver, &release);
    lists.queue(users).add(vec![PendingRelease { release, now: Box::new(now) }], positions);
    Ok(())
}
