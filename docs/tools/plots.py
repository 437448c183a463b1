"""Draws what `make bench` has measured: a plot of the ratios of each part, and the tables. Without results there is a sentence that says
so."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any

import svg

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(os.environ.get("MSDK_BENCH_RESULTS", ROOT / ".build/bench/results.json"))
LEFT, RIGHT, ROW, TOP, WIDTH = 14, 20, 44, 44, 640
NONE = """There are no results in this build of the pages: run `make bench`, which takes about half an hour, then `make docs`.
"""


def plot(part: str, rows: list[dict[str, Any]]) -> str:
    """The median of the ratios as a dot, with the least and the most; on the good side of 1 in green."""
    low = min(0.5, min(row["ratio_least"] for row in rows))
    high = max(2.0, max(row["ratio_most"] for row in rows))
    span = math.log(high / low)

    def x(ratio: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(max(ratio, low) / low) / span

    height = TOP + ROW * len(rows) + 14
    parts = []
    ticks = [tick for tick in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000) if low <= tick <= high]
    for tick in ticks:
        parts.append(
            f'<line x1="{x(tick):.1f}" y1="{TOP - 8}" x2="{x(tick):.1f}" y2="{height - 10}" '
            f'stroke="{svg.INK if tick == 1 else "#e3e6ec"}"/>'
        )
        parts.append(svg.text(x(tick), TOP - 14, f"{tick:g}", 11, "middle", svg.FAINT))
    parts.append(svg.text(LEFT, 16, f"{part}: ours / peer", 13, extra=' font-weight="bold"'))
    for number, row in enumerate(rows):
        y = TOP + ROW * number + 12
        good = row["ratio_median"] <= 1 if row["better"] == "less" else row["ratio_median"] >= 1
        colour = svg.ACCENT if good else svg.OTHER
        said = f"{row['subject'].strip()} / {row['peer_name']}" + (" (more is better)" if row["better"] == "more" else "")
        shown = said if len(said) < 92 else said[:91] + "…"
        parts.append(svg.text(LEFT, y, shown, 11.5))
        parts.append(
            f'<line x1="{x(row["ratio_least"]):.1f}" y1="{y + 14}" x2="{x(row["ratio_most"]):.1f}" y2="{y + 14}" '
            f'stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(f'<circle cx="{x(row["ratio_median"]):.1f}" cy="{y + 14}" r="5" fill="{colour}"/>')
        near = x(row["ratio_most"]) + 10 < WIDTH - 50
        parts.append(
            svg.text(
                x(row["ratio_most"]) + 10 if near else x(row["ratio_least"]) - 10,
                y + 18,
                f"{row['ratio_median']:.3g}",
                11,
                "start" if near else "end",
                colour,
            )
        )
    return svg.document(WIDTH, height, f"Ratios of {part}", parts)


def cell(text: object) -> str:
    return re.sub(r"([|*_`<\\])", r"\\\1", str(text)).strip()


def write(images: Path, page: Path) -> None:
    if not RESULTS.exists():
        page.write_text(NONE)
        return
    results = json.loads(RESULTS.read_text())
    machine = results["machine"]
    parts = [
        f"Measured on {machine['architecture']} with {machine['processors']} processors, kernel {machine['kernel']}. "
        "Only ratios are meaningful. The dot is the median of the ratios, the line goes from the least to the most. Green: ours costs at most "
        "as much, or does at least as much.\n"
    ]
    for name in dict.fromkeys(row["part"] for row in results["rows"]):
        rows = [row for row in results["rows"] if row["part"] == name]
        drawn = [row for row in rows if row.get("ratio_median", 0) > 0 and row["ratio_least"] > 0]
        parts.append(f"## {name}\n")
        if drawn:
            (images / f"bench-{name}.svg").write_text(plot(name, drawn))
            parts.append(f"```{{figure}} /images/bench-{name}.svg\n:alt: ours / peer, {name}\n:class: diagram\n```\n")
        parts.append("| subject | ours | peer | ours/peer: median (least to most; best runs) | goal | met? |\n|---|---|---|---|---|---|")
        parts += [
            "| "
            + " | ".join(
                cell(text)
                for text in (
                    row["subject"],
                    row["ours"],
                    row["peer"],
                    row["ratio"],
                    row["goal"],
                    "" if row["met"] is None else "yes" if row["met"] else "no",
                )
            )
            + " |"
            for row in rows
        ]
        parts.append("")
    parts += [f"Without {name}: {cell(why)}\n" for name, why in results["without"].items()]
    page.write_text("\n".join(parts) + "\n")
