"""Two members of a served room who are no SDK: one sends a numbered packet of sound every 20 ms, the other sends it back, and the first
takes the time: the round trip through the server, twice through its SRTP and its streams, without a jitter buffer at either end.

    probe.py '{"host": ..., "port": ..., "tls": ..., "room": ..., "token": ...}'
"""
from __future__ import annotations

import json
import select
import struct
import sys
import threading
import time
from typing import Any

import orders
from room_member import Member
from wire import rtp_wire
from wire.livekit_wire import AUDIO

PACKET, WARM, LATE = 0.02, 50, 1.0


class Voice(Member):
    """A member with a stream of their own who hears one other."""

    def __init__(self, target: dict[str, Any], name: str) -> None:
        super().__init__(target, name, sends=AUDIO, hears=AUDIO)

    def say(self, number: int) -> None:
        self.speak(rtp_wire.OPUS_20_MS + struct.pack(">I", number) + bytes(60))

    def numbers(self) -> list[int]:
        """Of what came; packets with which a track begins have others."""
        return [struct.unpack_from(">I", payload, 1)[0] for payload in self.take_heard() if len(payload) > 4]


class Probe(threading.Thread):
    def __init__(self, target: dict[str, Any]) -> None:
        super().__init__(daemon=True)
        self.asking, self.answering = Voice(target, "probe"), Voice(target, "echo")
        self.asking.hear(self.asking.await_track("echo"))
        self.answering.hear(self.answering.await_track("probe"))
        self.sent: list[float] = []
        self.trips: dict[int, float] = {}

    def run(self) -> None:
        due = next_look = time.monotonic()
        sockets = [self.asking.socket, self.answering.socket]
        while True:
            select.select(sockets, [], [], max(0.0, due - time.monotonic()))
            for number in self.answering.numbers():
                self.answering.say(number)
            for number in self.asking.numbers():
                self.trips.setdefault(number, time.monotonic() - self.sent[number])
            if time.monotonic() >= due:
                self.sent.append(time.monotonic())
                self.asking.say(len(self.sent) - 1)
                due += PACKET
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + 0.05
                for voice in (self.asking, self.answering):
                    voice.listen()

    def figures(self, begin: float, end: float) -> dict[str, Any]:
        numbers = [number for number, sent in enumerate(list(self.sent)) if begin <= sent < end]
        trips = [self.trips[number] for number in numbers if number in self.trips]
        return {"sent": len(numbers), "came": sum(trip <= LATE for trip in trips), "worst": max(trips, default=None)}


def main() -> None:
    probe = Probe(json.loads(sys.argv[1]))
    probe.start()
    deadline = time.monotonic() + 20
    while len(probe.trips) < WARM and time.monotonic() < deadline:
        time.sleep(0.02)
    orders.say(ready=len(probe.trips) >= WARM)
    orders.answer(probe.figures)


if __name__ == "__main__":
    main()
