"""Raw sound at real pace, 48 kHz mono, 20 ms: from send to the receiver's code."""

from __future__ import annotations

import statistics

from ..programs import Place, in_turn, progress
from ..table import Row, Table, alone

ROUNDS = 5
BUFFERS = 100
OURS = {"DIRECT": "direct", "QUEUED": "queued", "read": "read"}
PEERS = {"appsrc-appsink": "sink", "appsrc-queue-appsink": "queue"}


def measure(place: Place, table: Table) -> None:
    progress("raw sound at real pace ")
    candidates = {name: place.program("latency_msdk", mode, BUFFERS) for name, mode in OURS.items()}
    if "gstreamer" not in place.peers:
        candidates.update({name: place.program("latency_gst", mode, BUFFERS) for name, mode in PEERS.items()})
    runs = in_turn(place, candidates, ROUNDS)
    for name in OURS:

        def worst(subject: str = f"raw sound, {name}, p99", name: str = name) -> Row:
            return alone(subject, statistics.median(runs.get(name, "latency_p99_us")), " us", below=1000)

        table.add(f"raw sound, {name}, p99", worst)
        for peer in PEERS if name != "DIRECT" else ():
            for key in ("p50", "p99"):
                table.against(runs, f"raw sound, {name}, {key} (us)", f"latency_{key}_us", name, peer)
