#!/usr/bin/env python3
"""Looks at the site in Chromium, on a phone, a laptop and a large screen, in light and dark: nothing is cut, names are
not divided, Chinese pages are Chinese, and a search finds what it is asked for. Leaves screenshots.

usage: look.py SITE SCREENSHOTS

Exits with 77 if Chromium is missing.
"""

import pathlib
import re
import sys

from served import opened

HERE = pathlib.Path(__file__).resolve().parent
WIDTHS = (360, 1366, 1920)
# Pages by the names of their screenshots: those with the widest tables, the longest names, pictures, Chinese.
PAGES = {
    "first": "/", "from_cann": "/docs/from_cann/", "configuration": "/docs/configuration/", "works": "/docs/api/",
    "function": "/api/aclrtMemcpyAsync/", "type": "/api/aclrtMemcpyKind/", "class": "/api/portacl_Stream/",
    "topics": "/api/", "constants": "/api/topic_types_rt_errors/", "cpp": "/docs/cpp/", "checking": "/docs/checking/",
    "samples": "/samples/", "ci": "/docs/ci/", "benchmarks": "/docs/benchmarks/", "errors": "/docs/errors/",
    "chinese_first": "/README.zh/", "chinese_errors": "/docs/zh/errors/", "chinese_checking": "/docs/zh/checking/",
}
# Names that Chinese texts have, too.
LATIN = {"portacl", "PyTorch", "English", "CANN", "Apache"}
# Functions whose pages have to be the first result in the page's own search, as people see it.
TYPED = {"aclrtMemcpyAsync": "/api/aclrtMemcpyAsync/", "aclrtMalloc": "/api/aclrtMalloc/", "aclInit": "/api/aclInit/",
         "PORTACL_CHECK": "/docs/checking/"}
# The least contrast of a text that people can read well (WCAG 2, AA).
CONTRAST = 4.5


def check(condition, what):
    if not condition:
        sys.exit(f"look: not so: {what}")
    print(f"look: ok: {what}")


def measured(browser, call):
    """What a function of look.js finds in the page."""
    return browser.value(f"{(HERE / 'look.js').read_text().strip()}.{call}")


def page_fits(browser, name, path, screenshots):
    """Nothing of a page is cut or hidden at any width."""
    texts = set()
    for width in WIDTHS:
        browser.size(width)
        check(browser.open(path, "document.querySelector('article')"), f"{path} opens at {width} px")
        found = measured(browser, "measure()")
        check(found["width"] <= width, f"{path}: at {width} px the page is {found['width']} px wide")
        check(not found["cut"], f"{path}: at {width} px nothing is cut {found['cut'][:3] or ''}")
        check(not found["divided"], f"{path}: at {width} px no name is divided {found['divided'][:5] or ''}")
        check(not found["hidden"], f"{path}: at {width} px all of its text is shown")
        texts.add(found["text"])
        browser.screenshot(screenshots / f"{name}_{width}.png")
    check(len(texts) == 1, f"{path} has the same text at all widths")


def is_chinese(browser, path):
    browser.open(path, "document.querySelector('article')")
    check(browser.value("document.documentElement.lang") == "zh", f"{path}: the page says that it is Chinese")
    words = set(re.findall(r"[A-Za-z]{2,}", measured(browser, "furniture()"))) - LATIN
    check(not words, f"{path}: nothing around the text is English {sorted(words) or ''}")


def searches(browser):
    """The first result for all names of the API, and for the words that people type."""
    browser.open("/", "document.querySelector('article')")
    found = measured(browser, "search()")
    check(len(found) > 700, f"{len(found)} names are searched")
    wrong = [f"{name}: {place}" for name, place in found.items()
             if place.strip("/").split("/")[-1] != name.replace("::", "_")]
    check(not wrong, f"a search for a name of the API finds its page first {wrong[:5] or ''}")
    rows = [line.split("\t") for line in (HERE / "words.tsv").read_text().splitlines() if line[:1] != "#"]
    found = measured(browser, f"search({[word for _, word in rows]})")
    for page, word in rows:
        check(found[word].rstrip("/") == page.removesuffix(".md").removesuffix("README"),
              f"'{word}' finds {page} first, not {found[word]}")
    for word, place in TYPED.items():
        check(browser.open(f"/?q={word}", "document.querySelector('.md-search-result__link')"), f"the page searches for {word}")
        first = browser.value("document.querySelector('.md-search-result__link').href")
        check(f"{place}?" in first or first.endswith(place), f"and its first result is {place}")


def is_readable(browser, path, scheme):
    least = measured(browser, "contrast()")
    check(least >= CONTRAST, f"{path}: {scheme}, the least contrast of a text is {least:.1f}")


def is_dark(browser, path, file):
    browser.scheme("dark")
    check(browser.open(path, "document.body.dataset.mdColorScheme == 'slate'"), f"{path} is dark where the system is")
    is_readable(browser, path, "dark")
    browser.screenshot(file)
    browser.scheme("light")
    check(browser.open(path, "document.body.dataset.mdColorScheme == 'default'"), f"{path} is light where the system is")
    is_readable(browser, path, "light")


def texts(selector):
    """An expression for the texts of elements."""
    return f"[...document.querySelectorAll('{selector}')].map(e => e.textContent.trim())"


def navigates(browser):
    browser.size(1366)
    check(browser.open("/", "document.querySelector('.md-tabs__link')"), "the first page opens")
    check("portacl" in browser.value("document.title"), "its title has 'portacl'")
    tabs = browser.value(texts(".md-tabs__link"))
    check(tabs == ["Start", "Guides", "Find mistakes", "Reference", "Benchmarks", "Development"], f"the navigation is {tabs}")
    browser.open("/docs/errors/", "document.querySelector('article')")
    link = browser.value("document.querySelector('.md-select__link[hreflang=zh]').href")
    check(link.endswith("/docs/zh/errors/"), "a page leads to the same page in Chinese")
    check(browser.open("/docs/zh/errors/", "document.querySelector('.md-tabs__link')"), "which opens")
    tabs = browser.value(texts(".md-tabs__link"))
    check(tabs == ["入门", "指南", "参考"], f"its navigation is {tabs}")
    browser.open("/api/aclrtMemcpyAsync/", "document.querySelector('article')")
    beside = browser.value(texts(".md-sidebar--primary .md-nav__link"))
    check("aclrtMemcpy" in beside, "beside a function are the others of its topic")
    browser.open("/docs/benchmarks/", "document.images.length >= 4")
    check(browser.value("[...document.images].every(image => image.naturalWidth > 100)"), "the benchmarks show all plots")


def main(site, screenshots):
    with opened(site) as browser:
        screenshots.mkdir(parents=True, exist_ok=True)
        browser.scheme("light")
        navigates(browser)
        searches(browser)
        for name, path in PAGES.items():
            page_fits(browser, name, path, screenshots)
            if name.startswith("chinese"):
                is_chinese(browser, path)
        browser.size(1366)
        for name in ("first", "function", "samples", "benchmarks", "chinese_checking"):
            is_dark(browser, PAGES[name], screenshots / f"{name}_dark.png")
        browser.open("/?q=aclrtMemcpyAsync", "document.querySelector('.md-search-result__link')")
        browser.screenshot(screenshots / "search.png")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
