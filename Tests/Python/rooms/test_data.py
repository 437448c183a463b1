"""Data that participants send each other beside streams."""
from __future__ import annotations

import asyncio
import select
import threading
import time
import unittest

from call import PATIENCE, Room
from mediasdk import (DATA_MAX, DATA_RECIPIENTS_MAX, DATA_TOPIC_MAX, AgainError, Clock, ClosedError, Data, DataAvailable, DataWritable,
                      Engine, Event, EventType, HandleError, InvalidError, MediaTimeout, NotFoundError, ParticipantJoined, Permission,
                      RangeError, RefusedError, Session, StateError, UnsupportedError, configure_room)

MS = 1_000_000


class DataTest(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room(Clock.VIRTUAL)
        self.addCleanup(self.room.close)
        self.alice, self.bob, self.carol = (self.room.join(user_id) for user_id in ("alice", "bob", "carol"))

    def pass_on(self) -> None:
        self.room.engine.advance_clock(MS)

    def events(self, session: Session, kind: type[Event]) -> list[Event]:
        return [event for event in session.events(timeout=0) if isinstance(event, kind)]

    def test_to_everybody_and_to_some(self) -> None:
        self.alice.send_data(b"hello", topic="gruß")
        self.alice.send_data(bytearray(b"for two"), to=["bob", "carol"])
        self.alice.send_data(memoryview(b"..for bob..")[2:9], to="bob", lossy=True)
        self.alice.send_data(b"", to=(user_id for user_id in ("carol",)))
        self.pass_on()
        self.assertEqual(len(self.events(self.bob, DataAvailable)), 1)
        both = [Data(b"hello", "alice", "gruß"), Data(b"for two", "alice")]
        self.assertEqual(list(self.bob.data(timeout=0)), [*both, Data(b"for bob", "alice", is_lossy=True)])
        self.assertEqual(list(self.carol.data(timeout=0)), [*both, Data(b"", "alice")])
        self.assertIsNone(self.alice.read_data())

    def test_as_much_as_fits_at_once(self) -> None:
        """More than the first buffer of the binding has room for."""
        data = bytes(range(256)) * (DATA_MAX // 256)
        self.bob.send_data(data)
        self.pass_on()
        self.assertEqual(self.alice.next_data(timeout=0), Data(data, "bob"))
        with self.assertRaises(MediaTimeout):
            self.alice.next_data(timeout=0)

    def test_a_full_session_says_when_there_is_room(self) -> None:
        sent = 0
        with self.assertRaises(AgainError):
            while True:
                self.alice.send_data(str(sent).encode())
                sent += 1
        self.assertEqual(sent, 1024)
        self.alice.send_data(b"lost", lossy=True)
        self.assertEqual(self.events(self.alice, DataWritable), [])
        self.pass_on()
        self.assertEqual(len(self.events(self.alice, DataWritable)), 1)
        self.alice.send_data(b"last")
        self.pass_on()
        self.assertEqual([one.data for one in self.bob.data(timeout=0)], [*(str(number).encode() for number in range(sent)), b"last"])

    def test_what_is_not_read_is_dropped_and_counted(self) -> None:
        for number in range(5_000):
            self.alice.send_data(number.to_bytes(2, "big"))
            if number % 500 == 499:
                self.pass_on()
        first, second, *others = self.bob.data(timeout=0)
        self.assertEqual((first.missed, int.from_bytes(first.data, "big")), (904, 904))
        self.assertEqual((second.missed, len(others)), (0, 4_094))

    def test_events_are_kept_while_data_is_waited_for(self) -> None:
        list(self.alice.events(timeout=0))
        self.room.join("dora")
        with self.assertRaises(MediaTimeout):
            self.alice.next_data(timeout=0.01)
        self.assertEqual([event.user_id for event in self.events(self.alice, ParticipantJoined)], ["dora"])

    def test_what_is_wrong_is_said(self) -> None:
        cases: list[tuple[type[Exception], str, dict[str, object]]] = [
            (RangeError, str(DATA_MAX + 1), {"data": bytes(DATA_MAX + 1)}),
            (InvalidError, "topic", {"topic": "t" * (DATA_TOPIC_MAX + 1)}),
            (InvalidError, "topic", {"topic": "a\0b"}),
            (InvalidError, "buffer", {"data": "text"}),
            (RangeError, "to is empty", {"to": []}),
            (RangeError, str(DATA_RECIPIENTS_MAX), {"to": ["bob"] * (DATA_RECIPIENTS_MAX + 1)}),
            (InvalidError, "to is int", {"to": [7]}),
            (NotFoundError, "nobody", {"to": ["bob", "nobody"]}),
            (NotFoundError, "alice", {"to": "alice"}),
        ]
        for kind, text, arguments in cases:
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                self.alice.send_data(**{"data": b"", **arguments})  # type: ignore[arg-type]
        with self.assertRaisesRegex(InvalidError, "timeout is -1"):
            self.alice.next_data(timeout=-1)
        self.pass_on()
        self.assertIsNone(self.bob.read_data())

    def test_states_and_permissions(self) -> None:
        idle = self.room.engine.create_session(self.room.url, "erik")
        with self.assertRaises(StateError):
            idle.send_data(b"early")
        self.alice.send_data(b"before")
        self.pass_on()
        self.bob.disconnect()
        self.pass_on()
        self.assertEqual(self.bob.next_data(timeout=0).data, b"before")
        idle.close()
        for take in (idle.read_data, idle.next_data):
            with self.assertRaises(HandleError):
                take()
        self.assertEqual(list(idle.data()), [])
        with Room(Clock.VIRTUAL) as quiet:
            configure_room(quiet.engine, quiet.url, permissions=Permission.RECEIVE)
            listener = quiet.join("listener")
            self.assertEqual(listener.participants()[0].permissions, Permission.RECEIVE)
            with self.assertRaises(RefusedError):
                listener.send_data(b"")
        self.assertIn(Permission.SEND_DATA, self.alice.participants()[0].permissions)

    def test_rtp_has_none(self) -> None:
        with Engine(ignore_environment=True) as engine:
            camera = engine.create_session("rtp://127.0.0.1:5004", "camera")
            for call in (lambda: camera.send_data(b""), camera.read_data, camera.next_data, lambda: next(camera.data())):
                with self.assertRaisesRegex(UnsupportedError, "rtp:"):
                    call()


class WaitingTest(unittest.TestCase):
    """On the system's clock: threads and tasks that wait."""

    def setUp(self) -> None:
        self.room = Room()
        self.addCleanup(self.room.close)
        self.alice, self.bob = self.room.join("alice"), self.room.join("bob")
        for session in (self.alice, self.bob):  # nothing else is announced from now on
            next(event for event in session.events(timeout=PATIENCE) if isinstance(event, ParticipantJoined))

    def test_a_thread_for_data_and_one_for_events(self) -> None:
        """Each gets what is its own, though the two share the queue that announces it."""
        data: list[bytes] = []
        joined: list[str] = []

        def read_data() -> None:
            data.extend(one.data for one in self.bob.data())

        def read_events() -> None:
            joined.extend(event.user_id for event in self.bob.events() if isinstance(event, ParticipantJoined))

        threads = [threading.Thread(target=target, daemon=True) for target in (read_data, read_events, read_data)]
        for thread in threads:
            thread.start()
        for number in range(20):
            self.alice.send_data(str(number).encode())
            self.room.join(f"guest-{number}")
        self.alice.send_data(b"end")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and (b"end" not in data or "guest-19" not in joined):
            time.sleep(0.005)
        self.bob.close()
        for thread in threads:
            thread.join(PATIENCE)
            self.assertFalse(thread.is_alive())
        self.assertEqual(sorted(data), sorted([*(str(number).encode() for number in range(20)), b"end"]))
        self.assertEqual([user_id for user_id in joined if user_id != "alice"], [f"guest-{number}" for number in range(20)])

    def test_a_timeout(self) -> None:
        started = time.monotonic()
        with self.assertRaisesRegex(MediaTimeout, "no data came in 0.1 s"):
            self.bob.next_data(timeout=0.1)
        self.assertTrue(0.09 < time.monotonic() - started < 5)
        self.assertEqual(list(self.bob.data(timeout=0.01)), [])

    def test_close_ends_waiting(self) -> None:
        timer = threading.Timer(0.05, self.bob.close)
        timer.start()
        with self.assertRaises(ClosedError):
            self.bob.next_data(timeout=PATIENCE)
        timer.join()

    def test_asyncio(self) -> None:
        async def read(found: list[Data]) -> None:
            async for data in self.bob.data_async():
                found.append(data)
                self.bob.send_data(data.data, topic="echo", to=[data.user_id])

        async def watch(joined: list[str]) -> None:
            async for event in self.bob:
                if isinstance(event, ParticipantJoined):
                    joined.append(event.user_id)

        async def go() -> None:
            found: list[Data] = []
            joined: list[str] = []
            tasks = [asyncio.create_task(read(found)), asyncio.create_task(watch(joined))]
            for number in range(20):
                self.alice.send_data(str(number).encode())
                self.assertEqual(await self.alice.next_data_async(PATIENCE), Data(str(number).encode(), "bob", "echo"))
            self.room.join("carol")
            while "carol" not in joined:
                await asyncio.sleep(0.005)
            self.assertEqual([one.data for one in found], [str(number).encode() for number in range(20)])
            with self.assertRaises(MediaTimeout):
                await self.alice.next_data_async(0.05)
            waiting = asyncio.create_task(self.bob.next_data_async())
            await asyncio.sleep(0.05)
            self.bob.close()
            with self.assertRaises(ClosedError):
                await waiting
            await asyncio.gather(*tasks)
            with self.assertRaises(HandleError):  # closed before
                await self.bob.next_data_async()

        asyncio.run(asyncio.wait_for(go(), PATIENCE * 3))

    def test_waiting_costs_no_cpu(self) -> None:
        async def go() -> float:
            started = time.process_time()
            with self.assertRaises(MediaTimeout):
                await self.bob.next_data_async(1)
            return time.process_time() - started

        self.assertLess(asyncio.run(go()), 0.1)

    def test_the_descriptor_of_events_announces_data(self) -> None:
        list(self.bob.events(timeout=0))
        self.alice.send_data(b"hello")
        self.assertTrue(select.select([self.bob.fileno()], [], [], PATIENCE)[0])
        self.assertEqual(self.bob.next_event(timeout=0).type, EventType.DATA_AVAILABLE)
        self.assertEqual(self.bob.read_data(), Data(b"hello", "alice"))


if __name__ == "__main__":
    unittest.main()
