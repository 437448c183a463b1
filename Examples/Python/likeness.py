"""How much audio lost in the call: the correlation of what was received with the file that was played, with numpy or without."""
from __future__ import annotations

import math
import wave
from array import array
from operator import mul
from pathlib import Path
from typing import Any

from mediasdk import AudioFrame, SampleFormat

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

LAG_MS = 100  # how late or early the received audio may be
COARSE = 4  # samples between the lags looked at first
SPARSE = 16  # and of the samples every 16th


class Likeness:
    """Keeps all audio that is received, and compares it with a WAV file of 16 bits."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, Any]] = []
        self._first_ns = 0
        self.rate = 0

    def received(self, frame: AudioFrame) -> None:
        """Keeps it at the place that its time gives it: a sender who was late leaves a gap."""
        self.rate = frame.sample_rate
        if not self._parts:
            self._first_ns = frame.timestamp_ns
        place = round((frame.timestamp_ns - self._first_ns) * self.rate / 1e9)
        scale = 1 / 32768 if frame.format.sample_format == SampleFormat.S16 else 1.0
        if place >= 0:
            self._parts.append((place, _mono(frame.to_numpy() if numpy is not None else frame.samples, frame.channels, scale)))

    @property
    def level(self) -> str:
        """The root mean square in dBFS."""
        return _level(_joined(self._parts))

    def compare(self, path: Path) -> tuple[str, str]:
        """The file's level, and the likeness to it: the correlation where it is greatest, how much was compared, and how late it is."""
        known, rate = _read(path)
        heard = _joined(self._parts)
        if rate != self.rate or len(heard) < 2 * rate or len(known) < 3 * rate:
            return (_level(known), "unknown")
        lag = _lag(known, heard, rate)
        # heard[n + lag] is known[n].
        first = max(0, -lag)
        count = min(len(known) - first, len(heard) - first - lag)
        a, b = known[first:first + count], heard[first + lag:first + lag + count]
        energy = math.sqrt(_dot(a, a) * _dot(b, b))
        likeness = f"{_dot(a, b) / energy:.4f}" if energy else "unknown"
        return (_level(known), f"{likeness} ({count / rate:.2f} s, {1000 * lag / rate:.1f} ms late)")


def _read(path: Path) -> tuple[Any, int]:
    """The file's audio, mono, and its rate; nothing for a file that the module wave cannot read, or of other than 16 bits."""
    try:
        with wave.open(str(path), "rb") as file:
            width, channels, rate, data = file.getsampwidth(), file.getnchannels(), file.getframerate(), file.readframes(file.getnframes())
    except (wave.Error, EOFError):
        return (_joined([]), 0)
    if width != 2 or channels > 2:
        return (_joined([]), 0)
    samples: Any = array("h", data)
    if numpy is not None:
        samples = numpy.frombuffer(samples, numpy.int16).reshape(-1, channels)
    return (_mono(samples, channels, 1 / 32768), rate)


def _mono(samples: Any, channels: int, scale: float) -> Any:
    """The mean of the channels, as floats."""
    if numpy is not None:
        return samples.mean(axis=1, dtype=numpy.float32) * numpy.float32(scale)
    if channels == 1:
        return array("f", (scale * sample for sample in samples))
    values = samples.tolist()
    return array("f", (scale / 2 * (left + right) for left, right in zip(values[::2], values[1::2])))


def _joined(parts: list[tuple[int, Any]]) -> Any:
    """The parts at their places, and silence between them."""
    length = max((place + len(part) for place, part in parts), default=0)
    joined = numpy.zeros(length, numpy.float32) if numpy is not None else array("f", bytes(4 * length))
    for place, part in parts:
        joined[place:place + len(part)] = part
    return joined


def _dot(a: Any, b: Any) -> float:
    if numpy is not None:
        return float(numpy.dot(a.astype(numpy.float64), b))
    return sum(map(mul, a, b))


def _level(samples: Any) -> str:
    power = _dot(samples, samples) / len(samples) if len(samples) else 0
    return f"{10 * math.log10(power):.1f} dBFS" if power else "silent"


def _lag(known: Any, heard: Any, rate: int) -> int:
    """By how many samples `heard` is later than `known`, found from the second second of audio: sparsely, then around there exactly."""
    most = rate * LAG_MS // 1000
    count = min(rate, len(heard) - rate - most)
    window = known[rate:rate + count]

    def likeness(lag: int, step: int) -> float:
        return _dot(window[::step], heard[rate + lag:rate + lag + count:step])

    near = max(range(-most, most + 1, COARSE), key=lambda lag: likeness(lag, SPARSE))
    return max(range(near - 2 * COARSE, near + 2 * COARSE + 1), key=lambda lag: likeness(lag, 1))
