#!/usr/bin/env python3
"""Collects the pages of the site in a folder, for MkDocs.

usage: pages.py FOLDER

The documents keep their places in this repository, so that their links stay right. A link to a source or to a folder
leads to a page with its text or its list of files. A page lists all topics of the API.
"""

import pathlib
import posixpath
import re
import shutil
import sys

import topics

ROOT = topics.ROOT
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "samples"]
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
CODE = re.compile(r"```.*?^\s*```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LANGUAGES = {"cpp": "cpp", "hpp": "cpp", "h": "c", "py": "python", "rs": "rust", "sh": "sh", "ptx": "text"}


def page_of(path):
    """The page for a path below the repository."""
    if (ROOT / path).is_dir():
        return posixpath.join(path, "index.md")
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


def folder_page(path, found):
    """The page of a folder: its files. Samples have pages of their own."""
    names = sorted(entry.name for entry in (ROOT / path).iterdir() if not entry.name.startswith((".", "__")))
    lines = [f"# {path}\n"]
    for name in names:
        place = posixpath.join(path, name)
        if path.startswith("samples") and name not in ("CMakeLists.txt",):
            found.append(place)
            lines.append(f"- [{name}]({posixpath.relpath(page_of(place), path)})")
        else:
            lines.append(f"- `{name}`")
    return "\n".join(lines) + "\n"


def reference_page():
    """All topics of the API, with their functions. Doxygen makes the pages that it links."""
    lines = ["---\nsearch: { boost: 3 }\n---\n# API reference\n", 'One page for each topic, from the headers. <a href="../api/index.html">All topics</a>, '
             '<a href="../api/globals_func.html">all functions</a>, '
             '<a href="../api/annotated.html">structures and C++ classes</a>.\n']
    for group, name in topics.GROUPS.items():
        lines.append(f"\n## {name}\n")
        for path in (path for path in topics.topics() if topics.group_of(path) == group):
            page = "../api/group__" + topics.identifier(path).replace("_", "__") + ".html"
            names = " ".join(f"`{name}`" for name in topics.names_in(path)) if group != "types" else ""
            lines.append(f'### <a href="{page}">{topics.title(path)}</a>\n\n{names}\n')
    return "\n".join(lines)


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
        page = folder / page_of(path)
        page.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / path).is_dir():
            page.write_text(folder_page(path, todo))
        elif path.endswith(".md"):
            page.write_text(with_links_to_pages((ROOT / path).read_text(), path, todo))
        elif page.suffix == ".md":
            page.write_text(source_page(path))
        else:
            shutil.copy(ROOT / path, page)
    (folder / "reference.md").write_text(reference_page())
    print(f"site: {len(done) + 1} pages and pictures")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
