"""VP8, 720p, a real clip, one encoder thread, 1 Mbit/s."""

from __future__ import annotations

from ..programs import Place, in_turn, progress
from ..table import Table

ROUNDS = 9
FRAMES = 200


def measure(place: Place, table: Table) -> None:
    progress(f"VP8 720p, {FRAMES} frames ")
    candidates = {
        "ours": place.program("encode_msdk", place.clip, FRAMES),
        "bare libvpx": place.program("encode_vpx", place.clip, FRAMES, "ours"),
    }
    if "gstreamer" not in place.peers:
        candidates["vp8enc"] = place.program("encode_gst", place.clip, FRAMES)
    if "ffmpeg" not in place.peers:
        candidates["libavcodec"] = place.program("encode_ffmpeg", place.clip, FRAMES)
    if "aiortc" not in place.peers:
        candidates["aiortc (cpu-used -6, denoiser)"] = place.script("encode_aiortc.py", place.clip, FRAMES)
        candidates["bare libvpx as aiortc"] = place.program("encode_vpx", place.clip, FRAMES, "aiortc")
    runs = in_turn(place, candidates, ROUNDS)
    speed, cost, size = "VP8 720p (frames/s)", "VP8 720p (CPU s per 1,000 frames)", "VP8 720p (bytes, to show equal work)"
    table.against(runs, speed, "fps", "ours", "bare libvpx", at_least=0.98)
    for peer in list(candidates)[2:]:
        table.against(runs, speed, "fps", "ours", peer)
    if "aiortc" not in place.peers:
        table.against(runs, "  bare libvpx at aiortc's settings (frames/s)", "fps", "bare libvpx as aiortc", list(candidates)[-2])
    table.against(runs, cost, "cpu_per_1000", "ours", "bare libvpx", at_most=1.02)
    for peer in list(candidates)[2:-1]:
        table.against(runs, cost, "cpu_per_1000", "ours", peer)
    table.against(runs, size, "bytes", "ours", "bare libvpx")
