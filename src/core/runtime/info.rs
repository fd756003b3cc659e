//! Properties of this library, available at any time.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use crate::algo::host::environment;
use crate::algo::host::notice::notice_once;
use crate::base::backends;
use crate::base::error::Result;
use crate::runtime;

/// The version of the API (not of this library): major, minor, patch.
pub const API_VERSION: [i32; 3] = [1, 17, 0];

/// Returns the name of the processor that programs see: `PORTACL_SOC_NAME`, or a default. A line on standard error
/// reports a name that no row has.
pub fn soc_name() -> &'static CStr {
    static NAME: OnceLock<CString> = OnceLock::new();
    let chosen = || {
        let name = environment::variable("PORTACL_SOC_NAME")?.into_string().ok()?;
        let name = CString::new(name).ok().filter(|name| !name.is_empty())?;
        if let Some(line) = unknown(&name.to_string_lossy()) {
            notice_once(&line);
        }
        Some(name)
    };
    NAME.get_or_init(|| chosen().unwrap_or_else(|| c"Ascend910B1".into()))
}

/// What programs ask for that depends on the name of the processor. How many cores and how much memory there is comes
/// from the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The architecture number, by which programs choose code; 0: unknown.
    pub npu_arch: u32,
    /// Number of vector cores that belong to each core for matrices.
    pub vector_cores_per_core: u32,
    /// What programs that ask for bfloat16 find. Devices here compute with it in any case.
    pub bfloat16: bool,
}

/// The profiles, by name; a `*` stands for the rest of a name. Which of them have bfloat16 is what torch_npu takes them
/// for; `Ascend910B` without a number is an older processor there. docs/processor_names.md has the same rows, which a
/// test compares.
const PROCESSORS: &str = include_str!("processors.tsv");
/// The profile of a name without a row.
const OTHER: Profile = Profile { npu_arch: 0, vector_cores_per_core: 2, bfloat16: true };

/// Returns the profile of the processor that programs see.
pub fn profile() -> Profile {
    profile_of(&soc_name().to_string_lossy())
}

fn profile_of(name: &str) -> Profile {
    row_of(name).map_or(OTHER, |(_, profile)| profile)
}

fn row_of(name: &str) -> Option<(&'static str, Profile)> {
    rows().find(|(row, _)| row.strip_suffix('*').map_or(*row == name, |start| name.starts_with(start)))
}

/// Returns the names and profiles of [`PROCESSORS`].
fn rows() -> impl Iterator<Item = (&'static str, Profile)> {
    PROCESSORS.lines().skip(1).filter_map(|line| {
        let mut cells = line.split('\t');
        let name = cells.next()?;
        let npu_arch = cells.next()?.parse().ok()?;
        let vector_cores_per_core = cells.next()?.parse().ok()?;
        Some((name, Profile { npu_arch, vector_cores_per_core, bfloat16: cells.next()? == "yes" }))
    })
}

/// Returns the report about a name without a row; `None` if it has one.
fn unknown(name: &str) -> Option<String> {
    if row_of(name).is_some() {
        return None;
    }
    let known: Vec<&str> = rows().map(|(row, _)| row).collect();
    let nearest = known.iter().min_by_key(|known| strsim::levenshtein(known, name))?;
    Some(format!(
        "PORTACL_SOC_NAME is {name}, which programs may refuse; known: {}; the nearest is {nearest}. Set one of these, or \
         ignore this line if your program expects the name",
        known.join(", ")
    ))
}

/// Returns the name of the open backend. Opens it if none is open.
pub fn backend_name() -> Result<&'static CStr> {
    Ok(backends::name_of(runtime::session()?.driver.name()))
}

#[cfg(test)]
#[path = "info_tests.rs"]
mod tests;
