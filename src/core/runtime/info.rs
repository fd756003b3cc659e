//! Properties of this library, available at any time.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use crate::algo::host::environment;
use crate::base::backends;
use crate::base::error::Result;
use crate::runtime;

/// The version of the API (not of this library): major, minor, patch.
pub const API_VERSION: [i32; 3] = [1, 17, 0];

/// Returns the name of the processor that programs see: `PORTACL_SOC_NAME`, or a default.
pub fn soc_name() -> &'static CStr {
    static NAME: OnceLock<CString> = OnceLock::new();
    let chosen = || {
        let name = environment::variable("PORTACL_SOC_NAME")?.into_string().ok()?;
        CString::new(name).ok().filter(|name| !name.is_empty())
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

/// The profiles, by name; a `*` stands for the rest of a name, and the first row that fits counts. Which of them
/// have bfloat16 is what torch_npu takes them for; `Ascend910B` without a number is an older processor there.
/// docs/processor_names.md has the same rows, which a test compares.
const PROFILES: [(&str, Profile); 7] = [
    ("Ascend910A", BEFORE_A2),
    ("Ascend910P*", BEFORE_A2),
    ("Ascend910B", BEFORE_A2),
    ("Ascend310P*", BEFORE_A2),
    ("Ascend910B*", A2_AND_A3),
    ("Ascend910_93*", A2_AND_A3),
    ("*", Profile { npu_arch: 0, ..A2_AND_A3 }),
];
const BEFORE_A2: Profile = Profile { npu_arch: 0, vector_cores_per_core: 1, bfloat16: false };
const A2_AND_A3: Profile = Profile { npu_arch: 2201, vector_cores_per_core: 2, bfloat16: true };

/// Returns the profile of the processor that programs see.
pub fn profile() -> Profile {
    profile_of(&soc_name().to_string_lossy())
}

fn profile_of(name: &str) -> Profile {
    let fits = |pattern: &str| pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start));
    PROFILES.iter().find(|(pattern, _)| fits(pattern)).expect("the last row fits every name").1
}

/// Returns the name of the open backend. Opens it if none is open.
pub fn backend_name() -> Result<&'static CStr> {
    Ok(backends::name_of(runtime::session()?.driver.name()))
}

#[cfg(test)]
#[path = "info_tests.rs"]
mod tests;
