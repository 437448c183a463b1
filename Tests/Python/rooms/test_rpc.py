"""Methods of participants that others call."""
from __future__ import annotations

import threading
import unittest

from call import PATIENCE, Room
from mediasdk import (RPC_PAYLOAD_MAX, Clock, Engine, EventType, ExistsError, InvalidError, MediaTimeout, NotFoundError, Permission,
                      RangeError, RefusedError, RpcAvailable, RpcErrorCode, RpcKind, RpcMessage, StateError, UnsupportedError,
                      configure_room)

MS = 1_000_000


class RpcTest(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room(Clock.VIRTUAL)
        self.addCleanup(self.room.close)
        self.alice, self.bob = (self.room.join(user_id) for user_id in ("alice", "bob"))
        self.bob.rpc.register("add")

    def pass_on(self, milliseconds: int = 1) -> None:
        self.room.engine.advance_clock(milliseconds * MS)

    def test_a_call(self) -> None:
        first, second = (self.alice.rpc.call("bob", "add", payload, timeout=2.5) for payload in ("[1, 2]", "gruß"))
        self.pass_on()
        self.assertEqual(sum(isinstance(event, RpcAvailable) for event in self.bob.events(timeout=0)), 1)
        requests = [self.bob.rpc.next(timeout=0), self.bob.rpc.read()]
        self.assertEqual([(one.kind, one.user_id, one.method, one.payload, one.timeout) for one in requests if one],
                         [(RpcKind.REQUEST, "alice", "add", payload, 2.5) for payload in ("[1, 2]", "gruß")])
        self.assertIsNone(self.bob.rpc.read())
        assert requests[0] and requests[1]
        self.bob.rpc.respond(requests[1], "hi")
        self.bob.rpc.fail(requests[0].call, 77, "not today", "{}")
        self.pass_on()
        self.assertEqual(self.alice.rpc.read(), RpcMessage(RpcKind.RESPONSE, second, "bob", "hi"))
        self.assertEqual(self.alice.rpc.read(), RpcMessage(RpcKind.FAILURE, first, "bob", "{}", code=77, text="not today"))
        with self.assertRaises(NotFoundError):
            self.bob.rpc.respond(requests[0])

    def test_repr(self) -> None:
        self.assertEqual(repr(self.alice.rpc), "<Rpc of alice>")

    def test_what_does_not_succeed(self) -> None:
        unknown = self.alice.rpc.call("bob", "subtract")
        late = self.alice.rpc.call("bob", "add", timeout=1)
        self.pass_on()
        self.pass_on(1000)
        found = [self.alice.rpc.next(timeout=0), self.alice.rpc.next(timeout=0)]
        self.assertEqual([(one.kind, one.call, one.code) for one in found],
                         [(RpcKind.FAILURE, unknown, RpcErrorCode.METHOD_NOT_REGISTERED), (RpcKind.FAILURE, late, RpcErrorCode.NO_RESPONSE)])
        with self.assertRaises(MediaTimeout):
            self.alice.rpc.next(timeout=0)
        self.bob.rpc.unregister("add")
        self.alice.rpc.call("bob", "add")
        self.pass_on()
        self.assertEqual(self.alice.rpc.next(timeout=0).code, RpcErrorCode.METHOD_NOT_REGISTERED)

    def test_as_much_as_fits(self) -> None:
        text = "x" * RPC_PAYLOAD_MAX
        self.alice.rpc.call("bob", "add", text)
        self.pass_on()
        self.assertEqual(self.bob.rpc.next(timeout=0).payload, text)

    def test_a_thread_waits(self) -> None:
        room = Room()
        self.addCleanup(room.close)
        alice, bob = (room.join(user_id) for user_id in ("alice", "bob"))
        room.event(alice, EventType.PARTICIPANT_JOINED)
        bob.rpc.register("add")

        def serve() -> None:
            request = bob.rpc.next(PATIENCE)
            bob.rpc.respond(request, request.payload.upper())

        thread = threading.Thread(target=serve)
        thread.start()
        call = alice.rpc.call("bob", "add", "abc")
        self.assertEqual(alice.rpc.next(PATIENCE), RpcMessage(RpcKind.RESPONSE, call, "bob", "ABC"))
        thread.join(PATIENCE)

    def test_bad_input(self) -> None:
        rpc = self.alice.rpc
        for call, error in (
            (lambda: rpc.call("bob", "add", "x" * (RPC_PAYLOAD_MAX + 1)), InvalidError),
            (lambda: rpc.call("bob", ""), InvalidError),
            (lambda: rpc.call("bob", "a\0b"), InvalidError),
            (lambda: rpc.call("bob", "add", timeout=3601), RangeError),
            (lambda: rpc.call("dora", "add"), NotFoundError),
            (lambda: rpc.fail(1, -1), RangeError),
            (lambda: rpc.respond(99), NotFoundError),
            (lambda: rpc.unregister("add"), NotFoundError),
            (lambda: self.bob.rpc.register("add"), ExistsError),
        ):
            with self.subTest(error=error), self.assertRaises(error):
                call()
        with Engine(ignore_environment=True) as engine:
            with self.assertRaises(StateError):
                engine.create_session("loopback:nowhere", "alice").rpc.call("bob", "add")
            with self.assertRaises(UnsupportedError):
                engine.create_session("rtp://127.0.0.1:9", "alice").rpc.register("add")

    def test_permission(self) -> None:
        quiet = Room(Clock.VIRTUAL)
        self.addCleanup(quiet.close)
        configure_room(quiet.engine, quiet.url, permissions=Permission.RECEIVE)
        carol = quiet.join("carol")
        quiet.join("dora")
        with self.assertRaises(RefusedError):
            carol.rpc.call("dora", "add")


if __name__ == "__main__":
    unittest.main()
