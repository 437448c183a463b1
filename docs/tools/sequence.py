"""Draws a sequence diagram as SVG. The text has a line each:

participants: NAME | NAME ...
1 -> 2: TEXT        a call, from the first to the second
1 --> 2: TEXT       what passes between threads or processes
note 2: TEXT        beside one of them
loop: TEXT          until the line `end`
# ...               the first one is the title
"""

from __future__ import annotations

import re
from pathlib import Path

import svg

ROW, TOP, MARGIN, BETWEEN = 38, 58, 16, 60


def drawn(source: str) -> str:
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    title = next((line.lstrip("# ") for line in lines if line.startswith("#")), "A sequence of calls")
    lines = [line for line in lines if not line.startswith("#")]
    head, *steps = lines
    names = [name.strip() for name in head.removeprefix("participants:").split("|")]
    # Columns are as far apart as the texts between neighbours need.
    gaps = [max(len(a), len(b)) * 7.2 + BETWEEN / 2 for a, b in zip(names, names[1:])]
    for step in steps:
        if arrow := re.match(r"(\d+) (--?>) (\d+): (.*)", step):
            low, high = sorted((int(arrow[1]) - 1, int(arrow[3]) - 1))
            if high - low == 1:
                gaps[low] = max(gaps[low], len(arrow[4]) * 7 + 40)
    x: list[float] = [MARGIN + len(names[0]) * 4 + 12]
    for gap in gaps:
        x.append(x[-1] + gap)
    width = x[-1] + len(names[-1]) * 4 + 12 + MARGIN
    parts, y, loops = [], float(TOP), []
    for step in steps:
        if arrow := re.match(r"(\d+) (--?>) (\d+): (.*)", step):
            begin, end = x[int(arrow[1]) - 1], x[int(arrow[3]) - 1]
            y += ROW
            tip = 7 if end < begin else -7
            dash = ' stroke-dasharray="5 4"' if arrow[2] == "-->" else ""
            parts.append(
                f'<line x1="{begin:.1f}" y1="{y:.1f}" x2="{end + tip:.1f}" y2="{y:.1f}" stroke="{svg.ACCENT}" stroke-width="1.5"{dash}/>'
            )
            parts.append(f'<path d="M{end:.1f} {y:.1f} l{tip:.1f} -4 v8 z" fill="{svg.ACCENT}"/>')
            parts.append(svg.text((begin + end) / 2, y - 7, arrow[4], 12, "middle"))
        elif note := re.match(r"note (\d+): (.*)", step):
            y += ROW - 8
            at, half = x[int(note[1]) - 1], len(note[2]) * 3.6 + 10
            parts.append(
                f'<rect x="{at - half:.1f}" y="{y - 16:.1f}" width="{2 * half:.1f}" height="22" rx="4" fill="#e7f5ef" '
                f'stroke="{svg.ACCENT}"/>'
            )
            parts.append(svg.text(at, y - 1, note[2], 12, "middle"))
        elif step.startswith("loop:"):
            y += ROW
            loops.append((y - 12, step.removeprefix("loop:").strip()))
        elif step == "end":
            y += ROW / 2
            begun, said = loops.pop()
            parts.append(
                f'<rect x="{MARGIN / 2}" y="{begun:.1f}" width="{width - MARGIN:.1f}" height="{y - begun:.1f}" rx="6" fill="none" '
                f'stroke="{svg.FAINT}" stroke-dasharray="2 3"/>'
            )
            parts.append(svg.text(MARGIN, begun + 14, said, 11, fill=svg.FAINT))
        else:
            raise SystemExit(f"docs: no step of a sequence: {step}")
    height = y + 26
    heads = []
    for at, name in zip(x, names):
        half = len(name) * 4 + 10
        heads.append(f'<line x1="{at:.1f}" y1="44" x2="{at:.1f}" y2="{height - 10:.1f}" stroke="#c9ced8"/>')
        heads.append(f'<rect x="{at - half:.1f}" y="14" width="{2 * half:.1f}" height="30" rx="5" fill="#eef1f6" stroke="#c9ced8"/>')
        heads.append(svg.text(at, 33, name, 13, "middle"))
    return svg.document(width, height, title, heads + parts)


def write(source: Path, to: Path) -> None:
    to.write_text(drawn(source.read_text()))
