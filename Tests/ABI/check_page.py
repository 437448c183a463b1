#!/usr/bin/env python3
"""The page of a room is in the library as a string: PageSource.swift has page.html as it is, and the hashes by which the page's policy lets its
script and its style run. With --write, writes that file."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "Sources" / "MediaServer" / "Page"


def hashed(html: str, element: str) -> str:
    (text,) = re.findall(rf"<{element}>(.*?)</{element}>", html, re.S)
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def source() -> str:
    html = (FOLDER / "page.html").read_text()
    if '"""#' in html or "\\#(" in html:
        raise SystemExit("check_page: page.html has \"\"\"# or \\#(, which a string of Swift cannot have")
    if re.search(r"(src|href)\s*=\s*[\"']?\s*(https?:)?//|@import|\son[a-z]+\s*=\s*\"", html):
        raise SystemExit("check_page: page.html has something from elsewhere, or a script in an attribute")
    return (f'/// page.html, as Tests/ABI/check_page.py --write puts it here.\nenum PageSource {{\n'
            f'  /// What the page may run (CSP, section 2.3.1).\n  static let script = "{hashed(html, "script")}"\n'
            f'  static let style = "{hashed(html, "style")}"\n\n  static let html = #"""\n'
            + "".join(f"    {line}".rstrip() + "\n" for line in html.splitlines()) + '\n    """#\n}\n')


def main() -> int:
    path = FOLDER / "PageSource.swift"
    if "--write" in sys.argv[1:]:
        path.write_text(source())
    wrong = not path.exists() or path.read_text() != source()
    print(f"check_page: PageSource.swift is {'not ' if wrong else ''}what page.html is" + ("; run Tests/ABI/check_page.py --write" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
