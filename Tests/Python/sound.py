"""Calls of sound, for the tests: "alice" sends, "bob" receives; and what is sent and compared."""
from __future__ import annotations

import math
import time
from array import array
from operator import mul
from typing import Any, Iterable, Optional

from call import TICK_NS, Room
from mediasdk import (AgainError, AudioFrame, Clock, Codec, DropReason, EventType, FrameReport, IncomingAudio, MediaTimeout, Outcome,
                      OutgoingAudio, OutgoingState, SampleFormat)

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

SECOND = 1_000_000_000


def sine(frequency: float, seconds: float, rate: int = 48_000, channels: int = 1, amplitude: float = 0.25,
         sample_format: SampleFormat = SampleFormat.S16) -> Any:
    """A tone as an array of the sample format; the second channel is the first, negated."""
    values = [amplitude * math.sin(2 * math.pi * frequency * number / rate) for number in range(round(seconds * rate))]
    if channels == 2:
        values = [value for one in values for value in (one, -one)]
    if sample_format == SampleFormat.F32:
        return array("f", values)
    return array("h", (round(32767 * value) for value in values))


def sweep(seconds: float, rate: int = 48_000, channels: int = 1) -> Any:
    """A tone that rises from 300 to 1,300 Hz: unlike a sine it is like itself at one place only."""
    phases = (number / rate * (300 + 500 * number / rate / seconds) for number in range(round(seconds * rate)))
    return array("h", (round(8192 * math.sin(2 * math.pi * phase)) for phase in phases for _ in range(channels)))


def floats(samples: Any) -> Any:
    """Samples of 16 bits as floats."""
    return array("f", (sample / 32768 for sample in samples))


def counting(samples: int, channels: int = 1, first: int = 0) -> Any:
    """Samples of which each tells its place."""
    return array("h", ((first + number) * 7919 % 65536 - 32768 for number in range(samples * channels)))


def mono(frames: Iterable[AudioFrame]) -> Any:
    """The first channel of all buffers, as floats."""
    joined = array("f")
    for frame in frames:
        scale = 1 / 32768 if frame.format.sample_format == SampleFormat.S16 else 1.0
        joined.extend(scale * sample for sample in frame.samples.tolist()[::frame.channels])
    return joined


def dot(a: Any, b: Any) -> float:
    if numpy is not None:
        return float(numpy.dot(numpy.asarray(a, numpy.float64), numpy.asarray(b, numpy.float64)))
    return float(sum(map(mul, a, b)))


def correlation(sent: Any, heard: Any, rate: int, latest_ms: int = 500) -> tuple[float, float]:
    """How alike two pieces of sound are where they are most alike, -1..1, and by how many milliseconds `heard` is late there."""
    if numpy is not None:
        sent, heard = numpy.asarray(sent, numpy.float64), numpy.asarray(heard, numpy.float64)
    # The lag is looked for in the second in the middle, sparsely at first.
    count = min(rate, len(sent) // 2)
    start, sparse, coarse = (len(sent) - count) // 2, 16, 4
    window = sent[start:start + count]

    def alike(lag: int, step: int) -> float:
        other = heard[start + lag:start + lag + count:step]
        return dot(window[::step][:len(other)], other)

    most = rate * latest_ms // 1000
    near = max(range(0, most + 1, coarse), key=lambda lag: alike(lag, sparse))
    lag = max(range(max(0, near - 2 * coarse), near + 2 * coarse + 1), key=lambda lag: alike(lag, 1))
    whole = min(len(sent), len(heard) - lag)
    a, b = sent[:whole], heard[lag:lag + whole]
    energy = math.sqrt(dot(a, a) * dot(b, b))
    return (dot(a, b) / energy if energy else 0.0), 1000 * lag / rate


class AudioCall(Room):
    """Both are connected and alice's stream is started; bob has her sound, or the mix, which is started unless told otherwise.  The
    clock is virtual unless told otherwise."""

    def __init__(self, *, codec: Codec = Codec.RAW, clock: Clock = Clock.VIRTUAL, start: Optional[dict[str, Any]] = {},
                 mixed: bool = False, url: Optional[str] = None, **stream_options: Any) -> None:
        super().__init__(clock, url)
        self.alice, self.bob = self.join("alice"), self.join("bob")
        stream_options.setdefault("report_capacity", 4096)
        self.stream: OutgoingAudio = self.engine.create_outgoing_audio(codec=codec, **stream_options)
        self.alice.start_audio(self.stream)
        self.event(self.alice, EventType.OUTGOING_AUDIO_STATE, OutgoingState.STARTED)
        self.added = self.event(self.bob, EventType.INCOMING_AUDIO_ADDED)
        self.incoming: IncomingAudio = self.bob.mixed_audio if mixed else self.added.incoming_audio
        if start is not None:
            self.incoming.start(**start)
            self.until(lambda: self.stream.stats().receivers == 1)

    def until(self, done: Any) -> None:
        """Waits for something that happens in the background."""
        for _ in range(1000):
            if done():
                return
            self.go(TICK_NS)
        raise AssertionError("it never happened")

    def go(self, nanoseconds: int) -> None:
        """Time goes on, a little."""
        if self.virtual:
            self.engine.advance_clock(nanoseconds)
        else:
            time.sleep(nanoseconds / SECOND)

    def heard(self) -> list[AudioFrame]:
        """The buffers that wait."""
        return list(self.incoming.frames(timeout=0))

    def play(self, samples: Any, rest_ms: int = 300) -> list[AudioFrame]:
        """Sends it all, and gives what comes until `rest_ms` after the end."""
        data = memoryview(samples).cast("B")
        frames: list[AudioFrame] = []

        def turn() -> None:
            frames.extend(self.heard())
            self.go(TICK_NS)

        while data:
            data = data[self.stream.write(data, timeout=0):]
            turn()
        while True:
            try:
                self.stream.finish(timeout=0)
                break
            except AgainError:
                turn()
        while self.stream.queued_ns:
            turn()
        for _ in range(rest_ms * 1_000_000 // TICK_NS):
            turn()
        return frames + self.heard()

    def reports(self) -> list[FrameReport]:
        """Those that wait."""
        found = []
        while True:
            try:
                found.append(self.stream.read_report(0))
            except MediaTimeout:
                return found


def told(reports: list[FrameReport]) -> dict[str, int]:
    """How often each outcome came, with its reason."""
    names = [report.outcome.name if report.outcome != Outcome.DROPPED else DropReason(report.reason).name for report in reports]
    return {name: names.count(name) for name in names}


def data_of(frames: Iterable[AudioFrame]) -> bytes:
    return b"".join(frame.tobytes() for frame in frames)
