"""From the start of two programs to the first decoded picture: one serves a room, the other joins by WHIP and sends."""

from __future__ import annotations

import statistics

from ..programs import Place, in_turn, progress
from ..table import Table, alone

ROUNDS = 9


def measure(place: Place, table: Table) -> None:
    progress("WHIP, start to first picture ")
    runs = in_turn(place, {"ours": place.program("whip_msdk")}, ROUNDS)
    for key, subject, most in (
        ("first_ms", "WHIP: start of server and sender to first VP8 720p picture", 120),
        ("connected_ms", "WHIP: offer to connected (HTTP, ICE, DTLS)", 60),
    ):
        table.add(
            subject, lambda key=key, subject=subject, most=most: alone(subject, statistics.median(runs.get("ours", key)), " ms", below=most)
        )
