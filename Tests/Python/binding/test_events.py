"""A class for each kind of event."""
from __future__ import annotations

import dataclasses
import unittest

import mediasdk
from call import Call, nv12, room
from mediasdk import (AudioLevelMeasured, Engine, Event, EventType, FrameSenderChanged, MediaTimeout, NetworkQualityChanged,
                      ParticipantJoined, Quality, RangeError, SessionState, SessionStateChanged, StatsDue, StreamUnreachable, _structs)
from mediasdk._reading import READERS, event_of
from sound import AudioCall, sine


class ReadingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine(ignore_environment=True)
        self.addCleanup(self.engine.close)
        self.session = self.engine.create_session(room(), "alice")

    def read(self, kind: int, **members: object) -> Event:
        struct = _structs.Event(type=kind, timestamp_ns=7, **members)
        return event_of(self.session, struct)

    def test_each_type_has_a_class(self) -> None:
        """A new type in the headers needs its class in events.py, its line in _reading.py, and its name in the package."""
        self.assertEqual(set(READERS), set(EventType) - {EventType.NONE})
        classes = {kind for kind in vars(mediasdk).values() if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event}
        self.assertEqual(len(classes), len(READERS))
        # What their type says is all.
        bare = {mediasdk.StatsDue, mediasdk.NegotiationNeeded, mediasdk.CandidatesComplete, mediasdk.RestartWanted, mediasdk.DataAvailable,
                mediasdk.DataWritable, mediasdk.RpcAvailable, mediasdk.DataStreamAvailable}
        for kind in classes:
            with self.subTest(kind.__name__):
                self.assertEqual(len(dataclasses.fields(kind)) > 5, kind not in bare, "members of its own")
                self.assertIn(kind.__name__, mediasdk.__all__)

    def test_members(self) -> None:
        event = self.read(EventType.SESSION_STATE, state=SessionState.DISCONNECTED, status=-10, text=b"go away")
        assert isinstance(event, SessionStateChanged)
        self.assertEqual((event.type, event.timestamp_ns, event.state), (EventType.SESSION_STATE, 7, SessionState.DISCONNECTED))
        self.assertEqual(str(event.error), "MSDK_E_PERMISSION: go away")
        joined = self.read(EventType.PARTICIPANT_JOINED, user_id=b"bob", text=b"Bob", flags=1)
        assert isinstance(joined, ParticipantJoined)
        self.assertEqual((joined.user_id, joined.display_name, joined.lost, joined.error), ("bob", "Bob", True, None))
        network = self.read(EventType.NETWORK_QUALITY, state=Quality.GOOD, direction=1, value=5)
        assert isinstance(network, NetworkQualityChanged)
        self.assertEqual((network.quality, network.bitrate), (Quality.GOOD, 5))
        self.assertEqual(repr(joined), "<ParticipantJoined lost=True text='Bob' user_id='bob'>")

    def test_in_a_match_statement(self) -> None:
        """Its syntax is newer than the oldest Python that the package is for."""
        found: dict[str, object] = {}
        program = "match event:\n case ParticipantJoined(user_id=name): found['name'] = name\n case _: found['other'] = True\n"
        try:
            code = compile(program, "match", "exec")
        except SyntaxError:
            self.skipTest("Python 3.10 has it")
        for event in (self.read(EventType.PARTICIPANT_JOINED, user_id=b"bob"), self.read(EventType.PARTICIPANT_LEFT, user_id=b"eve")):
            exec(code, {"event": event, "found": found, "ParticipantJoined": ParticipantJoined})
        self.assertEqual(found, {"name": "bob", "other": True})

    def test_a_type_of_a_newer_library(self) -> None:
        event = self.read(9999, text=b"words")
        self.assertIs(type(event), Event)
        self.assertEqual((event.type.name, event.text), ("UNKNOWN_9999", "words"))
        self.assertIn("UNKNOWN_9999", repr(event))

    def test_an_object_that_is_gone(self) -> None:
        """Its event says nothing of another one; where it may be missing, it is None."""
        self.assertIs(type(self.read(EventType.FRAME_SENDER_CHANGED)), Event)
        self.assertIs(type(self.read(EventType.INCOMING_AUDIO_MUTED)), Event)
        unreachable = self.read(EventType.STREAM_UNREACHABLE, user_id=b"bob", status=-1)
        assert isinstance(unreachable, StreamUnreachable)
        self.assertEqual((unreachable.outgoing_video, unreachable.outgoing_audio, unreachable.user_id), (None, None, "bob"))

    def test_of_a_call(self) -> None:
        with Call(nv12(64, 48)) as call:
            changed = next(event for _, event in call.events if isinstance(event, FrameSenderChanged))
            self.assertIs(changed.sender, call.stream.sender)
            self.assertEqual(changed.format, call.stream.sender.format)
            with self.assertRaises(dataclasses.FrozenInstanceError):
                changed.format = changed.format  # type: ignore[misc]
            with self.assertRaises(AttributeError):
                changed.incoming_video


class PeriodicTest(unittest.TestCase):
    def test_levels_and_stats(self) -> None:
        with AudioCall() as call:
            call.bob.set_audio_level_interval(0.1)
            call.bob.set_stats_interval(0.5)
            call.play(sine(440, 1, amplitude=0.5))
            events = []
            try:
                while True:
                    events.append(call.bob.next_event(0))
            except MediaTimeout:
                pass
            levels = [event for event in events if isinstance(event, AudioLevelMeasured)]
            self.assertGreaterEqual(len(levels), 10)
            self.assertEqual({(event.user_id, event.incoming_audio, event.outgoing_audio) for event in levels},
                             {("alice", call.incoming, None)})
            self.assertIn(9, {event.level for event in levels})
            self.assertGreaterEqual(sum(isinstance(event, StatsDue) for event in events), 2)
            for seconds in (0.049, 61, -1):
                with self.assertRaises(RangeError):
                    call.bob.set_stats_interval(seconds)

if __name__ == "__main__":
    unittest.main()
