//! The text of the report.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::live::{self, Live};
use super::object;
use super::record::AllocationSite;
use super::{Leak, Teardown};
use crate::algo::count::Count;
use crate::base::call_site::Names;
use crate::base::error::Result;
use crate::base::{host_memory, release_failure};
use crate::memory::allocation::Allocation;
use crate::memory::memory_hook::MemoryKind;

/// Returns "is" or "are".
fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Number of bytes of text that are written at once. So a report of many leaks needs no memory for all of its text.
const AT_ONCE: usize = 64 << 10;

/// A report, written in parts of whole lines.
struct Text<'a> {
    text: String,
    names: Names,
    write: &'a mut dyn FnMut(&str),
}

impl<'a> Text<'a> {
    fn new(write: &'a mut dyn FnMut(&str)) -> Self {
        Self { text: String::new(), names: Names::default(), write }
    }

    fn flush(&mut self) {
        (self.write)(&self.text);
        self.text.clear();
    }

    fn put(&mut self, part: std::fmt::Arguments<'_>) {
        self.text.write_fmt(part).expect("a text takes all");
    }

    /// Appends the origin of something to an unfinished line.
    fn origin(&mut self, record: Option<&AllocationSite>, what: &str) {
        if let Some(AllocationSite { thread, made, stack, .. }) = record {
            let age = made.elapsed().as_secs_f64();
            self.put(format_args!(", {what} by thread {thread}, {age:.3} s ago\n"));
            for frame in self.names.frames(stack) {
                writeln!(self.text, "    {frame}").expect("a text takes all");
            }
        } else {
            self.text.push('\n');
        }
        if self.text.len() >= AT_ONCE {
            self.flush();
        }
    }

    /// Appends the memory that is not freed at `at`.
    fn memory(&mut self, at: std::fmt::Arguments<'_>, all: &[Live]) {
        if all.is_empty() {
            return;
        }
        let bytes: usize = all.iter().map(Live::asked).sum();
        let (count, bytes, is) = (Count(all.len(), "allocation"), Count(bytes, "byte"), is_or_are(all.len()));
        let in_all = if all.len() > 1 { " in all" } else { "" };
        self.put(format_args!("portacl: {at}{count} of {bytes}{in_all} {is} not freed\n"));
        for live in all {
            self.put(format_args!("  {}", name_of(live)));
            self.origin(live.record.as_ref(), "allocated");
        }
    }

    /// Writes the unreported failures of releases, and what is left of the text.
    fn finish(mut self) {
        for failure in release_failure::take_texts() {
            self.put(format_args!("portacl: a release failed, and no call returned the failure: {failure}\n"));
        }
        if !self.text.is_empty() {
            self.flush();
        }
    }
}

fn name_of(live: &Live) -> String {
    let Live { addr, handle, kind, device, pool, .. } = live;
    let place = match kind {
        MemoryKind::Pinned => "page-locked host memory".to_owned(),
        MemoryKind::Pool if *device < 0 => format!("host memory in pool {pool:#x}"),
        MemoryKind::Pool => format!("memory in pool {pool:#x} on device {device}"),
        MemoryKind::Imported if *device < 0 => "imported host memory".to_owned(),
        MemoryKind::Graph if *device < 0 => "host memory in a graph".to_owned(),
        kind @ (MemoryKind::Device | MemoryKind::Managed | MemoryKind::Imported | MemoryKind::Graph) => {
            format!("{} memory on device {device}", kind.name())
        }
    };
    let bytes = Count(live.asked(), "byte");
    match addr {
        0 => format!("{bytes} of {place} with the handle {handle:#x}"),
        _ => format!("{bytes} of {place} at {addr:#x}"),
    }
}

/// Returns the leaks at this end.
pub(super) fn leaks(end: Teardown<'_>) -> Vec<Leak> {
    let memory = live::snapshot().into_iter().filter(|live| live.ends_with(end)).map(|live| Leak {
        noun: "allocation",
        what: name_of(&live),
        memory: (live.addr != 0).then_some((live.addr, live.asked())),
        record: live.record,
    });
    memory.chain(object::all_that_end_with(end)).collect()
}

/// Writes the unreported failures of releases.
pub(super) fn release_failures(write: &mut dyn FnMut(&str)) {
    Text::new(write).finish();
}

/// Writes the live allocations and the unreported failures of releases, and returns the number of the former.
pub fn memory(write: &mut dyn FnMut(&str)) -> Result<usize> {
    let _memory = Allocation::claim_lists()?;
    let mut all = live::snapshot();
    all.retain(|live| !live.is_of_library());
    let mut text = Text::new(write);
    text.memory(format_args!(""), &all);
    text.finish();
    Ok(all.len())
}

/// Writes the leaks at this end, and the unreported failures of releases.
pub(super) fn at_end(end: Teardown<'_>, what: &str, write: &mut dyn FnMut(&str)) {
    let candidates = Allocation::at_most() + object::at_most();
    let Ok(_memory) = host_memory::claim("live allocations and objects", candidates, 1024) else {
        return write(&format!(
            "portacl: at {what} the host has no memory left to list the leaks (allocations and objects: at most \
             {candidates})\n"
        ));
    };
    let mut memory = live::snapshot();
    memory.retain(|live| live.ends_with(end));
    let objects = object::all_that_end_with(end);
    let mut text = Text::new(write);
    text.memory(format_args!("at {what} "), &memory);
    if !objects.is_empty() {
        let (counts, is) = (counts(&objects), is_or_are(objects.len()));
        text.put(format_args!("portacl: at {what} {counts} {is} not released\n"));
        for object in &objects {
            text.put(format_args!("  {}", object.what));
            text.origin(object.record.as_ref(), "created");
        }
    }
    text.finish();
}

/// Returns the counts by kind, as in "1 stream, 2 events".
fn counts(objects: &[Leak]) -> String {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for object in objects {
        *counts.entry(object.noun).or_default() += 1;
    }
    let words: Vec<_> = counts.into_iter().map(|(noun, count)| Count(count, noun).to_string()).collect();
    words.join(", ")
}
