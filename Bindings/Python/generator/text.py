"""The form of generated files."""
from __future__ import annotations

import re
from typing import Iterable

WIDTH = 140
HEAD = "# Generated from Include/mediasdk by `make python-bindings`: change the headers, not this file.\n"


def filled(opening: str, parts: Iterable[str], closing: str) -> str:
    """The parts, separated by commas, on as few lines as they take; all lines after the first are indented to the end of the opening."""
    first, *rest = [part + "," for part in parts]
    lines = [opening + first]
    for part in rest:
        # The closing takes the place of the last comma.
        if len(lines[-1]) + 1 + len(part) - 1 + len(closing) > WIDTH:
            lines.append(" " * len(opening) + part)
        else:
            lines[-1] += " " + part
    return "\n".join(lines)[:-1] + closing + "\n"


def imported(names: Iterable[str], body: str) -> list[str]:
    """Those of the names that stand in the body."""
    return sorted(set(names) & set(re.findall(r"\w+", body)))
