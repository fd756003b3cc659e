//! Reports: text on standard error, lines of JSON in a file.

mod kind;
pub(crate) mod page;
mod summary;
mod suppression;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use serde::Serialize;

pub(crate) use self::kind::FindingKind;
use self::summary::Counts;
use self::suppression::Suppressions;
use super::operation::{self, Operation, What};
use super::{asked, init, races, sync};
use crate::algo::count::Count;
use crate::algo::host::notice::notice;
use crate::algo::host::output_file::OutputFile;
use crate::algo::map::slot_table::Handle;
use crate::backend::end_process;
use crate::core::base::call_site::Stack;
use crate::core::base::config::check::Settings;
use crate::core::base::error::Result;
use crate::core::base::finding::FoundOperation;
use crate::core::base::gate;
use crate::core::base::handles::Object;
use crate::core::memory::allocation::Allocation;
use crate::core::memory::{memory_hook, place_in_words};
use crate::core::order::accesses::Access;
use crate::core::order::{places, sequence, undecided};
use crate::core::stream::Stream;

/// The identity of a report. A second report with the same identity is only counted.
type Identity = (FindingKind, Vec<(What, &'static str, Option<Stack>)>, Vec<(String, String)>);

/// The outputs of reports, and what was reported so far.
struct Reports {
    settings: Settings,
    suppressions: Suppressions,
    log: Option<OutputFile>,
    met: HashSet<Identity>,
    counts: Counts,
    began: Instant,
}

static REPORTS: Mutex<Option<Reports>> = Mutex::new(None);
/// Whether the stacks of operations are recorded.
static STACKS: AtomicBool = AtomicBool::new(false);

/// Opens the files. Returns false if they are open already.
pub(crate) fn open(settings: &Settings) -> Result<bool> {
    let mut reports = REPORTS.lock();
    if reports.is_some() {
        return Ok(false);
    }
    let create = |path: &std::path::PathBuf| memory_hook::create_file("PORTACL_CHECK_LOG", path.as_os_str());
    let log = settings.log.as_ref().map(create).transpose()?;
    let suppressions = settings.suppress.as_deref().map_or_else(|| Ok(Suppressions::default()), Suppressions::read)?;
    STACKS.store(settings.stacks, Ordering::Relaxed);
    operation::record_details(settings.log.is_some() || settings.report.is_some());
    let settings = settings.clone();
    let (met, counts, began) = (HashSet::new(), Counts::default(), Instant::now());
    settings.report.as_deref().map_or(Ok(()), |path| page::open(path, began))?;
    *reports = Some(Reports { settings, suppressions, log, met, counts, began });
    Ok(true)
}

/// Whether stacks are recorded.
pub(crate) fn has_stacks() -> bool {
    STACKS.load(Ordering::Relaxed)
}

/// Returns the calling thread's stack, if stacks are recorded.
pub(crate) fn stack() -> Option<Stack> {
    has_stacks().then(Stack::here)
}

/// An operation that takes part in a finding.
#[derive(Debug)]
pub(crate) struct Party {
    /// Its role in the finding.
    pub role: &'static str,
    /// The verb for its use of the memory.
    pub does: &'static str,
    /// More about the operation.
    pub detail: Option<&'static str>,
    pub operation: Arc<Operation>,
}

/// Creates a text about the operations of a finding.
pub(crate) type Sentence = Box<dyn Fn(&[Side]) -> String + Send>;

/// A finding of a check. Its texts are created when it is reported, because names of functions are slow to find.
pub(crate) struct Finding {
    pub kind: FindingKind,
    /// The address and the length of the memory.
    pub memory: Option<(usize, usize)>,
    pub parties: Vec<Party>,
    /// The operations that another library describes.
    pub of_others: Vec<FoundOperation>,
    /// Creates the first line, about the operations.
    pub what: Sentence,
    /// Creates the advice to the program.
    pub fix: Sentence,
}

impl Finding {
    /// Creates a finding from these parts.
    pub(crate) fn new(
        kind: FindingKind,
        memory: Option<(usize, usize)>,
        parties: Vec<Party>,
        what: impl Fn(&[Side]) -> String + Send + 'static,
        fix: impl Fn(&[Side]) -> String + Send + 'static,
    ) -> Self {
        Self { kind, memory, parties, of_others: Vec::new(), what: Box::new(what), fix: Box::new(fix) }
    }

    fn identity(&self) -> Identity {
        let side = |party: &Party| (party.operation.what, party.does, party.operation.stack.clone());
        let of_other = |it: &FoundOperation| (it.call.clone(), it.site.clone());
        (self.kind, self.parties.iter().map(side).collect(), self.of_others.iter().map(of_other).collect())
    }
}

/// A range of memory of an operation.
#[derive(Serialize)]
struct UsedRange {
    does: &'static str,
    addr: String,
    bytes: usize,
}

/// An operation of a report.
#[derive(Serialize)]
pub(crate) struct Side {
    role: &'static str,
    pub call: String,
    pub does: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<String>,
    /// The description of the stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    /// The place among other operations, as another library describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    /// The time of submission, in milliseconds since the checks began.
    ms: f64,
    uses: Vec<UsedRange>,
    frames: Vec<String>,
}

impl Side {
    fn of(party: &Party, began: Instant) -> Self {
        let operation = &*party.operation;
        let Operation { what, stream, stack, .. } = operation;
        let range = |used: &Access| UsedRange {
            does: what.verb(used.mode),
            addr: format!("{:#x}", used.addr),
            bytes: used.end - used.addr,
        };
        Self {
            role: party.role,
            call: operation.call(),
            does: party.does,
            detail: party.detail,
            stream: stream.map(|stream| format!("{:#x}", stream.handle)),
            stream_name: stream.map(|stream| stream_in_words(stream.handle)),
            number: stream.map(|stream| stream.point.number),
            position: None,
            ms: operation.ms(began),
            uses: operation.uses().iter().map(range).collect(),
            frames: stack.iter().flat_map(Stack::frames).map(|frame| frame.to_string()).collect(),
        }
    }

    /// An operation that another library describes now.
    fn of_other(operation: &FoundOperation, began: Instant) -> Self {
        let FoundOperation { call, position, site } = operation;
        Self {
            role: "operation",
            call: call.clone(),
            does: "is called",
            detail: None,
            stream: None,
            stream_name: None,
            number: None,
            position: Some(position.clone()),
            ms: began.elapsed().as_secs_f64() * 1e3,
            uses: Vec::new(),
            frames: Some(site).filter(|site| !site.is_empty()).into_iter().cloned().collect(),
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.call).chain(&self.frames).map(String::as_str)
    }

    /// Describes where the operation is.
    fn place(&self) -> String {
        let place = match (&self.stream_name, self.number, &self.position) {
            (Some(stream), Some(number), _) => format!("operation {number} of {stream}"),
            (_, _, Some(position)) => position.clone(),
            _ => "by the host".to_owned(),
        };
        match self.detail {
            Some(detail) => format!("{place}, {detail}"),
            None => place,
        }
    }
}

/// The memory of a report.
#[derive(Serialize)]
struct MemoryLines {
    addr: String,
    /// Other addresses of the same memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    same_as: Vec<String>,
    bytes: usize,
    #[serde(flatten)]
    allocation: Option<Around>,
}

/// The allocation that contains the memory.
#[derive(Serialize)]
struct Around {
    offset: usize,
    allocation_bytes: usize,
    place: String,
}

impl MemoryLines {
    fn of((addr, bytes): (usize, usize)) -> Self {
        let around = |allocation: Allocation| Around {
            offset: addr - allocation.base,
            allocation_bytes: asked::size_of(&allocation),
            place: place_in_words(allocation.place()),
        };
        let all = places::addresses(places::of_byte(addr)).into_iter();
        let same_as = all.filter(|other| *other != addr).map(|other| format!("{other:#x}")).collect();
        Self { addr: format!("{addr:#x}"), same_as, bytes, allocation: Allocation::find(addr).map(around) }
    }

    fn text(&self) -> String {
        let mut text = format!("{} at {}", Count(self.bytes, "byte"), self.addr);
        if !self.same_as.is_empty() {
            let _ = write!(text, " (also mapped at {})", self.same_as.join(" and "));
        }
        if let Some(Around { offset, allocation_bytes, place }) = &self.allocation {
            let all = Count(*allocation_bytes, "byte");
            let _ = write!(text, ", offset {offset} of an allocation of {all} ({place})");
        }
        text
    }
}

/// A line of the log.
#[derive(Serialize)]
struct Report {
    check: &'static str,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryLines>,
    operations: Vec<Side>,
    fix: String,
}

impl Report {
    fn of(found: &Finding, began: Instant) -> Self {
        let own = found.parties.iter().map(|party| Side::of(party, began));
        let operations: Vec<Side> = own.chain(found.of_others.iter().map(|it| Side::of_other(it, began))).collect();
        let (what, fix) = ((found.what)(&operations), (found.fix)(&operations));
        Self { check: found.kind.name(), what, memory: found.memory.map(MemoryLines::of), operations, fix }
    }

    fn text(&self) -> String {
        let mut text = format!("portacl: {}: {}\n", self.check, self.what);
        self.memory.iter().for_each(|memory| _ = writeln!(text, "  {}", memory.text()));
        for side in &self.operations {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {}, {}", side.call, side.place());
            side.frames.iter().for_each(|frame| _ = writeln!(text, "    {frame}"));
        }
        let _ = writeln!(text, "  {}", self.fix);
        text
    }
}

fn stream_in_words(raw: u64) -> String {
    match Handle::from_raw(raw).and_then(|handle| Stream::table().get(handle)) {
        Some(found) if found.is_default => format!("the default stream of device {}", found.device.id),
        Some(found) => format!("stream {raw:#x} (id {}, device {})", found.id, found.device.id),
        None => format!("stream {raw:#x}"),
    }
}

/// Reports a finding.
pub(crate) fn finding(found: &Finding) {
    let began = {
        let mut reports = REPORTS.lock();
        let Some(Reports { met, counts, suppressions, settings, began, .. }) = &mut *reports else { return };
        let of_kind = counts.of(found.kind);
        if !met.insert(found.identity()) {
            of_kind.repeated += 1;
            return;
        }
        // Whether a finding is suppressed is slow to find out.
        if suppressions.are_none() && counts.written() >= settings.limit {
            counts.of(found.kind).beyond_limit += 1;
            return;
        }
        *began
    };
    // The lock is not held here, because names of functions are slow to find.
    let report = Report::of(found, began);
    let mut reports = REPORTS.lock();
    let Some(Reports { counts, suppressions, settings, log, .. }) = &mut *reports else { return };
    if suppressions.cover(found.kind, report.operations.iter().flat_map(Side::names)) {
        counts.of(found.kind).suppressed += 1;
        return;
    }
    if counts.written() >= settings.limit {
        counts.of(found.kind).beyond_limit += 1;
        return;
    }
    counts.of(found.kind).written += 1;
    notice(report.text());
    let line = serde_json::to_string(&report).expect("a report has no members that can fail");
    page::finding(&line);
    if let Some(file) = log
        && let Err(why) = writeln!(file, "{line}")
    {
        let path = settings.log.as_deref().unwrap_or(Path::new("")).display();
        notice(format_args!("portacl: PORTACL_CHECK_LOG \"{path}\" cannot be written: {why}\n"));
        *log = None;
    }
}

/// Writes the summary at the end of the process, and sets the exit status.
pub(crate) fn at_end_of_process() {
    // A forked child has nothing to report. A thread that was stopped may hold the lock.
    if gate::is(gate::CHILD) || REPORTS.is_locked() {
        return;
    }
    sync::early::report_rest();
    sync::report_redundant();
    undecided::report(sequence::take_undecided());
    let Some(guard) = REPORTS.try_lock() else { return };
    let Some(Reports { settings, counts, .. }) = &*guard else { return };
    let is_incomplete = races::is_incomplete() || init::is_incomplete();
    let summary = counts.summary(settings.limit, is_incomplete);
    if !summary.is_empty() {
        notice(format_args!("portacl: PORTACL_CHECK: {summary}\n"));
    }
    page::write(&summary);
    if counts.faults() > 0
        && let Some(status) = settings.exit
    {
        end_process(status);
    }
}
