//! The functions of CPython that a walk needs. All are public, or public under another name in later versions.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::{MaybeUninit, transmute_copy};
use std::{ptr, slice};

use super::code::{PythonFrame, intern};
use super::{DEEPEST, PythonFrames};

/// An object of Python, or the state of a thread.
type Object = *mut c_void;

/// The state of a thread in the interpreter. Its owner is inside a call of this library.
#[derive(Clone, Copy)]
pub(super) struct ThreadState(Object);

// SAFETY: a pointer that the owner does not free before the other thread has answered.
unsafe impl Send for ThreadState {}

/// Functions of the interpreter in this process.
pub(super) struct Api {
    is_initialized: unsafe extern "C" fn() -> c_int,
    is_finalizing: unsafe extern "C" fn() -> c_int,
    this_thread: unsafe extern "C" fn() -> Object,
    current: unsafe extern "C" fn() -> Object,
    /// Waits for the GIL. If the interpreter ends meanwhile, it ends the calling thread by unwinding.
    ensure: unsafe extern "C-unwind" fn() -> c_int,
    release: unsafe extern "C" fn(c_int),
    fetch: unsafe extern "C" fn(*mut Object, *mut Object, *mut Object),
    restore: unsafe extern "C" fn(Object, Object, Object),
    clear: unsafe extern "C" fn(),
    attribute: unsafe extern "C" fn(Object, *const c_char) -> Object,
    text: unsafe extern "C" fn(Object, *mut isize) -> *const c_char,
    line: unsafe extern "C" fn(Object) -> c_int,
    retain: unsafe extern "C" fn(Object),
    drop: unsafe extern "C" fn(Object),
    current_frame: unsafe extern "C" fn() -> Object,
    none: Object,
    has_qualified_names: bool,
    /// Since 3.9.
    later: Option<Later>,
    /// Since 3.10: before, a walk creates no objects that the garbage collector has.
    collector: Option<Collector>,
    /// The beginnings of the interpreter's object.
    base: usize,
}

struct Later {
    frame_of: unsafe extern "C" fn(Object) -> Object,
    back: unsafe extern "C" fn(Object) -> Object,
    code: unsafe extern "C" fn(Object) -> Object,
    interpreter_of: unsafe extern "C" fn(Object) -> Object,
    main: unsafe extern "C" fn() -> Object,
}

struct Collector {
    disable: unsafe extern "C" fn() -> c_int,
    enable: unsafe extern "C" fn() -> c_int,
}

// SAFETY: addresses of functions, and of the object None, which all threads share.
unsafe impl Send for Api {}
// SAFETY: nothing here changes.
unsafe impl Sync for Api {}

fn symbol(name: &CStr) -> Object {
    // SAFETY: a text with a zero at its end.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Returns a function by its name.
///
/// # Safety
/// `F` is the type of the function pointer.
unsafe fn function<F>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<Object>()) };
    let found = symbol(name);
    // SAFETY: a function pointer has the form of an address, and the caller knows its type.
    (!found.is_null()).then(|| unsafe { transmute_copy(&found) })
}

/// Returns the object of the process that contains an address: its beginning, and its file.
fn object_of(addr: usize) -> Option<(usize, &'static CStr)> {
    // SAFETY: `dladdr` fills the structure if it succeeds; the name lives as long as the object is loaded.
    unsafe {
        let mut found = MaybeUninit::<libc::Dl_info>::zeroed().assume_init();
        let known = libc::dladdr(ptr::with_exposed_provenance(addr), &raw mut found) != 0;
        (known && !found.dli_fname.is_null()).then(|| (found.dli_fbase.addr(), CStr::from_ptr(found.dli_fname)))
    }
}

impl Later {
    fn find() -> Option<Self> {
        // SAFETY: the types are those of Python's documentation.
        unsafe {
            Some(Self {
                frame_of: function(c"PyThreadState_GetFrame")?,
                back: function(c"PyFrame_GetBack")?,
                code: function(c"PyFrame_GetCode")?,
                interpreter_of: function(c"PyThreadState_GetInterpreter")?,
                main: function(c"PyInterpreterState_Main")?,
            })
        }
    }
}

impl Collector {
    fn find() -> Option<Self> {
        // SAFETY: both take nothing and return an int.
        unsafe { Some(Self { disable: function(c"PyGC_Disable")?, enable: function(c"PyGC_Enable")? }) }
    }
}

impl Api {
    /// Looks the functions up in the process.
    pub(super) fn find() -> Option<Self> {
        let is_initialized = symbol(c"Py_IsInitialized");
        if is_initialized.is_null() {
            return None;
        }
        let (base, file) = object_of(is_initialized.expose_provenance())?;
        // SAFETY: the types are those of Python's headers. The object stays loaded from here on; for a program this
        // fails, which is never unloaded.
        unsafe {
            libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
            Some(Self {
                is_initialized: function(c"Py_IsInitialized")?,
                is_finalizing: function(c"Py_IsFinalizing").or_else(|| function(c"_Py_IsFinalizing"))?,
                this_thread: function(c"PyGILState_GetThisThreadState")?,
                current: function(c"PyThreadState_GetUnchecked")
                    .or_else(|| function(c"_PyThreadState_UncheckedGet"))?,
                ensure: function(c"PyGILState_Ensure")?,
                release: function(c"PyGILState_Release")?,
                fetch: function(c"PyErr_Fetch")?,
                restore: function(c"PyErr_Restore")?,
                clear: function(c"PyErr_Clear")?,
                attribute: function(c"PyObject_GetAttrString")?,
                text: function(c"PyUnicode_AsUTF8AndSize")?,
                line: function(c"PyFrame_GetLineNumber")?,
                retain: function(c"Py_IncRef")?,
                drop: function(c"Py_DecRef")?,
                current_frame: function(c"PyEval_GetFrame")?,
                none: symbol(c"_Py_NoneStruct"),
                has_qualified_names: !symbol(c"Py_Version").is_null(),
                later: Later::find(),
                collector: Collector::find(),
                base,
            })
        }
    }

    /// Returns the calling thread's state, if it has one and there is an interpreter.
    pub(super) fn this_thread(&self) -> Option<ThreadState> {
        // SAFETY: both may be called at any time, without the GIL.
        let state = unsafe { if (self.is_initialized)() == 0 { ptr::null_mut() } else { (self.this_thread)() } };
        (!state.is_null()).then_some(ThreadState(state))
    }

    /// Whether the calling thread, whose state this is, holds the GIL.
    pub(super) fn is_current(&self, thread: ThreadState) -> bool {
        // SAFETY: it only reads which thread has the GIL.
        unsafe { (self.current)() == thread.0 }
    }

    /// Whether another thread can walk the frames of this one.
    pub(super) fn can_ask(&self, thread: ThreadState) -> bool {
        let Some(later) = &self.later else { return false };
        // SAFETY: the calling thread's state; the interpreter that it belongs to does not change.
        unsafe { (self.is_finalizing)() == 0 && (later.interpreter_of)(thread.0) == (later.main)() }
    }

    /// Takes the GIL, calls `work`, and releases the GIL.
    ///
    /// The interpreter may end the thread instead. So the calling functions have no destructors.
    pub(super) fn with_lock(&self, work: fn()) {
        // SAFETY: a thread of this library, which has no state of Python; the interpreter does not end.
        unsafe {
            if (self.is_finalizing)() != 0 {
                return;
            }
            let state = (self.ensure)();
            work();
            (self.release)(state);
        }
    }

    /// Walks the frames of a thread. The calling thread holds the GIL, and the other one is inside a call of this
    /// library.
    pub(super) fn walk(&self, thread: ThreadState) -> PythonFrames {
        let mut frames = PythonFrames::new();
        let mut error = [ptr::null_mut(); 3];
        let [kind, value, trace] = &mut error;
        // SAFETY: with the GIL. The pending exception is put aside, so that what follows may raise others, and then put
        // back in their place. No code of Python runs meanwhile, which could release the GIL.
        unsafe {
            (self.fetch)(kind, value, trace);
            let was_on = self.collector.as_ref().is_some_and(|collector| (collector.disable)() != 0);
            self.walk_from(self.frame_of(thread.0), &mut frames);
            if let Some(collector) = self.collector.as_ref().filter(|_| was_on) {
                (collector.enable)();
            }
            (self.clear)();
            (self.restore)(*kind, *value, *trace);
        }
        frames
    }

    /// Returns the innermost frame of a thread, which the caller drops.
    unsafe fn frame_of(&self, thread: Object) -> Object {
        // SAFETY: with the GIL. Without the newer function it is the calling thread's own frame, which lives.
        unsafe {
            match &self.later {
                Some(later) => (later.frame_of)(thread),
                None => {
                    let frame = (self.current_frame)();
                    (self.retain)(frame);
                    frame
                }
            }
        }
    }

    /// Adds this frame, and those that called it.
    unsafe fn walk_from(&self, mut frame: Object, frames: &mut PythonFrames) {
        let mut key = String::new();
        while !frame.is_null() && frame != self.none && frames.len() < DEEPEST {
            // SAFETY: the frame is a reference of this function. Each object is dropped once.
            unsafe {
                let (code, back) = match &self.later {
                    Some(later) => ((later.code)(frame), (later.back)(frame)),
                    None => ((self.attribute)(frame, c"f_code".as_ptr()), (self.attribute)(frame, c"f_back".as_ptr())),
                };
                let line = u32::try_from((self.line)(frame)).unwrap_or_default();
                frames.extend(self.frame(code, line, &mut key));
                (self.drop)(code);
                (self.drop)(frame);
                frame = back;
            }
        }
        // SAFETY: the last reference of this function, or null.
        unsafe { (self.drop)(frame) };
    }

    unsafe fn frame(&self, code: Object, line: u32, key: &mut String) -> Option<PythonFrame> {
        let name = if self.has_qualified_names { c"co_qualname" } else { c"co_name" };
        // SAFETY: attributes of a function's code, which are texts that live as long as the code.
        unsafe {
            let [file, name] = [c"co_filename", name]
                .map(|name| if code.is_null() { ptr::null_mut() } else { (self.attribute)(code, name.as_ptr()) });
            let frame = match (self.utf8(file), self.utf8(name)) {
                (Some(file), Some(name)) => Some(PythonFrame { code: intern(key, file, name), line }),
                _ => None,
            };
            (self.drop)(file);
            (self.drop)(name);
            frame
        }
    }

    /// Returns the bytes of a text, which live as long as the object.
    unsafe fn utf8<'a>(&self, text: Object) -> Option<&'a str> {
        let mut len = 0;
        // SAFETY: a text of Python or null; its bytes are UTF-8, or there is an exception and null.
        unsafe {
            if text.is_null() {
                return None;
            }
            let bytes = (self.text)(text, &raw mut len);
            if bytes.is_null() {
                (self.clear)();
                return Some("<a name that is not Unicode>");
            }
            std::str::from_utf8(slice::from_raw_parts(bytes.cast(), len.unsigned_abs())).ok()
        }
    }

    /// Whether an address is in the interpreter, or in what calls C functions for it.
    pub(super) fn contains(&self, addr: usize) -> bool {
        const CALLERS: [&str; 3] = ["/_ctypes.", "/libffi", "/_cffi_backend."];
        let Some((base, file)) = object_of(addr) else { return false };
        let file = file.to_str().unwrap_or_default();
        base == self.base || CALLERS.iter().any(|caller| file.contains(caller))
    }
}
