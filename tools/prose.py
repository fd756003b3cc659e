#!/usr/bin/env python3
"""Finds words in documents, comments, texts and names that the glossary (glossary.md) replaces; too wide comments.

usage: prose.py [PATH...]    checks the paths, by default everything in DONE
       prose.py --files      lists the files that it checks
       prose.py --selftest   plants each word in each kind of comment and expects that it is found

The forbidden words are the texts in backquotes in the last column of the glossary's table. A `*` stands for the rest of
a word. Code is not prose: code blocks and code in backquotes are skipped. A string literal is prose if it has a space;
its placeholders in braces and its escapes are skipped.

The names that Rust and C++ sources declare are split at underscores and capitals. The words that they must not have are
in backquotes below the glossary's table.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Paths whose prose has been rewritten. This list only grows: add a folder as soon as it is clean.
DONE = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "README.zh.md", "CHANGELOG.md", "docs", "include",
        "samples", "benches", "integrations", "src", "cpp_tests", "tests", "cmake", "tools/glossary.md")

GLOSSARY = pathlib.Path("tools/glossary.md")

# Columns of a comment line, including its indentation. rustfmt wraps comments on nightly only.
WIDTH = 120

# Prose that this project did not write, or that must contain the words.
EXCEPTIONS = {"docs/api.md"}

MARKDOWN = {".md"}
BLOCKS = {".h", ".hpp", ".c", ".cpp", ".cc", ".cu", ".rs"}


def forbidden(glossary):
    """(regular expression, word to use) of each row of the glossary."""
    rows = []
    for line in glossary.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 3 or cells[0] in ("use", "---"):
            continue
        for word in re.findall(r"`([^`]+)`", cells[2]):
            pattern = re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")
            rows.append((re.compile(rf"(?<![\w-]){pattern}(?![\w-])", re.IGNORECASE), word, cells[0]))
    if len(rows) < 20:
        sys.exit("prose: the table of tools/glossary.md has another form")
    return rows


def forbidden_in_names(glossary):
    """A regular expression of the words that names must not have."""
    sentence = re.search(r"^Names that sources declare have none.*?\.$", glossary, re.MULTILINE | re.DOTALL)
    words = re.findall(r"`([^`]+)`", sentence[0]) if sentence else []
    if len(words) < 20:
        sys.exit("prose: tools/glossary.md lists no words for names, or in another form")
    return re.compile(rf"(?<![a-z])(?:{'|'.join(words)})(?![a-z])"), words


def blank(match):
    """Spaces instead of a text, so that lines and columns stay."""
    return re.sub(r"[^\n]", " ", match[0])


def markdown(text):
    text = re.sub(r"^ *```.*?^ *```", blank, text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->|\]\([^)\s]*\)|\]\[[^\]]*\]", blank, text, flags=re.DOTALL)
    return re.sub(r"`[^`\n]*`", blank, text)


# String literals come first, so that `//` in one of them starts no comment.
TOKEN = re.compile(r'(?<!\w)(?:R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"|b?r(?P<hashes>\#*)".*?"(?P=hashes))'
                   r'|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def literal(match):
    """The prose of a string literal: escapes, placeholders and quotes are blank. Nothing of one without a space."""
    if " " not in match[0] or match[0].startswith("'"):
        return blank(match)
    return re.sub(r"\\.|\{[^{}\n]*\}|\"", blank, match[0], flags=re.DOTALL)


def prose_of(text):
    """The comments of a source, and the sentences in its string literals; all else is blank."""
    kept, end = [], 0
    for match in TOKEN.finditer(text):
        kept.append(re.sub(r"[^\n]", " ", text[end:match.start()]))
        # The markers of a comment are not part of its sentences, which continue in the next line.
        kept.append(re.sub(r"^\s*(///|//!|//|/\*\*|\*/|\*)", blank, match[0], flags=re.MULTILINE)
                    if match[0].startswith("/") else literal(match))
        end = match.end()
    kept.append(re.sub(r"[^\n]", " ", text[end:]))
    return markdown("".join(kept))


RUST_NAMES = re.compile(r"\b(?:fn|struct|enum|union|trait|mod|const|static|type|macro_rules!)\s+(?:mut\s+)?(\w+)"
                        r"|^\s*(?:pub(?:\([^)]*\))?\s+)?(\w+):\s", re.MULTILINE)
CPP_NAMES = re.compile(
    r"\b(?:(?:TYPED_)?TEST(?:_[FP])?|OWN_PROCESS_TEST)\(\s*\w+,\s*(\w+)"
    r"|\b(?:class|struct|enum|namespace|union|using)\s+(?:class\s+)?(\w+)|\#\s*define\s+(\w+)|\bauto\s+(\w+)\s*=\s*\["
    r"|^[ \t]*(?!(?:return|else|new|throw|case|delete|goto)\b)(?:[\w:<>,*&\[\]]+[ \t]+)*[\w:<>,*&\[\]]+[ \t*&]+"
    r"(?:\w+::)*~?(\w+)\(", re.MULTILINE)


def variants(code):
    """The places and names of the variants of Rust enums."""
    for enum in re.finditer(r"\benum\s+\w+[^{;]*\{", code):
        depth = 1
        for token in re.finditer(r"[{(\[]|[})\]]|\b[A-Z]\w*", code[enum.end():]):
            if token[0] in "{([":
                depth += 1
            elif token[0] in "})]":
                depth -= 1
                if depth == 0:
                    break
            elif depth == 1:
                yield enum.end() + token.start(), token[0]


def names(path, text):
    """The places and names that a source declares."""
    code = TOKEN.sub(blank, text)
    for match in (RUST_NAMES if path.suffix == ".rs" else CPP_NAMES).finditer(code):
        yield match.start(match.lastindex), match[match.lastindex]
    if path.suffix == ".rs":
        yield from variants(code)


def words_of(name):
    """The words of a name, in lower case and with underscores between them."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def misnamed(path, text, pattern):
    """Declared names with a forbidden word. The C API has its own."""
    for at, name in sorted(set(names(path, text))):
        found = None if re.match(r"(portacl|acl|cu)[A-Z]", name) else pattern.search(words_of(name))
        if found:
            line = text.count("\n", 0, at) + 1
            yield f"{path}:{line}: the name {name} has the word '{found[0]}' (tools/glossary.md)"


def wide(path, text):
    """Lines of comments, and of documents without tables and links, that are too wide."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) <= WIDTH:
            continue
        is_comment = re.match(r"\s*(//|/\*|\* )", line) and "http" not in line and "* |" not in line and "/// |" not in line
        if is_comment and path.suffix in BLOCKS:
            yield f"{path}:{number}: a comment of {len(line)} columns; {WIDTH} is the most"


def findings(path, text, rows, in_names):
    if path == GLOSSARY:  # the words themselves, in the last column
        text = re.sub(r"^(\|[^|\n]*\|[^|\n]*\|)[^|\n]*\|$", r"\1", text, flags=re.MULTILINE)
    prose = markdown(text) if path.suffix in MARKDOWN else prose_of(text)
    flat = " ".join(prose.split()).lower()
    for pattern, word, use in rows:
        # The patterns are slow, and few files have a word's text.
        for match in pattern.finditer(prose) if word.partition("*")[0].lower() in flat else ():
            line = prose.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: '{' '.join(match[0].split())}': use '{use}' (tools/glossary.md)"
    if path.suffix in BLOCKS:
        yield from misnamed(path, text, in_names)
    yield from wide(path, text)


def files(paths):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [pathlib.Path(name) for name in listed
            if pathlib.Path(name).suffix in MARKDOWN | BLOCKS and name not in EXCEPTIONS and (ROOT / name).is_file()]


def selftest_of_names(in_names, words):
    """Each word is found in each kind of name; as a part of a word, in a use and in the API it is not."""
    places = {
        "a.rs": ("fn is_{0}() {{}}", "pub struct {1}Part;", "enum A {{\n    /// B.\n    B(u8),\n    {1},\n}}",
                 "trait {1} {{}}", "mod {0}_tests;", "const {2}: u8 = 1;", "static IS_{2}: u8 = 1;", "type {1} = u8;",
                 "struct A {{\n    is_{0}: bool,\n}}"),
        "a.cpp": ("TEST_F(Suite, It{1}) {{", "OWN_PROCESS_TEST(Suite, {1}It, kA) {{", "void A::{1}(int a) {{",
                  "static char* {0}_it(int a);", "class {1} {{", "const auto {0} = [&] {{}};", "#define A_{2} 1"),
    }
    ignored = ("fn x{0}s_() {{}}", "a.{0}();", "// fn {0}()", "fn portacl{1}() {{}}", '"fn {0}()";')
    for name, kinds in places.items():
        for word in words:
            camel = "".join(part.capitalize() for part in word.split("_"))
            for kind in kinds + ignored:
                planted = kind.format(word, camel, word.upper())
                if any(misnamed(pathlib.Path(name), planted, in_names)) != (kind in kinds):
                    sys.exit(f"prose: '{planted}' was {'not ' if kind in kinds else ''}found in {name}")


def selftest(rows, in_names):
    """Each word, planted in each kind of prose, is found; in code it is not."""
    places = {
        "a.md": ("Text {}, text.\n", "```\n{}\n```\n`{}`\n"),
        "a.rs": ("/// Text {}.\nfn a() {{}}\n", 'fn a() {{ "{{{}}} // {{{}:#x}}" }}\n'),
        "b.rs": ("    // Text {}.\n", "/// Text `{}`.\n"),
        "c.rs": ('fn a() {{ b!("x {{y}}: {}\\n") }}\n', 'fn a() {{ b!("a `{}`") }}\n'),
        "d.rs": ('const A: &str = "a \\\n    {}";\n', "fn a() {{}}\n"),
        "e.rs": ('const A: &str = r#"a "b" {}"#;\n', "fn a() {{}}\n"),
        "a.h": ("/**\n * Text {}.\n */\n", 'const char* a = "{{{}}} a";\n'),
        "a.cpp": ("int a; /* {} */\n", "int a;\n"),
        "b.cpp": ('EXPECT(a) << "is {}";\n', "int a;\n"),
    }
    for name, (found, ignored) in places.items():
        path = pathlib.Path(name)
        for _, word, _ in rows:
            planted = word.replace("*", "s")
            if not any(f"'{planted}'" in line for line in findings(path, found.format(planted), rows, in_names)):
                sys.exit(f"prose: '{planted}' was not found in {name}")
            if list(findings(path, ignored.format(planted, planted), rows, in_names)):
                sys.exit(f"prose: '{planted}' was found in the code of {name}")
    if not list(wide(pathlib.Path("a.rs"), "// " + "x" * WIDTH)):
        sys.exit("prose: a wide comment was not found")


def main():
    if sys.argv[1:] == ["--files"]:
        print(*files(DONE), sep="\n")
        return
    glossary = (ROOT / GLOSSARY).read_text()
    rows = forbidden(glossary)
    in_names, words = forbidden_in_names(glossary)
    selftest(rows, in_names)
    selftest_of_names(in_names, words)
    if sys.argv[1:] == ["--selftest"]:
        return
    checked = files(sys.argv[1:] or DONE)
    if not checked:
        sys.exit("prose: no file to check")
    found = [line for path in checked for line in findings(path, (ROOT / path).read_text(), rows, in_names)]
    if found:
        print(*found, sep="\n")
        sys.exit(f"prose: {len(found)} findings in {len(checked)} files")
    print(f"prose: {len(checked)} files, {len(rows) + len(words)} words, no finding")


if __name__ == "__main__":
    main()
