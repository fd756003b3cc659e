"""Chromium without a window, by its DevTools protocol over two pipes."""

import base64
import json
import os
import shutil
import subprocess
import sys
import time


def program():
    """The first browser of this machine that can run without a screen; None without one."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """A browser with one tab. Its files are in `folder`; `stack` (contextlib.ExitStack) ends it."""

    def __init__(self, folder, stack, *options):
        read, its_output = os.pipe()
        its_input, write = os.pipe()
        # CI runs as root, where Chromium's sandbox does not start. Only pages that were built here are opened.
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        # It reads commands from descriptor 3 and writes answers to descriptor 4. What it leaves in TMPDIR where it is ended
        # goes with its profile.
        process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{its_input} 4>&{its_output}', "sh", program(), "--headless=new", *root,
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", *options, f"--user-data-dir={folder}",
             "--window-size=1280,900", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(its_input, its_output), env={**os.environ, "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(its_input)
        os.close(its_output)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        self.write = stack.enter_context(open(write, "wb", buffering=0))
        self.read = stack.enter_context(open(read, "rb", buffering=0))
        self.pending, self.number, self.session = b"", 0, None
        tabs = self.command("Target.getTargets")["targetInfos"]
        tab = next(tab for tab in tabs if tab["type"] == "page")
        self.session = self.command("Target.attachToTarget", targetId=tab["targetId"], flatten=True)["sessionId"]

    def command(self, method, **parameters):
        """The result of a command of the protocol."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.write.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"Chromium: {method}: {answer['error']['message']}")
                return answer["result"]

    def message(self):
        """The next message: events and answers, each with a zero at its end."""
        while b"\0" not in self.pending:
            read = self.read.read(1 << 20)
            if not read:
                sys.exit("Chromium does not start, or has ended")
            self.pending += read
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def value(self, expression):
        """What an expression of JavaScript is in the page; of a promise, what it resolves to."""
        answer = self.command("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            sys.exit(f"Chromium: {expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def open(self, url, until="true"):
        """Opens a page, and waits until an expression is true in it, for a minute. Returns whether it is."""
        self.command("Page.navigate", url=url)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.value(f"document.readyState == 'complete' && Boolean({until})"):
                return True
            time.sleep(0.1)
        return False

    def resize(self, width, height):
        """Sets the size of the page in pixels, also below what a window can have."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, media="", scheme="light"):
        """Shows the page as on paper (`print`), or in this colour scheme."""
        self.command("Emulation.setEmulatedMedia", media=media,
                     features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, file, whole=False):
        """Writes a picture of what is visible, or of the whole page."""
        picture = self.command("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(picture["data"]))

    def pdf(self):
        """The page as a file for printers, as its own style sheet sets the paper."""
        return base64.b64decode(self.command("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])
