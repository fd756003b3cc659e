#!/usr/bin/env python3
"""Prints a table of the texts that the library and its programs print: errors, reports, notices and help.

usage: texts.py [PATH...]              the table: place and text; by default of everything in PLACES
       texts.py --draw COUNT SEED      COUNT of the texts with six words or more, drawn at random
       texts.py --check                fails if a text has a phrase that PHRASES replaces
       texts.py --selftest             plants each phrase in each language, and expects that it is found

A text is a string literal with a space outside of tests, attributes and comments. The pattern of an error is
`CALL: ARGUMENT is VALUE; allowed: BOUND. Do X.`
"""

import ast
import pathlib
import random
import re
import subprocess
import sys

import prose

ROOT = prose.ROOT

# (regular expression, a text that has it, words to use). Placeholders are not part of a text.
PHRASES = (
    (r"\bwho(?:ever)?\b", "who imports it", "the thing's name: process, exporter, thread"),
    (r"\bwhat\b", "free what is in use", "the thing's name: allocation, work, value"),
    (r"\bthat(?=[,.:;)]|$)", "no deeper than that;", "the thing's name"),
    (r"\bthat one\b", "close that one first", "the thing's name"),
    (r"\b(?:of its|of theirs|of ours)(?=[,.:;)]|$)", "no stream of its;", "the thing's name"),
    (r"(?<!there )\bis (?:none|no(?! longer| more than))\b", "it is no handle", "is not a"),
    (r"\b(?:go|goes|gone|going|went) with\b", "it went with its device", "is released with"),
    (r"\b(?:go|goes|going|went) on\b", "its work goes on", "continue"),
    (r"\b(?:give|gave|take|taken|took|get|got)\w* (?:it|them|one|any) back\b", "give it back", "free, unregister"),
    (r"\bcomes? (?:back|to (?:an|no) end)\b", "the memory cannot come back", "restore, end"),
    (r"\bqueu(?:e|es|ed|ing)\b", "queued work", "enqueue"),
    (r"\bfor (?:lack|want) of\b", "for lack of room", "because"),
    (r"\bmemory of\b", "memory of device 0", "memory on, memory from, memory in"),
    (r"\bbehind\b", "the work behind it", "after"),
    (r"\bspoil\w*|\bspoilt\b", "it spoilt the capture", "make invalid"),
    (r"\bin (?:one piece|pieces)\b", "no 8 bytes in one piece", "block"),
    (r"\b(?:de|un)?synchronis\w*", "synchronise first", "synchronize"),
    (r"\blook-ups?\b", "a look-up", "lookup"),
    (r"\bgave\b", "the driver gave 2", "returned"),
    (r"\{(?-i:[a-z_.]*)\} (?:arguments|buffers|callbacks|devices|dimensions|hooks|labels|mappings|parameters|tensors)\b",
     "there are {count} devices", "algo::count::Count, or a sentence without a plural: the count may be 1"),
    (r"\bmeanwhile\b", "it was destroyed meanwhile", "during this call, before this call"),
    (r"\bcounts? as not\b", "it counts as not given", "is ignored"),
)
PLACES = ("src", "include/portacl", "integrations", "programs")
SOURCES = {".rs", ".c", ".cpp", ".cc", ".cu", ".h", ".hpp", ".py"}
TESTS = re.compile(r"(^|/)(tests|bench|benches)/|(^|/)test_|_tests?\.\w+$|_tests/|_models/|^src/\w+/build\.rs$|^integrations/cxx/include/rust/|cxx_bridge|/bridge\.cpp$")

# Literals that no user reads: reasons of attributes, texts of broken invariants, assembly and file names.
HIDDEN = re.compile(r'(\breason\s*=|\bexpect\(|\bunreachable!\(|\bcfg_attr\(.*|\bdoc\s*=|\basm!\(|\bextern|'
                    r'\bdebug_assert\w*!\([^"]*|\bstatic_assert\([^"]*|\bassert(_eq|_ne)?!\([^"]*|#\s*include)\s*$')


def joined(literal):
    """A literal's text on one line."""
    text = re.sub(r'^[bru]*R?#*"|"#*$', "", literal)
    return re.sub(r"\s+", " ", re.sub(r"\\\n\s*", "", text))


# Code between two literals of one text: nothing, a macro of a format, or values that C++ puts between them.
NOTHING = re.compile(r"[\s\\]*(?:PRI\w+)?[\s\\]*")
VALUES = re.compile(r"\s*(?:\+|<<)[^;{}]*(?:\+|<<)\s*")


def of_blocks(text):
    """(line, text) of the string literals of a source in Rust, C or C++. The literals of one text are together."""
    end, last = 0, None
    for match in prose.TOKEN.finditer(text):
        between, end = text[end:match.start()], match.end()
        if match[0].startswith(("/", "'")):
            continue
        if HIDDEN.search(text[max(0, match.start() - 200):match.start()]):
            continue
        if last and NOTHING.fullmatch(between):
            last[1] += joined(match[0])
            continue
        if last and VALUES.fullmatch(between):
            last[1] += "{}" + joined(match[0])
            continue
        if last:
            yield tuple(last)
        last = [text.count("\n", 0, match.start()) + 1, joined(match[0])]
    if last:
        yield tuple(last)


def of_python(text):
    """(line, text) of the string literals of Python that are no documentation."""
    tree, hidden = ast.parse(text), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.add(node.value)
        # A generated table, whose lines are data.
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "FUNCTIONS":
            hidden.add(node.value)
        if isinstance(node, ast.JoinedStr):
            hidden.update(part for part in node.values if isinstance(part, ast.Constant))
            yield node.lineno, joined(ast.unparse(node)[2:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in hidden:
            yield node.lineno, joined(node.value)


def texts_of(path, text):
    """(line, text) of the printed texts of a source: literals with words and a space between them."""
    found = of_python(text) if path.suffix == ".py" else of_blocks(text)
    return [(line, text) for line, text in sorted(found) if re.search(r"\w\W* \W*\w", text)]


def table(paths):
    """(place, text) of all printed texts."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths],
                           cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    for name in sorted(set(names)):
        path = pathlib.Path(name)
        if path.suffix in SOURCES and not TESTS.search(name) and (ROOT / name).is_file():
            for line, text in texts_of(path, (ROOT / name).read_text()):
                yield f"{name}:{line}", text


def phrases_in(text):
    """(phrase, words to use) of each phrase in a text."""
    prose_only = re.sub(r"\{(?![A-Z_]+\})[^{}]*\}", "{}", text)
    for pattern, _, use in PHRASES:
        for match in re.finditer(pattern, prose_only, re.IGNORECASE):
            yield match[0], use


def findings(rows):
    for place, text in rows:
        for phrase, use in phrases_in(text):
            yield f"{place}: '{phrase}' in \"{text}\": write {use} (tools/texts.py, PHRASES)"


def selftest():
    """Each phrase is found in a text of each language, and in no comment, test or attribute."""
    places = {
        "a.rs": ('fn a() {{ b!("{{x}}: {}") }}\n', '// {}\n#[allow(x, reason = "{}")]\nfn a() {{ b.expect("x {}") }}\n'),
        "a.cpp": ('void A() {{ Fail("x " + B(y) +\n  "{}"); }}\n', '// {}\n#include "x {}"\n'),
        "a.py": ('a = f"{{x}}: {}"\n', '# {}\ndef a():\n    """Text {}."""\n'),
    }
    for pattern, example, _ in PHRASES:
        for name, (found, ignored) in places.items():
            planted = texts_of(pathlib.Path(name), found.format(example))
            if not any(re.search(pattern, text, re.IGNORECASE) for _, text in planted) or not list(findings(planted)):
                sys.exit(f"texts: '{example}' was not found in {name}")
            if list(findings(texts_of(pathlib.Path(name), ignored.format(*[example] * 3)))):
                sys.exit(f"texts: '{example}' was found in the code of {name}")


def main():
    selftest()
    arguments = sys.argv[1:]
    if arguments == ["--selftest"]:
        return
    is_option = arguments and arguments[0].startswith("--")
    rows = list(table(PLACES if is_option else arguments or PLACES))
    if not rows:
        sys.exit("texts: no text found")
    if arguments == ["--check"]:
        found = list(findings(rows))
        if found:
            print(*found, sep="\n")
            sys.exit(f"texts: {len(found)} findings in {len(rows)} texts")
        print(f"texts: {len(rows)} texts, {len(PHRASES)} phrases, no finding")
        return
    if len(arguments) == 3 and arguments[0] == "--draw":
        rows = [row for row in rows if len(re.findall(r"[a-z]+(?= )", row[1])) >= 5]
        rows = sorted(random.Random(int(arguments[2])).sample(rows, int(arguments[1])))
    elif is_option:
        sys.exit(__doc__)
    for place, text in rows:
        print(f"{place}\t{text}")


if __name__ == "__main__":
    main()
