//! Counts in texts.

use std::fmt::{Display, Formatter, Result};

/// A count, with the noun in singular or plural.
#[derive(Clone, Copy, Debug)]
pub struct Count<'a>(pub usize, pub &'a str);

impl Display for Count<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self(count, noun) = *self;
        if count == 1 {
            return write!(f, "1 {noun}");
        }
        // In "range of addresses" the first word changes.
        let (first, rest) = match noun.split_once(" of ") {
            Some((first, _)) => noun.split_at(first.len()),
            None => (noun, ""),
        };
        match first.strip_suffix('y') {
            Some(stem) => write!(f, "{count} {stem}ies{rest}"),
            None => write!(f, "{count} {first}s{rest}"),
        }
    }
}

#[cfg(test)]
#[path = "count_tests.rs"]
mod tests;
