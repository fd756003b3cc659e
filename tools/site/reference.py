#!/usr/bin/env python3
"""Writes the API reference as pages of the site, from Doxygen's XML: a page for each function and type, and one for
each topic.

usage: reference.py XML FOLDER
"""

import collections
import json
import pathlib
import re
import sys

import headers
import topics
from headers import code, plain, table

ROOT = topics.ROOT
PLACES = [ROOT / "include", ROOT / "integrations/cxx/include"]
# Headers that are no files of src/ffi, in the order of the list.
COMPANIONS = {"hccl/": "Collective communication", "acl/": "Around the runtime", "portacl/": "C++"}
ROW = re.compile(r"^\| (\w+) \| \S+ \| ([^|]*) \| ([^|]*) \|", re.MULTILINE)
REFUSED = "207000"


def unsearched(text):
    """A part in which nobody searches: the index stays small, and a search finds what describes a name."""
    return f"<div markdown data-search-exclude>\n\n{text}\n\n</div>"


class Reference:
    """All pages, by their names."""

    def __init__(self, xml):
        self.headers = headers.Headers(xml, PLACES)
        self.declared = {name: entry for name, entry in self.headers.declared.items()
                         if not re.search(r"[<]|aclprofEventAttributes::", name)}
        self.works = {name: (cpu.strip(), cuda.strip())
                      for name, cpu, cuda in ROW.findall((ROOT / "docs/api.md").read_text())}
        self.samples = {path: path.read_text() for path in sorted((ROOT / "samples").glob("[0-9]*.c*"))}
        self.by_topic = collections.defaultdict(list)
        for name, entry in self.declared.items():
            self.by_topic[self.topic(entry)].append(name)
        self.pages = {name: self.page(entry) for name, entry in self.declared.items()}
        for entry in [entry for entry in self.declared.values() if entry.kind == "enum"]:
            self.pages.update({plain(value.find("name")): self.page(entry) for value in entry.elements[0].iter("enumvalue")
                               if "::" not in entry.name})
        self.pages.update({name.removeprefix("portacl::"): page for name, page in list(self.pages.items())
                           if name.startswith("portacl::") and self.declared[name].kind == "class"})
        self.writer = headers.Writer(self.pages)
        self.users = self.find_users()
        # A name that begins with another's ranks behind it: a search also finds longer words, in whatever case.
        names = {name.lower() for name in self.declared}
        self.rank = {name: sum(name.lower().startswith(other) for other in names) for name in self.declared}

    def topic(self, entry):
        """A file of src/ffi, or a header."""
        return topics.by_name().get(entry.name, entry.header)

    def topic_page(self, topic):
        return (topics.identifier(topic) if isinstance(topic, pathlib.Path)
                else "header_" + re.sub(r"\W", "_", topic)) + ".md"

    def page(self, entry):
        """Constants and C++'s functions are read together; all others have pages of their own."""
        name = entry.name.removeprefix("portacl::")
        if entry.kind == "constant" or (name != entry.name and entry.kind != "class"):
            return self.topic_page(self.topic(entry))
        return ("portacl_" if name != entry.name else "") + re.sub(r"\W+", "_", name) + ".md"

    def title(self, topic):
        return topics.title(topic) if isinstance(topic, pathlib.Path) else topic

    def find_users(self):
        """The functions that take or return a type."""
        users = collections.defaultdict(list)
        for name, entry in self.declared.items():
            if entry.kind == "function" and "::" not in name:
                words = set(re.findall(r"\w+", headers.declaration(entry.elements[0]))) - {name}
                for word in sorted(words & set(self.declared)):
                    users[word].append(name)
        return users

    def front(self, title, topic, rank=1, boost=1.0):
        search = {"boost": round(boost / (3 if "::" in title else 4) ** (rank - 1), 4)}
        # The heading of a name is as small as its page needs, because names are not divided.
        size = f' {{ style="--letters: {len(title)}" }}' if " " not in title else ""
        return (f"---\ntitle: {json.dumps(title)}\ntopic: {json.dumps(self.topic_page(topic))}\n"
                f"search: {json.dumps(search)}\n---\n# {headers.html.escape(title, quote=False)}{size}\n\n")

    def described(self, comment, level=""):
        """The text of a comment behind its first sentence."""
        parts = [*comment.text]
        if comment.parameters:
            rows = [[code(name), text] for name, text in comment.parameters.items()]
            parts.append(f"{level}**Parameters**\n\n" + table(["", ""], rows))
        if comment.returns:
            parts.append("**Returns** " + " ".join(comment.returns))
        return parts + comment.notes

    def function(self, name):
        entry, writer = self.declared[name], self.writer
        comment = writer.comment(entry.elements[:1])
        parts = [comment.brief, f"```cpp\n{headers.declaration(entry.elements[0])}\n```", *comment.text]
        texts = comment.parameters
        rows = [[code(word), writer.type(kind), texts.get(word, "")]
                for kind, word, _ in headers.parameters(entry.elements[0]) if word]
        if rows:
            parts.append("**Parameters**\n\n" + table(["name", "type", ""], rows))
        if comment.returns:
            parts.append("**Returns** " + " ".join(comment.returns))
        if comment.codes:
            rows = []
            for word, text in comment.codes.items():
                number, _, reason = text.partition(": ")
                rows.append([writer.link(word), *([number, reason] if number.isdigit() else ["", text])])
            parts.append(unsearched("**Codes**\n\n" + table(["code", "number", "when"], rows) +
                                    "\n\n[All error codes](../docs/errors.md)"))
        if entry.elements[1:]:
            parts.append("**In C++** also\n\n```cpp\n" + "\n\n".join(map(headers.declaration, entry.elements[1:])) + "\n```")
        parts += comment.notes
        return self.front(name, self.topic(entry), self.rank[name], 2) + "\n\n".join([*parts, self.facts(entry)]) + "\n"

    def facts(self, entry):
        """The header, where it works, and which samples use it."""
        name, rows = entry.name, [["Header", code(f"#include <{self.included(entry.header)}>")]]
        if name in self.works:
            cpu, cuda = self.works[name]
            text = "no: it returns 207000, and a text that says what to do instead" if cpu == REFUSED else \
                f"<code>cpu</code>: {cpu}; <code>cuda</code>: {cuda}"
            rows.append(["Works", f"{text} ([all functions](../docs/api.md))"])
        found = [path for path, text in self.samples.items() if re.search(rf"\b{re.escape(name)}\b", text)]
        if found:
            rows.append(["Samples", ", ".join(f"[{path.stem}](../samples/{path.name}.md)" for path in found[:5])])
        topic = self.topic(entry)
        rows.append(["Topic", f"[{headers.html.escape(self.title(topic))}]({self.topic_page(topic)})"])
        users = self.users.get(name, [])
        if users:
            more = f" and {len(users) - 12} more" if len(users) > 12 else ""
            rows.append(["Used by", ", ".join(self.writer.link(user) for user in users[:12]) + more])
        return unsearched(table(["", ""], rows))

    def included(self, header):
        """What programs include: acl/acl.h has the runtime."""
        return "acl/acl.h" if header in ("acl/acl_base_rt.h", "acl/acl_rt.h", "acl/acl_rt_api.h") or "error_codes" in header \
            else header

    def type(self, name):
        entry, element = self.declared[name], self.declared[name].elements[0]
        comment = self.writer.comment([element])
        if entry.kind == "enum":
            rows = []
            for value in element.findall("enumvalue"):
                text = self.writer.comment([value])
                rows.append([code(plain(value.find("name"))), plain(value.find("initializer")).removeprefix("= "),
                             " ".join([text.brief, *text.text])])
            body = table(["name", "value", ""], rows)
        else:
            body = f"```cpp\n{self.headers.source(element)}\n```"
        parts = [comment.brief, body, *self.described(comment), self.facts(entry)]
        return self.front(name, self.topic(entry), self.rank[name], 1.5) + "\n\n".join(filter(None, parts)) + "\n"

    def member(self, name, elements, level):
        """A function of C++, or the members of a class that have one name."""
        parts = [f"{level} {code(name)}"]
        for element in elements:
            comment = self.writer.comment([element])
            if element.get("kind") == "function":
                text = headers.declaration(element)
            else:
                text = self.headers.source(element).strip()
            if comment.brief:
                parts += [f"```cpp\n{text}\n```", comment.brief, *self.described(comment)]
        return "\n\n".join(parts)

    def class_page(self, name):
        entry, element = self.declared[name], self.declared[name].elements[0]
        comment = self.writer.comment([element])
        bases = [plain(base) for base in element.findall("basecompoundref") if "detail" not in plain(base)]
        head = f"{element.get('kind')} {name}" + (f" : {', '.join(bases)}" if bases else "")
        by_name = collections.defaultdict(list)
        for member in element.iter("memberdef"):
            if member.get("prot") == "public" and member.get("kind") != "friend" and "@" not in plain(member.find("name")):
                by_name[plain(member.find("name"))].append(member)
        members = [self.member(word, found, "##") for word, found in by_name.items()
                   if any(self.writer.comment([member]).brief for member in found)]
        parts = [comment.brief, f"```cpp\n#include <{entry.header}>\n\n{head}\n```", *self.described(comment), *members]
        return self.front(name, self.topic(entry), self.rank[name]) + "\n\n".join(filter(None, parts)) + "\n"

    def listed(self, topic):
        """A topic: functions and types with their first sentences, and constants."""
        names = self.by_topic[topic]
        parts, rows, constants = [], [], []
        for name in names:
            entry = self.declared[name]
            comment = self.writer.comment(entry.elements[:1])
            if self.pages[name] != self.topic_page(topic):
                refused = " *Refused.*" if self.works.get(name, " ")[0] == REFUSED else ""
                rows.append([self.writer.link(name, code(name.removeprefix("portacl::"))), comment.brief + refused])
            elif entry.kind == "constant":
                element = entry.elements[0]
                value = plain(element.find("initializer")).removeprefix("= ")
                constants.append([code(name), code(value) if value else "", " ".join([comment.brief, *comment.text])])
            else:
                parts.append(self.member(name.removeprefix("portacl::"), entry.elements, "##"))
        head = [table(["name", ""], rows)] if rows else []
        if constants:
            head.append(table(["constant", "value", ""], constants))
        if not isinstance(topic, pathlib.Path):
            file = self.headers.files()[topic]
            comment = self.writer.comment([file])
            head = [comment.brief, *comment.text, *head]
        return self.front(self.title(topic), topic, 1, 0.1) + "\n\n".join(filter(None, [*head, *parts])) + "\n"

    def index(self):
        """All topics, with what they declare."""
        found = list(self.by_topic)
        lines = ["---\ntitle: API reference\ntopic: index.md\nsearch: { boost: 0.5 }\n---\n# API reference\n",
                 "A page for each function and type, from the headers, in topics. Programs include `acl/acl.h`, and "
                 "`portacl/portacl.h` for what the Ascend runtime API does not have. [What works](../docs/api.md) "
                 "lists all functions with backends and tests, [Error codes](../docs/errors.md) what they return.\n"]
        groups = {name: [topic for topic in topics.topics() if topic in found and topics.group_of(topic) == group]
                  for group, name in topics.GROUPS.items()}
        for place, name in COMPANIONS.items():
            groups[name] = sorted(topic for topic in found if isinstance(topic, str) and topic.startswith(place))
        for name, members in groups.items():
            lines.append(f"\n## {name}\n")
            for topic in members:
                names = [self.writer.link(name, code(name.removeprefix("portacl::"))) for name in self.by_topic[topic]
                         if self.declared[name].kind in ("function", "class", "enum", "struct", "typedef")]
                text = headers.html.escape(self.title(topic))
                lines.append(f"**[{text}]({self.topic_page(topic)})**  \n{' '.join(names)}\n")
        return "\n".join(lines) + "\n"

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        texts = {"index.md": self.index}
        for topic in self.by_topic:
            texts[self.topic_page(topic)] = lambda topic=topic: self.listed(topic)
        for name, entry in self.declared.items():
            if self.pages[name] == self.topic_page(self.topic(entry)):
                continue
            write = {"function": self.function, "class": self.class_page}.get(entry.kind, self.type)
            if self.pages[name] in texts:
                sys.exit(f"reference: two names have the page {self.pages[name]}")
            texts[self.pages[name]] = lambda write=write, name=name: write(name)
        for page, text in texts.items():
            self.writer.own = page
            (folder / page).write_text(text())
        return len(texts)


def main(xml, folder):
    print(f"reference: {Reference(xml).write(pathlib.Path(folder))} pages")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
