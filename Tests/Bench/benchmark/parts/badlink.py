"""VP8 of VGA at 30 pictures a second over a bad link: what comes out, how like it is to what was sent, and how soon after an outage."""

from __future__ import annotations

import statistics

from ..impaired import FPS, HERE, THERE, Picture, over_link
from ..programs import Failed, Place, Runs, Values, progress
from ..table import Row, Table, number

FRAMES, WARM_UP, OUTAGE = 660, 150, (16.0, 1.0)
SIZE, PORT = "640x480", 40000
FREEZE_NS = 1_000_000_000 // FPS + 150_000_000  # webrtc-stats: freezeCount
LINKS = {
    "2 % loss, 100 ms round trip, 1 Mbit/s": "delay=50 loss=2 rate=1000 queue=100",
    "10 % loss, 100 ms round trip, 1 Mbit/s": "delay=50 loss=10 rate=1000 queue=100",
    "a queue of 30 packets, 100 ms round trip, 1 Mbit/s": "delay=50 loss=0 rate=1000 queue=30",
}
GST_KBPS = 800  # of 1,000: it is told what the link carries, as it does not find out
WORDS = {
    "delivered": "frames that came out (%)", "freezes": "freezes in 10 s", "psnr": "PSNR of what came out (dB)", "p50_ms": "latency, p50 (ms)",
    "p95_ms": "latency, p95 (ms)", "recovery_ms": "from an outage's end to the next frame (ms)",
}


def _figures(pictures: list[Picture], over: int) -> Values:
    """Of the time between the warm-up and the outage, and of what follows the outage."""
    began = pictures[0][0]
    end = began + int(OUTAGE[0] * 1e9) - 500_000_000
    measured = [picture for picture in pictures[WARM_UP:] if picture[0] < end]
    there = [picture for picture in measured if picture[1] != 0]
    if len(there) < FPS:
        raise Failed(f"{len(there)} of {len(measured)} frames came out")
    times = sorted(picture[1] for picture in there)
    late = sorted((came - sent) / 1e6 for sent, came, _ in there)
    after = [picture[1] for picture in pictures if picture[1] > over and picture[0] > over - int(OUTAGE[1] * 1e9)]
    if not after:
        raise Failed("nothing came after the outage")
    return {
        "delivered": [100 * len(there) / len(measured)],
        "freezes": [sum(b - a > FREEZE_NS for a, b in zip(times, times[1:])) * 10 * FPS / len(measured)],
        "psnr": [statistics.mean(picture[2] for picture in there)],
        "p50_ms": [late[len(late) // 2]],
        "p95_ms": [late[len(late) * 95 // 100]],
        "recovery_ms": [(min(after) - over) / 1e6],
    }


def _ends(place: Place, name: str) -> tuple[list[str], list[str]]:
    rest = ("FILE", place.clip, SIZE, FRAMES)
    if name == "ours":
        words = "media=video&rtcp-mux=1&feedback=1&rtx=97"
        send, receive = f"rtp://{THERE}:{PORT}?{words}&direction=sendonly", f"rtp://:{PORT}?{words}&direction=recvonly"
        return place.program("link_msdk", "send", send, *rest), place.program("link_msdk", "receive", receive, *rest)
    if name == "libwebrtc":
        words = ("FILE", place.clip, FRAMES)
        return place.script("link_wrtc.py", "send", *words), place.script("link_wrtc.py", "receive", *words)
    return (
        place.program("link_gst", "send", THERE, PORT, GST_KBPS, *rest), place.program("link_gst", "receive", HERE, PORT, GST_KBPS, *rest)
    )


def _row(runs: Runs, link: str, key: str, peers: list[str]) -> Row:
    ours = runs.get("ours", key)[0]
    beside = ", ".join(f"{name} {number(runs.get(name, key)[0])}" for name in peers if name not in runs.why)
    return Row(f"{link}: {WORDS[key]}", number(ours), beside)


def measure(place: Place, table: Table) -> None:
    progress("bad links ")
    names = ["ours"] + [name for name, peer in (("rtpbin", "gstreamer"), ("libwebrtc", "wrtc")) if peer not in place.peers]
    for link, impairment in LINKS.items():
        runs = Runs()
        for name in names:
            try:
                send, receive = _ends(place, name)
                runs.values[name] = [_figures(*over_link(place, impairment, send, receive, FRAMES, OUTAGE))]
            except Failed as failure:
                runs.why[name] = str(failure)
            progress(".")
        for key in WORDS:
            table.add(f"{link}: {WORDS[key]}", lambda runs=runs, link=link, key=key: _row(runs, link, key, names[1:]))
        for name in names[1:]:
            if name in runs.why:
                table.rows.append(Row(f"{link}: {name}", f"failed: {runs.why[name]}"))
    progress("\n")
