"""Runs commands in a terminal of their own and shows what it shows, line by line, as an SVG that moves."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import tempfile
import time
from html import escape
from pathlib import Path

import svg

COLUMNS, LINE, LETTER, MARGIN = 96, 18, 7.83, 14
COLOURS = {
    "30": "#808a9a",
    "31": "#ff7b72",
    "32": "#7ee787",
    "33": "#e3b341",
    "34": "#79c0ff",
    "35": "#d2a8ff",
    "36": "#76e3ea",
    "90": "#808a9a",
}
PLAIN, PROMPT, GROUND = "#d6dbe4", "#7ee787", "#171b22"
SECONDS = 60


def recorded(command: list[str], work: Path) -> list[tuple[float, str]]:
    """What the command writes to a terminal, and when."""
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        command,
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=writer,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": "40"},
    )
    os.close(writer)
    since, found = time.monotonic(), []
    while select.select([reader], [], [], SECONDS)[0]:
        try:
            data = os.read(reader, 65536)
        except OSError:  # the terminal has no writer any more
            break
        if not data:
            break
        found.append((time.monotonic() - since, data.decode(errors="replace")))
    os.close(reader)
    if process.wait(SECONDS) != 0:
        raise SystemExit(f"docs: {' '.join(command)} fails: {''.join(text for _, text in found)}")
    return found


def lines(written: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """The lines that are left in the terminal, and when each was complete. A line that is written anew counts as last written."""
    made: list[tuple[float, str]] = []
    current = ""
    for when, text in written:
        for part in re.split(r"(\r\n|\n|\r)", text):
            if part in ("\r\n", "\n"):
                made.append((when, current))
                current = ""
            elif part == "\r":
                current = ""
            else:
                current += re.sub(r"\x1b\[[0-9;]*[A-HJKhlsu]|\x1b\[\?\d+[hl]", "", part)
    return [*made, (written[-1][0], current)] if current else made


def spans(line: str) -> str:
    made, style = [], ""
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if code := re.match(r"\x1b\[([0-9;]*)m", part):
            numbers = code[1].split(";")
            colour = next((COLOURS[number] for number in numbers if number in COLOURS), None)
            bold = ' font-weight="bold"' if "1" in numbers else ""
            style = f' fill="{colour}"' if colour else ""
            style += bold
        elif part:
            made.append(f"<tspan{style}>{escape(part)}</tspan>")
    return "".join(made)


def drawn(commands: list[str], run: list[list[str]], title: str) -> str:
    shown: list[tuple[float, str]] = []
    at = 0.6
    with tempfile.TemporaryDirectory() as directory:
        for typed, command in zip(commands, run):
            shown.append((at, f"\x1b[32m$\x1b[0m {typed}"))
            written = recorded(command, Path(directory))
            shown += [(at + 0.4 + when, line) for when, line in lines(written)]
            at = shown[-1][0] + 1.2
    height = MARGIN * 2 + 20 + LINE * len(shown)
    width = MARGIN * 2 + LETTER * max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for _, line in shown)
    parts = [
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
        *(
            f'<circle cx="{MARGIN + 6 + 18 * n}" cy="16" r="5" fill="{colour}"/>'
            for n, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
        ),
        "<style>.l{opacity:0;animation:l .01s forwards}@keyframes l{to{opacity:1}}"
        "@media (prefers-reduced-motion:reduce),print{.l{opacity:1;animation:none}}</style>",
    ]
    for number, (when, line) in enumerate(shown):
        parts.append(
            f'<text class="l" style="animation-delay:{when:.2f}s" x="{MARGIN}" y="{MARGIN + 34 + LINE * number}" font-family="{svg.MONO}" '
            f'font-size="13" fill="{PLAIN}" xml:space="preserve">{spans(line)}</text>'
        )
    return svg.document(width, height, title, parts)
