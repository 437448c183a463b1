"""Reads the built pages in Chromium, from the disk and without a network: no page is wider than the window, at 400 and at 1,400 pixels, and
the search finds a function of the headers, a class of Python and a command of the tool.

    check_browser.py DIRECTORY

From the environment: CHROMIUM (chromium)."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CHROMIUM = os.environ.get("CHROMIUM", "chromium")
WIDTHS = (400, 1400)
SOUGHT = {"msdk_frame_sender_acquire": "C function", "OutgoingVideo": "Python class", "testpattern": "testpattern", "msdk run": "msdk run"}
# What scrolls by itself may be wide: programs, tables, diagrams.
MEASURE = """<!doctype html><pre id="found"></pre><script>
(async () => {
  const frame = document.createElement("iframe");
  frame.style = "width:%(width)dpx;height:800px;border:0";
  document.body.append(frame);
  const found = [];
  for (const page of %(pages)s) {
    await new Promise((resolve) => { frame.onload = resolve; frame.src = page; });
    const inside = frame.contentDocument;
    if (inside.documentElement.scrollWidth <= %(width)d) continue;
    const wide = [...inside.querySelectorAll("article *")].filter((one) => one.getBoundingClientRect().right > %(width)d + 1
      && !one.closest(".highlight, .table-wrapper, figure"));
    found.push(page + " is " + inside.documentElement.scrollWidth + " wide" + (wide.length ? ": " + wide[0].textContent.slice(0, 60) : ""));
  }
  document.getElementById("found").textContent = JSON.stringify(found);
  frame.remove();
})();
</script>"""


def page_after(url: str, profile: str, *options: str) -> str:
    """The page as it is when its scripts have run. The time that they see does not depend on the machine."""
    # As root there is no sandbox in a sandbox.
    command = [
        CHROMIUM,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={profile}",
        "--window-size=1500,900",
        *options,
        "--dump-dom",
        url,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout


def too_wide(root: Path, width: int, work: str) -> list[str]:
    pages = [page.as_uri() for page in sorted(root.rglob("*.html"))]
    measuring = Path(work) / f"measure-{width}.html"
    measuring.write_text(MEASURE % {"width": width, "pages": json.dumps(pages)})
    # To look into the pages from another file.
    text = page_after(
        measuring.as_uri(), f"{work}/{width}", "--virtual-time-budget=600000", "--disable-web-security", "--allow-file-access-from-files"
    )
    found = re.search(r'<pre id="found">(.+?)</pre>', text, re.S)
    if not found:
        return [f"at {width}: the pages could not be measured"]
    return [f"at {width}: {one.removeprefix(root.as_uri() + '/')}" for one in json.loads(html.unescape(found[1]))]


def not_found(root: Path, work: str) -> list[str]:
    problems = []
    for sought, expected in SOUGHT.items():
        text = page_after(
            f"{(root / 'search.html').as_uri()}?q={sought.replace(' ', '+')}", f"{work}/search", "--virtual-time-budget=10000"
        )
        results = re.findall(r"<li class=\"kind[^>]*>.*?</li>|<li>.*?</li>", text.partition('id="search-results"')[2], re.S)
        if not any(expected in re.sub(r"<[^>]*>", "", result) for result in results):
            problems.append(f"the search for {sought} has {len(results)} results, and none is of '{expected}'")
    return problems


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as work:
        problems = [problem for width in WIDTHS for problem in too_wide(root, width, work)] + not_found(root, work)
    print(
        "\n".join(
            [
                *problems,
                f"check_browser: {len(list(root.rglob('*.html')))} pages at {' and '.join(map(str, WIDTHS))} pixels, "
                f"{len(SOUGHT)} searches, "
                f"{len(problems)} problems",
            ]
        )
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
