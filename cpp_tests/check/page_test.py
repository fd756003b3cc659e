#!/usr/bin/env python3
"""page_test.py PROGRAMS [SCREENSHOTS]: looks at the page of PORTACL_CHECK_REPORT in Chromium, on screens and on paper.

PROGRAMS is check_programs. Exits with 77 if Chromium is missing.
"""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools/site"))

from browser import Browser, program  # noqa: E402: the folder is known only now

# A name and an argument that would be markup, or end the page's texts.
NAME = """a <b>&amp; "c" 'd'"""
ARGUMENT = "</script><i>\"'&lt;"
SIZES = ((360, 740), (1366, 768), (1920, 1080))
# What a box has of its call and of its work in the timeline of event_too_early.
LABELS = ("aclrtMemsetAsync", "aclrtMemcpyAsync", "fill", "64.0 KiB")


def check(condition, what, found=""):
    if not condition:
        sys.exit(f"page_test: not so: {what}\n{found}")
    print(f"page_test: ok: {what}")


def pages(programs, folder):
    """The page of the faulty form of a program, under a name with all that markup has."""
    link = folder / NAME
    link.symlink_to(programs)
    page = folder / "page.html"
    done = subprocess.run([link, "event_too_early", "faulty", ARGUMENT], timeout=120, check=False,
                          env=os.environ | {"PORTACL_CHECK": "races", "PORTACL_CHECK_REPORT": str(page)})
    check(done.returncode == 0 and page.is_file(), "the program writes a page")
    return page


def facts(browser):
    """The terms of the head, and their texts."""
    return json.loads(browser.value("JSON.stringify(Object.fromEntries([...document.querySelectorAll('#about div')]"
                                    ".map(entry => [...entry.children].map(part => part.textContent))))"))


def look_at_head(browser):
    check(browser.value("document.getElementById('name').textContent") == NAME, "the title is the program's name")
    check(browser.value("document.title") == f"{NAME}: checks of portacl", "that of the tab, too")
    check(browser.value("document.querySelectorAll('b, i, u').length") ==
          browser.value("document.querySelectorAll('.finding b').length"), "no text of the program is markup")
    found = facts(browser)
    check(found["Arguments"].startswith("event_too_early faulty '</script>"), "the arguments are there", found)
    version = re.search(r'(?m)^version = "(.*)"$', (pathlib.Path(__file__).parents[2] / "Cargo.toml").read_text())[1]
    check(found["portacl"] == version, "and the version of the library", found)
    check(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", found["Date"]), "and the date", found)
    check(found["Host"].startswith(os.uname().nodename + ", process "), "and the host", found)
    check(found["Backend"].startswith("cpu · device 0: CPU"), "and the backend with its device", found)


def zoom(browser, width):
    """Draws columns of this width."""
    browser.value(f"document.querySelector('#zoom input').value = {width}; document.querySelector('#zoom input').oninput()")


def look_at_boxes(browser):
    texts = browser.value("[...document.querySelectorAll('#plot .box span')].map(it => it.textContent).join('\\n')")
    for label in LABELS:
        check(label in texts.split("\n") or f"\n{label} · " in texts, f"a box has the text '{label}'", texts)
    check(re.search(r"(?m)^64\.0 KiB · \d[\d.]* GB/s$", texts), "and one has bytes and their rate", texts)
    # Each arrow begins below a box of a thread, and ends above one of a stream.
    check(browser.value("""[...document.querySelectorAll('#plot .arrow')].every(arrow => {
        const {left, top, bottom} = arrow.getBoundingClientRect();
        const boxes = [...document.querySelectorAll('#plot .box')].map(box => box.getBoundingClientRect());
        const at = (y, side) => boxes.some(box => box.left <= left && left <= box.right && Math.abs(box[side] - y) < 1);
        return at(top, 'bottom') && at(bottom, 'top');
    })"""), "arrows lead from calls to their work")
    check(browser.value("document.querySelectorAll('#plot .arrow').length") >= 3, "there are some")
    zoom(browser, 60)
    check(browser.value("[...document.querySelectorAll('#plot .box span')].some(it => it.scrollWidth > it.clientWidth)"),
          "some labels are wider than a box")
    check(browser.value("[...document.querySelectorAll('#plot .box span')].every(it =>"
                        "it.getBoundingClientRect().right <= it.parentElement.getBoundingClientRect().right)"),
          "and are clipped to it")
    zoom(browser, 20)
    check(browser.value("document.querySelectorAll('#plot .box').length > 0 &&"
                        "document.querySelectorAll('#plot .box span').length == 0"), "narrow columns have no labels")
    zoom(browser, 160)


def look_at_screens(browser, screenshots):
    for width, height in SIZES:
        browser.resize(width, height)
        for scheme in ("light", "dark"):
            browser.media(scheme=scheme)
            inside = browser.value("document.documentElement.scrollWidth")
            check(inside <= width, f"the page fits into {width} px ({scheme})", inside)
            if screenshots:
                browser.screenshot(screenshots / f"{width}_{scheme}.png", whole=True)
        check(browser.value("document.getElementById('plot').scrollWidth > document.getElementById('plot').clientWidth"),
              "the timeline scrolls in its frame")
    dark = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.media()
    check(dark != browser.value("getComputedStyle(document.body).backgroundColor"), "dark screens get a dark page", dark)


def look_at_paper(browser, screenshots):
    browser.value("document.querySelectorAll('details').forEach(card => card.open = false)")
    paper = browser.pdf()
    count = len(re.findall(rb"/Type\s*/Page\b", paper))
    check(1 <= count <= 5, "it prints on some pages", count)
    size = {tuple(round(float(side)) for side in box.split()[2:])
            for box in re.findall(rb"/MediaBox\s*\[([\d. ]+)\]", paper)}
    check(size == {(595, 842)}, "of A4", size)
    check(browser.value("document.querySelectorAll('#printed .box').length") == 0, "the screen is as before")
    if screenshots:
        (screenshots / "page.pdf").write_bytes(paper)
    browser.resize(703, 1000)
    browser.media(media="print")
    boxes = browser.value("document.querySelectorAll('#plot .box').length")
    browser.value("dispatchEvent(new Event('beforeprint'))")
    check(browser.value("document.querySelectorAll('#printed .box').length") == boxes, "paper has every box")
    check(browser.value("[...document.querySelectorAll('#printed .box')].every(box => {"
                        "const {left, right} = box.getBoundingClientRect(); return left >= 0 && right <= 703; })"),
          "and cuts none")
    check(browser.value("[...document.querySelectorAll('details')].every(card => card.open)"), "what is collapsed is open")
    browser.value("dispatchEvent(new Event('afterprint'))")
    check(browser.value("document.querySelector('details').open") is False, "and collapsed again afterwards")


def main(programs, screenshots):
    if program() is None:
        print("Chromium is missing: ./dev setup installs it on Debian (124 MB)")
        sys.exit(77)
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        page = pages(programs, folder)
        browser = Browser(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)), stack)
        check(browser.open(page.as_uri(), "document.querySelector('.finding')"), "it opens")
        look_at_head(browser)
        look_at_boxes(browser)
        look_at_screens(browser, screenshots)
        look_at_paper(browser, screenshots)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None)
