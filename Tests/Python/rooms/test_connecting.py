"""connect and connected: they wait, raise what refused the session, and leave its events to be read; streams start in any order."""
from __future__ import annotations

import asyncio
import select
import threading
import time
import unittest
from unittest import mock

import mediasdk
from call import PATIENCE, Room, nv12, picture, room
from mediasdk import (ClosedError, Engine, Event, ExistsError, FrameSenderChanged, FullError, HandleError, IncomingVideoAdded, Limits,
                      MediaTimeout, OutgoingState, OutgoingVideoStateChanged, Permission, RefusedError, Session, SessionState,
                      SessionStateChanged, StateError, access_requests, configure_room, next_access_request)
from mediasdk._native import library


def states(session: Session, timeout: float = 0) -> list[SessionState]:
    return [event.state for event in session.events(timeout) if isinstance(event, SessionStateChanged)]


class ConnectTest(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine(ignore_environment=True)
        self.addCleanup(self.engine.close)
        self.url = room()

    def session(self, user_id: str = "alice") -> Session:
        return self.engine.create_session(self.url, user_id)

    def soon(self, call: object) -> None:
        timer = threading.Timer(0.1, call)  # type: ignore[arg-type]
        timer.start()
        self.addCleanup(timer.join)

    def test_waits(self) -> None:
        alice = self.session()
        alice.connect(timeout=PATIENCE)
        self.assertEqual(alice.state, SessionState.CONNECTED)
        self.assertEqual(states(alice), [SessionState.CONNECTING, SessionState.CONNECTED])
        with self.assertRaises(StateError):
            alice.connect()

    def test_a_refusal_is_raised_and_stays_an_event(self) -> None:
        first, other = self.session(), self.session()
        first.connect()
        poller = select.poll()
        poller.register(other.fileno(), select.POLLIN)
        for _ in range(2):
            with self.assertRaises(ExistsError) as raised:
                other.connect()
            self.assertIn("alice", raised.exception.text)
            self.assertTrue(poller.poll(0))
            began, ended = other.next_event(0), other.next_event(0)
            assert isinstance(began, SessionStateChanged) and isinstance(ended, SessionStateChanged)
            self.assertEqual((began.state, ended.state), (SessionState.CONNECTING, SessionState.DISCONNECTED))
            self.assertEqual(str(ended.error), str(raised.exception))
            self.assertFalse(poller.poll(0))

    def test_events_of_before_come_first(self) -> None:
        alice, bob = self.session(), self.session("bob")
        bob.connect()
        bob.disconnect()
        while bob.state != SessionState.DISCONNECTED:
            time.sleep(0.005)
        alice.connect()
        configure_room(self.engine, self.url, capacity=1)
        with self.assertRaises(FullError):
            bob.connect()
        first, again = [SessionState.CONNECTING, SessionState.CONNECTED], [SessionState.CONNECTING, SessionState.DISCONNECTED]
        self.assertEqual(states(bob), [*first, SessionState.DISCONNECTING, SessionState.DISCONNECTED, *again])

    def test_a_verifier_that_refuses(self) -> None:
        configure_room(self.engine, self.url, verified=True)
        guard = threading.Thread(target=lambda: next(access_requests(self.engine, self.url)).refuse())
        guard.start()
        with self.assertRaises(RefusedError):
            self.session().connect()
        guard.join()

    def test_ends_of_waiting(self) -> None:
        """A room whose verifier does not answer."""
        configure_room(self.engine, self.url, verified=True)
        late = self.session("late")
        with self.assertRaisesRegex(MediaTimeout, "late .* after 0.05 s: it is CONNECTING"):
            late.connect(timeout=0.05)
        self.assertTrue(next_access_request(self.engine, self.url, 0).admit())
        asyncio.run(late.connected(PATIENCE))
        gone = self.session("gone")
        self.soon(gone.disconnect)
        with self.assertRaises(ClosedError):
            gone.connect(timeout=PATIENCE)
        closed = self.session("closed")
        self.soon(closed.close)
        with self.assertRaises(ClosedError):
            closed.connect(timeout=PATIENCE)
        with self.assertRaises(HandleError):
            closed.connect()

    def test_not_waiting(self) -> None:
        with Room(mediasdk.Clock.VIRTUAL) as call:
            session = call.engine.create_session(call.url, "alice")
            session.connect(wait=False)
            self.assertEqual(session.state, SessionState.CONNECTING)
            call.engine.advance_clock(10_000_000)
            self.assertEqual(session.state, SessionState.CONNECTED)

    def test_asyncio(self) -> None:
        """Who reads events in another task sees all of them, also those of a refusal that this one has looked at."""
        async def read(session: Session, end: SessionState) -> list[SessionState]:
            seen = []
            async for event in session:
                if isinstance(event, SessionStateChanged):
                    seen.append(event.state)
                    if event.state == end:
                        break
            return seen

        async def go() -> None:
            alice, again = self.session(), self.session()
            reading = asyncio.ensure_future(read(alice, SessionState.CONNECTED))
            await alice.connected(PATIENCE)
            self.assertEqual(await reading, [SessionState.CONNECTING, SessionState.CONNECTED])
            await alice.connected(0)  # once more
            reading = asyncio.ensure_future(read(again, SessionState.DISCONNECTED))
            await asyncio.sleep(0.01)
            with self.assertRaises(ExistsError):
                await again.connected(PATIENCE)
            self.assertEqual(await reading, [SessionState.CONNECTING, SessionState.DISCONNECTED])
            configure_room(self.engine, self.url, verified=True)
            with self.assertRaises(MediaTimeout):
                await self.session("late").connected(0.05)

        asyncio.run(asyncio.wait_for(go(), 3 * PATIENCE))

    def test_a_task_that_waits_is_woken_by_what_is_put_back(self) -> None:
        """The descriptor of the SDK says nothing of that."""
        session = self.session()
        event = Event(mediasdk.EventType.NONE, 1, False, 0, "")

        async def go() -> Event:
            reading = asyncio.ensure_future(session.next_event_async(PATIENCE))
            await asyncio.sleep(0.05)
            start = time.monotonic()
            session._events.add(event)
            got = await reading
            self.assertLess(time.monotonic() - start, PATIENCE / 2)
            return got

        self.assertIs(asyncio.run(go()), event)

    def test_what_is_put_back_is_bounded(self) -> None:
        session = self.session()
        for number in range(1100):
            session._events.add(Event(mediasdk.EventType.NONE, number, False, 0, ""))
        found = list(session.events(0))
        self.assertEqual([len(found), found[0].timestamp_ns, found[0].lost, found[1].lost], [1024, 76, True, False])


class StartTest(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine(ignore_environment=True)
        self.addCleanup(self.engine.close)
        self.url = room()
        self.alice = self.engine.create_session(self.url, "alice")
        self.stream = self.engine.create_outgoing_video(nv12(64, 48), limits=Limits.EXTENDED)

    def sender(self, session: Session) -> FrameSenderChanged:
        return next(event for event in session.events(PATIENCE) if isinstance(event, FrameSenderChanged))

    def test_before_connecting(self) -> None:
        self.alice.start_video(self.stream)
        with self.assertRaisesRegex(StateError, "attached"):
            self.alice.start_video(self.stream)
        bob = self.engine.create_session(self.url, "bob")
        with self.assertRaisesRegex(StateError, "attached"):
            bob.start_video(self.stream)
        bob.connect()
        self.alice.connect()
        changed = self.sender(self.alice)
        self.assertEqual(self.stream.state, OutgoingState.STARTED)
        self.assertIs(changed.outgoing_video, self.stream)
        added = next(event for event in bob.events(PATIENCE) if isinstance(event, IncomingVideoAdded))
        added.incoming_video.start()
        deadline = time.monotonic() + PATIENCE
        while not added.incoming_video.stats().frames_received and time.monotonic() < deadline:
            changed.sender.send_array(picture(changed.format), timeout=1)
            time.sleep(0.02)
        with added.incoming_video.read(PATIENCE) as frame:
            self.assertEqual((frame.width, frame.height), (64, 48))

    def test_every_time_the_session_is_connected(self) -> None:
        self.alice.start_video(self.stream)
        for _ in range(2):
            self.alice.connect(wait=False)
            self.assertIs(self.sender(self.alice).outgoing_video, self.stream)
            self.assertEqual(self.stream.state, OutgoingState.STARTED)
            self.alice.disconnect()
            while self.alice.state != SessionState.DISCONNECTED:
                time.sleep(0.005)
        self.alice.stop_video(self.stream)
        with self.assertRaises(StateError):
            self.alice.stop_video(self.stream)
        self.alice.connect()
        self.assertNotEqual(self.stream.state, OutgoingState.STARTED)

    def test_detached_before_it_started(self) -> None:
        other = self.engine.create_outgoing_video(nv12(64, 48), limits=Limits.EXTENDED)
        for stream in (self.stream, other):
            self.alice.start_video(stream)
        self.alice.stop_video(self.stream)
        other.close()
        self.alice.connect()
        self.assertNotEqual(self.stream.state, OutgoingState.STARTED)
        self.alice.start_video(self.stream)
        self.assertIs(self.sender(self.alice).outgoing_video, self.stream)

    def test_closed_while_it_is_stopped(self) -> None:
        """By another thread, which received the end of the stream before the call has returned: the stream was stopped."""
        stop = library.msdk_session_stop_video

        def stop_and_close(session: int, stream: int) -> int:
            result = int(stop(session, stream))
            self.stream.close()
            return result

        self.alice.connect()
        self.alice.start_video(self.stream)
        with mock.patch.object(library, "msdk_session_stop_video", stop_and_close):
            self.alice.stop_video(self.stream)
        with self.assertRaises(HandleError):
            self.alice.stop_video(self.stream)

    def test_refused_for_another_reason(self) -> None:
        """The same code as of a session that is not connected."""
        self.alice.connect()
        shares = [self.engine.create_outgoing_video(nv12(64, 48), limits=Limits.EXTENDED, kind="SCREEN_SHARE") for _ in range(2)]
        self.alice.start_video(shares[0])
        for stream in shares:
            with self.assertRaises(StateError):
                self.alice.start_video(stream)
        self.alice.stop_video(shares[0])
        self.alice.start_video(shares[1])
        self.assertEqual([stream.state for stream in shares], [OutgoingState.STOPPED, OutgoingState.STARTED])

    def test_what_the_room_does_not_permit(self) -> None:
        configure_room(self.engine, self.url, permissions=Permission.RECEIVE)
        self.alice.start_video(self.stream)
        self.alice.connect()
        failed = next(event for event in self.alice.events(PATIENCE) if isinstance(event, OutgoingVideoStateChanged))
        self.assertEqual((failed.outgoing_video, failed.state), (self.stream, OutgoingState.FAILED))
        self.assertIsInstance(failed.error, RefusedError)
        self.alice.stop_video(self.stream)  # it would start when the session connects again
        with self.assertRaises(RefusedError):
            self.alice.start_video(self.stream)


if __name__ == "__main__":
    unittest.main()
