"""VP8 720p30 over UDP on the loopback interface, at real pace: from handing a frame in to its coming out decoded, both ends in one process."""

from __future__ import annotations

from ..programs import Place, in_turn, progress
from ..table import Table

ROUNDS = 5
FRAMES = 180
SIZE = "1280x720"
OURS = {"ours": "", "ours, feedback": "feedback=1&rtx=97&start-bitrate=1500000"}


def measure(place: Place, table: Table) -> None:
    progress("VP8 720p30 over RTP ")
    arguments = (place.clip, SIZE, 1, FRAMES)
    candidates = {name: place.program("rtp_msdk", *arguments, "rtp", words) for name, words in OURS.items()}
    candidates["bare libvpx, UDP"] = place.program("rtp_bare", *arguments)
    if "gstreamer" not in place.peers:
        candidates["rtpbin"] = place.program("rtp_gst", *arguments)
    if "aiortc" not in place.peers:
        candidates["aiortc"] = place.script("rtp_aiortc.py", place.clip, FRAMES)
    runs = in_turn(place, candidates, ROUNDS)
    bare, peers = "bare libvpx, UDP", list(candidates)[len(OURS) + 1 :]
    for name in OURS:
        table.beyond(runs, f"{name}: VP8 720p30 over RTP, p50 (us)", "latency_p50_us", name, bare, at_most=500)
        table.beyond(runs, f"{name}: VP8 720p30 over RTP, p99 (us)", "latency_p99_us", name, bare, at_most=1000)
        table.against(runs, f"{name}: VP8 720p30 over RTP (% of a processor)", "cpu_percent", name, bare, at_most=1.05)
    for peer in peers:
        for key, words in (("latency_p50_us", "p50 (us)"), ("latency_p99_us", "p99 (us)"), ("cpu_percent", "(% of a processor)")):
            table.against(runs, f"VP8 720p30 over RTP, {words}", key, "ours", peer, at_most=1)
    for key, words in (("kbps", "kbit/s, to show equal work"), ("delivered_percent", "% of the frames came out")):
        table.against(runs, f"  VP8 720p30 over RTP ({words})", key, "ours", bare)
