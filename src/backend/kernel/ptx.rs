//! Parses the parameters of kernels in a PTX text, for drivers that do not return them.

use crate::{Parameter, Parameters};

/// Returns the text without its comments.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('/') {
        code.push_str(&rest[..start]);
        let end = match &rest.as_bytes()[start..] {
            [b'/', b'/', ..] => rest[start..].find('\n'),
            [b'/', b'*', ..] => rest[start + 2..].find("*/").map(|end| end + 4),
            _ => {
                code.push('/');
                Some(1)
            }
        };
        rest = end.map_or("", |end| &rest[start + end..]);
    }
    code.push_str(rest);
    code
}

/// Returns the parameters of a kernel, or `None` if the text has no such kernel, or declares them in an unknown way.
pub fn parameters(text: &str, kernel: &str) -> Option<Parameters> {
    let code = code(text);
    let list = code.split(".entry").skip(1).find_map(|rest| {
        let rest = rest.trim_start().strip_prefix(kernel)?.trim_start();
        match rest.as_bytes().first()? {
            b'(' => rest[1..].split(')').next(),
            b'{' | b'.' => Some(""),
            // The name is longer.
            _ => None,
        }
    })?;
    let mut each: Vec<Parameter> = Vec::new();
    for one in list.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        let (size, align) = size_and_alignment(one)?;
        let end = each.last().map_or(0, |last| last.offset + last.size);
        each.push(Parameter { offset: end.checked_next_multiple_of(align)?, size, pointer: None });
    }
    let size = each.last().map_or(0, |last| last.offset + last.size);
    Some(Parameters { size, each: each.into() })
}

/// Returns the size and alignment of one declaration: `.param .u64 .ptr .global .align 4 name` (the alignment is the
/// pointer's), `.param .align 8 .b8 name[24]`.
fn size_and_alignment(declaration: &str) -> Option<(usize, usize)> {
    let declaration = declaration.strip_prefix(".param")?;
    let (declaration, count) = match declaration.split_once('[') {
        Some((declaration, count)) => (declaration, count.strip_suffix(']')?.trim().parse().ok()?),
        None => (declaration, 1),
    };
    let (mut element, mut align): (Option<usize>, Option<usize>) = (None, None);
    let mut words = declaration.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            ".align" => align = Some(words.next()?.parse().ok().filter(|align: &usize| align.is_power_of_two())?),
            ".ptr" => break,
            ".b8" | ".u8" | ".s8" => element = Some(1),
            ".b16" | ".u16" | ".s16" | ".f16" | ".bf16" => element = Some(2),
            ".b32" | ".u32" | ".s32" | ".f32" | ".f16x2" | ".bf16x2" => element = Some(4),
            ".b64" | ".u64" | ".s64" | ".f64" => element = Some(8),
            ".b128" => element = Some(16),
            word if word.starts_with('.') => return None,
            _ => {}
        }
    }
    let element = element?;
    Some((element.checked_mul(count)?, align.unwrap_or(element)))
}

#[cfg(test)]
#[path = "ptx_tests.rs"]
mod tests;
