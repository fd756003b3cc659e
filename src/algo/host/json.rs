//! Strings of JSON.

use std::fmt::Write;

/// Puts a string of JSON behind a text.
pub fn quote(text: &mut String, string: &str) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            c if c < ' ' => write!(text, "\\u{:04x}", c as u32).expect("a text takes all"),
            c => text.push(c),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_has_other_ideas_of_is_escaped() {
        let mut text = String::new();
        quote(&mut text, "a\"b\\c\nd\u{1}e\u{e9}");
        assert_eq!(text, "\"a\\\"b\\\\c\\nd\\u0001e\u{e9}\"");
    }
}
