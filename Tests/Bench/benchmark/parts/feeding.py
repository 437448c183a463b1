"""A feeder's 1080p NV12 frames: by TCP, by Unix socket and in common memory, beside plain sockets and memcpy."""

from __future__ import annotations

from ..programs import Place, in_turn, progress
from ..table import Table

ROUNDS = 7
FRAMES = {"throughput": 1500, "latency": 100}
RATE = 50
PEERS = {"tcp": "plain loopback socket", "unix": "plain Unix socket", "memfd": "memcpy"}


def _candidates(place: Place, mode: str) -> dict[str, list[str]]:
    arguments = (mode, FRAMES[mode], RATE)
    candidates = {way: place.program("feed_msdk", way, *arguments) for way in PEERS}
    for name, way in (("plain loopback socket", "tcp"), ("plain Unix socket", "unix"), ("memcpy", "memcpy")):
        candidates[name] = place.program("feed_bare", way, *arguments)
    return candidates


def measure(place: Place, table: Table) -> None:
    progress("feeding 1080p, back to back ")
    runs = in_turn(place, _candidates(place, "throughput"), ROUNDS)
    for key, words in (("frame_us", "us a frame"), ("cpu_us", "us of processors a frame")):
        for way, peer in PEERS.items():
            table.against(runs, f"feeding 1080p by {way}, back to back ({words})", key, way, peer)
        if key == "frame_us":
            table.against(runs, "feeding 1080p by tcp, back to back (us a frame)", key, "tcp", "memcpy")
    progress(f"feeding 1080p, {RATE} a second ")
    runs = in_turn(place, _candidates(place, "latency"), ROUNDS)
    for key, words in (("latency_p50_us", "p50"), ("latency_p99_us", "p99")):
        for way, peer in PEERS.items():
            table.against(runs, f"feeding 1080p by {way}, {RATE}/s, until it is received, {words} (us)", key, way, peer)
