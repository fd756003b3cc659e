//! Opens the library of the CUDA driver, and finds its functions and its texts for status numbers.

use std::ffi::{CStr, c_char, c_int, c_void};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::backend::base::loader::{names_of, reason};
use crate::backend::{Fault, FaultKind, Result};
use crate::base::error::{Failure, NO_DEVICE};

/// The file names of the driver, in the order in which they are tried. `libcuda.so` comes last: if it is no link to the
/// first, it is the toolkit's stub, whose functions only fail.
const LIBRARIES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// A function of the driver, and its name.
pub(super) struct Entry<F> {
    pub symbol: &'static str,
    pub function: F,
}

/// Returns the fault for a failure of `cuInit`.
pub(super) fn does_not_start(failure: Failure) -> Fault {
    let remedy = if failure.status() == Some(NO_DEVICE) {
        "check `nvidia-smi` and CUDA_VISIBLE_DEVICES"
    } else {
        "check with `nvidia-smi` that the kernel module is loaded and fits the driver library, and on a machine with \
         NVSwitch that nvidia-fabricmanager runs"
    };
    let text = |said: &str| format!("the CUDA driver does not start: {said}; {remedy}, or use the cpu backend");
    Fault::from(failure).with_kind(FaultKind::NoDevice).with_text(text)
}

/// Whether the program has no loader, because it was linked with `-static`. A driver that it opens loads a second C
/// library, and crashes in it.
fn is_static_program() -> bool {
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
        // SAFETY: the description of an object with its table, and the word that was passed along.
        let (headers, found) = unsafe {
            let info = &*info;
            (std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()), &mut *found.cast())
        };
        *found = headers.iter().any(|header| header.p_type == libc::PT_INTERP);
        // The program is the first object.
        1
    }

    let mut names_a_loader = true;
    // SAFETY: `visit` is called during this call only, with the word.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut names_a_loader).cast()) };
    !names_a_loader
}

/// Opens the driver's library.
pub(crate) fn open_library() -> Result<Library> {
    if is_static_program() {
        return Err(Fault::new(
            FaultKind::NoDevice,
            "the program is linked with -static, and can load no CUDA driver; link it dynamically, \
             or use the cpu backend",
        ));
    }
    let mut tried = Vec::new();
    for name in LIBRARIES.into_iter().flat_map(names_of) {
        // SAFETY: loading a driver runs its initialisers, which is what it is for.
        match unsafe { Library::open(Some(&name), RTLD_NOW | RTLD_LOCAL) } {
            Ok(library) => return Ok(library),
            Err(error) => tried.push(format!("{name} ({})", reason(&error))),
        }
    }
    Err(Fault::new(
        FaultKind::NoDevice,
        format!(
            "the CUDA driver cannot be loaded: tried {}; install the NVIDIA driver (in a container, pass the GPUs to \
             it), or use the cpu backend",
            tried.join(", ")
        ),
    ))
}

/// Returns the first of these functions that the library has.
///
/// # Safety
/// `F` is the signature of the function that has one of these names.
pub(super) unsafe fn find<F: Copy>(library: &Library, symbols: &[&'static str]) -> Option<Entry<F>> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let (symbol, address) = look_up(library, symbols)?;
    // SAFETY: a function of this signature is there, as promised by the caller; both are pointers.
    Some(Entry { symbol, function: unsafe { std::mem::transmute_copy(&address) } })
}

/// Looks up a symbol, once for all signatures: repeated for each function, the code would be a hundredth of the
/// library.
#[inline(never)]
fn look_up(library: &Library, symbols: &[&'static str]) -> Option<(&'static str, *mut c_void)> {
    symbols.iter().find_map(|&symbol| {
        // SAFETY: what is there is only named as an address here.
        let found = unsafe { library.get::<*mut c_void>(symbol.as_bytes()) }.ok()?;
        Some((symbol, *found))
    })
}

/// The type of the driver's functions that describe a status: `cuGetErrorName` and `cuGetErrorString`.
type Describe = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;

/// The driver's functions that describe its status numbers, or `None` where it has no such function.
#[derive(Clone, Copy)]
pub struct Words {
    name: Option<Describe>,
    text: Option<Describe>,
}

impl Words {
    /// # Safety
    /// `library` is a CUDA driver.
    pub unsafe fn find(library: &Library) -> Self {
        // SAFETY: the types of the fields are those of the driver's functions with these names.
        let (name, text) = unsafe { (find(library, &["cuGetErrorName"]), find(library, &["cuGetErrorString"])) };
        let function = |entry: Entry<Describe>| entry.function;
        Self { name: name.map(function), text: text.map(function) }
    }

    /// The value for a status that no driver returned.
    #[cfg(test)]
    pub const NONE: Self = Self { name: None, text: None };

    /// Returns name and text of `status`, as far as the driver knows them.
    pub fn of(self, status: c_int) -> (Option<&'static str>, Option<&'static str>) {
        let ask = |describe: Option<Describe>| {
            let mut words = std::ptr::null();
            // SAFETY: the driver's function, and a place for its answer.
            let answer = unsafe { describe?(status, &mut words) };
            if answer != 0 || words.is_null() {
                return None;
            }
            // SAFETY: a constant of the driver, which is never unloaded.
            unsafe { CStr::from_ptr(words) }.to_str().ok()
        };
        (ask(self.name), ask(self.text))
    }
}
