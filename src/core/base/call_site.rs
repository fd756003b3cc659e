//! Where in a program a call came from.
//!
//! The standard library finds names and lines: every program contains that code already, for its panics. The crate
//! `backtrace` would add a second copy, a quarter of a small program. The standard library names only the stack that it
//! walks itself, as a text. So each distinct stack is walked a second time when it is first seen, and its text is
//! parsed when a report is written.
//!
//! The functions of Python are no functions of the processor: an interpreter has them in its own memory. So they are
//! read at once, and two stacks with different ones are different.

mod place;
mod text;

use std::backtrace::Backtrace;
use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::host::grow::Grow as _;
use crate::algo::thread::deep_stack;
use crate::algo::thread::per_thread::{ThreadList, at_thread_end, per_thread};
use crate::backend::Walk;
use crate::backend::python::{self, PythonFrame, PythonFrames};
pub use place::place;
use text::{before, frames_of, without_handler};

/// Deeper frames are ignored.
const DEEPEST: usize = 128;

/// A walk of a stack, and the frame that it began from.
struct Walked {
    frame: usize,
    walk: Walk,
    stack: Stack,
}

impl Walked {
    /// Whether the calling thread is at the same place.
    fn is_at(&self, frame: usize, python: &PythonFrames) -> bool {
        self.frame == frame && self.stack.trace().python == *python && self.walk.is_same()
    }
}

/// Number of lists of walks of a thread. The frame and the line of Python select the list.
const LISTS: usize = 64;
/// Maximum number of walks in a list.
const MOST_OF_A_LIST: usize = 32;
per_thread! {
    /// The latest walks of this thread. Each list has the latest first.
    static RECENT: ThreadList<Vec<Walked>> = ThreadList::new();
}
at_thread_end! {
    /// Frees the walks when the thread ends.
    fn is_freed() -> bool => free_recent;
}
/// Marks the stack of a signal handler. No return address has this value.
const INTERRUPTED: usize = 0;

/// Returns the list of a frame. Frames are aligned to 16 bytes.
fn list_of(frame: usize, python: &PythonFrames) -> usize {
    (frame / 16 + python.first().map_or(0, |innermost| innermost.line as usize)) % LISTS
}

fn free_recent() {
    RECENT.with(|recent| drop(recent.take()));
}

/// The stacks seen so far.
static MET: Mutex<Option<HashSet<Stack>>> = Mutex::new(None);

/// Number of stacks that are never freed: the first ones. Counting their holders would take longer than all else here.
const MOST_KEPT: usize = if cfg!(test) { 64 } else { 4096 };

/// The return addresses on a thread's stack, the innermost first. The stack of a signal handler begins with
/// `INTERRUPTED` and the address of the interrupted instruction. For a thread that runs Python there are the functions
/// of Python as well.
#[derive(Clone, Debug)]
pub enum Stack {
    /// A stack that is never freed.
    Kept(StaticStack),
    /// A stack that is freed when its last holder drops it.
    Counted(Arc<Trace>),
}

/// A stack that is never freed.
#[derive(Clone, Copy, Debug)]
pub struct StaticStack(&'static Trace);

/// The addresses and the backtrace of a stack.
#[derive(Debug)]
pub struct Trace {
    /// The addresses outside of an interpreter, and two numbers for each function of Python and its line. Equal stacks
    /// have equal keys.
    key: Box<[usize]>,
    python: PythonFrames,
    /// The first address inside of the interpreter.
    interpreter: Option<usize>,
    /// The standard library's backtrace of the same calls.
    backtrace: Backtrace,
}

impl Borrow<[usize]> for Stack {
    fn borrow(&self) -> &[usize] {
        &self.trace().key
    }
}

impl PartialEq for Stack {
    fn eq(&self, other: &Self) -> bool {
        self.trace().key == other.trace().key
    }
}

impl Eq for Stack {}

impl Hash for Stack {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.trace().key.hash(state);
    }
}

impl Stack {
    /// Walks the stack of the calling thread. [`Self::frames`] resolves the names later.
    #[inline(never)]
    pub fn here() -> Self {
        let variable = 0_u8;
        // An address in the frame of this function. It is often the same, because a program often calls from the same
        // place.
        let frame = (&raw const *black_box(&variable)).expose_provenance();
        let python = python::frames();
        let known = RECENT.with(|recent| {
            recent.with(|recent| {
                let mut known = recent.get(list_of(frame, &python))?.iter();
                known.find(|known| known.is_at(frame, &python)).map(|known| known.stack.clone())
            })
        });
        known.unwrap_or_else(|| Self::walk(frame, python))
    }

    #[cold]
    fn walk(frame: usize, python: PythonFrames) -> Self {
        let walk = Walk::here(DEEPEST, frame);
        let list = list_of(frame, &python);
        let stack = Self::of(&walk.addrs, python);
        if !is_freed() {
            return stack;
        }
        RECENT.with(|recent| {
            if recent.with(<[_]>::is_empty) {
                (0..LISTS).for_each(|_| recent.push(Vec::new()));
            }
            recent.change(list, |list| {
                list.truncate(MOST_OF_A_LIST - 1);
                list.insert(0, Walked { frame, walk, stack: stack.clone() });
            });
        });
        stack
    }

    /// Walks the stack of the calling thread. A signal handler runs on it and has interrupted this instruction.
    pub fn interrupted(instruction: usize) -> Self {
        // No later walk is compared with this one.
        let walk = Walk::here(DEEPEST, usize::MAX);
        // Inside the handler this thread waits for no other one.
        let python = python::frames_if_held();
        match walk.addrs.iter().position(|addr| *addr == instruction) {
            Some(first) => Self::of(&[&[INTERRUPTED], &walk.addrs[first..]].concat(), python),
            None => Self::of(&walk.addrs, python),
        }
    }

    /// Returns the interrupted instruction, if a signal handler's stack begins with one.
    fn instruction(&self) -> Option<usize> {
        self.trace().key.strip_prefix(&[INTERRUPTED])?.first().copied()
    }

    fn of(addrs: &[usize], python: PythonFrames) -> Self {
        // Inside of the interpreter, what one line of Python calls changes with time.
        let inside = if python.is_empty() { None } else { python::first_inside(addrs) };
        let outside = &addrs[..inside.unwrap_or(addrs.len())];
        let numbers = python.iter().flat_map(|frame| [Arc::as_ptr(&frame.code).addr(), frame.line as usize]);
        let key: Box<[usize]> = outside.iter().copied().chain(numbers).collect();
        if let Some(stack) = MET.lock().as_ref().and_then(|met| met.get(&*key)) {
            return stack.clone();
        }
        python::look();
        let interpreter = inside.map(|first| addrs[first]);
        // The lock is not held here: the standard library locks its own lock for this.
        let trace = Trace { key, python, interpreter, backtrace: Backtrace::force_capture() };
        let mut met = MET.lock();
        let met = met.get_or_insert_default();
        // Another thread may have inserted it meanwhile.
        if let Some(stack) = met.get(&*trace.key) {
            return stack.clone();
        }
        if met.len() == met.capacity() {
            // Stacks that no caller holds are removed before the set grows.
            met.retain(Self::is_held);
            // If the host has no memory for the set, only the caller holds the stack.
            if met.len() >= met.capacity() / 2 && met.make_room(met.capacity().max(1)).is_err() {
                return Self::Counted(Arc::new(trace));
            }
        }
        let stack = match met.len() {
            ..MOST_KEPT => Self::Kept(StaticStack(Box::leak(Box::new(trace)))),
            _ => Self::Counted(Arc::new(trace)),
        };
        met.insert(stack.clone());
        stack
    }

    fn is_held(&self) -> bool {
        match self {
            Self::Kept(_) => true,
            Self::Counted(trace) => Arc::strong_count(trace) > 1,
        }
    }

    #[inline]
    fn trace(&self) -> &Trace {
        match self {
            Self::Kept(StaticStack(trace)) => trace,
            Self::Counted(trace) => trace,
        }
    }

    fn all_frames(&self) -> Vec<Frame> {
        let Trace { backtrace, interpreter, .. } = self.trace();
        let parse = |text: &str| {
            let text = without_handler(text, self.instruction());
            frames_of(interpreter.map_or(text, |first| before(text, first)))
        };
        deep_stack::run(|| parse(&format!("{backtrace:#}")))
    }

    /// Returns the function of the API that was called, `None` if the program did something without a call.
    pub fn call(&self) -> Option<String> {
        if self.instruction().is_some() {
            return None;
        }
        let mut frames = self.all_frames();
        api_call(&frames).map(|index| frames.swap_remove(index).function)
    }

    /// Returns the functions of the program, the innermost first. The first one called the function of the API. Those
    /// of Python come before those of extensions, which are between these and the API.
    pub fn frames(&self) -> Vec<Frame> {
        let mut frames = self.python_frames();
        frames.extend(self.native_frames());
        frames
    }

    /// Returns the functions of the program, the outermost first, each before those that it called.
    pub fn path(&self) -> Vec<Frame> {
        let mut frames = self.native_frames();
        frames.extend(self.python_frames());
        frames.reverse();
        frames
    }

    fn python_frames(&self) -> Vec<Frame> {
        let python = &self.trace().python;
        let is_known = |frame: &&PythonFrame| !frame.is_unread() || self.trace().interpreter.is_some();
        let python = python.iter().skip_while(|frame| frame.code.is_of_library()).filter(is_known);
        let frame = |python: &PythonFrame| Frame {
            function: python.code.function().to_owned(),
            place: (!python.is_unread()).then(|| (python.code.file().to_owned(), python.line)),
        };
        python.map(frame).collect()
    }

    /// Returns the functions of the program that are no functions of Python, the innermost first.
    fn native_frames(&self) -> Vec<Frame> {
        let mut frames = self.all_frames();
        // Frames inside this library's call are left out. Calls that a hook makes stay.
        if self.instruction().is_none()
            && let Some(entry) = api_call(&frames)
        {
            frames.drain(..=entry);
        }
        frames.truncate(program_part(&frames));
        frames
    }
}

/// Names of functions, resolved once for each stack, because that is the slowest step.
#[derive(Default)]
pub struct Names(HashMap<Stack, Vec<Frame>>);

impl Names {
    /// Returns the frames as [`Stack::frames`] does.
    pub fn frames(&mut self, stack: &Stack) -> &[Frame] {
        self.0.entry(stack.clone()).or_insert_with(|| stack.frames())
    }
}

/// A function on a stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// The name of the function, or its address if it has no name.
    pub function: String,
    /// The file and the line that made the call, if known.
    pub place: Option<(String, u32)>,
}

impl Frame {
    /// Whether it is a function of the C API.
    fn is_api(&self) -> bool {
        let name = &self.function;
        let known = ["aclrt", "acl", "portacl", "Hccl"].iter().any(|prefix| name.starts_with(prefix));
        known && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }
}

/// Returns the index of the program's call in these functions, the innermost first: an operator or a collective that
/// calls the API itself, or the first function of the API.
fn api_call(frames: &[Frame]) -> Option<usize> {
    let calls_api = |frame: &Frame| frame.is_api() && ["aclnn", "Hccl"].iter().any(|it| frame.function.starts_with(it));
    frames.iter().position(calls_api).or_else(|| frames.iter().position(Frame::is_api))
}

impl fmt::Display for Frame {
    /// Writes the frame as CuPy's LineProfileHook does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some((file, line)) => write!(f, "{file}:{line}:{}", self.function),
            None => f.write_str(&self.function),
        }
    }
}

/// Returns how many of these functions, the innermost first, belong to the program: all up to `main`; without `main`,
/// all before those that start a thread or the process.
fn program_part(frames: &[Frame]) -> usize {
    if let Some(main) = frames.iter().rposition(|frame| frame.function == "main") {
        return main + 1;
    }
    let mut count = frames.len();
    while let Some((last, inner)) = frames[..count].split_last() {
        // The C++ library, which has no names, calls what is in its headers.
        let is_nameless = last.place.is_none() && last.function.starts_with("0x");
        let is_callers = is_nameless && inner.last().is_some_and(begins_a_thread);
        if !begins_a_thread(last) && !is_callers {
            break;
        }
        count -= 1;
    }
    count
}

/// Whether a function is one of those that start a thread or the process: of the C library, or of the standard
/// libraries of C++ and Rust. The end of a stack has the address 0. With debugging information names lack namespaces,
/// so their files decide.
fn begins_a_thread(frame: &Frame) -> bool {
    const SOURCES: [&str; 3] = ["/include/c++/", "/library/std/src/", "/library/core/src/"];
    const NAMES: [&str; 5] = ["0x0", "_start", "start_thread", "clone", "clone3"];
    /// The names of other functions begin with these texts.
    const BEGINNINGS: [&str; 9] = [
        "__libc_start_",
        "__clone",
        "execute_native_thread_routine",
        "__rust_",
        "std::thread::",
        "std::__invoke",
        "std::__future_base::",
        "std::_Function_handler",
        "std::sys::",
    ];
    let name = frame.function.split('@').next().unwrap_or_default().trim_start_matches("__GI_");
    let is_in = |file: &str| SOURCES.iter().any(|known| file.contains(known));
    // A template of C++ has the type that it returns before its name. Rust has "<TYPE as TRAIT>" before a method.
    let own = name.split(['(', '<']).next().and_then(|name| name.rsplit(' ').next()).unwrap_or_default();
    let is_call_of_closure = name.contains("core::ops::function::");
    NAMES.contains(&name)
        || BEGINNINGS.iter().any(|known| own.starts_with(known))
        || is_call_of_closure
        || frame.place.as_ref().is_some_and(|(file, _)| is_in(file))
}

#[cfg(test)]
#[path = "call_site_tests.rs"]
mod tests;
