"""Every name of ours that the headers and the documentation mention exists: declared in a header, read from the environment, or the beginning of
declared ones (MSDK_PIXEL_*, MSDK_COMMANDn)."""
from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "Include" / "mediasdk").glob("*.h"))
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "Examples").rglob("*.md"))]


def main() -> int:
    code = "\n".join(re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S) for path in HEADERS)
    names = set(re.findall(r"\b(?:msdk|MSDK)_\w+", code))
    sources = "\n".join(path.read_text() for suffix in ("swift", "c") for path in sorted((ROOT / "Sources").rglob(f"*.{suffix}")))
    names |= set(re.findall(r"\"(MSDK_[A-Z0-9_]+)\"", sources))
    missing = 0
    for path in [*HEADERS, *DOCUMENTS]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for name in re.findall(r"(?<![\w.-])(?:msdk|MSDK)_\w+", line):
                stem = re.sub(r"_?n?$", "", name)
                if name not in names and not any(one.startswith(stem) and one != stem and one[len(stem)] in "_0123456789" for one in names):
                    print(f"check_names: {path.relative_to(ROOT)}:{number}: there is no {name}")
                    missing += 1
    print(f"check_names: {len(names)} names")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
