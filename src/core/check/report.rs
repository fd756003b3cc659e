//! Reports: text on standard error, lines of JSON in a file.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde::Serialize;

use super::operation::{Operation, What};
use super::races;
use super::shadow::{Conflict, Use};
use super::suppression::Suppressions;
use crate::algo::host::notice::notice;
use crate::algo::host::output_file::OutputFile;
use crate::algo::map::slot_table::Handle;
use crate::backend::{at_unload, end_process};
use crate::core::base::call_site::Stack;
use crate::core::base::config::check::Settings;
use crate::core::base::error::Result;
use crate::core::base::gate;
use crate::core::base::handles::Object;
use crate::core::memory::allocation::Allocation;
use crate::core::memory::{memory_hook, place_in_words};
use crate::core::order::accesses::Mode;
use crate::core::stream::Stream;

/// Distinguishes reports: a second one about the same two lines of the program is only counted.
type Identity = (What, Mode, Option<Stack>, What, Mode, Option<Stack>);

/// Where reports go, and what was reported.
struct Reports {
    settings: Settings,
    suppressions: Suppressions,
    log: Option<OutputFile>,
    met: HashMap<Identity, usize>,
    /// How many were written.
    written: usize,
}

static REPORTS: Mutex<Option<Reports>> = Mutex::new(None);
/// Whether the calls that lead to operations are recorded.
static STACKS: AtomicBool = AtomicBool::new(false);

/// Opens the files. False: they are open already.
pub fn open(settings: &Settings) -> Result<bool> {
    let mut reports = REPORTS.lock();
    if reports.is_some() {
        return Ok(false);
    }
    let create = |path: &std::path::PathBuf| memory_hook::create_file("PORTACL_CHECK_LOG", path.as_os_str());
    let log = settings.log.as_ref().map(create).transpose()?;
    let suppressions = settings.suppress.as_deref().map_or_else(|| Ok(Suppressions::default()), Suppressions::read)?;
    STACKS.store(settings.stacks, Ordering::Relaxed);
    let settings = settings.clone();
    *reports = Some(Reports { settings, suppressions, log, met: HashMap::new(), written: 0 });
    at_unload(at_end_of_process);
    Ok(true)
}

/// The calling thread's stack, if stacks are recorded.
pub fn stack() -> Option<Stack> {
    STACKS.load(Ordering::Relaxed).then(Stack::here)
}

/// An operation of a report.
#[derive(Serialize)]
struct Side {
    call: String,
    does: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    /// The description of the stream.
    #[serde(skip)]
    place: Option<String>,
    frames: Vec<String>,
}

impl Side {
    fn of(used: &Use) -> Self {
        let Operation { what, stream, stack } = &*used.operation;
        Self {
            call: used.operation.call(),
            does: what.verb(used.mode),
            stream: stream.map(|stream| format!("{:#x}", stream.handle)),
            number: stream.map(|stream| stream.point.number),
            place: stream.map(|stream| stream_in_words(stream.handle)),
            frames: stack.iter().flat_map(Stack::frames).map(|frame| frame.to_string()).collect(),
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.call).chain(&self.frames).map(String::as_str)
    }
}

/// A line of the log.
#[derive(Serialize)]
struct Report {
    check: &'static str,
    addr: String,
    bytes: usize,
    memory: String,
    earlier: Side,
    later: Side,
    fix: String,
}

impl Report {
    fn of(conflict: &Conflict) -> Self {
        let (earlier, later) = (Side::of(&conflict.earlier), Side::of(&conflict.later));
        let fix = fix(&earlier, &later);
        let (addr, memory) = (format!("{:#x}", conflict.addr), memory_at(conflict.addr));
        Self { check: "race", addr, bytes: conflict.len, memory, earlier, later, fix }
    }

    fn text(&self) -> String {
        let Self { earlier, later, .. } = self;
        let bytes = if self.bytes == 1 { "byte" } else { "bytes" };
        let mut text = format!(
            "portacl: race: {} {} memory that {} {}, and nothing orders one after the other\n  {} {bytes} at {}{}\n",
            later.call, later.does, earlier.call, earlier.does, self.bytes, self.addr, self.memory
        );
        for side in [earlier, later] {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {}, {}", side.call, in_words(side));
            side.frames.iter().for_each(|frame| _ = writeln!(text, "    {frame}"));
        }
        let _ = writeln!(text, "  to order them: {}", self.fix);
        text
    }
}

/// Where an operation is.
fn in_words(side: &Side) -> String {
    match (&side.place, side.number) {
        (Some(place), Some(number)) => format!("operation {number} of {place}"),
        _ => "by the host".to_owned(),
    }
}

fn stream_in_words(raw: u64) -> String {
    match Handle::from_raw(raw).and_then(|handle| Stream::table().get(handle)) {
        Some(found) if found.is_default() => format!("the default stream of device {}", found.device.id),
        Some(found) => format!("stream {raw:#x} (id {}, device {})", found.id, found.device.id),
        None => format!("stream {raw:#x}"),
    }
}

/// The memory at an address.
fn memory_at(addr: usize) -> String {
    match Allocation::find(addr) {
        Some(found) => {
            let (offset, len, place) = (addr - found.base, found.len, place_in_words(found.place()));
            format!(", offset {offset} of an allocation of {len} bytes ({place})")
        }
        None => String::new(),
    }
}

/// What the program can do.
fn fix(earlier: &Side, later: &Side) -> String {
    let (before, after) = (&earlier.call, &later.call);
    let stream = earlier.place.as_deref().unwrap_or_default();
    let Some(other) = &later.place else {
        return format!("call aclrtSynchronizeStream for {stream} between {before} and {after}");
    };
    format!(
        "record an event in {stream} after {before} (aclrtRecordEvent) and let {other} wait for it before {after} \
         (aclrtStreamWaitEvent), or call aclrtSynchronizeStream for the first between the two"
    )
}

/// Reports two operations.
pub fn conflict(found: &Conflict) {
    let side = |used: &Use| (used.operation.what, used.mode, used.operation.stack.clone());
    let (earlier, later) = (side(&found.earlier), side(&found.later));
    let identity = (earlier.0, earlier.1, earlier.2, later.0, later.1, later.2);
    {
        let mut reports = REPORTS.lock();
        let Some(reports) = &mut *reports else { return };
        let times = reports.met.entry(identity).or_default();
        *times += 1;
        if *times > 1 || reports.written >= reports.settings.limit {
            return;
        }
    }
    // Without the lock: names of functions are slow to find.
    let report = Report::of(found);
    let mut reports = REPORTS.lock();
    let Some(reports) = &mut *reports else { return };
    if reports.suppressions.cover(report.earlier.names().chain(report.later.names())) {
        return;
    }
    reports.written += 1;
    notice(report.text());
    if let Some(log) = &mut reports.log {
        let line = serde_json::to_string(&report).expect("a report has no members that can fail");
        if let Err(why) = writeln!(log, "{line}") {
            notice(format_args!("portacl: PORTACL_CHECK_LOG cannot be written: {why}\n"));
            reports.log = None;
        }
    }
}

/// The last line, and the exit status.
fn at_end_of_process() {
    // A forked child has nothing of its own to report. A thread that was stopped may hold the lock.
    let Some(guard) = REPORTS.try_lock().filter(|_| !gate::is_child()) else { return };
    let Some(Reports { settings, met, written, .. }) = &*guard else { return };
    let found: usize = met.values().sum();
    if found > 0 {
        let forgotten =
            if races::is_incomplete() { "; some uses of memory were forgotten for lack of room" } else { "" };
        let races = if *written == 1 { "race" } else { "races" };
        let more = match found - written {
            0 => String::new(),
            more => format!(", {more} more occurrences of these, suppressed, or beyond the limit"),
        };
        notice(format_args!("portacl: PORTACL_CHECK: {written} {races} reported{more}{forgotten}\n"));
    }
    if *written > 0
        && let Some(status) = settings.exit
    {
        end_process(status);
    }
}
