#!/usr/bin/env python3
"""Collects the pages of the site in a folder, for MkDocs.

usage: pages.py FOLDER

The documents keep their places in this repository, so that their links stay right. A link to a source or to a folder
leads to a page with its text or its list of files. tools/site/reference.py adds the API reference.
"""

import json
import pathlib
import posixpath
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "samples"]
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
CODE = re.compile(r"```.*?^\s*```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LANGUAGES = {"cpp": "cpp", "hpp": "cpp", "h": "c", "py": "python", "rs": "rust", "sh": "sh", "ptx": "text"}


def page_of(path):
    """The page for a path below the repository."""
    if (ROOT / path).is_dir():
        return posixpath.join(path, "README.md" if (ROOT / path / "README.md").exists() else "index.md")
    return path if pathlib.Path(path).suffix in (".md", ".svg", ".png") else f"{path}.md"


def with_links_to_pages(text, path, found):
    """The text of a document. Adds what it links to `found`."""
    code = [match.span() for match in CODE.finditer(text)]

    def replace(match):
        target = match[2]
        if re.match(r"[a-z]+:", target) or any(begin <= match.start() < end for begin, end in code):
            return match[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if not (ROOT / place).exists():
            sys.exit(f"{path}: there is no {place}, to which it links")
        found.append(place)
        page = posixpath.relpath(page_of(place), posixpath.dirname(path) or ".")
        return f"{match[1]}{page}{match[3] or ''}{match[4]}"

    return LINK.sub(replace, text)


def source_page(path):
    """The page of a source."""
    text = (ROOT / path).read_text()
    language = LANGUAGES.get(pathlib.Path(path).suffix[1:], "text")
    # A search finds documents.
    return f"---\nsearch: {{ exclude: true }}\n---\n# {path}\n\n````{language}\n{text}````\n"


def words_of(path):
    """What people search for that a page is about, though its headings may not say so."""
    rows = (line.split("\t") for line in (ROOT / "tools/site/words.tsv").read_text().splitlines() if line[:1] != "#")
    return [word for page, word in rows if page == path]


def document(path, found):
    """A document, with what a search needs."""
    text = with_links_to_pages((ROOT / path).read_text(), path, found)
    # What follows the language of a block is for tests; Markdown of the site would not take the block for one.
    text = re.sub(r"^(```\w+) .*$", r"\1", text, flags=re.MULTILINE)
    if path == "docs/api.md":
        text = re.sub(r"^\| (acl\w+) \|", r"| [\1](../api/\1.md) |", text, flags=re.MULTILINE)
    title = re.search(r"^# (.*)", text, re.MULTILINE)[1].lower()
    # A title is found without. Chinese characters are words of their own, which many titles have.
    words = [word for word in words_of(path) if word.lower() not in title or not word.isascii()]
    return f"---\ntags: {json.dumps(words, ensure_ascii=False)}\n---\n{text}" if words else text


def folder_page(path):
    """The page of a folder: its files."""
    names = sorted(entry.name for entry in (ROOT / path).iterdir() if not entry.name.startswith((".", "__")))
    return "\n".join(["---\nsearch: { exclude: true }\n---", f"# {path}\n", *(f"- `{name}`" for name in names)]) + "\n"


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    todo = DOCUMENTS + sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
    todo += sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("README.*.md"))
    done = set()
    while todo:
        path = todo.pop()
        if path in done:
            continue
        done.add(path)
        if (ROOT / path / "README.md").exists():
            todo.append(posixpath.join(path, "README.md"))
            continue
        page = folder / page_of(path)
        page.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / path).is_dir():
            page.write_text(folder_page(path))
        elif path.endswith(".md"):
            page.write_text(document(path, todo))
        elif page.suffix == ".md":
            page.write_text(source_page(path))
        else:
            shutil.copy(ROOT / path, page)
    shutil.copy(ROOT / "tools/site/style.css", folder)
    print(f"site: {len(done)} documents, sources and pictures")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
