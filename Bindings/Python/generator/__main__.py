"""Writes the generated modules, those that have changed."""
from __future__ import annotations

import sys

from . import generated
from .headers import HeaderError


def main() -> int:
    try:
        files = generated()
    except HeaderError as error:
        print(f"python-bindings: {error}", file=sys.stderr)
        return 1
    for path, text in files.items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"python-bindings: wrote {path.name}")
    return 0


sys.exit(main())
