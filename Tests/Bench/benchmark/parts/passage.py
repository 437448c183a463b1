"""Raw 1080p NV12, wrapped and not copied, from send to the receiver's code."""

from __future__ import annotations

from ..programs import Place, in_turn, progress
from ..table import Table, alone

ROUNDS = 7
WINDOW = 8
FRAMES = {"throughput": 60000, "turns": 15000}


def _candidates(place: Place, mode: str, *arguments: object) -> dict[str, list[str]]:
    candidates = {
        "QUEUED": place.program("pass_msdk", "queued", mode, *arguments),
        "read": place.program("pass_msdk", "read", mode, *arguments),
        "condition variable": place.program("pass_bare", "thread", mode, *arguments),
    }
    if "gstreamer" not in place.peers:
        candidates["appsrc-appsink"] = place.program("pass_gst", "sink", mode, *arguments)
        candidates["appsrc-queue-appsink"] = place.program("pass_gst", "queue", mode, *arguments)
    return candidates


def _same_thread(place: Place, table: Table) -> None:
    progress("raw 1080p in the same thread ")
    count = 300000
    runs = in_turn(
        place,
        {
            "direct": place.program("pass_msdk", "direct", "throughput", count, WINDOW),
            "plain call": place.program("pass_bare", "call", "throughput", count, WINDOW),
        },
        ROUNDS,
    )
    subject = "raw 1080p, DIRECT: wrap, send, callback, unref (us a frame)"
    table.add(subject, lambda: alone(subject, sorted(runs.get("direct", "frame_us"))[ROUNDS // 2], " us", below=1))
    table.against(runs, subject, "frame_us", "direct", "plain call")


def _back_to_back(place: Place, table: Table) -> None:
    for mode, window, words in (
        ("turns", 1, "one at a time, sender sleeps"),
        ("throughput", WINDOW, f"{WINDOW} on the way, sender spins"),
    ):
        progress(f"raw 1080p through a thread, {words} ")
        runs = in_turn(place, _candidates(place, mode, FRAMES[mode], window), ROUNDS)
        for ours in ("QUEUED", "read"):
            subject = f"raw 1080p, {ours}, {words} (us a frame)"
            table.against(runs, subject, "frame_us", ours, "appsrc-appsink", at_most=1)
            table.against(runs, subject, "frame_us", ours, "appsrc-queue-appsink", at_most=1)
            table.against(runs, subject, "frame_us", ours, "condition variable")


def _latency(place: Place, table: Table) -> None:
    progress("raw 1080p at 100 frames a second ")
    runs = in_turn(place, _candidates(place, "latency", 180, 100), ROUNDS)
    for key, name, goal in (("latency_p50_us", "p50", 1), ("latency_p99_us", "p99", None)):
        for ours in ("QUEUED", "read"):
            subject = f"raw 1080p at 100/s, {ours}, {name} (us)"
            table.against(runs, subject, key, ours, "appsrc-appsink", at_most=goal)
            table.against(runs, subject, key, ours, "appsrc-queue-appsink", at_most=goal)
            table.against(runs, subject, key, ours, "condition variable")


def measure(place: Place, table: Table) -> None:
    _same_thread(place, table)
    _back_to_back(place, table)
    _latency(place, table)
