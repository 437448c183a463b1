"""What a receiver prefers of a stream, and what its sender makes of it."""
from __future__ import annotations

import unittest
from fractions import Fraction

from call import Call, nv12
from mediasdk import Clock, ClosedError, Codec, EventType, FrameSenderChanged, RangeError, VideoWanted

MS = 1_000_000
SECOND = 1_000_000_000


class PreferencesTest(unittest.TestCase):
    def test_the_sender_follows(self) -> None:
        with Call([nv12(1280, 720, 30), nv12(320, 180, 15)], codec=Codec.VP8, clock=Clock.VIRTUAL) as call:
            call.incoming.set_preference(width=320, height=180, fps="30000/1001", priority="HIGH")
            wanted = call.event(call.alice, EventType.OUTGOING_VIDEO_WANTED)
            assert isinstance(wanted, VideoWanted)
            self.assertIs(wanted.outgoing_video, call.stream)
            self.assertEqual((wanted.width, wanted.height, wanted.fps), (320, 180, Fraction(30000, 1001)))
            changed = call.event(call.alice, EventType.FRAME_SENDER_CHANGED)
            assert isinstance(changed, FrameSenderChanged)
            self.assertEqual(changed.format.width, 320)
            stats = call.stream.stats()
            self.assertEqual((stats.wanted_width, stats.wanted_height), (320, 180))
            self.assertAlmostEqual(stats.wanted_frames_per_second, 29.97, 2)
            call.engine.advance_clock(SECOND)
            call.incoming.set_preference()
            wanted = call.event(call.alice, EventType.OUTGOING_VIDEO_WANTED)
            assert isinstance(wanted, VideoWanted)
            self.assertEqual((wanted.width, wanted.height, wanted.fps), (0, 0, 0))
            self.assertEqual(call.stream.stats().width, 1280)

    def test_what_is_refused(self) -> None:
        with Call(clock=Clock.VIRTUAL) as call:
            for bad in ({"width": 320}, {"width": 20_000, "height": 1}, {"fps": 0.01}, {"width": -1, "height": 5}):
                with self.subTest(bad), self.assertRaises(RangeError):
                    call.incoming.set_preference(**bad)
            call.alice.stop_video(call.stream)
            call.engine.advance_clock(MS)
            with self.assertRaises(ClosedError):
                call.incoming.set_preference(width=320, height=180)


if __name__ == "__main__":
    unittest.main()
