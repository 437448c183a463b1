"""Every link of the built pages goes somewhere: the file is there, and so is the anchor. The pages open from a disk without a network, so
nothing that a page needs may come from elsewhere, and no link may begin at the root of a server. Links to other sites are listed, not
followed.

    check_links.py DIRECTORY [LIST-OF-EXTERNAL-LINKS]
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

NEEDED = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "src"), ("source", "srcset"), ("iframe", "src"), ("video", "src")}


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[tuple[str, bool]] = []  # and whether the page needs it
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        for name in ("href", "src", "srcset"):
            if name in values and not (tag == "link" and values.get("rel") in ("canonical", "alternate")):
                self.links.append((values[name], (tag, name) in NEEDED))


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text()) for path in sorted(root.rglob("*.html"))}
    external: set[str] = set()
    problems = []
    count = 0
    for path, page in pages.items():
        place = path.relative_to(root)
        for link, needed in page.links:
            count += 1
            try:
                parts = urlsplit(link)
            except ValueError as error:
                problems.append(f"{place}: {link} is no URL: {error}")
                continue
            if parts.scheme in ("data", "mailto", "javascript"):
                continue
            if parts.scheme or parts.netloc:
                external.add(link)
                if needed:
                    problems.append(f"{place}: needs {link}, which is not among the files")
                continue
            if parts.path.startswith("/"):
                problems.append(f"{place}: {link} begins at the root of a server")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                problems.append(f"{place}: {link} goes nowhere")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors and target.name not in ("search.html",):
                problems.append(f"{place}: {link}: the page has no such place")
    # Scripts and style sheets, too, load nothing from elsewhere.
    for path in [*root.rglob("*.css"), *root.rglob("*.svg")]:
        text = path.read_text(errors="replace")
        for mark in ("url(http", "url(//", "url('http", 'url("http', "@import"):
            if mark in text:
                problems.append(f"{path.relative_to(root)}: loads something from elsewhere ({mark})")
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text("".join(f"{link}\n" for link in sorted(external)))
    print(
        "\n".join(
            [
                *sorted(set(problems)),
                f"check_links: {len(pages)} pages, {count} links, {len(set(problems))} of them broken; "
                f"{len(external)} links to other sites",
            ]
        )
    )
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
