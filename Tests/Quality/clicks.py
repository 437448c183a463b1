"""Clicks at known times: sent as sound, and found again in what is received."""
from __future__ import annotations

from typing import Any, Optional

import numpy

from ends import Ends
from mediasdk import AgainError, AudioFrame, Codec, EncodedFrame, IncomingAudio, MediaTimeout, OutgoingAudio

RATE = 48_000
BUFFER = RATE // 50
PERIOD = 500_000_000
# What libopus's encoder looks ahead at 48 kHz: what a packet decodes to is that much older (RFC 7845, section 4.2), and its stamp has to
# say so.
LOOKAHEAD_NS = 312 * 1_000_000_000 // RATE
# 3 ms of 2 kHz.
CLICK = (0.5 * numpy.sin(2 * numpy.pi * 2000 * numpy.arange(RATE * 3 // 1000) / RATE)).astype(numpy.float32)


def buffer(number: int) -> Any:
    """Mono: the 20 ms from number * 20 ms on, as S16."""
    samples = numpy.zeros(BUFFER, numpy.float32)
    begin = number * BUFFER * 1_000_000_000 // RATE
    first = -(-begin // PERIOD) * PERIOD
    place = round((first - begin) * RATE / 1e9)
    if place + len(CLICK) <= BUFFER:
        samples[place:place + len(CLICK)] = CLICK
    return numpy.rint(samples * 32767).astype(numpy.int16)


class Speaker:
    """Sends clicks; its sound begins at `origin`, on the engine's clock."""

    def __init__(self, ends: Ends, stream: OutgoingAudio, age: int, packets: Optional[list[bytes]] = None) -> None:
        self.ends, self.stream, self.age, self.packets = ends, stream, age, packets
        self.origin = ends.now() - age
        self.number = 0

    def speak(self) -> None:
        """All that was captured by now."""
        while self.origin + self.number * 20_000_000 + self.age <= self.ends.now():
            stamp = self.origin + self.number * 20_000_000
            try:
                if self.packets is None:
                    self.stream.send(buffer(self.number), stamp)
                else:
                    with EncodedFrame.create(self.packets[self.number % len(self.packets)], codec=Codec.OPUS) as packet:
                        self.stream.send_encoded(packet, stamp - LOOKAHEAD_NS)
            except AgainError:
                return
            self.number += 1


class Listener:
    """Finds the clicks in what is received."""

    def __init__(self) -> None:
        self.samples: list[Any] = []
        self.times: list[int] = []
        self.seconds = 0.0

    def hear(self, incoming: IncomingAudio) -> None:
        try:
            while True:
                with incoming.read(0) as heard:
                    self.add(heard)
        except MediaTimeout:
            pass

    def add(self, heard: AudioFrame) -> None:
        data = heard.to_numpy().astype(float)
        if data.dtype == float and numpy.abs(data).max(initial=0) > 2:
            data /= 32767
        data = data.reshape(-1, heard.channels)[:, 0]
        self.seconds += len(data) / heard.sample_rate
        step = 1e9 / heard.sample_rate
        self.samples.append(data)
        self.times.append(numpy.rint(heard.timestamp_ns + step * numpy.arange(len(data))).astype(numpy.int64))

    def errors(self, origin: int) -> list[float]:
        """Of each click, how much later it is stamped than it was captured, in milliseconds, in order."""
        if not self.samples:
            return []
        samples, times = numpy.concatenate(self.samples), numpy.concatenate(self.times)
        loud = numpy.abs(numpy.convolve(samples, CLICK[::-1], "same"))
        found = []
        for place in numpy.flatnonzero(loud > loud.max() / 2):
            if found and place - found[-1][0] < BUFFER:
                if loud[place] > found[-1][1]:
                    found[-1] = (place, loud[place])
            else:
                found.append((place, loud[place]))
        late = []
        for place, _ in found:
            begin = max(0, place - len(CLICK) // 2)
            since = int(times[begin]) - origin
            late.append((since - round(since / PERIOD) * PERIOD) / 1e6)
        return late
