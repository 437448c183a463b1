"""A pull producer's 1080p NV12 in a process of its own and in the program's; from its death to the event and to the next picture."""

from __future__ import annotations

import os

from .programs import Place, in_turn, progress
from .table import Table

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
    progress("isolation, killed ")
    runs = in_turn(place, {"killed": place.program("isolated_msdk", "killed", plugin, DEATHS)}, 1)
    for key, words in (("picture_p50_us", "to the next picture"), ("picture_p99_us", "to the next picture, worst")):
        table.between(runs, f"death of an isolated producer {words}, against its event (us)", ("killed", key), ("killed", "event_p50_us"))
