"""Two members of a hub's room who are no SDK: one sends a numbered packet of sound every 20 ms, the other sends it back, and the first
takes the time: the round trip through the hub, twice through its SRTP and its streams, without a jitter buffer at either end.

    probe.py '{"host": ..., "port": ..., "room": ..., "token": ...}'
"""
from __future__ import annotations

import json
import select
import struct
import sys
import threading
import time
from typing import Any

import hub_wire
import orders
import rtp_wire
from hub_member import Member
from hub_wire import FIRST_AUDIO_SLOT

PACKET, WARM, LATE = 0.02, 50, 1.0


class Voice:
    """A member with a stream of their own who hears one other."""

    def __init__(self, target: dict[str, Any], name: str) -> None:
        self.member = Member(target, name, target["token"])
        self.member.greet()
        self.member.say(hub_wire.publish_opus(1, FIRST_AUDIO_SLOT))
        self._count = 0

    def hear(self, name: str) -> None:
        self.member.say(hub_wire.subscribe(self.member.await_stream(name).number, FIRST_AUDIO_SLOT))

    def speak(self, number: int) -> None:
        terms = self.member.terms
        payload = rtp_wire.OPUS_20_MS + struct.pack(">I", number) + bytes(60)
        self.member.transmit(rtp_wire.rtp(terms.opus, self._count, self._count * 960, terms.base | FIRST_AUDIO_SLOT, payload))
        self._count += 1

    def heard(self) -> list[int]:
        return [struct.unpack_from(">I", payload, 1)[0] for _, payload in self.member.arrived() if len(payload) > 4]


class Probe(threading.Thread):
    def __init__(self, target: dict[str, Any]) -> None:
        super().__init__(daemon=True)
        self.asking, self.answering = Voice(target, "probe"), Voice(target, "echo")
        self.asking.hear("echo")
        self.answering.hear("probe")
        self.sent: list[float] = []
        self.trips: dict[int, float] = {}

    def run(self) -> None:
        due = next_look = time.monotonic()
        sockets = [self.asking.member.socket, self.answering.member.socket]
        while True:
            select.select(sockets, [], [], max(0.0, due - time.monotonic()))
            for number in self.answering.heard():
                self.answering.speak(number)
            for number in self.asking.heard():
                self.trips.setdefault(number, time.monotonic() - self.sent[number])
            if time.monotonic() >= due:
                self.sent.append(time.monotonic())
                self.asking.speak(len(self.sent) - 1)
                due += PACKET
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + 0.05
                for voice in (self.asking, self.answering):
                    voice.member.report()
                    voice.member.listen()

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
