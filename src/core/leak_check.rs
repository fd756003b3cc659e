//! What a program has not freed: `PORTACL_LEAK_CHECK`, and snapshots of what is live.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use super::allocation::Allocation;
use super::call_site::{Names, Stack};
use super::error::Result;
use super::hooked_memory::Piece;
use super::mem_pool::pool::Pool;
use super::memory_hook::{self, Event, HOST, MemoryHook, MemoryKind, Moment, Refusal, Scope};
use super::{release_failure, virtual_memory};
use crate::algo::notice::notice;
use crate::backend::at_exit;

/// What `PORTACL_LEAK_CHECK` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `1`: tells on the standard error stream.
    Report,
    /// `abort`: as `Report`, and ends the process if there is something to tell.
    Abort,
}

/// 0: nobody asked for it.
static MODE: AtomicU8 = AtomicU8::new(0);

/// What the recorder knows of the live allocations, by what tells them apart.
static RECORDED: Mutex<Option<HashMap<u64, Record>>> = Mutex::new(None);

/// Where an allocation came from.
#[derive(Clone, Debug)]
pub struct Record {
    /// Bytes that were asked for.
    pub size: usize,
    /// The stream in whose order it was made, 0 if none.
    pub stream: u64,
    /// The thread, as the system counts it.
    pub thread: u32,
    /// When.
    pub made: Instant,
    /// From where.
    pub stack: Stack,
}

/// The hook that records where allocations come from.
struct Recorder;

impl MemoryHook for Recorder {
    // Not afterwards, when another thread may have the address again.
    fn before(&self, moment: Moment, event: &Event) -> std::result::Result<(), Refusal> {
        if moment == Moment::Free
            && let Some(recorded) = &mut *RECORDED.lock()
        {
            recorded.remove(&event.memory_id());
        }
        Ok(())
    }

    fn after(&self, moment: Moment, event: &Event) {
        if moment != Moment::Malloc || event.failed {
            return;
        }
        let record = Record {
            size: event.size,
            stream: event.stream,
            thread: memory_hook::thread(),
            made: Instant::now(),
            stack: Stack::here(),
        };
        if let Some(recorded) = &mut *RECORDED.lock() {
            recorded.insert(event.memory_id(), record);
        }
    }
}

/// Records from now on where allocations come from. A second time changes nothing.
pub fn record() -> Result<()> {
    {
        let mut recorded = RECORDED.lock();
        if recorded.is_some() {
            return Ok(());
        }
        *recorded = Some(HashMap::new());
    }
    memory_hook::register("portacl's recorder", Scope::Process, Box::new(Recorder)).map(drop)
}

/// Reports from now on, at the end of each life, what was not freed.
pub fn arm(mode: Mode) -> Result<()> {
    record()?;
    MODE.store(1 + mode as u8, Ordering::Relaxed);
    // What destructors could not tell after the end of the last life.
    at_exit(|| {
        let text = release_failures();
        if !text.is_empty() {
            notice(&text);
        }
    });
    Ok(())
}

/// A live allocation.
#[derive(Clone, Debug)]
pub struct Live {
    /// First byte; 0: it has no address.
    pub addr: usize,
    /// What names it where it has no address, else 0.
    pub handle: u64,
    /// Bytes that it takes, as statistics count them; the program may use fewer.
    pub len: usize,
    /// Which memory.
    pub kind: MemoryKind,
    /// Which device; -1: host memory.
    pub device: i32,
    /// The handle of its pool, which may have been destroyed; 0: none.
    pub pool: u64,
    /// Where it came from, if that was recorded.
    pub record: Option<Record>,
}

/// How many allocations are live.
pub fn count() -> usize {
    Allocation::all().iter().filter_map(MemoryKind::of).count() + virtual_memory::pieces().len()
}

/// The live allocations, by address. Nobody waits for this longer than a look at one of them takes:
/// what is live during the whole call is there exactly once, what comes or goes meanwhile may be.
pub fn snapshot() -> Vec<Live> {
    let record = |id| RECORDED.lock().as_ref().and_then(|known| known.get(&id).cloned());
    let live = |found: &Allocation| {
        let (kind, device) = MemoryKind::of(found)?;
        let (addr, record) = (found.base, record(found.base as u64));
        let pool = Pool::share_of(found).map_or(0, |pool| pool.handle());
        Some(Live { addr, handle: 0, len: found.block().len, kind, device, pool, record })
    };
    let without_address = |piece: Piece| {
        let Piece { kind, addr, handle, len, device } = piece;
        let device = device.map_or(HOST, |id| id as i32);
        Live { addr, handle, len, kind, device, pool: 0, record: record(handle) }
    };
    let mut all: Vec<Live> = Allocation::all().iter().filter_map(live).collect();
    all.extend(virtual_memory::pieces().into_iter().map(without_address));
    all.sort_unstable_by_key(|live| (live.addr, live.handle));
    // What was freed and allocated again meanwhile.
    all.dedup_by_key(|live| (live.addr, live.handle));
    all
}

/// How many allocations are live, and a text that names them and what destructors could not tell.
pub fn report() -> (usize, String) {
    let all = snapshot();
    let mut names = Names::default();
    let mut text = String::new();
    if !all.is_empty() {
        let bytes: usize = all.iter().map(|live| live.len).sum();
        let count = all.len();
        put(
            &mut text,
            format_args!("portacl: {count} allocations of {bytes} bytes are not freed\n"),
        );
    }
    for live in &all {
        let Live { addr, handle, len, kind, device, pool, record } = live;
        let place = match kind {
            MemoryKind::Pinned => "page-locked host memory".to_owned(),
            MemoryKind::Pool if *device < 0 => format!("host memory of pool {pool:#x}"),
            MemoryKind::Pool => format!("memory of device {device}, of pool {pool:#x},"),
            MemoryKind::Imported if *device < 0 => "imported host memory".to_owned(),
            kind => format!("{} memory of device {device}", kind.name()),
        };
        put(&mut text, format_args!("  {len} bytes of {place}"));
        match addr {
            0 => put(&mut text, format_args!(" with the handle {handle:#x}")),
            _ => put(&mut text, format_args!(" at {addr:#x}")),
        }
        let Some(record) = record else {
            text.push('\n');
            continue;
        };
        let age = record.made.elapsed().as_secs_f64();
        let (size, thread) = (record.size, record.thread);
        put(&mut text, format_args!(", {size} asked for by thread {thread}, {age:.3} s ago\n"));
        for frame in names.frames(&record.stack) {
            put(&mut text, format_args!("    {frame}\n"));
        }
    }
    text.push_str(&release_failures());
    (all.len(), text)
}

fn release_failures() -> String {
    let mut text = String::new();
    for failure in release_failure::take_texts() {
        put(
            &mut text,
            format_args!("portacl: a release failed that no caller could be told of: {failure}\n"),
        );
    }
    text
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("a text takes all");
}

/// A life ends: tells what is still there, if somebody asked for that.
pub fn at_end_of_life() {
    let mode = MODE.load(Ordering::Relaxed);
    if mode == 0 {
        return;
    }
    let (_, text) = report();
    if text.is_empty() {
        return;
    }
    notice(&text);
    if mode == 1 + Mode::Abort as u8 {
        notice("portacl: ended by PORTACL_LEAK_CHECK=abort\n");
        std::process::abort();
    }
}

/// What was recorded of memory that went with the life.
pub fn forget() {
    if let Some(recorded) = &mut *RECORDED.lock() {
        recorded.clear();
    }
}
