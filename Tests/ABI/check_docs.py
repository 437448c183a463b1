#!/usr/bin/env python3
"""Every function that the headers export says on which threads it may be called: in its own comment's last words, "[any thread]", or in
that of the function right above it that it shares a comment with, or in the comment at the head of the file that stands for all in it.
Comments on declarations are Doxygen's: /** before one, /**< after one on its line, so that a reference can be made from the headers.

Each public declaration of a Swift module has a docstring; those of MediaSDKABI are C functions, whose manual is the headers.

Lines of Markdown, everywhere in the tree, end before column 120. Rows of tables may be longer, and urls do not count."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "Include" / "mediasdk"
TOKEN = re.compile(r"/\*(?P<comment>.*?)\*/|MSDK_EXPORT\s(?P<declaration>[^;]*);|(?P<blank>\n[ \t]*\n)", re.S)
TAG = re.compile(r"\[(any thread|not in a callback|may wait|waits only|control|media)[^\]]*\]\s*$")

ATTRIBUTE = r"@\w+(?:\([^)]*\))?"
MODIFIER = r"[a-z]+(?:\([a-z]+\))?"
PUBLIC = re.compile(
    rf"\s*(?:{ATTRIBUTE}\s+)*(?:{MODIFIER}\s+)*public\s+(?:{MODIFIER}\s+)*(?:var|let|func|init|struct|enum|class|protocol|typealias|subscript|actor)\b")

MARKDOWN_COLUMNS = 119
URL = re.compile(r"[a-z]+://[^\s)>]+")
# Of what was built or installed.
NOT_OURS = {".git", ".build", "dist", "build", "node_modules", "target", "__pycache__"}


def functions(text: str) -> list[tuple[str, bool]]:
    """The exported functions of a header, and whether each is tagged."""
    found: list[tuple[str, bool]] = []
    head_tagged = False  # "[any thread]" in the comment at the head of the file
    own: str | None = None  # the comment in force: until a blank line
    is_head = True
    for token in TOKEN.finditer(text):
        if token["comment"] is not None:
            comment = " ".join(token["comment"].replace("*", " ").split())
            if is_head:
                head_tagged = TAG.search(comment) is not None
                is_head = False
            # A comment at the end of a declaration's line belongs to that declaration alone.
            trailing = text[: token.start()].rsplit("\n", 1)[-1].strip() != ""
            if not trailing:
                own = comment
        elif token["blank"] is not None:
            own = None
        else:
            name = re.search(r"(msdk_\w+)\s*\(", token["declaration"])
            if name is not None:
                found.append((name[1], head_tagged or (own is not None and TAG.search(own) is not None)))
    return found


def plain_comments(text: str) -> list[str]:
    """Comments on declarations that Doxygen would not read. Rulers, and what follows an opening brace or an #endif, are for the reader."""
    found = []
    for comment in re.finditer(r"/\*.*?\*/", text, re.S):
        before = text[: comment.start()].rsplit("\n", 1)[-1].strip()
        if before.endswith("{") or before.startswith("#endif") or comment[0].startswith(("/* ---", "/**<" if before else "/** ")):
            continue
        found.append(comment[0].split("\n")[0])
    return found


def undocumented(path: Path) -> Iterator[str]:
    """The public declarations of a Swift file that have no docstring above them, or above their attributes."""
    before = ""
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if PUBLIC.match(line) and not before.startswith("///"):
            yield f"{path.relative_to(ROOT)}:{number}: public without a docstring: {line.strip()}"
        if not re.fullmatch(ATTRIBUTE, line.strip()):
            before = line.strip()


def markdown_files() -> Iterator[Path]:
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(set(folders) - NOT_OURS)
        yield from (Path(folder) / name for name in sorted(files) if name.endswith(".md"))


def long_lines(text: str) -> list[tuple[int, int]]:
    """The lines that are too long, and how long they are."""
    lengths = [(number, len(URL.sub("", line))) for number, line in enumerate(text.split("\n"), 1) if not line.lstrip().startswith("|")]
    return [(number, length) for number, length in lengths if length > MARKDOWN_COLUMNS]


def main() -> int:
    total = 0
    untagged: list[str] = []
    for header in sorted(INCLUDE.glob("*.h")):
        text = re.sub(r"#define (?:[^\n]*\\\n)*[^\n]*", "", header.read_text())
        untagged += [f"{header.name}: a comment that Doxygen does not read: {comment}" for comment in plain_comments(text)]
        for name, tagged in functions(text):
            total += 1
            if not tagged:
                untagged.append(f"{header.name}: {name} does not say on which threads it may be called")
    documents = list(markdown_files())
    wide = [
        f"{path.relative_to(ROOT)}:{number}: the line has {length} columns; accepted: at most {MARKDOWN_COLUMNS}"
        for path in documents
        for number, length in long_lines(path.read_text())
    ]
    sources = [path for path in sorted((ROOT / "Sources").glob("Media*/**/*.swift")) if "MediaSDKABI" not in path.parts]
    bare = [line for path in sources for line in undocumented(path)]
    summary = f"check_docs: {total} functions, {len(untagged)} without a thread tag, or comments that Doxygen does not read; "
    swift = f"{len(sources)} Swift files, {len(bare)} public declarations without a docstring; "
    print("\n".join([*untagged, *bare, *wide, f"{summary}{swift}{len(documents)} documents, {len(wide)} lines too long"]))
    return 1 if untagged or bare or wide or total == 0 or not sources or not documents else 0


if __name__ == "__main__":
    sys.exit(main())
