//! The folder that torch_npu.profiler looks for inside of that of its result: it reads the operations of devices there,
//! with the program msprof (integrations/companions/profiler).

use std::ffi::OsStr;
use std::fs::{Permissions, set_permissions};
use std::io::{Result, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::time::{ClockId, clock_gettime};

use crate::algo::host::{environment, output_path};

/// How torch_npu.profiler names the folders of its results.
const OF_TORCH: &str = "_ascend_pt";
/// torch_npu refuses folders that others may write to.
const MODE: u32 = 0o750;

/// Makes the folder and the file of clocks in it. Returns `None` for the folders of other programs, and where PATH has
/// no msprof, without which torch_npu could not read it.
pub(super) fn inside(folder: &Path) -> Option<PathBuf> {
    let is_of_torch = folder.file_name()?.to_str()?.ends_with(OF_TORCH);
    if !is_of_torch || !has_program() {
        return None;
    }
    let name = format!("PROF_000001_{}_{:X}", now(ClockId::Realtime) / 1_000_000, std::process::id());
    let made = folder.join(name);
    make(&made).ok()?;
    Some(made)
}

fn has_program() -> bool {
    let Some(path) = environment::variable("PATH") else { return false };
    let mut folders = path.as_bytes().split(|byte| *byte == b':').filter(|folder| !folder.is_empty());
    folders.any(|folder| Path::new(OsStr::from_bytes(folder)).join("msprof").is_file())
}

/// Writes the times of all clocks at one moment: torch_npu's are those of CLOCK_MONOTONIC_RAW, a trace's those of
/// CLOCK_MONOTONIC, and a timeline has the time of day.
fn make(folder: &Path) -> Result<()> {
    let host = folder.join("host");
    output_path::create_folders(&host)?;
    for made in [folder, &host] {
        set_permissions(made, Permissions::from_mode(MODE))?;
    }
    let [day, raw, monotonic] = [ClockId::Realtime, ClockId::MonotonicRaw, ClockId::Monotonic].map(now);
    let mut file = output_path::open(&host.join("start_info"))?;
    writeln!(
        file,
        "{{\"collectionTimeBegin\": {}, \"clockMonotonicRaw\": {raw}, \"clockMonotonic\": {monotonic}}}",
        day / 1000
    )?;
    file.set_permissions(Permissions::from_mode(MODE & 0o640))
}

/// Returns a clock's time in nanoseconds.
fn now(clock: ClockId) -> i64 {
    let time = clock_gettime(clock);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

#[cfg(test)]
#[path = "prof_folder_tests.rs"]
mod tests;
