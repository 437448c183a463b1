"""Members of enumerations by name, wherever one is taken."""
from __future__ import annotations

import inspect
import unittest
from enum import Enum

import mediasdk
from call import Room, plugin_dir, room
from mediasdk import (AudioFormat, Codec, DropReason, EncodedFlag, EncodedFrame, Engine, EventType, Frame, FrameFlag, IncomingState,
                      IngestState, InstanceState, InvalidError, Matrix, Orientation, Outcome, OutgoingState, PixelFormat, Quality,
                      SampleFormat, Scale, ScreenShareState, SessionState, SpeakerState, VideoFormat, VideoKind, View, configure_room,
                      frame_layout, plane_shapes, video_limits)
from mediasdk._native import library


class ConstantsTest(unittest.TestCase):
    def test_the_library_has_a_name_for_each(self) -> None:
        """A new member in the headers needs its name in NamesFace.swift."""
        states = {"MSDK_SESSION_": SessionState, "MSDK_OUTGOING_": OutgoingState, "MSDK_INCOMING_": IncomingState,
                  "MSDK_SCREEN_SHARE_": ScreenShareState, "MSDK_INGEST_": IngestState, "MSDK_QUALITY_": Quality,
                  "MSDK_SPEAKER_": SpeakerState, "MSDK_INSTANCE_": InstanceState}
        families = [(library.msdk_event_type_string, "MSDK_EVENT_", EventType), (library.msdk_outcome_string, "MSDK_OUTCOME_", Outcome),
                    (library.msdk_drop_string, "MSDK_DROP_", DropReason),
                    *((library.msdk_state_string, prefix, family) for prefix, family in states.items())]
        for function, prefix, family in families:
            for member in family:
                if member is not EventType.NONE:
                    self.assertEqual(function(member).decode(), prefix + member.name)
            for value in (max(family) + 1, 9_999, 0xFFFF_FFFF):
                self.assertTrue(function(value).endswith(b"_UNKNOWN"), value)


class NamesTest(unittest.TestCase):
    def test_formats(self) -> None:
        format = VideoFormat("NV12", 64, 48, 30, color_matrix="BT709", content_hint="text")
        self.assertIs(format.pixel_format, PixelFormat.NV12)
        self.assertEqual(format.color_matrix, Matrix.BT709)
        self.assertEqual(format, VideoFormat(PixelFormat.NV12, 64, 48, "30", Matrix.BT709, False, 2, 2, mediasdk.Content.TEXT))
        self.assertIs(AudioFormat(48_000, 2, "F32").sample_format, SampleFormat.F32)
        view = View(320, 240, "fill", "rotate_90 | mirror")
        self.assertEqual((view.scale, view.orientation), (Scale.FILL, Orientation.ROTATE_90 | Orientation.MIRROR))
        self.assertEqual(view.place(64, 48, "ROTATE_90"), view.place(64, 48, Orientation.ROTATE_90))
        self.assertEqual(frame_layout("I420", 64, 48), frame_layout(PixelFormat.I420, 64, 48))
        self.assertEqual(plane_shapes("I420", 64, 48), plane_shapes(PixelFormat.I420, 64, 48))
        self.assertEqual(video_limits("EXTENDED", "SCREEN_SHARE"), video_limits(mediasdk.Limits.EXTENDED, VideoKind.SCREEN_SHARE))

    def test_frames(self) -> None:
        with Frame.create(VideoFormat("NV12", 64, 48)) as frame, frame.convert("RGB24") as converted:
            self.assertIs(converted.pixel_format, PixelFormat.RGB24)
            frame.orientation, frame.flags = "ROTATE_180", "END|CORRUPT"  # type: ignore[assignment]
            self.assertEqual(frame.orientation, Orientation.ROTATE_180)
            self.assertEqual(frame.flags & ~FrameFlag.WRITABLE, FrameFlag.END | FrameFlag.CORRUPT)
        with EncodedFrame.create(b"\xFC\xFF\xFE", codec="OPUS", flags="DROPPABLE") as packet:
            self.assertEqual((packet.codec, packet.flags & EncodedFlag.DROPPABLE), (Codec.OPUS, EncodedFlag.DROPPABLE))

    def test_a_call(self) -> None:
        with Room() as call:
            call.engine.add_plugin_dir(plugin_dir())
            configure_room(call.engine, call.url, duplicates="REPLACE", permissions="SHARE_SCREEN|PUBLISH_AUDIO|RECEIVE")
            alice, bob = call.join("alice"), call.join("bob")
            stream = call.engine.create_outgoing_video(VideoFormat("NV12", 64, 48, 30), kind="SCREEN_SHARE", codecs=["VP8"],
                                                       limits="EXTENDED", preset="FASTEST", queue_policy="DROP_NEWEST")
            alice.start_video(stream)
            incoming = call.event(bob, EventType.INCOMING_VIDEO_ADDED).incoming_video
            self.assertEqual((incoming.kind, incoming.codec), (VideoKind.SCREEN_SHARE, Codec.VP8))
            incoming.start(pixel_format="BGRA", output="BOTH", queue_policy="DROP_OLDEST")
            sound = call.engine.create_outgoing_audio(sample_format="F32", kind="SCREEN_SHARE", codec="OPUS", application="AUDIO")
            self.assertEqual((sound.codec, sound.format.sample_format), (Codec.OPUS, SampleFormat.F32))
            bob.mixed_audio.start(sample_format="S16", output="RAW", queue_policy="DROP_NEWEST")
            tone = call.engine.create_instance("org.mediasdk.producer.tone")
            self.assertIs(tone.state("AUDIO_PRODUCER"), InstanceState.CREATED)

    def test_engine(self) -> None:
        with Engine(clock="VIRTUAL", ignore_environment=True) as engine:
            engine.advance_clock(1)
            session = engine.create_session(room(), "alice", capture_flags="PLAIN")
            self.assertIs(session.state, SessionState.IDLE)

    def test_an_unknown_name_is_answered_with_those_there_are(self) -> None:
        with self.assertRaisesRegex(InvalidError, "pixel_format is 'NV13'; I420, NV12, .* are accepted"):
            VideoFormat("NV13", 64, 48)
        with self.assertRaisesRegex(InvalidError, "clock is ''; SYSTEM, VIRTUAL are accepted"):
            Engine(clock="")
        with self.assertRaises(InvalidError):
            View(1, 1, orientation="MIRROR|")

    def test_wherever_one_is_taken(self) -> None:
        """Every argument of the public classes and functions whose type is an enumeration takes a text, too."""
        enums = {name for name, kind in vars(mediasdk).items() if isinstance(kind, type) and issubclass(kind, Enum)}
        checked = 0
        for owner, function in public_functions():
            for parameter in inspect.signature(function).parameters.values():
                words = str(parameter.annotation).replace("[", " ").replace("]", " ").split()
                if enums & set(words):
                    checked += 1
                    self.assertIn("str", words, f"{owner}.{function.__name__}: {parameter}")
        self.assertGreater(checked, 40)


def public_functions() -> list[tuple[str, object]]:
    """But dataclasses that only the package makes, and errors."""
    found = []
    for name in mediasdk.__all__:
        item = getattr(mediasdk, name)
        if inspect.isfunction(item):
            found.append((name, item))
        elif isinstance(item, type) and not issubclass(item, (Enum, Exception)):
            for what, function in vars(item).items():
                function = function.__func__ if isinstance(function, classmethod) else function
                if isinstance(function, property):
                    function = function.fset
                if inspect.isfunction(function) and (not what.startswith("_") or (what == "__init__" and item in CONSTRUCTED)):
                    found.append((name, function))
    return found


CONSTRUCTED = (AudioFormat, Engine, VideoFormat, View)

if __name__ == "__main__":
    unittest.main()
