"""A pull producer's 1080p NV12 in a process of its own and in the program's; from its death to the event and to the next picture."""

from __future__ import annotations

import os
import statistics

from ..programs import Place, Runs, in_turn, progress
from ..table import Row, Table, alone

ROUNDS = 7
SECONDS = 3
DEATHS = 5


def measure(place: Place, table: Table) -> None:
    plugin = os.path.join(place.build, "isolated_plugin.so")
    progress("isolation, 1080p NV12 at 60 a second ")
    candidates = {way: place.program("isolated_msdk", way, plugin, SECONDS) for way in ("inside", "isolated")}
    runs = in_turn(place, candidates, ROUNDS)
    for key, words in (("latency_p50_us", "due to received, p50, us"), ("cpu_us", "us of processors a frame")):
        table.against(runs, f"isolated producer of 1080p ({words})", key, "isolated", "inside")
    table.add("what isolation adds", lambda: _added(runs))
    progress("isolation, killed ")
    killed = in_turn(place, {"killed": place.program("isolated_msdk", "killed", plugin, DEATHS)}, 1)
    for key, words in (("picture_p50_us", "to the next picture"), ("picture_p99_us", "to the next picture, worst")):
        table.between(killed, f"death of an isolated producer {words}, against its event (us)", ("killed", key), ("killed", "event_p50_us"))
    for key, words, below in (("event_p99_us", "event, worst", 5), ("picture_p99_us", "next picture, worst", 250)):
        subject = f"death of an isolated producer to its {words}"
        table.add(subject, lambda key=key, subject=subject, below=below: alone(subject, max(killed.get("killed", key)) / 1000, " ms", below))


def _added(runs: Runs) -> Row:
    """Within a turn, as the ratios."""
    added = [there - here for there, here in zip(runs.get("isolated", "latency_p50_us"), runs.get("inside", "latency_p50_us"))]
    return alone("what isolation adds, p50", statistics.median(added), " us", 50, f"least {min(added):.0f}, most {max(added):.0f}")
