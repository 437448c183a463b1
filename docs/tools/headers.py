"""Reads the headers of Include/mediasdk: their comments and declarations, in their order and with their sections. The headers have one
form, which Tests/ABI/check_docs.py keeps: a comment before a declaration, or after it on its line; a ruler with a title before a
section."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "Include" / "mediasdk"


@dataclass
class Item:
    """A declaration, or several that share a comment."""

    kind: str  # section, text, function, struct, handle, type, enum, macro
    name: str = ""
    comment: str = ""
    signatures: list[str] = field(default_factory=list)
    members: list["Item"] = field(default_factory=list)


@dataclass
class Header:
    name: str
    summary: str
    comment: str
    items: list[Item]


TOKEN = re.compile(
    r"/\*(?P<comment>.*?)\*/|(?P<blank>\n[ \t]*\n)|(?P<directive>^\#(?:[^\n]*\\\n)*[^\n]*)|"
    r"(?P<code>[^\s#/](?:[^/;{\n]|/(?!\*)|\n(?!\#))*?[;{]|[^\s#/][^\n]*)",
    re.S | re.M,
)


def text_of(comment: str) -> str:
    """A comment without its stars, with the indentation that its lines have."""
    lines = comment.strip("\n").split("\n")
    first = re.sub(r"^\*?<?\s*", "", lines[0])
    rest = [re.sub(r"^[ \t]*\*? ?", "", line) for line in lines[1:]]
    # Lines of a comment in a struct are further in.
    return "\n".join([first, *rest]).strip()


def without_trailing(line: str) -> tuple[str, str]:
    """A line of a #define, and its comment."""
    found = re.search(r"/\*\*<(.*?)\*/", line, re.S)
    return (line[: found.start()] if found else line).strip(), text_of(found[1]) if found else ""


def closing(text: str, at: int) -> int:
    """Past the brace that closes the one before `at`; comments have none that counts."""
    depth = 1
    for edge in re.finditer(r"/\*.*?\*/|[{}]", text[at:], re.S):
        depth += {"{": 1, "}": -1}.get(edge[0], 0)
        if depth == 0:
            return at + edge.end()
    raise SystemExit("docs: a brace in a header is not closed")


def one_line(text: str) -> str:
    return re.sub(r"\( ", "(", " ".join(text.split()))


def parts(body: str, separator: str) -> list[tuple[str, str]]:
    """The declarations in braces, each with its comment: the one before it, or after it on its line."""
    found: list[tuple[str, str]] = []
    pending, begin, depth = "", 0, 0
    base = ""  # the type of what goes on after a comma and a comment
    for edge in re.finditer(r"/\*(.*?)\*/|[{}(),;]", body, re.S):
        if edge[0].startswith("/*"):
            if depth > 0:  # of a member of a union
                continue
            before = body[begin : edge.start()].strip()
            text = text_of(edge[1])
            trailing = body[: edge.start()].rsplit("\n", 1)[-1].strip() != ""
            if trailing and edge[1].startswith("*<"):
                if before:  # the last one of an enum has no comma
                    found.append((base + before.rstrip(","), text))
                    base = base or f"{before.rsplit(None, 1)[0]} " if before.endswith(",") else ""
                elif found:
                    found[-1] = (found[-1][0], f"{found[-1][1]} {text}".strip())
                begin = edge.end()
            elif not before and not edge[1].startswith("*"):
                begin = edge.end()
            elif not before:
                pending, begin = text, edge.end()
        elif edge[0] in "{(":
            depth += 1
        elif edge[0] in "})":
            depth -= 1
        elif edge[0] == separator and depth == 0:
            declared = body[begin : edge.start()].strip()
            if declared:
                found.append((base + declared, pending))
            pending, begin, base = "", edge.end(), ""
    last = re.sub(r"/\*.*?\*/", "", body[begin:], flags=re.S).strip()
    if last:
        found.append((last, pending))
    return found


def declarators(declared: str) -> list[str]:
    """`const char *a, *b` as `const char *a` and `const char *b`."""
    declared = one_line(declared)
    if "(" in declared or "," not in declared:
        return [declared]
    first, *others = [part.strip() for part in declared.split(",")]
    base = re.match(r"(.*?)[\s*]*\w+(?:\[\w+\])*$", first)
    assert base is not None, declared
    return [first, *(f"{base[1]} {other}" for other in others)]


def members_of(body: str) -> list[Item]:
    items = []
    for declared, comment in parts(body, ";"):
        union = re.match(r"(union|struct)\s*\{(.*)\}\s*(\w+)$", declared, re.S)
        if union:
            items.append(Item(union[1], union[3], comment, members=members_of(union[2])))
        else:
            items.append(Item("member", comment=comment, signatures=declarators(re.sub(r"/\*.*?\*/", "", declared, flags=re.S))))
    return items


def enumerators(body: str) -> list[Item]:
    return [Item("enumerator", one_line(declared).split(" ")[0], comment, [one_line(declared)]) for declared, comment in parts(body, ",")]


def macro(directive: str) -> str | None:
    """`NAME` or `NAME(a, b)` of a #define that programs use."""
    found = re.match(r"#define\s+(\w+(?:\([^)]*\))?)", directive)
    if not found or re.match(r"MEDIASDK_\w*H$|MSDK_(?:EXPORT|EXTERN_C|VALUE_FUNCTION)\b", found[1]):
        return None
    return found[1]


def code_item(code: str, comment: str) -> Item | None:
    exported = re.sub(r"^MSDK_EXPORT\s+|^static inline\s+", "", one_line(code).rstrip("{").rstrip(" ;"))
    if re.match(r"typedef struct (\w+) \1$", exported):
        return Item("handle", exported.split()[-1], comment, [exported.split()[-1]])
    if exported.startswith("typedef "):
        declared = exported[len("typedef ") :]
        name = re.search(r"\(\*(\w+)\)", declared) or re.search(r"(\w+)$", declared)
        assert name is not None, declared
        return Item("type", name[1], comment, [declared])
    name = re.match(r"[\w\s*]*?\b(msdk_\w+)\(", exported)
    return Item("function", name[1], comment, [exported]) if name else None


def read(path: Path) -> Header:
    text = path.read_text()
    head = re.match(r"/\*\*(.*?)\*/", text, re.S)
    assert head is not None, path
    first, _, rest = text_of(head[1].replace("@file", "", 1)).lstrip("\n").partition("\n")
    header = Header(path.name, first.partition(" - ")[2], rest.strip("\n"), [])
    comment, at, skipping = "", head.end(), 0
    fresh: Item | None = None  # what the next declaration shares a comment with, until a blank line
    items = header.items

    def add(item: Item) -> Item:
        # One that says nothing of its own, right below its like, belongs to it.
        if fresh is not None and not item.comment and item.kind == fresh.kind and item.kind in ("function", "macro"):
            fresh.signatures += item.signatures
            return fresh
        items.append(item)
        return item

    while token := TOKEN.search(text, at):
        at = token.end()
        if token["directive"] is not None:
            directive = token["directive"]
            if not directive.startswith("#define"):
                fresh = None
            if re.match(r"#if\w* .*__cplusplus", directive):
                skipping = 1
            elif skipping and re.match(r"#(else|endif)", directive):
                skipping = 0
            elif not skipping and (name := macro(directive)):
                _, trailing = without_trailing(directive)
                fresh = add(Item("macro", name.partition("(")[0], comment or trailing, [name]))
                comment = ""
        elif skipping:
            continue
        elif token["comment"] is not None:
            ruler = re.match(r" -{20,} (.*?)\s*$", token["comment"], re.S)
            if ruler:
                items.append(Item("section", ruler[1]))
                comment, fresh = "", None
            elif token["comment"].startswith("*<"):
                if fresh is not None and fresh.kind != "macro":
                    fresh.comment = fresh.comment or text_of(token["comment"])
            elif token["comment"].startswith("*"):
                comment, fresh = text_of(token["comment"]), None
        elif token["blank"] is not None:
            if comment:  # of no declaration: it is of the section
                items.append(Item("text", comment=comment))
            comment, fresh = "", None
        else:
            code = token["code"]
            if code.endswith("{"):
                end = closing(text, at)
                body, at = text[at : end - 1], end
                struct = re.match(r"typedef struct (\w+) \{", code)
                if struct:
                    frozen = re.match(r"\s*/\* (frozen[^*]*?|[^*]*?) \*/", body)
                    note = frozen[1][0].upper() + frozen[1][1:] + "." if frozen and not frozen[0].strip().startswith("/**") else ""
                    fresh = add(Item("struct", struct[1], "\n\n".join(part for part in (comment, note) if part), members=members_of(body)))
                elif code.strip() == "enum {":
                    note = re.match(r"\s*/\* ([^*]*?) \*/", body)
                    said = comment or (note[1][0].upper() + note[1][1:] + "." if note else "")
                    fresh = add(Item("enum", comment=said, members=enumerators(body)))
                elif "extern" not in code and (item := code_item(code, comment)):
                    fresh = add(item)
                # What closes it: `;`, or the name of the type.
                at += len(re.match(r"[^;\n]*;?", text[at:])[0]) if struct or "enum" in code else 0  # type: ignore[index]
            elif item := code_item(code, comment):
                fresh = add(item)
            comment = ""
    return header


def all_headers() -> list[Header]:
    return [read(path) for path in sorted(HEADERS.glob("*.h"))]
