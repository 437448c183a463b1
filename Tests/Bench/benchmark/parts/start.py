"""How large the library is, and how soon a program that uses it has its first frame."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess

from ..programs import Place, in_turn, progress
from ..table import Row, Table, alone, number

ROUNDS = 7


def _size(place: Place, table: Table) -> None:
    stripped = os.path.join(place.build, "stripped.so")
    shutil.copy(os.path.join(place.lib, "libmediasdk.so"), stripped)
    try:
        subprocess.run(["strip", stripped], check=True)
        size = os.path.getsize(stripped) / 1e6
    finally:
        os.remove(stripped)
    table.rows.append(alone("library, stripped", size, " MB", below=10))


def _start(place: Place, table: Table) -> None:
    progress("start to first frame ")
    runs = in_turn(
        place,
        {
            "raw": place.program("first_msdk", "raw"),
            "vp8": place.program("first_msdk", "vp8"),
            "bare libvpx": place.program("first_vpx"),
        },
        ROUNDS,
    )

    def beyond() -> Row:
        ours, bare = runs.get("vp8", "first_ms"), runs.get("bare libvpx", "first_ms")
        more = statistics.median([a - b for a, b in zip(ours, bare)])
        return Row(
            "start to first VP8 720p frame (ms)", number(statistics.median(ours)), f"bare libvpx {number(statistics.median(bare))}",
            f"{number(more)} ms more", "< 100 ms more", more < 100,
        )

    raw = "start to first raw 720p frame"
    table.add(raw, lambda: alone(raw, statistics.median(runs.get("raw", "first_ms")), " ms", below=100))
    table.add("start to first VP8 720p frame (ms)", beyond)


def measure(place: Place, table: Table) -> None:
    _size(place, table)
    _start(place, table)
