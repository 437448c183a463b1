"""Messages between two sessions over WebRTC, joined by hand. In real time: over sockets of this machine."""
from __future__ import annotations

import time
import unittest
from typing import Callable

import mediasdk


class DataChannels(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = mediasdk.Engine()
        self.addCleanup(self.engine.close)
        self.alice = self.engine.create_session("webrtc:?polite=0&loopback=1&receive=none", "alice")
        self.bob = self.engine.create_session("webrtc:?loopback=1&receive=none", "bob")
        self.events: dict[mediasdk.Session, list[mediasdk.Event]] = {self.alice: [], self.bob: []}
        for session in (self.alice, self.bob):
            session.connect(wait=False)

    def offer(self, source: mediasdk.Session, target: mediasdk.Session) -> None:
        kind = source.describe()
        if target.set_remote_description(kind, source.local_description()) == mediasdk.DescriptionOutcome.IGNORED:
            return
        if kind == mediasdk.SdpType.OFFER:
            self.offer(target, source)

    def carry(self, source: mediasdk.Session, target: mediasdk.Session) -> None:
        while True:
            try:
                event = source.next_event(timeout=0)
            except mediasdk.MediaTimeout:
                return
            self.events[source].append(event)
            if isinstance(event, mediasdk.NegotiationNeeded):
                self.offer(source, target)
            elif isinstance(event, mediasdk.LocalCandidate):
                target.add_remote_candidate(event.candidate, event.mid)

    def wait(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end, self.events)
            self.carry(self.alice, self.bob)
            self.carry(self.bob, self.alice)
            time.sleep(0.005)

    def came(self, session: mediasdk.Session, kind: type[mediasdk.Event]) -> list[mediasdk.Event]:
        return [event for event in self.events[session] if isinstance(event, kind)]

    def test_texts_and_bytes(self) -> None:
        channel = self.alice.open_data_channel("chat", "json", ordered=False, max_retransmits=5)
        channel.send("hällo")
        channel.send(b"")
        self.wait(lambda: bool(self.came(self.bob, mediasdk.MessageAvailable)))
        opened = self.came(self.bob, mediasdk.DataChannelOpened)[0]
        assert isinstance(opened, mediasdk.DataChannelOpened)
        self.assertEqual((opened.label, opened.protocol, opened.direction), ("chat", "json", mediasdk.Direction.INCOMING))
        theirs = opened.channel
        received: list[str | bytes] = []
        self.wait(lambda: received.extend(theirs.messages()) or len(received) == 2)
        self.assertEqual(set(received), {"hällo", b""})
        large = bytes(range(256)) * 1024
        theirs.send(large)
        self.wait(lambda: bool(self.came(self.alice, mediasdk.MessageAvailable)))
        self.assertEqual(self.came(self.alice, mediasdk.MessageAvailable)[0].channel, channel)  # type: ignore[attr-defined]
        self.assertEqual(channel.read(), large)
        self.assertIsNone(channel.read())
        self.wait(lambda: theirs.unacknowledged_bytes == 0)
        with self.assertRaises(mediasdk.RangeError):
            channel.send(large + b"0")
        channel.close()
        self.wait(lambda: bool(self.came(self.alice, mediasdk.DataChannelClosed) and self.came(self.bob, mediasdk.DataChannelClosed)))
        for end in (channel, theirs):
            with self.assertRaises(mediasdk.NotFoundError):
                end.send("late")

    def test_a_full_channel_says_when_there_is_room(self) -> None:
        channel = self.alice.open_data_channel("flood", number=4)
        other = self.bob.open_data_channel("flood", number=4)
        self.wait(lambda: bool(self.came(self.alice, mediasdk.DataChannelOpened)))
        channel.set_low_threshold(100_000)
        sent = 0
        with self.assertRaises(mediasdk.AgainError):
            while True:
                channel.send(bytes(50_000))
                sent += 1
        received = []
        self.wait(lambda: received.extend(other.messages()) or len(received) == sent)
        self.wait(lambda: bool(self.came(self.alice, mediasdk.DataChannelLow)))

    def test_what_is_wrong_is_said(self) -> None:
        with self.assertRaises(mediasdk.ExistsError):
            for _ in range(2):
                self.alice.open_data_channel("known", number=3)
        with self.assertRaises(mediasdk.InvalidError):
            self.alice.open_data_channel("both", max_retransmits=1, lifetime_ms=1)
        room = self.engine.create_session("loopback:here", "carol")
        with self.assertRaisesRegex(mediasdk.UnsupportedError, "webrtc:"):
            room.open_data_channel("none")


if __name__ == "__main__":
    unittest.main()
