"""One 720p VP8 sender to 1, 10 and 50 receivers that do not decode, and to three that prefer three sizes."""

from __future__ import annotations

import statistics

from ..programs import Failed, Place, Runs, in_turn, progress
from ..table import Row, Table, alone, number

ROUNDS = 5
FRAMES = 150
PACKETS = 3000
CROWDS = (1, 10, 50)


def measure(place: Place, table: Table) -> None:
    progress("one sender to 1, 10 and 50 receivers ")
    encoded = {str(crowd): place.program("fan_msdk", place.clip, FRAMES, crowd) for crowd in CROWDS}
    pushed = {f"{crowd} pushed": place.program("fan_msdk", "-", PACKETS, crowd) for crowd in CROWDS}
    layers = {"3 sizes": place.program("fan_msdk", place.clip, FRAMES, 3, 3)}
    runs = in_turn(place, {**encoded, **pushed, **layers}, ROUNDS)
    for crowd in CROWDS[1:]:
        subject = f"fan-out, {crowd} receivers beside 1: a frame, encoded and sent (us of a processor)"
        table.against(runs, subject, "cpu_us", str(crowd), "1", at_most=1.15)
    table.against(runs, "fan-out, 50 receivers beside 1: frames encoded", "encoded", "50", "1", at_most=1)
    table.against(runs, "fan-out, 50 receivers beside 1: bytes encoded", "bytes", "50", "1", at_most=1)
    subject = "layers, 720p in three sizes beside one: a frame, encoded and sent (us of a processor)"
    table.against(runs, subject, "cpu_us", "3 sizes", "1", at_most=1.4)
    for crowd in CROWDS[1:]:
        table.add(f"fan-out: each receiver up to {crowd}", lambda crowd=crowd: _each(runs, crowd))


def _each(runs: Runs, crowd: int) -> Row:
    """Of packets that were there, as the encoder's own noise would drown it."""
    one, many = runs.get("1 pushed", "cpu_us"), runs.get(f"{crowd} pushed", "cpu_us")
    each = statistics.median((b - a) / (crowd - 1) for a, b in zip(one, many))
    if each <= 0:
        raise Failed("more receivers cost less than one; the machine is too busy")
    share = 100 * each / statistics.median(runs.get("1", "cpu_us"))
    return alone(f"fan-out: each receiver more, up to {crowd}, per frame", each, " us", below=10,
                 beside=f"{number(share)} % of what the first one's frame costs")
