#!/usr/bin/env python3
"""Checks the links of the site: each leads to a file of it, and to an id of the file.

usage: links.py FOLDER
"""

import pathlib
import sys
import urllib.parse
from html.parser import HTMLParser


class Page(HTMLParser):
    """The ids and the links of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.ids, self.links = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif name in ("href", "src") and value and tag not in ("base",):
                self.links.add(value)


def target(page, link, folder):
    """(file, id) of a link, or none for a link to another site."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = urllib.parse.unquote(parts.path)
    file = page if not path else (folder / path.lstrip("/") if path.startswith("/") else page.parent / path)
    file = file.resolve()
    return (file / "index.html" if file.is_dir() else file), urllib.parse.unquote(parts.fragment)


def main(folder):
    pages = {path: Page(path.read_text(errors="replace")) for path in sorted(folder.rglob("*.html"))}
    broken, count = [], 0
    for path, page in pages.items():
        for link in sorted(page.links):
            found = target(path, link, folder)
            where = path.relative_to(folder)
            if found is None:
                continue
            count += 1
            file, anchor = found
            if not file.is_file():
                broken.append(f"{where}: {link}: no such file")
            elif anchor and file in pages and anchor not in pages[file].ids | {"__skip"}:
                broken.append(f"{where}: {link}: no such id")
    print(f"links: {count} links of {len(pages)} pages, {len(broken)} broken")
    if broken:
        sys.exit("\n".join(broken[:50]))
    if len(pages) < 50 or count < 1000:
        sys.exit("links: the site has lost its pages")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve())
