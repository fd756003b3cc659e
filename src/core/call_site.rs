//! Where in a program a call came from.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Deeper frames are not looked at.
const DEEPEST: usize = 128;

/// The return addresses on a thread's stack, the innermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stack(Arc<[usize]>);

impl Stack {
    /// That of the calling thread, now. Names are looked up later, by [`Self::frames`].
    pub fn here() -> Self {
        let mut addrs = Vec::with_capacity(32);
        backtrace::trace(|frame| {
            let addr = frame.ip().addr();
            // Null: where the stack begins.
            if addr != 0 {
                addrs.push(addr);
            }
            addrs.len() < DEEPEST
        });
        Self(addrs.into())
    }

    /// The functions of the program, the innermost first: those that called the function of the API.
    pub fn frames(&self) -> Vec<Frame> {
        let mut frames: Vec<Frame> = self.0.iter().flat_map(|addr| resolve(*addr)).collect();
        // What this library does inside of the call is no news; a hook's own calls are.
        if let Some(entry) = frames.iter().position(Frame::is_api) {
            frames.drain(..=entry);
        }
        frames
    }
}

/// Names of functions, looked up once for each stack: that takes longer than all else by far.
#[derive(Default)]
pub struct Names(HashMap<Stack, Vec<Frame>>);

impl Names {
    /// As [`Stack::frames`].
    pub fn frames(&mut self, stack: &Stack) -> &[Frame] {
        // Not by `entry`, which would want a stack of its own each time.
        if !self.0.contains_key(stack) {
            self.0.insert(stack.clone(), stack.frames());
        }
        &self.0[stack]
    }
}

/// A function on a stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// Its name, or its address where it has none.
    pub function: String,
    /// The file it is in, if that is known, and the line that made the call.
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

impl fmt::Display for Frame {
    /// As CuPy's LineProfileHook writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some((file, line)) => write!(f, "{file}:{line}:{}", self.function),
            None => f.write_str(&self.function),
        }
    }
}

/// The functions at an address: several where some are inlined into others.
fn resolve(addr: usize) -> Vec<Frame> {
    let mut frames = Vec::new();
    backtrace::resolve(std::ptr::without_provenance_mut(addr), |symbol| {
        let function =
            symbol.name().map_or_else(|| format!("{addr:#x}"), |name| format!("{name:#}"));
        let place = symbol.filename().zip(symbol.lineno());
        let place = place.map(|(file, line)| (file.display().to_string(), line));
        frames.push(Frame { function, place });
    });
    if frames.is_empty() {
        frames.push(Frame { function: format!("{addr:#x}"), place: None });
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn a_function_of_the_program() -> Stack {
        std::hint::black_box(Stack::here())
    }

    #[test]
    fn a_stack_has_names_and_lines() {
        let frames = a_function_of_the_program().frames();
        let found =
            frames.iter().find(|frame| frame.function.contains("a_function_of_the_program"));
        let (file, line) = found.expect("the function is on the stack").place.clone().unwrap();
        assert!(file.ends_with("call_site.rs") && line != 0, "{file}:{line}");
    }

    #[test]
    fn functions_of_the_api_are_known_by_name() {
        let is_api = |name: &str| Frame { function: name.to_owned(), place: None }.is_api();
        assert!(is_api("aclrtMalloc") && is_api("portaclMallocAsync") && is_api("aclInit"));
        assert!(!is_api("portacl::core::memory::malloc") && !is_api("main") && !is_api("acl_user"));
    }
}
