"""The server of a folder, and a browser that shows its pages."""

import contextlib
import functools
import http.server
import json
import pathlib
import sys
import tempfile
import threading

from browser import Browser, program


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A page that is left breaks its connections."""


class SiteBrowser(Browser):
    """A browser whose pages are paths of a site."""

    def __init__(self, site, folder, stack):
        super().__init__(folder, stack, "--hide-scrollbars")
        self.site = site

    def open(self, path, until="true"):
        """Opens a page, and waits until an expression is true in it, for a minute. Returns whether it is."""
        url = self.site + path
        return super().open(url, f"location.href == {json.dumps(url)} && ({until})")

    def size(self, width, height=900):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=width < 600)

    def scheme(self, name):
        """What the system of the reader prefers: light or dark."""
        self.media(scheme=name)

    def screenshot(self, file: pathlib.Path):
        super().screenshot(file)
        print(f"look: {file}: {file.stat().st_size // 1024} KiB")


@contextlib.contextmanager
def opened(site):
    """A browser on the server of a folder. Ends the program with 77 if Chromium is missing."""
    if program() is None:
        print("Chromium is missing: ./dev setup installs it on Debian (124 MB)")
        sys.exit(77)
    handler = functools.partial(Quiet, directory=str(site))
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server(("127.0.0.1", 0), handler))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        yield SiteBrowser(f"http://127.0.0.1:{server.server_address[1]}", folder, stack)
