"""Makes a page for each header: reference/c/NAME.rst, and their index."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import rst
from headers import Header, Item, all_headers

ROLES = {"function": "func", "struct": "struct", "handle": "struct", "type": "type", "enumerator": "enumerator", "macro": "macro"}
THREADS = re.compile(r"\s*\[((?:any thread|not in a callback|may wait|waits only|control|media|any)[^\]]*)\]\s*$")
# A program that knows no header begins here.
FIRST = (
    "mediasdk.h",
    "types.h",
    "handles.h",
    "error.h",
    "time.h",
    "engine.h",
    "session.h",
    "data.h",
    "data_stream.h",
    "rpc.h",
    "encryption.h",
    "room.h",
    "serve.h",
    "access.h",
    "rtp.h",
    "webrtc.h",
    "network.h",
    "outgoing_video.h",
    "outgoing_audio.h",
    "frame.h",
    "report.h",
    "incoming_video.h",
    "incoming_audio.h",
    "view.h",
    "instance.h",
    "ingest.h",
)
OTHERS = {"feeder.h": "The other process of a screen share, with a library of its own", "plugin.h": "What a plugin includes"}


class Reference:
    def __init__(self, headers: list[Header]) -> None:
        self.headers = {header.name: header for header in headers}
        self.roles: dict[str, str] = {}
        for header in headers:
            for item in header.items:
                for name in self.names(item):
                    self.roles.setdefault(name, ROLES.get(item.kind, "enumerator"))

    @staticmethod
    def names(item: Item) -> list[str]:
        if item.kind == "enum":
            return [member.name for member in item.members]
        if item.kind == "function":
            return [re.findall(r"\b(msdk_\w+)\(", signature)[0] for signature in item.signatures]
        return [signature.partition("(")[0] for signature in item.signatures] if item.kind == "macro" else [item.name]

    def link(self, name: str) -> str:
        if name in self.headers:
            return f":doc:`{name} </reference/c/{name[:-2]}>`"
        role = self.roles.get(name)
        return f":c:{role}:`{name}`" if role else f"``{name}``"

    def said(self, comment: str) -> str:
        """A comment, with its threads set apart."""
        found = THREADS.search(comment)
        text = rst.comment(comment[: found.start()] if found else comment, self.link)
        if found:
            text += f"\n:threads:`{found[1]}`\n"
        return text

    def directive(self, kind: str, signatures: list[str], body: str, options: str = "") -> str:
        first, *others = signatures
        head = f".. c:{kind}:: {first}\n" + "".join(f"   {' ' * (len(kind) + 5)}{other}\n" for other in others)
        return head + options + ("\n" + textwrap.indent(body, "   ") if body.strip() else "") + "\n"

    def member(self, item: Item) -> str:
        if item.kind in ("union", "struct"):
            return self.directive(
                item.kind, [f"@{item.name}"], f"The member ``{item.name}``.\n\n" + "".join(map(self.member, item.members))
            )
        # The dialect that Sphinx reads has no parameters without a name.
        return self.directive("member", item.signatures, self.leading(item.comment))

    def leading(self, comment: str) -> str:
        """Of a member: its thread comes first."""
        found = re.match(r"\[((?:control|media|any)[^\]]*)\]\s*", comment)
        return f":threads:`{found[1]}` {self.said(comment[found.end() :])}" if found else self.said(comment)

    def item(self, item: Item) -> str:
        if item.kind == "section":
            return rst.title(item.name[0].upper() + item.name[1:], "-")
        if item.kind == "text":
            return self.said(item.comment)
        if item.kind == "handle":
            return self.directive("struct", [item.name], self.said(item.comment or "A handle."))
        if item.kind == "struct":
            return self.directive("struct", [item.name], self.said(item.comment) + "\n" + "".join(map(self.member, item.members)))
        if item.kind == "enum":
            values = "".join(self.directive("enumerator", member.signatures, self.said(member.comment)) for member in item.members)
            return (self.said(item.comment) + "\n" if item.comment else "") + values
        return self.directive(item.kind, item.signatures, self.said(item.comment))

    def names_of(self, header: Header) -> str:
        """What the page has, in a paragraph for each kind: the page's own list has its sections only."""
        made = []
        for heading, kinds in (("Functions", ("function",)), ("Types", ("struct", "handle", "type"))):
            links = [self.link(name) for item in header.items if item.kind in kinds for name in self.names(item)]
            if links:
                made.append(f".. container:: names\n\n   {heading}: {', '.join(links)}\n")
        return "\n".join(made)

    def page(self, header: Header) -> str:
        parts = [
            rst.title(header.name),
            f"``#include <mediasdk/{header.name}>``: {rst.inline(header.summary, self.link)}.\n",
            self.said(header.comment),
            self.names_of(header),
        ]
        declared = [item for item in header.items if item.kind != "text"]
        if declared and declared[0].kind != "section":
            parts.append(rst.title("Declarations", "-"))
        return "\n".join([*parts, *map(self.item, header.items)])

    def index(self) -> str:
        parts = [
            ".. _c-reference:\n",
            rst.title("C"),
            "The headers are the reference of the C API: these pages are made from their comments. "
            "Begin with :doc:`mediasdk.h <mediasdk>`, which has the rules that all functions share.\n",
        ]
        programs = [name for name in FIRST if name in self.headers]
        programs += sorted(set(self.headers) - set(programs) - set(OTHERS))
        for heading, names in [("For programs", programs), *((title, [name]) for name, title in OTHERS.items())]:
            parts += [rst.title(heading, "-"), ".. list-table::\n   :widths: 25 75\n   :class: plain\n"]
            parts += [f"   * - :doc:`{name} <{name[:-2]}>`\n     - {rst.inline(self.headers[name].summary, self.link)}" for name in names]
            parts.append("")
        parts += [".. toctree::\n   :hidden:\n", *(f"   {name[:-2]}" for name in [*programs, *OTHERS])]
        return "\n".join(parts) + "\n"


def write(to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    reference = Reference(all_headers())
    for header in reference.headers.values():
        (to / f"{header.name[:-2]}.rst").write_text(reference.page(header))
    (to / "index.rst").write_text(reference.index())
