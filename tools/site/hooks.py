"""What MkDocs alone cannot do: Chinese pages in Chinese, a language to choose, and pages of the API beside their topic.

Chinese pages (README.zh.md, docs/zh) have the texts of a Chinese theme, and the last section of mkdocs.yml as their
navigation. A page of the API has `topic` in front of its text: the page of that name, and the pages with the same topic, are
its navigation.
"""

import copy
import types

import rjieba
from material.plugins.search import plugin as search
from mkdocs.structure.nav import Link, Navigation, Section

HOMES = {"en": "README.md", "zh": "README.zh.md"}
DESCRIPTION = "在任意 CPU 和 NVIDIA GPU 上运行的昇腾运行时 API"
COPYRIGHT = "portacl 与华为和 CANN 没有关系 · Apache-2.0"
TOGGLES = {"Dark": "深色", "Light": "浅色", "As the system": "跟随系统"}
LANGUAGES = {"en": "English", "zh": "中文"}
REFERENCE = "Reference"

chinese, short, by_topic, every = None, None, {}, {}


def language(path):
    return "zh" if path == HOMES["zh"] or path.startswith("docs/zh/") else "en"


def counterpart(path, other):
    """The page in another language; the first one, if a page has none."""
    if language(path) == other:
        return path
    folders = ("docs/zh/", "docs/") if other == "en" else ("docs/", "docs/zh/")
    name = path.replace(*folders) if path.startswith(folders[0]) else HOMES[other]
    return name if name in every else HOMES[other]


def on_config(config):
    # Its search divides Chinese texts into words by jieba, whose place rjieba takes: smaller, and maintained.
    search.jieba = types.SimpleNamespace(cut=lambda text: rjieba.cut(text.decode()))
    global chinese, short
    chinese, short = copy.copy(config), copy.copy(config)
    chinese.theme, short.theme = copy.deepcopy(config.theme), copy.deepcopy(config.theme)
    chinese.theme["language"] = "zh"
    # A thousand pages of the API need no copies of the whole navigation.
    short.theme["features"].append("navigation.prune")
    for option in chinese.theme["palette"]:
        option["toggle"]["name"] = TOGGLES[option["toggle"]["name"]]
    chinese.site_description, chinese.copyright = DESCRIPTION, COPYRIGHT
    return config


def on_env(env, config, files):
    """All pages are read: sorts those of the API."""
    every.update({file.src_uri: file.page for file in files.documentation_pages()})
    by_topic.clear()
    for page in every.values():
        if page.meta.get("topic") and not page.file.name.startswith(("topic_", "header_", "index")):
            by_topic.setdefault(page.meta["topic"], []).append(page)
    return env


def section(title, children):
    found = Section(title, children)
    found.active = True
    return found


def of_topic(page, reference):
    """The section of the reference, with the topic of a page."""
    topic = every[f"api/{page.meta['topic']}"]
    first = topic if page is topic else Link("Overview", topic.url)
    members = sorted(by_topic.get(page.meta["topic"], []), key=lambda page: page.title)
    own = section(topic.title, [first, *members]) if members else topic
    return section(reference.title, [*reference.children, own])


def on_page_context(context, page, config, nav):
    path = page.file.src_uri
    used = language(path)
    items, settings = nav.items[:-1], config
    if used == "zh":
        items, settings = nav.items[-1].children, chinese
    elif page.meta.get("topic") not in (None, "index.md"):
        items, settings = [of_topic(page, item) if item.title == REFERENCE else item for item in items], short
    context["nav"] = Navigation(items, nav.pages)
    context["nav"].homepage = every[HOMES[used]]
    context["config"] = copy.copy(settings)
    context["config"].extra = {**config.extra, "alternate": [
        {"name": name, "lang": lang, "link": every[counterpart(path, lang)].url} for lang, name in LANGUAGES.items()]}
    return context
