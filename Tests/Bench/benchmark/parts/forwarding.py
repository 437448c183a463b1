"""A hub's forwarding: eight members who all send 1 Mbit/s of pictures and take those of all others; the processor time of the hub's process."""

from __future__ import annotations

from ..programs import Place, in_turn, progress
from ..table import Table

ROUNDS = 3
MEMBERS, SECONDS = 8, 5


def measure(place: Place, table: Table) -> None:
    progress(f"a hub of {MEMBERS} members ")
    candidates = {
        "ours": place.program("hub_msdk", MEMBERS, SECONDS),
        "sockets and AES-GCM": place.program("hub_bare", "gcm", MEMBERS, SECONDS),
        "sockets alone": place.program("hub_bare", "plain", MEMBERS, SECONDS),
    }
    runs = in_turn(place, candidates, ROUNDS)
    for peer in list(candidates)[1:]:
        table.against(runs, "hub, SRTP (packets a second forwarded by one processor)", "packets_per_s", "ours", peer)
    table.against(runs, "  hub (packets that came, to show equal work)", "packets", "ours", "sockets and AES-GCM")
