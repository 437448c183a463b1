"""Who may enter a room, and what moderators do there."""
from __future__ import annotations

import threading
import unittest

from call import nv12, room
from mediasdk import (AccessExpiring, AccessRenewed, AccessRequest, Clock, Duplicate, Engine, Event, EventType, InvalidError, MediaTimeout, Moderated, Moderation,
                      NotFoundError, OutgoingState, Permission, RangeError, RefusedError, RemovedError, FullError, Session,
                      SessionState, StateError, UnsupportedError, access_requests, configure_room, next_access_request, open_room)

MS = 1_000_000


class AccessTest(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine(clock=Clock.VIRTUAL, ignore_environment=True)
        self.url = room()
        self.addCleanup(self.engine.close)

    def session(self, user_id: str, access_token: str | None = None) -> Session:
        session = self.engine.create_session(self.url, user_id, access_token=access_token)
        session.connect(wait=False)
        self.engine.advance_clock(MS)
        return session

    def end(self, session: Session) -> Event:
        """The last event, with which the session was disconnected."""
        events = list(session.events(timeout=0))
        self.assertEqual(events[-1].state, SessionState.DISCONNECTED)
        return events[-1]

    def test_a_full_room(self) -> None:
        configure_room(self.engine, self.url, capacity=1)
        alice, bob = self.session("alice"), self.session("bob")
        self.assertEqual(alice.state, SessionState.CONNECTED)
        self.assertIsInstance(self.end(bob).error, FullError)
        open_room(self.engine, self.url)
        bob.connect(wait=False)
        self.engine.advance_clock(MS)
        self.assertEqual(bob.state, SessionState.CONNECTED)

    def test_a_user_id_comes_again(self) -> None:
        configure_room(self.engine, self.url, duplicates=Duplicate.REPLACE)
        first, second = self.session("alice"), self.session("alice")
        self.assertIsInstance(self.end(first).error, RemovedError)
        self.assertEqual(second.state, SessionState.CONNECTED)

    def test_requests_are_answered(self) -> None:
        configure_room(self.engine, self.url, verified=True, permissions=Permission.RECEIVE)
        alice, bob, carol = self.session("alice", "open sesame"), self.session("bob", "guess"), self.session("carol")
        requests = {request.user_id: request for request in access_requests(self.engine, self.url, timeout=0)}
        self.assertEqual(list(requests), ["alice", "bob", "carol"])
        self.assertEqual([request.access_token for request in requests.values()], ["open sesame", "guess", ""])
        self.assertNotIn("sesame", repr(requests["alice"]))
        self.assertEqual(alice.state, SessionState.CONNECTING)
        self.assertTrue(requests["alice"].admit())
        self.assertFalse(requests["alice"].admit())
        self.assertTrue(requests["bob"].refuse())
        with self.assertRaises(UnsupportedError):
            requests["carol"].admit(Permission(64))
        self.assertTrue(requests["carol"].admit(Permission.RECEIVE | Permission.MODERATE))
        self.engine.advance_clock(MS)
        self.assertEqual([one.permissions for one in alice.participants()], [Permission.RECEIVE, Permission.RECEIVE | Permission.MODERATE])
        self.assertEqual(carol.state, SessionState.CONNECTED)
        error = self.end(bob).error
        self.assertIsInstance(error, RefusedError)
        self.assertNotIn("guess", str(error))
        with self.assertRaises(RefusedError):
            alice.start_video(self.engine.create_outgoing_video(nv12()))

    def test_an_empty_mask_permits_nothing(self) -> None:
        configure_room(self.engine, self.url, verified=True)
        alice = self.session("alice")
        self.assertTrue(next_access_request(self.engine, self.url, timeout=0).admit(Permission.MODERATE & Permission.RECEIVE))
        self.engine.advance_clock(MS)
        self.assertEqual([one.permissions for one in alice.participants()], [Permission.NOTHING])

    def test_a_refusal_has_a_reason(self) -> None:
        configure_room(self.engine, self.url, verified=True)
        alice = self.session("alice", "open sesame")
        request = next_access_request(self.engine, self.url, timeout=0)
        self.assertFalse(request.renewal)
        with self.assertRaises(InvalidError):
            request.refuse("x" * 256)
        for lifetime in (0, -1, 0.5, 32e6):
            with self.subTest(lifetime), self.assertRaises(RangeError):
                request.admit(lifetime=lifetime)
        self.assertTrue(request.refuse("the token is of yesterday"))
        self.engine.advance_clock(MS)
        error = self.end(alice).error
        self.assertIsInstance(error, RefusedError)
        self.assertIn("the token is of yesterday", str(error))

    def test_access_is_renewed(self) -> None:
        configure_room(self.engine, self.url, verified=True)
        alice = self.session("alice", "first")
        self.assertTrue(next_access_request(self.engine, self.url, timeout=0).admit(lifetime=100))
        self.engine.advance_clock(70_000 * MS)
        warned = [event for event in alice.events(timeout=0) if isinstance(event, AccessExpiring)]
        self.assertEqual([event.remaining_ns for event in warned], [30_000 * MS])
        alice.set_access_token("second")
        self.engine.advance_clock(MS)
        request = next_access_request(self.engine, self.url, timeout=0)
        self.assertEqual((request.user_id, request.access_token, request.renewal), ("alice", "second", True))
        self.assertTrue(request.admit(Permission.RECEIVE, lifetime=20))
        self.engine.advance_clock(MS)
        renewed = [event for event in alice.events(timeout=0) if isinstance(event, AccessRenewed)]
        self.assertEqual([(event.permissions, event.error) for event in renewed], [(Permission.RECEIVE, None)])
        alice.set_access_token("third")
        self.engine.advance_clock(MS)
        self.assertTrue(next_access_request(self.engine, self.url, timeout=0).refuse("not again"))
        self.engine.advance_clock(MS)
        refused = [event for event in alice.events(timeout=0) if isinstance(event, AccessRenewed)]
        self.assertIsInstance(refused[0].error, RefusedError)
        self.assertIn("not again", refused[0].text)
        self.assertEqual(alice.state, SessionState.CONNECTED)
        self.engine.advance_clock(20_000 * MS)
        error = self.end(alice).error
        self.assertIsInstance(error, RefusedError)
        self.assertIn("expired", str(error))

    def test_who_left_is_not_let_in(self) -> None:
        configure_room(self.engine, self.url, verified=True)
        alice = self.session("alice")
        request = next_access_request(self.engine, self.url, timeout=0)
        alice.disconnect()
        self.assertFalse(request.admit())
        with self.assertRaises(MediaTimeout):
            next_access_request(self.engine, self.url, timeout=0)

    def test_waiting_ends_with_the_engine(self) -> None:
        with Engine(ignore_environment=True) as engine:
            configure_room(engine, self.url + "-2", verified=True)
            told: list[AccessRequest] = []
            requests = access_requests(engine, self.url + "-2", timeout=60)
            alice = engine.create_session(self.url + "-2", "alice")
            alice.connect(wait=False)
            told.append(next(requests))
            thread = threading.Thread(target=lambda: told.extend(requests))
            thread.start()
            open_room(engine, self.url + "-2")
            thread.join(30)
            self.assertFalse(thread.is_alive())
            self.assertEqual([request.user_id for request in told], [alice.user_id])
            self.assertFalse(told[0].admit())
            with self.assertRaises(StateError):
                next(access_requests(engine, self.url + "-2"))

    def test_moderation(self) -> None:
        configure_room(self.engine, self.url, permissions=Permission.MODERATE)
        alice = self.session("alice")
        open_room(self.engine, self.url)
        bob, carol = self.session("bob"), self.session("carol")
        voice = self.engine.create_outgoing_audio()
        bob.start_audio(voice)
        self.engine.advance_clock(MS)
        for muted in (True, False):
            alice.mute_participant("bob", muted)
            self.engine.advance_clock(MS)
            told = [event for event in bob.events(timeout=0) if event.type == EventType.MODERATED]
            self.assertEqual([event.moderation for event in told], [Moderation.MUTED if muted else Moderation.UNMUTED])
            heard = [event.muted for event in carol.events(timeout=0) if event.type == EventType.INCOMING_AUDIO_MUTED]
            self.assertEqual(heard, [muted])
        alice.remove_participant("bob", "too loud")
        self.engine.advance_clock(MS)
        events = list(bob.events(timeout=0))
        told = [event for event in events if isinstance(event, Moderated) and event.moderation == Moderation.REMOVED]
        self.assertEqual([(event.user_id, event.text) for event in told], [("alice", "too loud")])
        self.assertIsInstance(events[-1].error, RemovedError)
        self.assertIn("too loud", events[-1].text)
        self.assertEqual(voice.state, OutgoingState.STOPPED)
        for error, session, user_id in ((NotFoundError, alice, "bob"), (InvalidError, alice, "alice"), (RefusedError, carol, "alice")):
            with self.assertRaises(error):
                session.remove_participant(user_id)

    def test_bad_arguments(self) -> None:
        for arguments in ({"capacity": 100_001}, {"capacity": -1}, {"permissions": 64}, {"duplicates": 2}):
            with self.subTest(arguments), self.assertRaises((UnsupportedError, RangeError)):
                configure_room(self.engine, self.url, **arguments)  # type: ignore[arg-type]
        for token in ("x" * 4096, "nul\0", "\udcff"):
            with self.subTest(token[:8]), self.assertRaises(InvalidError) as caught:
                self.session("alice", token)
            self.assertNotIn(token[:3], str(caught.exception))
        alice = self.session("alice")
        for token in ("x" * 4096, "nul\0"):
            with self.subTest(token[:8]), self.assertRaises(InvalidError) as caught:
                alice.set_access_token(token)
            self.assertNotIn(token[:3], str(caught.exception))


if __name__ == "__main__":
    unittest.main()
