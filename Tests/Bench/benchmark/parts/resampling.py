"""44.1 to 48 kHz, mono, in buffers of 10 ms: quality, delay and cost, ours beside the libraries that could do it."""

from __future__ import annotations

from ..programs import Place, Runs, in_turn, progress
from ..table import Row, Table, compared, number

ROUNDS = 3

PEERS = (
    "samplerate-fastest", "samplerate-medium", "samplerate-best", "speexdsp-4", "speexdsp-5", "speexdsp-8", "speexdsp-10", "soxr-lq",
    "soxr-hq", "soxr-variable", "swresample",
)


def _quality(runs: Runs, name: str) -> str:
    low, high, delay = (runs.get(name, key)[0] for key in ("snr_1k", "snr_10k", "delay_ms"))
    return f"SNR of 1 and 10 kHz {low:.0f}, {high:.0f} dB; {number(delay)} ms late; at 18 kHz {runs.get(name, 'response_18k')[0]:.1f} dB"


def _drifting(runs: Runs, name: str) -> str:
    values = runs.values[name][0].get("snr_drifting")
    return f"; drifting {values[0]:.0f} dB" if values else "; cannot drift"


def measure(place: Place, table: Table) -> None:
    progress("44.1 to 48 kHz ")
    candidates = {"ours": place.program("resample_msdk")}
    if "resamplers" not in place.peers:
        candidates.update({name: place.program("resample_quality", name) for name in PEERS})
    runs = in_turn(place, candidates, ROUNDS)
    subject = "44.1 to 48 kHz, all the way from send to the callback (CPU s an hour)"
    table.add(subject, lambda: _alone(runs, subject))
    for name in candidates:
        if name != "ours":
            words = "44.1 to 48 kHz, the converter (CPU s an hour)"
            table.add(words, lambda: compared(words, runs.get("ours", "cpu_hour"), name, runs.get(name, "cpu_hour")))
    for name in candidates:
        words = f"  quality of {name}"
        table.add(words, lambda: Row(words, "", _quality(runs, name) + ("" if name == "ours" else _drifting(runs, name))))


def _alone(runs: Runs, subject: str) -> Row:
    whole, way = (sorted(runs.get("ours", key))[ROUNDS // 2] for key in ("cpu_hour_whole", "cpu_hour_way"))
    return Row(subject, number(whole), f"at equal rates {number(way)}")
