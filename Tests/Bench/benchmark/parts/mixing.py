"""Fifty participants, 48 kHz stereo, mixed every 20 ms."""

from __future__ import annotations

from ..programs import Place, in_turn, progress
from ..table import Table

ROUNDS = 7
BUFFERS = 800


def measure(place: Place, table: Table) -> None:
    _equal_rates(place, table)
    _other_rates(place, table)


def _equal_rates(place: Place, table: Table) -> None:
    progress("mixing 50 participants ")
    candidates = {"ours": place.program("mix_msdk", BUFFERS, 48000), "plain C loop": place.program("mix_bare", BUFFERS)}
    if "gstreamer" not in place.peers:
        candidates["audiomixer"] = place.program("mix_gst", BUFFERS // 4, 48000)
    runs = in_turn(place, candidates, ROUNDS)
    table.against(runs, "mix of 50: mixing and reading 20 ms (us)", "mix_us", "ours", "plain C loop", at_most=1.5)
    table.against(runs, "mix of 50: sending 50 buffers, which the loop only copies (us)", "send_us", "ours", "plain C loop")
    for key, words in (("cpu_us", "us of a processor"), ("turn_us", "us that go by")):
        subject = f"mix of 50: sending, mixing and reading ({words})"
        table.against(runs, subject, key, "ours", "plain C loop")
        table.against(runs, subject, key, "ours", "audiomixer", at_most=1)


def _other_rates(place: Place, table: Table) -> None:
    progress("mixing 50 participants, 44.1 kHz ")
    candidates = {"ours": place.program("mix_msdk", BUFFERS // 10, 44100)}
    if "gstreamer" not in place.peers:
        candidates["audioresample, audiomixer"] = place.program("mix_gst", BUFFERS // 10, 44100)
    runs = in_turn(place, candidates, ROUNDS // 2)
    subject = "mix of 50, who send 44.1 kHz: sending, mixing and reading (us of a processor)"
    table.against(runs, subject, "cpu_us", "ours", "audioresample, audiomixer", at_most=1)
