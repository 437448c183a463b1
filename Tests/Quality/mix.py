"""The mix of a loopback room: what stays within full scale passes as it is, what does not is made quieter and not bent."""
from __future__ import annotations

from typing import Any, Iterator

import numpy

from table import Row
from tones import RATE, decibels, fit, heard, tone

SECONDS = 3.0
# Of this no 20 ms hold a whole number of waves; of 50 and 1,000 Hz they do, so that the waves of all members fall together.
ODD = 997.0


def middle(samples: Any) -> Any:
    """A second of what was heard, from one second after it began."""
    first = int(numpy.flatnonzero(samples)[0])
    return samples[first + RATE:first + 2 * RATE]


def changed(sent: Any, found: Any) -> int:
    """How many of the samples found are not those that were sent, wherever they lie there."""
    places = numpy.flatnonzero(sent[:len(sent) - len(found)] == found[0])
    return min((int((sent[place:place + len(found)] != found).sum()) for place in places), default=len(found))


def rows(quick: bool) -> Iterator[Row]:
    for amplitude in (0.9, 1.0):
        sent = tone(ODD, SECONDS, amplitude)
        found = middle(heard([sent], mixed=True))
        yield Row(f"one tone, peak {amplitude:g}: samples changed", changed(sent, found), at_most=0)
        yield Row(f"one tone, peak {amplitude:g}: distortion", fit(found, [ODD])[1], "dB", at_most=-90)
    yield from limited("two tones in phase, 0.9 each", 2, 0.9, 1000)
    if not quick:
        yield from limited("two tones of 50 Hz in phase, 0.9 each", 2, 0.9, 50)
        yield from limited("thirty tones in phase, 0.1 each", 30, 0.1, 1000)
        frequencies = [220.0 * 1.09 ** number for number in range(30)]
        sent = [tone(frequency, SECONDS, 0.03) for frequency in frequencies]
        found, again = (middle(heard(sent, mixed=True)) for _ in range(2))
        amplitudes, rest = fit(found, frequencies)
        yield Row("thirty tones of 0.03, each another: distortion", rest, "dB", at_most=-90)
        farthest = round(max((decibels((one / 0.03) ** 2) for one in amplitudes), key=abs), 4) + 0.0
        yield Row("thirty tones of 0.03, each another: gain, farthest from 0 dB", farthest, "dB", at_least=-0.01, at_most=0.01)
        yield Row("thirty tones of 0.03, each another: runs that are not alike", int((found != again).any()), at_most=0)


def limited(name: str, count: int, amplitude: float, frequency: float) -> Iterator[Row]:
    """Too loud together."""
    found = middle(heard([tone(frequency, SECONDS, amplitude)] * count, mixed=True))
    amplitudes, rest = fit(found, [frequency])
    yield Row(f"{name}: distortion", rest, "dB", at_most=-60)
    yield Row(f"{name}: level, full scale is 0", decibels(float(amplitudes[0]) ** 2), "dB", at_least=-0.5, at_most=0.01)
    yield Row(f"{name}: peak", float(numpy.abs(found).max()), at_most=1)
