"""VP8 720p30 between two peers of WebRTC in one process at real pace, beside the same over RTP; what an idle connected peer keeps; the code."""

from __future__ import annotations

import os
import statistics

from ..code_size import code_size
from ..programs import Place, in_turn, progress
from ..table import Table, alone

ROUNDS, FRAMES, SIZE = 5, 180, "1280x720"
IDLE_ROUNDS, PAIRS = 3, 50
MODULES = ("MediaICE", "MediaWebRTC", "MediaWebRTCTransport", "MediaSCTP", "MediaSignalling", "MediaServer", "MediaTLS", "usrsctp")
RATES = "start-bitrate=1500000"


def _latency(place: Place, table: Table) -> None:
    progress("VP8 720p30 over WebRTC ")
    arguments = (place.clip, SIZE, 1, FRAMES)
    candidates = {
        "ours": place.program("rtp_msdk", *arguments, "webrtc", f"loopback=1&{RATES}"),
        "our rtp:": place.program("rtp_msdk", *arguments, "rtp", ""),
        "our rtp: with feedback": place.program("rtp_msdk", *arguments, "rtp", f"feedback=1&rtx=97&{RATES}"),
    }
    if "webrtcbin" not in place.peers:
        candidates["webrtcbin"] = place.program("webrtc_gst", *arguments)
    if "wrtc" not in place.peers:
        candidates["libwebrtc"] = place.script("rtp_wrtc.py", place.clip, FRAMES)
    if "aiortc" not in place.peers:
        candidates["aiortc"] = place.script("rtp_aiortc.py", place.clip, FRAMES)
    runs = in_turn(place, candidates, ROUNDS)
    for rtp in ("our rtp:", "our rtp: with feedback"):
        table.beyond(runs, "VP8 720p30 over WebRTC, p50 (us)", "latency_p50_us", "ours", rtp, at_most=300)
        table.beyond(runs, "VP8 720p30 over WebRTC, p99 (us)", "latency_p99_us", "ours", rtp, at_most=1000)
        table.against(runs, "VP8 720p30 over WebRTC (% of a processor)", "cpu_percent", "ours", rtp, at_most=1.03)
    for peer in list(candidates)[3:]:
        for key, words in (("latency_p50_us", "p50 (us)"), ("latency_p99_us", "p99 (us)"), ("cpu_percent", "(% of a processor)")):
            table.against(runs, f"VP8 720p30 over WebRTC, {words}", key, "ours", peer, at_most=1)
    for key, words in (("kbps", "kbit/s, to show equal work"), ("delivered_percent", "% of the frames came out")):
        table.against(runs, f"  VP8 720p30 over WebRTC ({words})", key, "ours", "our rtp:")


def _idle(place: Place, table: Table) -> None:
    progress("idle peers ")
    runs = in_turn(place, {"ours": place.program("idle_msdk", PAIRS)}, IDLE_ROUNDS)
    subject = "memory of an idle connected peer of WebRTC"
    table.add(subject, lambda: alone(subject, statistics.median(runs.get("ours", "peer_kb")), " kB", below=300))


def _size(place: Place, table: Table) -> None:
    """Of the library before its names are taken out, which `make library` leaves beside the other."""
    library = os.path.join(os.path.dirname(place.lib), "release", "libmediasdk.so")
    if os.path.exists(library):
        subject = "code of WebRTC, WHIP, Janus and data channels in the library"
        table.add(subject, lambda: alone(subject, sum(code_size(library, MODULES).values()) / 1e6, " MB", below=1.5))


def measure(place: Place, table: Table) -> None:
    _latency(place, table)
    _idle(place, table)
    _size(place, table)
