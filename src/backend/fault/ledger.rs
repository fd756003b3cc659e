//! Counts what was created and released, and reports it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::algo::host::output_file::OutputFile;

/// Declares what a backend creates and releases, with its names in the report.
macro_rules! kinds {
    ($($kind:ident $name:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names of the report say it")]
        pub enum Resource {
            $($kind,)*
        }

        const KINDS: &[(Resource, &str)] = &[$((Resource::$kind, $name),)*];
    };
}

kinds! {
    Device "device",
    Stream "stream",
    Event "event",
    DeviceBlock "device-block",
    HostBlock "host-block",
    Registration "registration",
    Module "module",
    Graph "graph",
    SharedMemory "shared-memory",
    Pool "pool",
    PoolBlock "pool-block",
    Range "address-range",
    Mapping "mapping",
}

/// The number of calls of each site so far.
pub type Calls = BTreeMap<&'static str, AtomicU64>;

/// All counts.
#[derive(Default)]
pub struct Ledger {
    /// For each kind: the numbers of what was created, what was released, and what was not released because its release
    /// was made to fail.
    counts: [[AtomicU64; 3]; KINDS.len()],
    /// The number of calls and operations that were made to fail.
    pub failed: AtomicU64,
    /// The backend's name, and whether it is open, or has ended and joined all threads.
    life: Mutex<(&'static str, &'static str)>,
    /// The process that writes the report: a forked child must not overwrite its parent's.
    process: AtomicU32,
}

impl Ledger {
    /// Notes that a backend was opened.
    pub fn begin(&self, backend: &'static str) {
        self.process.store(std::process::id(), Ordering::Relaxed);
        *self.life.lock() = (backend, "open");
    }

    /// Notes that the backend has ended, and whether it has joined all threads.
    pub fn end(&self, all: bool) {
        self.life.lock().1 = if all { "ended" } else { "left-behind" };
    }

    /// Counts an object that was created.
    pub fn made(&self, kind: Resource) {
        self.counts[kind as usize][0].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an object that was released.
    pub fn released(&self, kind: Resource) {
        self.counts[kind as usize][1].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an object whose release was made to fail.
    pub fn kept(&self, kind: Resource) {
        self.counts[kind as usize][2].fetch_add(1, Ordering::Relaxed);
    }

    fn read(&self, kind: Resource) -> [u64; 3] {
        self.counts[kind as usize].each_ref().map(|count| count.load(Ordering::Relaxed))
    }

    /// Returns the number of objects that were created and not released, except those that were created to stay.
    #[cfg(any(test, debug_assertions))]
    pub fn left(&self, kind: Resource) -> i64 {
        let [made, released, kept] = self.read(kind);
        made as i64 - released as i64 - kept as i64
    }

    /// Writes the report: a line for each count, as docs/fault_injection.md describes.
    pub fn write(&self, path: &Path, calls: &Calls, queued: &str) -> std::io::Result<()> {
        if self.process.load(Ordering::Relaxed) != std::process::id() {
            return Ok(());
        }
        let (backend, state) = *self.life.lock();
        let mut text = format!("backend {backend} {state}\n");
        let failed = self.failed.load(Ordering::Relaxed);
        let _ = writeln!(text, "failed {failed}");
        for (name, count) in calls {
            let _ = writeln!(text, "calls {name} {}", count.load(Ordering::Relaxed));
        }
        let _ = writeln!(text, "later {queued}");
        for &(kind, name) in KINDS {
            let [made, released, kept] = self.read(kind);
            let _ = writeln!(text, "objects {name} made {made} released {released} kept {kept}");
        }
        #[cfg(debug_assertions)]
        let _ = writeln!(text, "host {}", crate::algo::host::host_memory::faults::counts());
        OutputFile::create(path)?.write_all(text.as_bytes())
    }
}
