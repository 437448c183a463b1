"""Opus there and back, 20 ms packets, 32 kbit/s a channel: ours against bare libopus, GStreamer and FFmpeg with the same settings."""

from __future__ import annotations

from ..programs import Place, Runs, in_turn, progress
from ..table import Row, Table, number

ROUNDS = 11
PACKETS = 400


def measure(place: Place, table: Table) -> None:
    for words, sound in (("speech, mono, VOIP", "speech"), ("film, stereo, AUDIO", place.sound)):
        for complexity in (9, 5):
            _measure(place, table, f"Opus {words}, complexity {complexity}", sound, complexity)


def _measure(place: Place, table: Table, words: str, sound: str, complexity: int) -> None:
    progress(words + " ")
    arguments = (sound, complexity, PACKETS)
    candidates = {"ours": place.program("opus_msdk", *arguments), "bare libopus": place.program("opus_bare", *arguments)}
    if "gstreamer" not in place.peers:
        candidates["opusenc, opusdec"] = place.program("opus_gst", *arguments)
    if "ffmpeg" not in place.peers:
        candidates["libavcodec"] = place.program("opus_ffmpeg", *arguments)
    runs = in_turn(place, candidates, ROUNDS)
    cost = f"{words} (us of a processor for 20 ms)"
    table.against(runs, cost, "cpu_us", "ours", "bare libopus", at_most=1.05)
    for peer in list(candidates)[2:]:
        table.against(runs, cost, "cpu_us", "ours", peer, at_most=1)
    table.add(f"  bytes of {words}", lambda: _bytes(runs, f"  bytes of {words}", [name for name in candidates if name not in runs.why]))


def _bytes(runs: Runs, words: str, names: list[str]) -> Row:
    """Equal settings give equal bytes; of GStreamer nearly, as it calls libopus' encoder for many channels."""
    ours, bare = runs.get("ours", "bytes")[0], runs.get("bare libopus", "bytes")[0]
    beside = ", ".join(f"{name} {number(runs.get(name, 'bytes')[0])}" for name in names if name != "ours")
    return Row(words, number(ours), beside, "", "as bare libopus", ours == bare)
