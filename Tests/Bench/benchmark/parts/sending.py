"""What one 1080p NV12 frame costs a Python program that sends it."""

from __future__ import annotations

from ..programs import Place, in_turn, progress
from ..table import Table

ROUNDS = 7

LIVEKIT, CALL, COPY = ("livekit", "fresh_us"), ("bare ctypes", "call_us"), ("bare ctypes", "copy_us")

# send_mediasdk.py's key, words, and whom to compare with: with livekit, which copies, at a twentieth of its cost where ours does not copy.
WAYS = (
    ("buffer_us", "send_buffer, no copy", ((LIVEKIT, 0.05), (CALL, None))),
    ("wrap_us", "Frame.wrap and send, no copy", ((LIVEKIT, 0.05), (CALL, None))),
    ("array_us", "send_array, one copy", ((LIVEKIT, None), (COPY, 1.1))),
)


def measure(place: Place, table: Table) -> None:
    progress("sending 1080p from Python ")
    candidates = {
        "ours": place.script("send_mediasdk.py", 2000),
        "bare ctypes": place.script("send_ctypes.py", place.program("libbare.so")[0], 100000),
    }
    if "livekit" not in place.peers:
        candidates["livekit"] = place.script("send_livekit.py", 700)
    runs = in_turn(place, candidates, ROUNDS)
    for key, words, peers in WAYS:
        for peer, goal in peers:
            table.between(runs, f"Python send 1080p: {words} (us)", ("ours", key), peer, at_most=goal)
