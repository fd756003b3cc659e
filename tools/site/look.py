#!/usr/bin/env python3
"""Looks at the site in Chromium: titles, the navigation, what a search finds, pictures. Leaves screenshots.

usage: look.py SITE SCREENSHOTS

Exits with 77 if Chromium is missing.
"""

import base64
import contextlib
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from websockets.sync.client import connect

FUNCTION = "aclrtMemcpyAsync"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Browser:
    """Chromium without a window, by its DevTools protocol."""

    def __init__(self, program, site, folder, stack):
        # CI runs as root, where Chromium's sandbox does not start. Only the site that was built here is opened.
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        self.site = site
        self.process = subprocess.Popen(
            [program, "--headless=new", *root, "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={folder}", "--window-size=1280,900", "--remote-debugging-port=0", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        stack.callback(self.process.wait)
        stack.callback(self.process.terminate)
        for line in self.process.stderr:
            match = re.search(r"DevTools listening on ws://([^/]+)/", line)
            if match:
                break
        else:
            sys.exit("look: Chromium does not start")
        # Its messages must not fill the pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        with urllib.request.urlopen(f"http://{match[1]}/json") as answer:
            tab = next(tab for tab in json.load(answer) if tab["type"] == "page")
        self.socket = stack.enter_context(connect(tab["webSocketDebuggerUrl"], max_size=None))
        self.number = 0

    def command(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(timeout=60))
            if answer.get("id") == self.number:
                return answer.get("result", {})

    def value(self, expression):
        return self.command("Runtime.evaluate", expression=expression)["result"].get("value")

    def open(self, path, until):
        """Opens a page, and waits until an expression is true in it, for a minute. Returns whether it is."""
        self.command("Page.navigate", url=self.site + path)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.value(f"document.readyState == 'complete' && Boolean({until})"):
                return True
            time.sleep(0.1)
        return False

    def screenshot(self, file):
        file.write_bytes(base64.b64decode(self.command("Page.captureScreenshot")["data"]))
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
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        print("Chromium is missing: ./dev setup installs it on Debian (124 MB)")
        sys.exit(77)
    screenshots.mkdir(parents=True, exist_ok=True)
    handler = functools.partial(Quiet, directory=str(site))
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        look(Browser(program, f"http://127.0.0.1:{server.server_address[1]}", folder, stack), screenshots)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
