"""What participants say of themselves."""
from __future__ import annotations

import unittest

from call import room
from mediasdk import (ATTRIBUTE_KEY_MAX, ATTRIBUTE_VALUE_MAX, ATTRIBUTES_MAX, Clock, Engine, FullError, InvalidError,
                      ParticipantAttributeChanged, UnsupportedError)

MS = 1_000_000


class AttributesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine(clock=Clock.VIRTUAL, ignore_environment=True)
        self.url = room()
        self.addCleanup(self.engine.close)

    def test_everybody_reads_them(self) -> None:
        alice, bob = self.engine.create_session(self.url, "alice"), self.engine.create_session(self.url, "bob")
        alice.set_attribute("mood", "fröhlich")
        self.assertEqual(alice.attributes(), {"mood": "fröhlich"})
        for session in (alice, bob):
            session.connect(wait=False)
        self.engine.advance_clock(MS)
        self.assertEqual([one.attributes for one in bob.participants()], [{}, {"mood": "fröhlich"}])
        self.assertEqual(len({*bob.participants()}), 2)
        list(bob.events(timeout=0))
        alice.set_attribute("hand", "up")
        alice.set_attribute("mood", None)
        self.engine.advance_clock(MS)
        changed = [event for event in bob.events(timeout=0) if isinstance(event, ParticipantAttributeChanged)]
        self.assertEqual([(event.user_id, event.key) for event in changed], [("alice", "hand"), ("alice", "mood")])
        self.assertEqual(bob.attributes("alice"), {"hand": "up"})
        self.assertEqual(bob.attributes("nobody"), {})

    def test_bounds(self) -> None:
        alice = self.engine.create_session(self.url, "alice")
        for key, value in (("", "x"), ("Mood", "x"), ("k" * (ATTRIBUTE_KEY_MAX + 1), "x"), ("k", "x" * (ATTRIBUTE_VALUE_MAX + 1)), ("k", "\0")):
            with self.subTest(key[:8]), self.assertRaises(InvalidError):
                alice.set_attribute(key, value)
        for number in range(ATTRIBUTES_MAX):
            alice.set_attribute(str(number), "")
        with self.assertRaises(FullError):
            alice.set_attribute("more", "")
        alice.set_attribute("0", None)
        alice.set_attribute("more", "x" * ATTRIBUTE_VALUE_MAX)
        self.assertEqual(len(alice.attributes()), ATTRIBUTES_MAX)

    def test_rtp_has_none(self) -> None:
        with Engine(ignore_environment=True) as engine:
            camera = engine.create_session("rtp://127.0.0.1:5004", "camera")
            with self.assertRaises(UnsupportedError):
                camera.set_attribute("mood", "good")


if __name__ == "__main__":
    unittest.main()
