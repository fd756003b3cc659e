#!/usr/bin/env python3
"""Stops a program that waits in the driver, and looks for that in its log. Runs in a pack, on the fake driver.

usage: hang_test.py      in the folder of the pack
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path("tools").resolve()))
from program import whole  # noqa: E402  (the pack's)

WAITS = """
import sys, threading, time
sys.path.insert(0, "tests/interop")
from libraries import Driver
from queue_probe import Words
driver = Driver()
driver.enter()
stream, words = driver.stream(), Words(driver)
words.wait(stream, 0)
threading.Thread(target=driver.synchronize, args=(stream,), daemon=True).start()
time.sleep(1000)
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        result, reason = whole([sys.executable, "-c", WAITS], log, 3, watched=True)
        text = log.read_text()
    assert result == "hangs", f"{result} {reason}\n{text}"
    for wanted in ("cuStreamSynchronize has not returned", "cuStreamWaitValue32", "returned 0 after", "futex"):
        assert wanted in text, f"the log lacks {wanted}:\n{text}"
    print("a program that waits in the driver is stopped, and its log names the call")


if __name__ == "__main__":
    main()
