"""Makes the images of the site, each from what it shows: diagrams from their text in docs/images, a call from a program of Examples, a
terminal from the tool, plots from what `make bench` has measured."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cast
import plots
import sequence
import tool_help

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = os.environ.get("MSDK_PLUGIN_DIR", str(ROOT / ".build/out/plugins"))
# What is typed, where the plugins are installed.
TYPED = ("msdk inspect tone", "msdk run --producer testpattern:counter --filter bw --frames 60 --renderer file:counter.png")


def grid(to: Path) -> None:
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(
            [
                sys.executable,
                ROOT / "Examples/Python/grid.py",
                "--plugins",
                PLUGINS,
                "--output",
                f"{work}/call.webm",
                "--image",
                to,
                "--seconds",
                "3",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=120,
        )


def terminal(to: Path) -> None:
    run = [[tool_help.TOOL, *typed.split()[1:], "--plugins", PLUGINS] for typed in TYPED]
    drawn = cast.drawn(list(TYPED), run, "msdk inspect and msdk run in a terminal")
    to.write_text(drawn.replace(PLUGINS, "/usr/local/lib/mediasdk/plugins-1"))


def write(to: Path) -> None:
    for folder in (to, to.parent / "design"):
        folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((ROOT / "docs/images").glob("*.seq")):
        sequence.write(source, to / f"{source.stem}.svg")
    grid(to / "grid.png")
    terminal(to / "terminal.svg")
    plots.write(to, to.parent / "design/benchmark-results.txt")
