"""Text of comments and help as reStructuredText. Comments are plain text: paragraphs, lists, terms with their descriptions, and what is
aligned in columns, which stays as it is."""

from __future__ import annotations

import re
import textwrap
from itertools import groupby
from typing import Callable, Iterator

COLUMNS = re.compile(r"\S {2,}\S")
TERM = re.compile(r"^(?P<term>\S+(?: \S+){0,4}?) {2,}(?P<text>\S.*)$")
LITERAL = re.compile(
    r"`([^`]+)`|((?<!\w)(?:file|urn):[\w.:/-]*\w)|((?<![\w/.])(?:(?:msdk|MSDK)_\w*\*?|[a-z]\w*\.h\b))|((?<![\w*])\*\w+(?:->\w+|\[\d\])*)|(\\?\|)|([*\\_`](?!\w)|\*|(?<!\w)_)"
)
Link = Callable[[str], str]


def title(text: str, line: str = "=") -> str:
    return f"{text}\n{line * max(3, len(text.encode()))}\n"


def code(text: str, language: str = "none") -> str:
    return f".. code-block:: {language}\n\n{textwrap.indent(text.rstrip(), '   ')}\n"


def inline(text: str, link: Link = lambda name: f"``{name}``") -> str:
    """`link` makes a reference of a name of ours. Between what is marked up and what is not, a backslash stands for nothing."""

    def one(found: re.Match[str]) -> str:
        literal, address, name, pointer, bar, mark = found.groups()
        if literal:
            marked = link(literal) if re.fullmatch(r"(?:msdk|MSDK)_\w+", literal) else f"``{literal}``"
        elif address:
            marked = f"``{address}``"
        elif name:
            marked = f"``{name}``" if name.endswith("*") else link(name)
        elif pointer:
            marked = f"``{pointer}``"
        else:
            return "\\" + (bar or mark)[-1]
        before, after = text[: found.start()][-1:], text[found.end() :][:1]
        return ("\\ " if before and not before.isspace() else "") + marked + ("\\ " if after and not after.isspace() else "")

    return re.sub(r"^(\(?\w{1,3}[.)] |[-+] )", r"\\\1", LITERAL.sub(one, text))


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def flowing(lines: list[str], link: Link) -> str:
    return inline(" ".join(line.strip() for line in lines), link)


def items(lines: list[str], begins: Callable[[str], bool]) -> list[list[str]]:
    found: list[list[str]] = []
    for line in lines:
        if begins(line) or not found:
            found.append([line])
        else:
            found[-1].append(line)
    return found


def described(lines: list[str]) -> list[tuple[str, list[str]]] | None:
    """Terms with their descriptions, of lines whose least indent is none; None if these are columns or a drawing."""
    if indent_of(lines[0]) > 0 or any(len(COLUMNS.findall(line)) > 1 for line in lines):
        return None
    found = [(TERM.match(part[0]), part[1:]) for part in items(lines, lambda line: indent_of(line) == 0)]
    return [(term["term"], [term["text"], *rest]) for term, rest in found if term] if all(term for term, _ in found) else None


def aligned(lines: list[str], link: Link) -> str:
    """What is further in: a list, terms, or columns."""
    least = min(indent_of(line) for line in lines)
    lines = [line[least:] for line in lines]
    if lines[0].startswith("- "):
        parts = items(lines, lambda line: line.startswith("- "))
        return "\n".join(f"- {flowing([part[0][2:], *part[1:]], link)}" for part in parts) + "\n"
    if re.match(r"\(\d\) ", lines[0]):  # notes of a table
        parts = items(lines, lambda line: re.match(r"\(\d\) ", line) is not None)
        return "\n".join(f"| {flowing(part, link)}" for part in parts) + "\n"
    terms = described(lines)
    if terms is not None:
        return "\n".join(f"{inline(term, link)}\n   {flowing(text, link)}\n" for term, text in terms)
    return code("\n".join(lines))


def parts(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Paragraphs, and what is indented, each by itself; whether it is indented."""
    for block in re.split(r"\n[ \t]*\n", text.strip("\n")):
        for inner, lines in groupby(block.split("\n"), key=lambda line: indent_of(line) > 0):
            yield inner, list(lines)


def comment(text: str, link: Link) -> str:
    made: list[str] = []
    for inner, part in parts(text):
        if inner:
            made.append(aligned(part, link))
            continue
        # One word alone, "Threads.", is the head of its paragraph.
        head = re.match(r"[A-Z][a-z-]+\. (?=[A-Z])", part[0])
        made.append(f"**{head[0].strip()}** {flowing([part[0][head.end() :], *part[1:]], link)}\n" if head else flowing(part, link) + "\n")
    return "\n".join(made)
