"""Sessions at servers of WHIP and WHEP. The server is one of Python's, with a session over WebRTC for each client. In real time: over
sockets of this machine."""
from __future__ import annotations

import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Callable, Optional

import mediasdk
from call import Room, nv12, picture
from mediasdk import (Clock, Codec, EventType, InvalidError, Limits, MediaTimeout, OutgoingState, Session, SessionState, Status,
                      UnsupportedError, UntrustedError)

DEADLINE = 30.0


def wait(what: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline and not what():
        time.sleep(0.01)
    return what()


class Server(ThreadingHTTPServer):
    """Answers each offer with the description of a session of its own: one that receives at /whip, one that is sent at /whep."""

    daemon_threads = True

    def __init__(self, room: Room) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.room = room
        self.refusal = 0
        self.requests: list[tuple[str, str]] = []
        self.token: Optional[str] = None
        self.peer: Optional[Session] = None
        self.prepare: Callable[[Session], None] = lambda session: None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, kind: str, more: str = "") -> str:
        return f"{kind}+http://127.0.0.1:{self.server_address[1]}/{kind}/lobby{more}"

    def answer(self, offer: str) -> str:
        peer = self.peer = self.room.engine.create_session("webrtc:?trickle=0&loopback=1", "server")
        self.prepare(peer)
        peer.connect(wait=False)
        peer.set_remote_description("offer", offer)
        peer.describe()
        while peer.next_event(DEADLINE).type != EventType.CANDIDATES_COMPLETE:
            pass
        return peer.local_description()

    def methods(self) -> list[str]:
        return [method for method, _ in self.requests]


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def reply(self, code: int, body: str = "", **fields: str) -> None:
        self.send_response(code)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def take(self) -> str:
        self.server.requests.append((self.command, self.path))
        return self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()

    def do_POST(self) -> None:
        offer = self.take()
        self.server.token = self.headers.get("Authorization")
        if self.server.refusal:
            return self.reply(self.server.refusal)
        self.reply(201, self.server.answer(offer), Content_Type="application/sdp", Location="/sessions/1")

    def do_PATCH(self) -> None:
        self.take()
        self.reply(405)

    def do_DELETE(self) -> None:
        self.take()
        self.reply(200)


class WHIP(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room(Clock.SYSTEM)
        self.addCleanup(self.room.engine.close)
        self.server = Server(self.room)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def film(self, session: Session) -> mediasdk.OutgoingVideo:
        stream = self.room.engine.create_outgoing_video(nv12(160, 120, 30), codec=Codec.VP8, limits=Limits.EXTENDED)
        session.start_video(stream)
        return stream

    def show(self, stream: mediasdk.OutgoingVideo, receiver: Callable[[], Optional[Session]], frames: int = 5) -> None:
        """Sends pictures until so many came out at the other end."""
        incoming: Optional[mediasdk.IncomingVideo] = None
        deadline = time.monotonic() + DEADLINE
        while frames > 0:
            self.assertLess(time.monotonic(), deadline, f"{frames} frames did not come")
            session = receiver()
            try:
                if stream.state == OutgoingState.STARTED:
                    stream.sender.send_array(picture(stream.sender.format), timeout=1)
                if incoming is not None:
                    with incoming.read(0.03) as frame:
                        self.assertEqual((frame.width, frame.height), (160, 120))
                        frames -= 1
                elif session is not None and session.state == SessionState.CONNECTED:
                    event = session.next_event(0.03)
                    if event.type == EventType.INCOMING_VIDEO_ADDED:
                        incoming = event.incoming_video
                        incoming.start()
                else:
                    time.sleep(0.03)
            except MediaTimeout:
                pass

    def test_publish(self) -> None:
        for more in ("", "#trickle=0"):
            with self.subTest(more):
                alice = self.room.engine.create_session(self.server.url("whip", more), "alice", access_token="secret")
                stream = self.film(alice)
                alice.connect(wait=False)
                self.show(stream, lambda: self.server.peer)
                self.assertEqual(self.server.token, "Bearer secret")
                self.assertEqual(self.server.requests[0], ("POST", "/whip/lobby"))
                alice.disconnect()
                self.assertTrue(wait(lambda: ("DELETE", "/sessions/1") in self.server.requests))
                self.server.requests.clear()

    def test_play(self) -> None:
        films: list[mediasdk.OutgoingVideo] = []
        self.server.prepare = lambda session: films.append(self.film(session))
        bob = self.room.engine.create_session(self.server.url("whep", "#trickle=0"), "bob")
        bob.connect(wait=False)
        self.assertTrue(wait(lambda: len(films) == 1))
        self.show(films[0], lambda: bob)
        with self.assertRaisesRegex(UnsupportedError, "WHEP receives only"):
            self.film(bob)

    def test_refused(self) -> None:
        for code, name in ((401, "PERMISSION"), (404, "NOT_FOUND"), (406, "FORMAT"), (405, "UNSUPPORTED")):
            with self.subTest(code):
                self.server.refusal = code
                session = self.room.engine.create_session(self.server.url("whep"), "bob")
                session.connect(wait=False)
                while True:
                    event = session.next_event(DEADLINE)
                    if event.type == EventType.SESSION_STATE and event.state == SessionState.DISCONNECTED:
                        break
                self.assertEqual(Status(event.status).name, name)
                self.assertIn(str(code), event.text)
                self.assertEqual(self.server.methods()[-1], "POST")

    def test_urls(self) -> None:
        for url, error, words in (
            ("whip+http://192.0.2.1/a", UntrustedError, "not encrypted"),
            ("whip+https://example.org/a#token=x", InvalidError, "access token"),
            ("whep+https://example.org/a#receive=none", InvalidError, "nothing would be received"),
            ("whip+ftp://example.org/a", UnsupportedError, "accepted: "),
        ):
            with self.subTest(url), self.assertRaisesRegex(error, words):
                self.room.engine.create_session(url, "alice")
