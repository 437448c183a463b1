"""Screen shares: what stands still, who is told, formats that come from a producer."""
from __future__ import annotations

import unittest

from mediasdk import (Clock, Codec, EventType, LimitError, Limits, OutgoingState, ScreenShareState, StateError, VideoKind, check_video_limit,
                      video_limits)

from call import Call, Room, nv12, picture, plugin_dir


def screen(**options: object) -> Call:
    return Call(nv12(640, 480), clock=Clock.VIRTUAL, kind=VideoKind.SCREEN_SHARE, limits=Limits.CONFERENCE, **options)  # type: ignore[arg-type]


class ScreenShareTest(unittest.TestCase):
    def test_limits(self) -> None:
        sizes = [(limit.width, limit.height, limit.fps) for limit in video_limits(Limits.CONFERENCE, VideoKind.SCREEN_SHARE)]
        self.assertEqual(sizes, [(1920, 1080, 30), (1080, 1920, 30)])
        check_video_limit(nv12(1366, 768, 30), kind=VideoKind.SCREEN_SHARE)
        with self.assertRaisesRegex(LimitError, "even"):
            check_video_limit(nv12(1367, 768, 30), kind=VideoKind.SCREEN_SHARE)

    def test_the_room_is_told(self) -> None:
        with screen() as call:
            self.assertEqual(call.incoming.kind, VideoKind.SCREEN_SHARE)
            event = call.event(call.bob, EventType.SCREEN_SHARE_STATE, ScreenShareState.ENABLED)
            self.assertEqual((event.user_id, event.kind), ("alice", VideoKind.SCREEN_SHARE))
            self.assertIs(event.incoming_video, call.incoming)
            self.assertEqual([one.is_sharing_screen for one in call.bob.participants()], [False, True])
            with self.assertRaisesRegex(StateError, "already shares a screen"):
                call.alice.start_video(call.engine.create_outgoing_video(nv12(), kind=VideoKind.SCREEN_SHARE, limits=Limits.EXTENDED))
            call.alice.stop_video(call.stream)
            self.assertIsNone(call.event(call.alice, EventType.SCREEN_SHARE_STATE, ScreenShareState.DISABLED).incoming_video)
            self.assertEqual(call.event(call.bob, EventType.SCREEN_SHARE_STATE, ScreenShareState.DISABLED).user_id, "alice")

    def test_what_stands_is_shown_to_whoever_comes(self) -> None:
        for codec in (Codec.RAW, Codec.VP8):
            with self.subTest(codec=codec), screen(codec=codec, start=None) as call:
                call.sender.send_array(picture(call.sender.format))
                call.engine.advance_clock(10_000_000_000)
                call.incoming.start()
                self.assertEqual(call.read().sequence, 1)
                call.engine.advance_clock(10_000_000_000)
                before = call.stream.stats()
                call.engine.advance_clock(600_000_000_000)
                after = call.stream.stats()
                self.assertEqual((after.bytes_sent, after.frames_repeated), (before.bytes_sent, before.frames_repeated))
                self.assertGreater(after.frames_repeated, 0)
                self.assertEqual(after.paced_frames_per_second, 15)

    def test_the_format_comes_from_the_producer(self) -> None:
        with Room(Clock.VIRTUAL) as room:
            alice = room.join("alice")
            stream = room.engine.create_outgoing_video(kind=VideoKind.SCREEN_SHARE, codec=Codec.VP8)
            with self.assertRaisesRegex(StateError, "attach the producer"):
                alice.start_video(stream)
            room.engine.add_plugin_dir(plugin_dir())
            stream.attach_producer(room.engine.create_instance("org.mediasdk.producer.testpattern"))
            alice.start_video(stream)
            room.event(alice, EventType.OUTGOING_VIDEO_STATE, OutgoingState.STARTED)
            self.assertIsNotNone(room.event(alice, EventType.FRAME_SENDER_CHANGED).format)
            with self.assertRaises(ValueError):
                room.engine.create_outgoing_video()


if __name__ == "__main__":
    unittest.main()
