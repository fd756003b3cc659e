"""What the public headers declare, with their comments as Markdown: read from Doxygen's XML."""

import dataclasses
import functools
import html
import pathlib
import re
import xml.etree.ElementTree as ElementTree

# Documents and names in comments, which become links.
WORD = re.compile(r"\bdocs/[\w/]+\.md\b|\b(?:acl|Hccl|portacl|ACL_|HCCL_|PORTACL_)\w+")
LISTS = {"itemizedlist": "-", "orderedlist": "1."}
BLOCKS = (*LISTS, "verbatim", "programlisting", "table", "parameterlist", "simplesect")
# A longer declaration has a line for each parameter.
LINE = 84


@dataclasses.dataclass
class Comment:
    """A comment in Markdown."""

    brief: str = ""
    text: list = dataclasses.field(default_factory=list)
    parameters: dict = dataclasses.field(default_factory=dict)
    codes: dict = dataclasses.field(default_factory=dict)
    returns: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Declared:
    """What a name is: `elements` are its declarations in C and C++, mostly one."""

    name: str
    kind: str
    header: str
    elements: list


def plain(element):
    """The text of an element, in one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def code(text):
    # An entity in place of a bar does not end a cell of a table.
    return f"<code>{html.escape(text, quote=False).replace('|', '&#124;')}</code>"


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows)])


class Writer:
    """Writes comments as Markdown. `pages` has the pages of names; one does not link itself."""

    def __init__(self, pages):
        self.pages, self.own = pages, None

    def link(self, name, text=None):
        page, text = self.pages.get(name), text or code(name)
        return f"[{text}]({page})" if page and page != self.own else text

    def words(self, text):
        def escaped(text):
            return re.sub(r"([\\`*\[\]])", r"\\\1", html.escape(text, quote=False)).replace("|", "&#124;")

        parts, end = [], 0
        for match in WORD.finditer(text):
            name = match[0]
            target = f"[{name}](../{name})" if name.startswith("docs/") else self.link(name)
            parts += [escaped(text[end:match.start()]), target]
            end = match.end()
        return "".join([*parts, escaped(text[end:])])

    def type(self, text):
        """A type as code; it is a link if it has a page."""
        name = next((word for word in re.findall(r"\w+", text) if word in self.pages), None)
        return self.link(name, code(text)) if name else code(text)

    def inline(self, element):
        parts = [self.words(element.text or "")]
        for child in element:
            if child.tag == "computeroutput":
                parts.append(self.link(plain(child)))
            elif child.tag == "emphasis":
                parts.append(f"*{self.inline(child)}*")
            elif child.tag == "ulink":
                parts.append(f"[{plain(child)}]({child.get('url')})")
            elif child.tag not in BLOCKS:
                parts.append(self.inline(child))
            parts.append(self.words(child.tail or ""))
        return re.sub(r"\s+", " ", "".join(parts)).strip("\n")

    def block(self, element):
        if element.tag in ("verbatim", "programlisting"):
            return f"```cpp\n{''.join(element.itertext()).strip()}\n```"
        if element.tag in LISTS:
            return "\n".join(f"{LISTS[element.tag]} {self.inline(item.find('para')).strip()}"
                             for item in element.findall("listitem"))
        if element.tag == "table":
            rows = [[self.inline(cell.find("para")).strip() for cell in row] for row in element.findall("row")]
            return table(rows[0], rows[1:])
        return ""

    def paragraphs(self, description):
        """The texts of a comment, without what it says about parameters and results."""
        found = []
        for para in description.findall("para") if description is not None else []:
            found += filter(None, [self.inline(para).strip(), *map(self.block, para)])
        return found

    def comment(self, elements):
        """What the comments of declarations say together."""
        found = Comment()
        for element in elements:
            detailed = element.find("detaileddescription")
            found.brief = found.brief or " ".join(self.paragraphs(element.find("briefdescription")))
            found.text += [text for text in self.paragraphs(detailed) if text not in found.text]
            for each in detailed.iter("parameterlist"):
                kept = found.codes if each.get("kind") == "retval" else found.parameters
                for item in each.findall("parameteritem"):
                    text = " ".join(self.inline(para).strip() for para in item.findall("parameterdescription/para"))
                    kept.setdefault(plain(item.find("parameternamelist")), text)
            for each in detailed.iter("simplesect"):
                kept = found.notes if each.get("kind") == "note" else found.returns
                kept += [text for text in self.paragraphs(each) if text not in kept]
        return found


def parameters(member):
    """(type, name, text) of the parameters of a function."""
    for param in member.findall("param"):
        kind, name, array, value = (plain(param.find(tag)) for tag in ("type", "declname", "array", "defval"))
        kind = re.sub(r" ?([*&]+)$", r" \1", kind)
        space = " " if name and kind[-1] not in "*&" else ""
        yield kind, name, f"{kind}{space}{name}{array}" + (f" = {value}" if value else "")


def declaration(member):
    """The declaration of a function, in lines that fit the page."""
    template = [" ".join(filter(None, (plain(param.find(tag)) for tag in ("type", "declname"))))
                for param in member.findall("templateparamlist/param")]
    arguments = plain(member.find("argsstring"))
    tail = arguments[arguments.rindex(")") + 1:]
    kind = plain(member.find("type")).removeprefix("constexpr ")
    words = [word for word in ("static", "explicit") if member.get(word) == "yes"]
    head = " ".join(filter(None, [*words, kind, plain(member.find("name"))])).replace("* ", "*")
    texts = [text for _, _, text in parameters(member)]
    line = f"{head}({', '.join(texts)}){tail};"
    if len(line) > LINE and texts:
        line = f"{head}(\n    " + ",\n    ".join(texts) + f"){tail};"
    return (f"template <{', '.join(template)}>\n" if template else "") + line


class Headers:
    """The declarations in the XML of a folder."""

    def __init__(self, folder, places):
        self.folder, self.places = pathlib.Path(folder), places

    @functools.cached_property
    def compounds(self):
        roots = (ElementTree.parse(path).getroot() for path in sorted(self.folder.glob("*.xml"))
                 if path.stem not in ("index", "Doxyfile"))
        return [compound for root in roots for compound in root.findall("compounddef")]

    def files(self):
        """Headers by name."""
        return {compound.find("location").get("file"): compound for compound in self.compounds
                if compound.get("kind") == "file"}

    @functools.cached_property
    def declared(self):
        """What has a name, by the name; C++'s names begin with portacl::."""
        found = {}

        def add(name, kind, header, element):
            entry = found.setdefault(name, Declared(name, kind, header, []))
            # A typedef of a structure's or an enumeration's own name says nothing more.
            if entry.kind == kind and element.get("id") not in [other.get("id") for other in entry.elements]:
                entry.elements.append(element)

        for compound in self.compounds:
            name = plain(compound.find("compoundname"))
            if compound.get("kind") in ("struct", "union", "class") and "@" not in name and compound.get("prot") == "public":
                add(name, "class" if "::" in name else "struct", compound.find("location").get("file"), compound)
        members = [member for compound in self.compounds if compound.get("kind") in ("file", "namespace")
                   for member in compound.iter("memberdef")]
        for member in sorted(members, key=lambda member: member.get("kind") == "typedef"):
            name, place = plain(member.find("qualifiedname")) or plain(member.find("name")), member.find("location")
            kind = {"variable": "constant", "define": "constant"}.get(member.get("kind"), member.get("kind"))
            if "@" not in name and member.get("kind") != "friend":
                add(name, kind, place.get("declfile") or place.get("file"), member)
        return found

    @functools.cache
    def text(self, header):
        return next(place / header for place in self.places if (place / header).is_file()).read_text().splitlines()

    def source(self, element):
        """The lines of a declaration."""
        place = element.find("location")
        file, begin = place.get("bodyfile") or place.get("file"), int(place.get("bodystart") or place.get("line"))
        return "\n".join(self.text(file)[begin - 1:max(begin, int(place.get("bodyend") or 0))])
