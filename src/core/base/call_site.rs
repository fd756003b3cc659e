//! Where in a program a call came from.
//!
//! The standard library finds names and lines: every program contains that code already, for its panics. The crate
//! `backtrace` would add a second copy, a quarter of a small program. The standard library names only the stack that it
//! walks itself, as a text. So each distinct stack is walked a second time when it is first seen, and its text is
//! parsed when a report is written.

use std::backtrace::Backtrace;
use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::host::cpp_name::cpp_name;
use crate::algo::host::grow::Grow as _;
use crate::algo::thread::deep_stack;
use crate::algo::thread::per_thread::{ThreadList, at_thread_end, per_thread};
use crate::backend::Walk;

/// Deeper frames are ignored.
const DEEPEST: usize = 128;

/// A walk of a stack, and the frame that it began from.
struct Walked {
    frame: usize,
    walk: Walk,
    stack: Stack,
}

/// Number of lists of walks of a thread. The frame selects the list.
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
fn list_of(frame: usize) -> usize {
    frame / 16 % LISTS
}

fn free_recent() {
    RECENT.with(|recent| drop(recent.take()));
}

/// The stacks seen so far.
static MET: Mutex<Option<HashSet<Stack>>> = Mutex::new(None);

/// Number of stacks that are never freed: the first ones. Counting their holders would take longer than all else here.
const MOST_KEPT: usize = if cfg!(test) { 64 } else { 4096 };

/// The return addresses on a thread's stack, the innermost first. The stack of a signal handler begins with
/// `INTERRUPTED` and the address of the interrupted instruction.
#[derive(Clone, Debug)]
pub enum Stack {
    /// A stack that is never freed.
    Kept(Kept),
    /// A stack that is freed when its last holder drops it.
    Counted(Arc<Trace>),
}

/// A stack that is never freed.
#[derive(Clone, Copy, Debug)]
pub struct Kept(&'static Trace);

/// The addresses and the backtrace of a stack.
#[derive(Debug)]
pub struct Trace {
    addrs: Box<[usize]>,
    /// The standard library's backtrace of the same calls.
    backtrace: Backtrace,
}

impl Borrow<[usize]> for Stack {
    fn borrow(&self) -> &[usize] {
        &self.trace().addrs
    }
}

impl PartialEq for Stack {
    fn eq(&self, other: &Self) -> bool {
        self.trace().addrs == other.trace().addrs
    }
}

impl Eq for Stack {}

impl Hash for Stack {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.trace().addrs.hash(state);
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
        let known = RECENT.with(|recent| {
            recent.with(|recent| {
                let mut known = recent.get(list_of(frame))?.iter();
                known.find(|known| known.frame == frame && known.walk.is_same()).map(|known| known.stack.clone())
            })
        });
        known.unwrap_or_else(|| Self::walk(frame))
    }

    #[cold]
    fn walk(frame: usize) -> Self {
        let walk = Walk::here(DEEPEST, frame);
        let stack = Self::of(&walk.addrs);
        if !is_freed() {
            return stack;
        }
        RECENT.with(|recent| {
            if recent.with(<[_]>::is_empty) {
                (0..LISTS).for_each(|_| recent.push(Vec::new()));
            }
            recent.change(list_of(frame), |list| {
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
        match walk.addrs.iter().position(|addr| *addr == instruction) {
            Some(first) => Self::of(&[&[INTERRUPTED], &walk.addrs[first..]].concat()),
            None => Self::of(&walk.addrs),
        }
    }

    /// Returns the interrupted instruction, if a signal handler's stack begins with one.
    fn instruction(&self) -> Option<usize> {
        self.trace().addrs.strip_prefix(&[INTERRUPTED])?.first().copied()
    }

    fn of(addrs: &[usize]) -> Self {
        if let Some(stack) = MET.lock().as_ref().and_then(|met| met.get(addrs)) {
            return stack.clone();
        }
        // The lock is not held here: the standard library locks its own lock for this.
        let trace = Trace { addrs: addrs.into(), backtrace: Backtrace::force_capture() };
        let mut met = MET.lock();
        let met = met.get_or_insert_default();
        // Another thread may have inserted it meanwhile.
        if let Some(stack) = met.get(addrs) {
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
            ..MOST_KEPT => Self::Kept(Kept(Box::leak(Box::new(trace)))),
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
            Self::Kept(Kept(trace)) => trace,
            Self::Counted(trace) => trace,
        }
    }

    fn all_frames(&self) -> Vec<Frame> {
        let trace = &self.trace().backtrace;
        deep_stack::run(|| frames_of(without_handler(&format!("{trace:#}"), self.instruction())))
    }

    /// Returns the function of the API that was called, `None` if the program did something without a call.
    pub fn call(&self) -> Option<String> {
        if self.instruction().is_some() {
            return None;
        }
        let mut frames = self.all_frames();
        api_call(&frames).map(|index| frames.swap_remove(index).function)
    }

    /// Returns the functions of the program, the innermost first. The first one called the function of the API.
    pub fn frames(&self) -> Vec<Frame> {
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
        let known = ["aclrt", "acl", "portacl"].iter().any(|prefix| name.starts_with(prefix));
        known && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }
}

/// Returns the index of the program's call in these functions, the innermost first: an operator that calls the API
/// itself, or the first function of the API.
fn api_call(frames: &[Frame]) -> Option<usize> {
    let is_operator = |frame: &Frame| frame.is_api() && frame.function.starts_with("aclnn");
    frames.iter().position(is_operator).or_else(|| frames.iter().position(Frame::is_api))
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

/// Returns the part of the standard library's text that begins at the interrupted instruction, if there is one.
fn without_handler(text: &str, instruction: Option<usize>) -> &str {
    let Some(instruction) = instruction else { return text };
    let is_inside = |line: &&str| address_of(line) != Some(instruction);
    let inside = text.split_inclusive('\n').take_while(is_inside).map(str::len).sum();
    if inside == text.len() { text } else { &text[inside..] }
}

/// Returns the address in a line of that text.
fn address_of(line: &str) -> Option<usize> {
    let (addr, _) = line.split_once(": ")?.1.trim_start().split_once(" - ")?;
    usize::from_str_radix(addr.strip_prefix("0x")?, 16).ok()
}

/// Parses a text of the standard library. Each function has a line with its number, its address (repeated where it is
/// inlined into the next one) and its name, then a line with file and line number, if they are known.
fn frames_of(text: &str) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some(place) = line.strip_prefix("at ") {
            if let Some(frame) = frames.last_mut() {
                frame.place = place_of(place);
            }
            continue;
        }
        let function = line.split_once(": ").map_or(line, |(_, function)| function.trim_start());
        frames.push(Frame { function: name_of(function), place: None });
    }
    frames
}

/// Parses `FILE:LINE:COLUMN` or `FILE:LINE`.
fn place_of(text: &str) -> Option<(String, u32)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last = last.parse().ok()?;
    if let Some((file, line)) = rest.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        return Some((file.to_owned(), line));
    }
    Some((rest.to_owned(), last))
}

/// Parses `ADDRESS - NAME`, or only a name.
fn name_of(text: &str) -> String {
    let (addr, name) = match text.split_once(" - ") {
        Some((addr, name)) if addr.starts_with("0x") => (addr, name),
        _ => ("", text),
    };
    if name == "<unknown>" {
        return if addr.is_empty() { name } else { addr }.to_owned();
    }
    cpp_name(name).unwrap_or_else(|| without_hashes(name))
}

/// Returns the name of a Rust function without the hashes that distinguish it and its crates: `crate[HASH]::function`,
/// in the older form `crate::function::hHASH`.
fn without_hashes(name: &str) -> String {
    const LEAST_DIGITS: usize = 12;
    let is_hash = |text: &str| text.len() >= LEAST_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let name = match name.rsplit_once("::h") {
        Some((path, hash)) if is_hash(hash) => path,
        _ => name,
    };
    let mut rest = name.split('[');
    let mut short = rest.next().unwrap_or_default().to_owned();
    for part in rest {
        match part.split_once(']') {
            Some((hash, part)) if is_hash(hash) => short.push_str(part),
            _ => short.extend(["[", part]),
        }
    }
    short
}

#[cfg(test)]
#[path = "call_site_tests.rs"]
mod tests;
