"""Every name of ours that the headers and the documentation mention exists: declared in a header, read from the environment, or the
beginning of declared ones (MSDK_PIXEL_*, MSDK_COMMANDn). In the headers' comments this includes members, parameters and ends of names, such
as expected_delay_ns and set_frame_rate: every word with an underscore."""
from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "Include" / "mediasdk").glob("*.h"))
ALONE = ("README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "Include/CHANGES.md")
DOCUMENTS = [*(ROOT / name for name in ALONE), *sorted((ROOT / "docs").rglob("*.md")),
             *sorted((ROOT / "docs").rglob("*.seq")), *sorted((ROOT / "Examples").rglob("*.md")),
             *sorted((ROOT / "Bindings").glob("*/README.md"))]
# What is said of earlier trees names what is no more.
PAST = "### What changed during development"
COMMENT = re.compile(r"/\*.*?\*/", flags=re.S)
# Not in paths, urls, options of commands, SDP attributes or other words.
WORD = re.compile(r"(?<![\w./:$<\"'-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?=\.\s|\.$|[^\w.*/(-])")


def ours(text: str, names: set[str]) -> Iterator[tuple[int, str]]:
    """Lines and names that begin as ours do, and are none."""
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r"(?<![\w.-])(?:msdk|MSDK)_\w+", line):
            stem = re.sub(r"_?n?$", "", name)
            begins = any(one.startswith(stem) and one != stem and one[len(stem)] in "_0123456789" for one in names)
            if name not in names and re.sub(r"n(?=_|$)", "0", name) not in names and not begins:
                yield number, name


def members(text: str, words: set[str]) -> Iterator[tuple[int, str]]:
    """Lines and words of comments that look like a member, and are neither one nor the end of a name."""
    for comment in COMMENT.finditer(text):
        for found in WORD.finditer(comment[0]):
            word = found[0]
            if not word.startswith("msdk_") and word not in words and not any(one.endswith(f"_{word}") for one in words):
                yield text.count("\n", 0, comment.start() + found.start()) + 1, word


def main() -> int:
    code = "\n".join(COMMENT.sub(" ", path.read_text()) for path in HEADERS)
    names = set(re.findall(r"\b(?:msdk|MSDK)_\w+", code))
    words = set(re.findall(r"\b[a-z]\w*", code))
    # Other places that names are from: the environment of programs, of the tests and of the build, and private headers.
    places = (("Sources", "swift"), ("Tests", "swift"), ("Sources", "c"), ("Sources", "h"), ("Tests", "sh"), ("Bindings", "py"))
    sources = "\n".join(path.read_text() for folder, suffix in places for path in sorted((ROOT / folder).rglob(f"*.{suffix}")))
    quoted = {*re.findall(r"[\"$\{](MSDK_[A-Z0-9_]+)\b", sources), *re.findall(r"\b(MSDK_[A-Z0-9_]+)=", (ROOT / "Makefile").read_text())}
    quoted |= set(re.findall(r"\bstatic inline \w+ (msdk_\w+)\(", sources))
    missing = 0
    for path in [*HEADERS, *DOCUMENTS]:
        text = path.read_text().split(PAST)[0]
        wrong = list(ours(text, names | quoted))
        if path in HEADERS:
            wrong += members(text, words)
        for number, name in wrong:
            print(f"check_names: {path.relative_to(ROOT)}:{number}: there is no {name}")
            missing += 1
    print(f"check_names: {len(names)} names, {len(words)} words of the headers, {len(DOCUMENTS)} documents")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
