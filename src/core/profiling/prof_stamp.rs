//! Stamps: texts that a program puts on its threads' rows, as marks and ranges. They work at any time; a trace shows
//! them while it is recorded.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::algo::thread::per_thread::per_thread;
use crate::backend::trace::{self, Detail, HostWhat};
use crate::base::error::{Error, Result, param_invalid};
use crate::base::handles::{self, Object};

/// Maximum length of the text of a mark, a stamp or a name, in bytes.
pub const LONGEST_TEXT: usize = 16 << 10;

/// A stamp.
pub struct Stamp(Mutex<Label>);

/// The data that a stamp puts on marks and ranges.
pub struct Label {
    /// Their text.
    pub text: String,
    /// A tag that traces show with it.
    pub tag: Option<String>,
    /// A call stack that traces show with it.
    pub call_stack: Option<String>,
}

handles::object!(Stamp, Stamp);

/// The name of a stamp without a text.
const NAMELESS: &str = "stamp";

per_thread! {
    /// The number of open ranges of this thread. It is plain memory, so it is usable until the process ends.
    static OPEN: Cell<u32> = Cell::new(0);
}

/// The ids of ranges that were started and not stopped.
static STARTED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Converts a text of a program, which may contain any bytes. A zero ends it.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or(bytes)).into_owned()
}

/// Implements aclprofCreateStamp.
pub fn create() -> Result<Handle> {
    let stamp = Arc::new(Stamp(Mutex::new(Label { text: NAMELESS.to_owned(), tag: None, call_stack: None })));
    Stamp::table().insert(stamp).ok_or_else(|| Error::no_more("stamps"))
}

/// Implements aclprofDestroyStamp.
pub fn destroy(raw: u64) -> Result<()> {
    handles::destroy::<Stamp>("stamp", raw)
}

/// Implements aclprofSetStampTraceMessage, aclprofSetStampTagName and aclprofSetStampCallStack.
pub fn change(raw: u64, change: impl FnOnce(&mut Label)) -> Result<()> {
    change(&mut handles::get::<Stamp>("stamp", raw)?.0.lock());
    Ok(())
}

/// Returns the text of a stamp, and its details.
fn label_of(raw: u64) -> Result<(String, Vec<Detail>)> {
    let stamp = handles::get::<Stamp>("stamp", raw)?;
    let label = stamp.0.lock();
    let details = [("tag", &label.tag), ("call stack", &label.call_stack)];
    let details = details.into_iter().filter_map(|(key, text)| Some((key, text.clone()?)));
    Ok((label.text.clone(), details.collect()))
}

/// Implements aclprofMark.
pub fn mark(raw: u64) -> Result<()> {
    let (text, details) = label_of(raw)?;
    trace::note(HostWhat::Mark(text, details));
    Ok(())
}

/// Begins a range of the calling thread, inside those that are open.
pub(crate) fn begin_range(name: String, details: Vec<Detail>) {
    OPEN.set(OPEN.get() + 1);
    trace::note(HostWhat::Begin(name, details));
}

/// Implements aclprofPush.
pub fn push(raw: u64) -> Result<()> {
    let (text, details) = label_of(raw)?;
    begin_range(text, details);
    Ok(())
}

/// Implements aclprofPop and aclprofRangePop: ends the innermost range of the calling thread.
pub fn end_range() -> Result<()> {
    let open = OPEN.get().checked_sub(1).ok_or_else(|| {
        param_invalid!(
            "no range of this thread is open; call aclprofPush or aclprofRangePushEx first, on the same thread"
        )
    })?;
    OPEN.set(open);
    trace::note(HostWhat::End);
    Ok(())
}

/// Implements aclprofRangeStart: returns the number of the range.
pub fn start_range(raw: u64) -> Result<u32> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let (text, details) = label_of(raw)?;
    let mut started = STARTED.lock();
    // Ids wrap around after 2^32. No two open ranges have the same id.
    let id = loop {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        if id != 0 && started.insert(id) {
            break id;
        }
    };
    trace::note(HostWhat::Start(id, text, details));
    Ok(id)
}

/// Implements aclprofRangeStop.
pub fn stop_range(id: u32) -> Result<()> {
    let mut started = STARTED.lock();
    ensure!(
        started.remove(&id),
        param_invalid!(
            "rangeId {id} is not an open range: it is not from aclprofRangeStart, or was stopped before; pass the id \
             of an open range"
        )
    );
    trace::note(HostWhat::Stop(id));
    Ok(())
}
