//! Writes comments of one line in one line: behind the constant or the member that they describe, or above it.
//! Constants with such a comment form a table.

/// The longest line.
const MOST: usize = 120;

/// Returns the text with its comments of one line in one line.
pub(crate) fn in_one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut short: Vec<String> = Vec::with_capacity(lines.len());
    let mut at = 0;
    let mut table_ends_at = None;
    while at < lines.len() {
        let comment = comment_at(&lines[at..]);
        let described = lines.get(at + 3).filter(|_| comment.is_some());
        let behind = described.and_then(|line| behind(line, comment?));
        if let Some(line) = behind {
            // A row of a table follows the row before without a blank line.
            if table_ends_at == Some(short.len()) && !line.starts_with(' ') {
                short.pop();
            }
            short.push(line);
            at += 4;
            if lines.get(at) == Some(&"") {
                table_ends_at = Some(short.len() + 1);
            }
            continue;
        }
        let indent = &lines[at][..lines[at].len() - lines[at].trim_start().len()];
        match comment.map(|comment| format!("{indent}/** {comment} */")).filter(|line| line.len() <= MOST) {
            Some(line) => {
                short.push(line);
                at += 3;
            }
            None => {
                short.push(lines[at].to_owned());
                at += 1;
            }
        }
    }
    short.join("\n") + "\n"
}

/// Returns the text of the comment that begins here, if it is one line.
fn comment_at<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let [first, text, last, ..] = lines else { return None };
    let indent = first.strip_suffix("/**").filter(|indent| indent.trim().is_empty())?;
    let text = text.strip_prefix(indent)?.strip_prefix(" * ")?;
    (last.strip_prefix(indent)? == " */").then_some(text)
}

/// Returns a constant or a member with its comment behind it, if both fit.
fn behind(described: &str, comment: &str) -> Option<String> {
    let is_member = described.starts_with("    ") && described.ends_with([',', ';']);
    let is_constant = described.starts_with("#define ") || described.starts_with("static const ");
    let line = format!("{described} /**< {comment} */");
    ((is_member || is_constant) && line.len() <= MOST).then_some(line)
}

#[test]
fn members_and_constants_have_their_comments_behind_them() {
    let text = "typedef enum e {\n    /**\n     * One.\n     */\n    A = 1,\n    /**\n     * Two.\n     */\n    B = 2,\n} e;\n\n\
                /**\n * Three.\n */\n#define C 3\n\n/**\n * Four.\n */\nstatic const int D = 4;\n\n\
                /**\n * A call.\n */\nint f(void);\n";
    let short = "typedef enum e {\n    A = 1, /**< One. */\n    B = 2, /**< Two. */\n} e;\n\n\
                 #define C 3 /**< Three. */\nstatic const int D = 4; /**< Four. */\n\n/** A call. */\nint f(void);\n";
    assert_eq!(in_one_line(text), short);
}

#[test]
fn what_does_not_fit_stays() {
    let long = "x".repeat(100);
    let text = format!(
        "/**\n * {long}\n */\n#define {long} 1\n\n/**\n * One\n * two.\n */\nint f(void);\n\n/**\n * {long}{long}\n */\nint g(void);\n"
    );
    let short = format!(
        "/** {long} */\n#define {long} 1\n\n/**\n * One\n * two.\n */\nint f(void);\n\n/**\n * {long}{long}\n */\nint g(void);\n"
    );
    assert_eq!(in_one_line(&text), short);
}
