#!/usr/bin/env python3
"""Looks at the site in Chromium: titles, the navigation, what a search finds, pictures. Leaves screenshots.

usage: look.py SITE SCREENSHOTS

Exits with 77 if Chromium is missing.
"""

import contextlib
import functools
import http.server
import pathlib
import sys
import tempfile
import threading

from browser import Browser, program

FUNCTION = "aclrtMemcpyAsync"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class SiteBrowser(Browser):
    """A browser of the site at this address."""

    def __init__(self, site, folder, stack):
        super().__init__(folder, stack)
        self.site = site

    def open(self, path, until="true"):
        return super().open(self.site + path, until)

    def screenshot(self, file, whole=False):
        super().screenshot(file, whole)
        print(f"look: {file}: {file.stat().st_size // 1024} KiB")
        check(file.stat().st_size > 20000, "the picture shows something")


def check(condition, what):
    if not condition:
        sys.exit(f"look: not so: {what}")
    print(f"look: ok: {what}")


def texts(selector):
    """An expression for the texts of elements, a line each."""
    return f"[...document.querySelectorAll('{selector}')].map(e => e.textContent.trim()).join('\\n')"


def look(browser, screenshots):
    check(browser.open("/", "document.querySelector('.md-tabs__link')"), "the first page opens")
    check(browser.value("document.title").startswith("portacl"), "its title begins with 'portacl'")
    tabs = browser.value(texts(".md-tabs__link")).split("\n")
    for entry in ("Guides", "Find mistakes", "Reference", "Benchmarks", "Development"):
        check(entry in tabs, f"the navigation has '{entry}'")
    browser.screenshot(screenshots / "first_page.png")

    check(browser.open(f"/?q={FUNCTION}", "document.querySelector('.md-search-result__link')"),
          f"a search finds {FUNCTION}")
    found = browser.value("[...document.querySelectorAll('.md-search-result__link')].map(e => e.href).join(' ')")
    check("/reference/" in found, "one of the results is the API reference")
    browser.screenshot(screenshots / "search.png")

    topic = "/api/group__topic__transfer__memcpy.html"
    check(browser.open("/reference/", f"document.querySelector('a[href$=\"{topic}\"]')"),
          "the reference links a page for copies")
    check(browser.open(topic, f"document.body.innerText.includes('{FUNCTION}')"), f"that page describes {FUNCTION}")
    check(browser.value("document.documentElement.outerHTML.length") < 200000, "and has less than 200 KB")
    browser.screenshot(screenshots / "topic.png")
    check(browser.open("/api/index.html", "document.querySelectorAll('a[href^=group__topic]').length > 50"),
          "Doxygen's main page lists the topics")

    check(browser.open("/docs/zh/errors/", "document.body.innerText.includes('错误码')"), "a page is Chinese")
    browser.screenshot(screenshots / "chinese.png")
    check("中文" in tabs, "the navigation has it")

    check(browser.open("/docs/benchmarks/", "document.images.length >= 4"), "the benchmarks have plots")
    check(browser.value("[...document.images].every(image => image.naturalWidth > 100)"), "and all of them are shown")
    browser.value("document.images[0].scrollIntoView()")
    browser.screenshot(screenshots / "benchmarks.png")


def main(site, screenshots):
    if program() is None:
        print("Chromium is missing: ./dev setup installs it on Debian (124 MB)")
        sys.exit(77)
    screenshots.mkdir(parents=True, exist_ok=True)
    handler = functools.partial(Quiet, directory=str(site))
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        look(SiteBrowser(f"http://127.0.0.1:{server.server_address[1]}", folder, stack), screenshots)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
