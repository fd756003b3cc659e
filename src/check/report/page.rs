//! `PORTACL_CHECK_REPORT`: findings, a timeline of streams and the use of memory as one page of HTML.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use serde::Serialize;

use super::stream_in_words;
use crate::algo::host::notice::notice;
use crate::algo::host::output_file::OutputFile;
use crate::core::base::error::Result;
use crate::core::memory::memory_hook;
use crate::operation::{Operation, What};

/// The page, with a placeholder for its data.
const TEMPLATE: &str = include_str!("page.html");
const DATA: &str = "@DATA@";
/// Maximum number of operations on the page. It shows the latest ones.
const MOST: usize = 5000;

static PAGE: Mutex<Option<Page>> = Mutex::new(None);
/// Whether there is a page. Read without the lock.
static IS_WANTED: AtomicBool = AtomicBool::new(false);

struct Page {
    path: PathBuf,
    file: OutputFile,
    began: Instant,
    /// The findings, as lines of JSON.
    findings: Vec<String>,
    timeline: Timeline,
}

/// An operation of the timeline: its time in milliseconds, the index of its stream, its number there (0 if the host
/// does it), what it does, its bytes, and the change of the memory in use in bytes.
type Row = (f64, usize, u64, Cow<'static, str>, usize, i64);

#[derive(Default, Serialize)]
struct Timeline {
    summary: String,
    streams: Vec<Lane>,
    operations: VecDeque<Row>,
    /// Number of operations that are not shown, and the memory in use after them.
    forgotten: usize,
    memory_before: i64,
}

#[derive(Serialize)]
struct Lane {
    handle: String,
    name: String,
}

impl Timeline {
    fn lane(&mut self, handle: Option<u64>) -> usize {
        let text = handle.map_or_else(|| "host".to_owned(), |handle| format!("{handle:#x}"));
        self.streams.iter().position(|lane| lane.handle == text).unwrap_or_else(|| {
            let name = handle.map_or_else(|| "host".to_owned(), stream_in_words);
            self.streams.push(Lane { handle: text, name });
            self.streams.len() - 1
        })
    }

    fn add(&mut self, operation: &Operation, name: Option<&str>, began: Instant) {
        let lane = self.lane(operation.stream.map(|stream| stream.handle));
        let number = operation.point().map_or(0, |point| point.number);
        let bytes: usize = operation.uses().iter().map(|used| used.end - used.addr).sum();
        let change = match operation.what {
            What::Allocates => bytes as i64,
            What::Frees | What::Closes => -(bytes as i64),
            What::Accesses(_) | What::Waits | What::Calls | What::Touches => 0,
        };
        if self.operations.len() == MOST
            && let Some((.., change)) = self.operations.pop_front()
        {
            self.forgotten += 1;
            self.memory_before += change;
        }
        let what = name.map_or(Cow::Borrowed(operation.what.noun()), |name| Cow::Owned(name.to_owned()));
        self.operations.push_back((operation.ms(began), lane, number, what, bytes, change));
    }
}

/// Creates the file. `began`: the time 0 of the timeline.
pub(crate) fn open(path: &Path, began: Instant) -> Result<()> {
    let file = memory_hook::create_file("PORTACL_CHECK_REPORT", path.as_os_str())?;
    let mut timeline = Timeline::default();
    timeline.lane(None);
    *PAGE.lock() = Some(Page { path: path.to_owned(), file, began, findings: Vec::new(), timeline });
    IS_WANTED.store(true, Ordering::Relaxed);
    Ok(())
}

/// Adds an operation to the timeline. `name`: what the program calls it.
#[inline]
pub(crate) fn operation(operation: &Operation, name: Option<&str>) {
    if IS_WANTED.load(Ordering::Relaxed)
        && let Some(page) = &mut *PAGE.lock()
    {
        page.timeline.add(operation, name, page.began);
    }
}

/// Adds a finding, as a line of the log.
pub(crate) fn finding(line: &str) {
    PAGE.lock().iter_mut().for_each(|page| page.findings.push(line.to_owned()));
}

/// Writes the page at the end of the process.
pub(crate) fn write(summary: String) {
    // A thread that was stopped may hold the lock.
    let page = PAGE.try_lock().and_then(|mut page| page.take());
    let Some(Page { path, mut file, findings, mut timeline, .. }) = page else { return };
    timeline.summary = summary;
    let timeline = serde_json::to_string(&timeline).expect("a timeline has no members that can fail");
    let data = format!("{{\"findings\":[{}],{}", findings.join(","), &timeline[1..]);
    // The data contain no `<`, so that no text of the program ends the script. In JSON the character occurs only inside
    // of texts.
    let page = TEMPLATE.replacen(DATA, &data.replace('<', "\\u003c"), 1);
    if let Err(why) = file.write_all(page.as_bytes()) {
        notice(format_args!("portacl: PORTACL_CHECK_REPORT \"{}\" cannot be written: {why}\n", path.display()));
    }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
