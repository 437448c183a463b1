"""Figures beside their goals, and the table of them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Row:
    """One figure.  It is good when it lies within the goals given."""

    name: str
    figure: float
    unit: str = ""
    at_most: Optional[float] = None
    at_least: Optional[float] = None
    note: str = ""

    @property
    def good(self) -> bool:
        # A figure that is no number keeps no goal.
        low = self.at_least is None or self.figure >= self.at_least
        high = self.at_most is None or self.figure <= self.at_most
        return self.figure == self.figure and low and high

    @property
    def goal(self) -> str:
        bounds = [f"{sign} {bound:g}" for sign, bound in ((">=", self.at_least), ("<=", self.at_most)) if bound is not None]
        return " and ".join(bounds) or "-"

    def __str__(self) -> str:
        mark = "ok  " if self.good else "MISS"
        figure = f"{self.figure:.4g} {self.unit}".strip()
        return f"{mark} {self.name:<58} {figure:>16}   goal {self.goal}" + (f"   ({self.note})" if self.note else "")
