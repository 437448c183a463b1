"""End-to-end encryption between members of a loopback room."""
from __future__ import annotations

import unittest

from call import Room, nv12, picture
from mediasdk import (FRAME_KEY_INDEX_MAX, FRAME_KEY_MAX, Clock, DataEncryptionChanged, EncryptionState, IncomingVideo,
                      IncomingVideoAdded, InvalidError, NotFoundError, OutgoingVideo, RangeError, Session, StateError,
                      StreamEncryptionChanged, UnsupportedError)

FRAME = 66_666_667  # nanoseconds from one to the next


class EncryptionTest(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room(Clock.VIRTUAL)
        self.addCleanup(self.room.close)
        self.engine = self.room.engine
        self.picture = picture(nv12(320, 240))
        self.alice, self.bob = (self.join(user_id) for user_id in ("alice", "bob"))

    def join(self, user_id: str) -> Session:
        session = self.engine.create_session(self.room.url, user_id, encrypt_frames=True)
        session.connect(wait=False)
        self.engine.advance_clock(FRAME)
        return session

    def stream(self) -> tuple[OutgoingVideo, IncomingVideo]:
        outgoing = self.engine.create_outgoing_video(nv12(320, 240))
        self.alice.start_video(outgoing)
        self.engine.advance_clock(FRAME)
        added = next(event for event in self.bob.events(timeout=0) if isinstance(event, IncomingVideoAdded))
        added.incoming_video.start()
        self.engine.advance_clock(FRAME)
        return outgoing, added.incoming_video

    def send(self, outgoing: OutgoingVideo, count: int) -> None:
        sender = outgoing.sender
        for _ in range(count):
            sender.send_buffer(self.picture)
            self.engine.advance_clock(FRAME)

    def changes(self, session: Session) -> list[StreamEncryptionChanged]:
        return [event for event in session.events(timeout=0) if isinstance(event, StreamEncryptionChanged)]

    def test_keys(self) -> None:
        self.alice.set_frame_key("a passphrase", index=3)
        self.alice.select_frame_key(3)
        outgoing, incoming = self.stream()
        self.send(outgoing, 5)
        change, = self.changes(self.bob)
        self.assertEqual((change.state, change.key_index, change.user_id), (EncryptionState.NO_KEY, 3, "alice"))
        self.assertIs(change.incoming_video, incoming)
        self.assertTrue(incoming.encrypted)
        self.assertIsNone(change.outgoing_video)
        self.bob.set_frame_key(b"a passphrase", "alice", index=3)
        self.send(outgoing, 20)
        self.assertEqual([change.state for change in self.changes(self.bob)], [EncryptionState.ACTIVE])
        self.assertGreater(incoming.stats().frames_decoded, 5)
        self.alice.ratchet_frame_key(index=3)
        self.bob.ratchet_frame_key("alice", index=3)
        before = incoming.stats().frames_decoded
        self.send(outgoing, 5)
        self.assertEqual(incoming.stats().frames_decoded, before + 5)
        self.bob.set_frame_key(None, "alice", index=3)
        self.send(outgoing, 5)
        self.assertEqual([change.state for change in self.changes(self.bob)], [EncryptionState.NO_KEY])
        own, = self.changes(self.alice)
        self.assertIs(own.outgoing_video, outgoing)
        self.assertEqual((own.state, own.user_id, own.incoming_video), (EncryptionState.ACTIVE, "", None))

    def test_what_is_refused(self) -> None:
        for key, index, error in [("", 0, RangeError), (bytes(FRAME_KEY_MAX + 1), 0, RangeError), ("k", FRAME_KEY_INDEX_MAX + 1, RangeError),
                                  ("k", -1, RangeError)]:
            with self.assertRaises(error):
                self.alice.set_frame_key(key, index=index)
        with self.assertRaises(InvalidError):
            self.alice.set_frame_key("k", "")
        with self.assertRaises(RangeError):
            self.alice.select_frame_key(16)
        with self.assertRaises(NotFoundError):
            self.alice.ratchet_frame_key("bob")
        raw = self.engine.create_outgoing_video(nv12(320, 240), codec="raw")
        with self.assertRaisesRegex(UnsupportedError, "encrypt_frames"):
            self.alice.start_video(raw)

    def test_data(self) -> None:
        alice, bob = (self.engine.create_session(self.room.url, user_id, encrypt_data=True) for user_id in ("anna", "bert"))
        for session in (alice, bob):
            session.connect(wait=False)
        self.engine.advance_clock(FRAME)
        with self.assertRaisesRegex(StateError, "encrypt_data"):
            alice.send_data(b"hello")
        alice.set_frame_key("a passphrase")
        alice.send_data(b"hello", topic="chat")
        self.engine.advance_clock(FRAME)
        self.assertIsNone(bob.read_data())
        self.assertEqual(self.data_changes(bob), [("anna", EncryptionState.NO_KEY, 0)])
        bob.set_frame_key("a passphrase")
        alice.send_data(b"hello", topic="chat")
        self.engine.advance_clock(FRAME)
        data = bob.read_data()
        assert data is not None
        self.assertEqual((data.data, data.topic, data.user_id), (b"hello", "chat", "anna"))
        self.assertEqual(self.data_changes(bob), [("anna", EncryptionState.ACTIVE, 0)])
        # What the others of the room send is not encrypted, or with a key that bert has not.
        self.alice.send_data(b"hello")
        self.engine.advance_clock(FRAME)
        self.assertIsNone(bob.read_data())
        self.assertEqual(self.data_changes(bob), [("alice", EncryptionState.NOT_ENCRYPTED, 0)])
        # Texts and calls, too.
        bob.data_streams.accept()
        with alice.data_streams.open_text() as writer:
            writer.write("a text")
        self.engine.advance_clock(FRAME)
        chunks = []
        while (part := bob.data_streams.read()) is not None:
            chunks.append(part.data)
        self.assertEqual(b"".join(chunks), b"a text")

    def data_changes(self, session: Session) -> list[tuple[str, EncryptionState, int]]:
        return [(event.user_id, event.state, event.key_index) for event in session.events(timeout=0) if isinstance(event, DataEncryptionChanged)]
