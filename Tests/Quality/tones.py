"""Tones that are sent over a loopback room on a virtual clock, and what is heard of them."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy

import reference  # the way to the tests' calls
from call import TICK_NS, Room
from mediasdk import Clock, Codec, EventType, MediaTimeout, Output, SampleFormat

RATE = 48_000


def tone(frequency: float, seconds: float, amplitude: float, rate: int = RATE) -> Any:
    return (amplitude * numpy.sin(2 * numpy.pi * frequency / rate * numpy.arange(round(seconds * rate)))).astype(numpy.float32)


def fit(heard: Any, frequencies: Sequence[float], rate: int = RATE) -> tuple[Any, float]:
    """The amplitudes of tones in a piece of sound, by least squares, and what remains beside them in dB of them: distortion and noise."""
    turns = 2 * numpy.pi / rate * numpy.arange(len(heard))[:, None] * numpy.asarray(frequencies)[None]
    basis = numpy.concatenate([numpy.cos(turns), numpy.sin(turns)], 1)
    exact = numpy.asarray(heard, float)
    found = numpy.linalg.lstsq(basis, exact, rcond=None)[0]
    tones = basis @ found
    amplitudes = numpy.hypot(found[:len(frequencies)], found[len(frequencies):])
    return amplitudes, decibels(numpy.mean((exact - tones) ** 2) / max(numpy.mean(tones ** 2), 1e-30))


def decibels(power: float) -> float:
    return float(10 * numpy.log10(max(power, 1e-30)))


def heard(sounds: Sequence[Any], *, rate: int = RATE, mixed: bool = False, codec: Codec = Codec.RAW, wanted: int = 0,
          options: Optional[dict[str, Any]] = None, sizes: Optional[list[int]] = None) -> Any:
    """What bob hears of members who each send one sound from the same moment on: the mix, or the first of them.  One channel, as floats.

    wanted: the sample rate that bob asks for; options: of the outgoing streams; sizes: takes the bytes of each packet that came.
    """
    with Room(Clock.VIRTUAL) as room:
        bob = room.join("bob")
        streams = []
        for number, sound in enumerate(sounds):
            stream = room.engine.create_outgoing_audio(sample_rate=rate, sample_format=SampleFormat.F32, codec=codec, queue_ms=60_000,
                                                       **(options or {}))
            room.join(f"alice{number}").start_audio(stream)
            incoming = room.event(bob, EventType.INCOMING_AUDIO_ADDED).incoming_audio
            streams.append((stream, sound))
        first = bob.mixed_audio if mixed else incoming
        first.start(sample_rate=wanted, channels=1, sample_format=SampleFormat.F32, queue_ms=60_000,
                    output=Output.BOTH if sizes is not None else Output.RAW)
        for _ in range(100):
            if all(stream.stats().receivers for stream, _ in streams):
                break
            room.engine.advance_clock(TICK_NS)
        else:
            raise RuntimeError("a stream has no receiver")
        for stream, sound in streams:
            stream.write(sound, timeout=0)
            stream.finish(timeout=0)
        room.engine.advance_clock(round((max(map(len, sounds)) / rate + 0.5) * 1e9))
        while sizes is not None:
            try:
                sizes.append(first.read_encoded(0).size)
            except MediaTimeout:
                break
        return numpy.concatenate([numpy.asarray(frame.samples).ravel() for frame in first.frames(timeout=0)])
