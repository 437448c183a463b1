"""Forwarding: eight members who all send 1 Mbit/s of pictures and take those of all others; the processor time of the server's process."""

from __future__ import annotations

from ..programs import Place, in_turn, progress
from ..table import Table

ROUNDS = 3
MEMBERS, SECONDS = 8, 5


def measure(place: Place, table: Table) -> None:
    progress(f"a served room of {MEMBERS} members ")
    candidates = {
        "ours": place.program("forward_msdk", MEMBERS, SECONDS),
        "sockets and AES-GCM": place.program("forward_bare", "gcm", MEMBERS, SECONDS),
        "sockets alone": place.program("forward_bare", "plain", MEMBERS, SECONDS),
    }
    runs = in_turn(place, candidates, ROUNDS)
    for peer in list(candidates)[1:]:
        table.against(runs, "served room, SRTP (packets a second forwarded by one processor)", "packets_per_s", "ours", peer)
    table.against(runs, "  served room (packets that came, to show equal work)", "packets", "ours", "sockets and AES-GCM")
