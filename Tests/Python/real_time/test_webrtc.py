"""Sessions over WebRTC, joined by hand. In real time: over sockets of this machine."""
from __future__ import annotations

import time
import unittest

import mediasdk


class WebRTC(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = mediasdk.Engine()
        self.addCleanup(self.engine.close)

    def carry(self, source: mediasdk.Session, target: mediasdk.Session) -> None:
        """What the events of one session mean for the other."""
        while True:
            try:
                event = source.next_event(timeout=0)
            except mediasdk.MediaTimeout:
                return
            if isinstance(event, mediasdk.NegotiationNeeded):
                self.offer(source, target)
            elif isinstance(event, mediasdk.LocalCandidate):
                target.add_remote_candidate(event.candidate, event.mid)
            elif isinstance(event, mediasdk.CandidatesComplete):
                target.add_remote_candidate("")

    def offer(self, source: mediasdk.Session, target: mediasdk.Session) -> None:
        kind = source.describe()
        if target.set_remote_description(kind, source.local_description()) == mediasdk.DescriptionOutcome.IGNORED:
            return
        if kind == mediasdk.SdpType.OFFER:
            self.offer(target, source)

    def test_two_join_by_hand(self) -> None:
        alice = self.engine.create_session("webrtc:?polite=0&loopback=1", "alice")
        bob = self.engine.create_session("webrtc:?loopback=1", "bob")
        alice.connect(wait=False)
        bob.connect(wait=False)
        self.offer(alice, bob)
        end = time.monotonic() + 30
        while time.monotonic() < end and not alice.state == bob.state == mediasdk.SessionState.CONNECTED:
            self.carry(alice, bob)
            self.carry(bob, alice)
            time.sleep(0.01)
        self.assertEqual(alice.state, mediasdk.SessionState.CONNECTED)
        self.assertEqual(bob.state, mediasdk.SessionState.CONNECTED)
        alice.restart_ice()

    def test_what_is_wrong_is_said(self) -> None:
        session = self.engine.create_session("webrtc:", "alice")
        with self.assertRaisesRegex(mediasdk.StateError, "msdk_session_connect"):
            session.describe()
        with self.assertRaisesRegex(mediasdk.InvalidError, "without user or password"):
            session.add_ice_server("turn:192.0.2.1")
        session.add_ice_server("stun:192.0.2.1")
        session.connect(wait=False)
        with self.assertRaises(mediasdk.InvalidError):
            session.set_remote_description("offer", "v=0")
        with self.assertRaises(mediasdk.StateError):
            session.local_description()


if __name__ == "__main__":
    unittest.main()
