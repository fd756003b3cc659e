//! The backends that the library is built with.

use std::ffi::CStr;
use std::sync::OnceLock;

use crate::backend::Backend;

static ALL: OnceLock<&'static [&'static Backend]> = OnceLock::new();

/// Sets the backends, in the order in which `PORTACL_BACKEND=auto` tries them. Later calls change nothing.
pub fn install(all: &'static [&'static Backend]) {
    ALL.get_or_init(|| all);
}

/// Returns the backends.
pub fn all() -> &'static [&'static Backend] {
    ALL.get().copied().unwrap_or_default()
}

/// Returns the name of a backend with a zero at its end.
pub fn name_of(name: &str) -> &'static CStr {
    all().iter().map(|backend| backend.name).find(|it| it.to_bytes() == name.as_bytes()).unwrap_or_default()
}
