"""What came of an attack, held against goals and bounds, and as a row of the table."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Optional

from attacks import JOIN, ROUND_TRIP, Attack
from gauge import Look, share


@dataclass
class Call:
    """What became of an honest call between two times."""

    sent: int = 0
    lost: int = 0
    round_trip: Optional[float] = None
    joins: int = 0
    joined: int = 0
    slowest: Optional[float] = None
    words: list[str] = field(default_factory=list)

    @property
    def loss(self) -> float:
        return self.lost / max(1, self.sent)


@dataclass
class Result:
    attack: Attack
    quiet: Call
    call: Call
    idle: list[Look]
    looks: list[Look]
    after: Look
    did: dict[str, Any]
    missed: list[str] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        return share(self.looks[0], self.looks[-1])

    @property
    def peak(self) -> float:
        return max(look.megabytes for look in self.looks)

    @property
    def descriptors(self) -> int:
        return max(look.descriptors for look in self.looks)

    def judge(self) -> None:
        attack, call, did = self.attack, self.call, self.did
        allowed = math.ceil(self.quiet.loss * call.sent)
        growth = self.peak - self.looks[0].megabytes
        checks = [
            (call.lost <= allowed, f"{call.lost} of {call.sent} audio packets lost; the path's own loss: {allowed}"),
            (call.round_trip is not None and call.round_trip < ROUND_TRIP,
             f"round trip {milliseconds(call.round_trip)} ms; goal: below {ROUND_TRIP * 1000:.0f}"),
            (did["effort"] > 0, "the attacker did nothing"),
            (attack.wire or call.joins > 0, "nobody tried to join"),
            (call.joined == call.joins, f"{call.joins - call.joined} of {call.joins} honest joins not within {JOIN:.0f} s"),
            (growth <= attack.growth, f"memory grew by {growth:.0f} MB; bound: {attack.growth}"),
            (self.descriptors <= attack.descriptors, f"{self.descriptors} descriptors; bound: {attack.descriptors}"),
            (self.cpu <= attack.cpu, f"{self.cpu:.0f} % of a core; bound: {attack.cpu}"),
            (not call.words, "; ".join(call.words))]
        self.missed = [words for is_met, words in checks if not is_met]


HEADS = ("attack", "point", "audio lost", "round trip ms", "joins", "slowest s", "memory MB", "descriptors", "core %", "")


def milliseconds(seconds: Optional[float]) -> str:
    return "?" if seconds is None else f"{seconds * 1000:.0f}"


def row(result: Result) -> tuple[str, ...]:
    attack, call, quiet = result.attack, result.call, result.quiet
    slowest = "-" if call.slowest is None else "never" if math.isinf(call.slowest) else f"{call.slowest:.2f}"
    return (attack.name, str(attack.point), f"{call.lost}/{call.sent} [{quiet.lost}/{quiet.sent}]",
            f"{milliseconds(call.round_trip)} [{milliseconds(quiet.round_trip)}]",
            "-" if attack.wire else f"{call.joined}/{call.joins}", slowest,
            f"{result.looks[0].megabytes:.0f} {result.peak:.0f} {result.after.megabytes:.0f} (+{attack.growth})",
            f"{result.descriptors} ({attack.descriptors})", f"{result.cpu:.0f} [{share(*result.idle):.0f}] ({attack.cpu})",
            "missed" if result.missed else "ok")
