//! Reads the text that the standard library makes of a stack.

use super::Frame;
use crate::algo::host::cpp_name::cpp_name;

/// Returns the part of the standard library's text that begins at the interrupted instruction, if there is one.
pub(super) fn without_handler(text: &str, instruction: Option<usize>) -> &str {
    let Some(instruction) = instruction else { return text };
    let inside = before(text, instruction).len();
    if inside == text.len() { text } else { &text[inside..] }
}

/// Returns the part of the standard library's text before an address: all of it if it does not contain the address.
pub(super) fn before(text: &str, addr: usize) -> &str {
    let is_before = |line: &&str| address_of(line) != Some(addr);
    let before = text.split_inclusive('\n').take_while(is_before).map(str::len).sum();
    &text[..before]
}

/// Returns the address in a line of that text.
fn address_of(line: &str) -> Option<usize> {
    let (addr, _) = line.split_once(": ")?.1.trim_start().split_once(" - ")?;
    usize::from_str_radix(addr.strip_prefix("0x")?, 16).ok()
}

/// Parses a text of the standard library. Each function has a line with its number, its address (repeated where it is
/// inlined into the next one) and its name, then a line with file and line number, if they are known.
pub(super) fn frames_of(text: &str) -> Vec<Frame> {
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
