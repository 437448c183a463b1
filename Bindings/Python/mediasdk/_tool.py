"""The console script `msdk`: the tool that the wheel has beside the library."""
from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    tool = Path(__file__).resolve().parent / "lib" / "msdk"
    if not tool.is_file():
        sys.exit(f"msdk: {tool} does not exist: this package was installed without the tool. Run make in the source tree, then install again.")
    os.execv(tool, [str(tool), *sys.argv[1:]])
