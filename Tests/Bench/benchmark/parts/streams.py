"""How many streams of VGA, 30 pictures a second, this machine keeps up with: each is encoded, sent over UDP, received and decoded."""

from __future__ import annotations

from ..programs import Failed, Place, Runs, progress, run
from ..table import Table

ROUNDS = 2
FRAMES = 120
SIZE = "640x480"
MOST = 64
LATEST_US = 100_000  # of all but one in a hundred
Words = tuple[str, ...]  # a program, and what it is told beside the streams
LEAST = 95  # per cent that came out; encoders leave out a few


def _keeps_up(place: Place, program: Words, streams: int) -> bool:
    name, *words = program
    values = run(place, place.program(name, place.clip, SIZE, streams, FRAMES, *words))
    progress(".")
    return values["latency_p99_us"][0] <= LATEST_US and values["delivered_percent"][0] >= LEAST


def _most(place: Place, program: Words, first: int) -> int:
    """From a guess on in steps of four until it lies between two, then by halves."""
    low, high, streams = 0, MOST + 1, first
    while high - low > 1:
        if _keeps_up(place, program, streams):
            low = streams
        else:
            high = streams
        streams = low + 4 if high > MOST else high - 4 if low == 0 else (low + high) // 2
        streams = min(max(streams, low + 1), high - 1)
    return low


def measure(place: Place, table: Table) -> None:
    progress("streams of VGA 30 that keep up ")
    programs: dict[str, Words] = {
        "ours": ("rtp_msdk",), "ours, WebRTC": ("rtp_msdk", "webrtc", "loopback=1&start-bitrate=1500000"), "bare libvpx, UDP": ("rtp_bare",)
    }
    if "gstreamer" not in place.peers:
        programs["rtpbin"] = ("rtp_gst",)
    if "webrtcbin" not in place.peers:
        programs["webrtcbin"] = ("webrtc_gst",)
    runs = Runs()
    for name in programs:
        runs.values[name] = []
    for number in range(ROUNDS):
        for name in list(programs) if number % 2 == 0 else reversed(programs):
            if name in runs.why:
                continue
            try:
                guess = int(runs.values[name][-1]["streams"][0]) if runs.values[name] else 20
                runs.values[name].append({"streams": [float(_most(place, programs[name], max(1, guess)))]})
            except Failed as failure:
                runs.why[name] = str(failure)
    progress("\n")
    table.against(runs, "streams of VGA 30 over RTP that keep up", "streams", "ours", "rtpbin", at_least=1)
    table.against(runs, "streams of VGA 30 over RTP that keep up", "streams", "ours", "bare libvpx, UDP")
    table.against(runs, "streams of VGA 30 over WebRTC that keep up", "streams", "ours, WebRTC", "ours", at_least=0.92)
    table.against(runs, "streams of VGA 30 over WebRTC that keep up", "streams", "ours, WebRTC", "webrtcbin", at_least=1)
