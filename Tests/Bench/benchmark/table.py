"""The table: what was measured, of ours and of the peer, their ratio, the goal, and whether it was met."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Callable

from .programs import Failed, Runs

HEADINGS = ("subject", "ours", "peer", "ours/peer: median (least to most; best runs)", "goal", "met?")
RATES = {"fps", "streams", "packets_per_s"}  # of these keys more is better; of all others less


class Row:
    """What is printed; `figures` are the same as numbers, for who reads the results with a program."""

    def __init__(
        self, subject: str, ours: str, peer: str = "", ratio: str = "", goal: str = "", met: bool | None = None,
        figures: dict[str, object] | None = None,
    ) -> None:
        verdict = "" if met is None else "yes" if met else "NO"
        self.cells = (subject, ours, peer, ratio, goal, verdict)
        self.met = met
        self.figures = figures or {}
        self.part = ""

    def as_json(self) -> dict[str, object]:
        subject, ours, peer, ratio, goal, _ = self.cells
        return {"part": self.part, "subject": subject, "ours": ours, "peer": peer, "ratio": ratio, "goal": goal, "met": self.met, **self.figures}


def number(value: float) -> str:
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def compared(
    subject: str, ours: Sequence[float], peer_name: str, peer: Sequence[float], at_most: float | None = None,
    at_least: float | None = None, best: Callable[[Sequence[float]], float] = min,
) -> Row:
    """The ratio is taken pair by pair; its median decides. Beside it stands that of the best run of each, which other work on the machine
    disturbed least: `best` is min for a cost, max for a rate."""
    ratios = [a / b for a, b in zip(ours, peer)]
    middle = statistics.median(ratios)
    text = f"{number(middle)} ({number(min(ratios))} to {number(max(ratios))}; {number(best(ours) / best(peer))})"
    goal, met = "", None
    if at_most is not None:
        goal, met = f"<= {at_most:g}", middle <= at_most
    elif at_least is not None:
        goal, met = f">= {at_least:g}", middle >= at_least
    figures: dict[str, object] = {
        "peer_name": peer_name, "ours_median": statistics.median(ours), "peer_median": statistics.median(peer),
        "better": "less" if best is min else "more", "ratio_median": middle, "ratio_least": min(ratios), "ratio_most": max(ratios),
        "ratio_best": best(ours) / best(peer),
    }
    return Row(subject, number(statistics.median(ours)), f"{peer_name} {number(statistics.median(peer))}", text, goal, met, figures)


def beyond(subject: str, ours: Sequence[float], peer_name: str, peer: Sequence[float], at_most: float) -> Row:
    """How much more it is, pair by pair; the median decides."""
    differences = [a - b for a, b in zip(ours, peer)]
    middle = statistics.median(differences)
    text = f"{middle:+.0f} ({min(differences):+.0f} to {max(differences):+.0f}; {min(ours) - min(peer):+.0f})"
    beside = f"{peer_name} {number(statistics.median(peer))}"
    return Row(subject, number(statistics.median(ours)), beside, text, f"<= {at_most:+g}", middle <= at_most)


def alone(subject: str, ours: float, unit: str, below: float | None = None, beside: str = "") -> Row:
    goal = "" if below is None else f"< {below:g}{unit}"
    return Row(subject, number(ours) + unit, beside, "", goal, None if below is None else ours < below)


class Table:
    def __init__(self) -> None:
        self.rows: list[Row] = []

    def end_part(self, name: str) -> None:
        """The rows that were added since the last call are of this part."""
        for row in self.rows:
            row.part = row.part or name

    def add(self, subject: str, make: Callable[[], Row]) -> None:
        """A row, or one that says why there is none: once for each cause."""
        try:
            self.rows.append(make())
        except Failed as failure:
            words = f"failed: {failure}"
            if all(row.cells[1] != words for row in self.rows):
                self.rows.append(Row(subject, words))

    def against(
        self, runs: Runs, subject: str, key: str, ours: str, peer: str, at_most: float | None = None, at_least: float | None = None
    ) -> None:
        """One key of two candidates; nothing for a peer that was not run."""
        self.between(runs, subject, (ours, key), (peer, key), at_most, at_least)

    def between(
        self, runs: Runs, subject: str, ours: tuple[str, str], peer: tuple[str, str], at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        best = max if ours[1] in RATES else min
        if peer[0] in runs.values:
            self.add(subject, lambda: compared(subject, runs.get(*ours), peer[0], runs.get(*peer), at_most, at_least, best))

    def beyond(self, runs: Runs, subject: str, key: str, ours: str, peer: str, at_most: float) -> None:
        """One key of two candidates, by their difference."""
        self.add(subject, lambda: beyond(subject, runs.get(ours, key), peer, runs.get(peer, key), at_most))

    def text(self) -> str:
        widths = [len(heading) for heading in HEADINGS]
        for row in self.rows:
            cells = row.cells[:1] if row.cells[1].startswith("failed: ") else row.cells
            widths = [max(width, len(cell)) for width, cell in zip(widths, cells)] + widths[len(cells):]
        lines = ["  ".join(heading.ljust(width) for heading, width in zip(HEADINGS, widths)).rstrip()]
        lines.append("  ".join("-" * width for width in widths))
        lines += ["  ".join(cell.ljust(width) for cell, width in zip(row.cells, widths)).rstrip() for row in self.rows]
        return "\n".join(lines)
