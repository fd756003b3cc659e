//! `PORTACL_CHECK_REPORT`: findings, a timeline of threads and streams and the use of memory as one page of HTML.

mod about;
mod label;
mod timeline;
mod times;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use self::about::About;
pub(crate) use self::label::Label;
use self::timeline::Timeline;
pub(crate) use self::times::{timed, timed_by_host};
use crate::algo::host::notice::notice;
use crate::algo::host::output_file::OutputFile;
use crate::core::base::error::Result;
use crate::core::base::gate::{self, Attendant};
use crate::core::memory::memory_hook;
use crate::operation::{Operation, What};

/// The page, with placeholders for its looks, its program and its data.
const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");
const PLACES: [&str; 3] = ["@STYLE@", "@DATA@", "@SCRIPT@"];

/// How long the end of the process waits for a lock that a thread may hold which was stopped.
const PATIENCE: Duration = Duration::from_millis(500);

static PAGE: Mutex<Option<Page>> = Mutex::new(None);
/// Whether there is a page. Read without the lock.
static IS_WANTED: AtomicBool = AtomicBool::new(false);

struct Page {
    path: PathBuf,
    file: OutputFile,
    began: Instant,
    about: About,
    /// The findings, as lines of JSON.
    findings: Vec<String>,
    timeline: Timeline,
}

/// Whether there is a page.
#[inline]
fn is_wanted() -> bool {
    IS_WANTED.load(Ordering::Relaxed)
}

/// Creates the file. `began`: the time 0 of the timeline.
pub(crate) fn open(path: &Path, began: Instant) -> Result<()> {
    let file = memory_hook::create_file("PORTACL_CHECK_REPORT", path.as_os_str())?;
    let (about, findings, timeline) = (About::now(), Vec::new(), Timeline::default());
    *PAGE.lock() = Some(Page { path: path.to_owned(), file, began, about, findings, timeline });
    gate::attend(Attendant::Report, true);
    IS_WANTED.store(true, Ordering::Relaxed);
    Ok(())
}

/// Adds an operation to the timeline. `label`: what it is, if the page knows more than its kind.
#[inline]
pub(crate) fn operation(operation: &Operation, label: Option<&Label>) {
    if is_wanted()
        && let Some(page) = &mut *PAGE.lock()
    {
        page.timeline.add(operation, label, page.began, &mut page.about);
    }
}

/// Adds a wait of the host to the timeline.
pub(crate) fn wait() {
    if is_wanted() {
        operation(&Operation::new(What::Waits, None, None, &[]), None);
    }
}

/// Adds a finding, as a line of the log.
pub(crate) fn finding(line: &str) {
    PAGE.lock().iter_mut().for_each(|page| page.findings.push(line.to_owned()));
}

/// Reads the times of a device that is about to be closed.
pub(crate) fn device_ended() {
    times::collect(true);
}

/// Writes the page at the end of the process.
pub(crate) fn write(summary: &str) {
    times::collect(true);
    let page = PAGE.try_lock_for(PATIENCE).and_then(|mut page| page.take());
    let Some(Page { path, mut file, about, findings, timeline, .. }) = page else { return };
    if let Err(why) = file.write_all(text(&about, &findings, &timeline, summary).as_bytes()) {
        notice(format_args!("portacl: PORTACL_CHECK_REPORT \"{}\" cannot be written: {why}\n", path.display()));
    }
}

fn text(about: &About, findings: &[String], timeline: &Timeline, summary: &str) -> String {
    let about = serde_json::to_string(&(about, summary)).expect("texts and numbers are JSON");
    let timeline = serde_json::to_string(timeline).expect("texts and numbers are JSON");
    let data = format!("[{about},[{}],{timeline}]", findings.join(","));
    // The data contain no `<`, so that no text of the program ends the script. In JSON the character occurs only inside
    // of texts.
    let parts = [STYLE, &data.replace('<', "\\u003c"), SCRIPT];
    let mut page = String::with_capacity(TEMPLATE.len() + parts.iter().map(|part| part.len()).sum::<usize>());
    let mut rest = TEMPLATE;
    for (place, part) in PLACES.into_iter().zip(parts) {
        let (before, after) = rest.split_once(place).expect("the template has all places");
        page.push_str(before);
        page.push_str(part);
        rest = after;
    }
    page + rest
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
