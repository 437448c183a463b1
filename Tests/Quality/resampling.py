"""Every pair of sample rates, as a receiver asks for it; beside it FFmpeg's resamplers, swr and soxr as they are by default.

Tones follow each other, and the middle of each is compared with its best sine: what remains is distortion, noise, images and aliases.
Those that the lower rate cannot hold must not be heard at all.
"""
from __future__ import annotations

from typing import Any, Iterator

import numpy

from reference import ffmpeg
from table import Row
from tones import decibels, fit, heard, tone

RATES = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000)
QUICK = ((16_000, 48_000), (44_100, 48_000), (48_000, 44_100), (48_000, 16_000))
# Of the lower rate: passed, and, from half of it on, stopped.
PASSED, STOPPED = (0.01, 0.05, 0.1, 0.2, 0.3, 0.35, 0.4), (0.501, 0.56, 0.7, 0.9)
AMPLITUDE, SECONDS = 0.5, 0.4
# Below what swr does by default, and far below what 16 bits hold.
GOAL = -110.0


def theirs(sound: Any, rate: int, wanted: int, resampler: str) -> Any:
    raw = ffmpeg("-f", "f32le", "-ar", rate, "-ac", 1, "-i", "-", "-af", f"aresample={wanted}:resampler={resampler}", "-f", "f32le", "-",
                 given=sound.tobytes())
    return numpy.frombuffer(raw, numpy.float32)


def piece(sound: Any, number: int, rate: int) -> Any:
    """The middle half of a tone."""
    return sound[round((number + 0.25) * SECONDS * rate):round((number + 0.75) * SECONDS * rate)]


class Figures:
    """What became of the tones; in dB of those sent."""

    def __init__(self, sound: Any, wanted: int, passed: list[float], stopped: list[float]) -> None:
        fits = [fit(piece(sound, number, wanted), [frequency], wanted) for number, frequency in enumerate(passed)]
        self.distortion = max(rest for _, rest in fits)
        self.gain = max((decibels((float(amplitudes[0]) / AMPLITUDE) ** 2) for amplitudes, _ in fits), key=abs)
        powers = [float(numpy.mean(piece(sound, len(passed) + number, wanted).astype(float) ** 2)) for number in range(len(stopped))]
        self.aliases = max((decibels(power / (AMPLITUDE ** 2 / 2)) for power in powers), default=None)


def rows(quick: bool) -> Iterator[Row]:
    gains: dict[str, float] = {}
    for rate, wanted in QUICK if quick else [(rate, wanted) for rate in RATES for wanted in RATES if rate != wanted]:
        lower = min(rate, wanted)
        passed, stopped = [part * lower for part in PASSED], [part * lower for part in STOPPED if part * lower < 0.48 * rate]
        sound = numpy.concatenate([tone(frequency, SECONDS, AMPLITUDE, rate) for frequency in passed + stopped])
        ours = Figures(heard([sound], rate=rate, wanted=wanted), wanted, passed, stopped)
        swr, soxr = (Figures(theirs(sound, rate, wanted, name), wanted, passed, stopped) for name in ("swr", "soxr"))
        name = f"{rate} -> {wanted} Hz"
        gains[name] = ours.gain
        yield Row(f"{name}: distortion, images and noise", ours.distortion, "dB", at_most=GOAL,
                  note=f"swr {swr.distortion:.0f}, soxr {soxr.distortion:.0f}")
        if ours.aliases is not None:
            yield Row(f"{name}: aliases", ours.aliases, "dB", at_most=GOAL,
                      note=f"swr {swr.aliases:.0f}, soxr {soxr.aliases:.0f}")
    worst = max(gains, key=lambda name: abs(gains[name]))
    yield Row("gain up to 0.4 of the lower rate, farthest from 0 dB", gains[worst], "dB", at_least=-0.1, at_most=0.1, note=worst)
