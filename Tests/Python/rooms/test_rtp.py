"""Sessions over RTP: two ends of a wire on this machine, their descriptions and keys, and what is wrong with both."""
from __future__ import annotations

import socket
import time
import unittest
from typing import Optional

from call import Room, free_ports, nv12, picture
from mediasdk import (Clock, Codec, EventType, ExistsError, HandleError, IncomingVideo, InvalidError, Limits, MediaIOError, MediaTimeout,
                      NotFoundError, OutgoingVideo, RangeError, SdpType, Session, SessionState, StateError, UnsupportedError)

KEY = bytes(range(44))
DEADLINE = 20.0


class Wire(Room):
    """alice and bob, who know each other's ports."""

    def __init__(self, more: str = "") -> None:
        super().__init__(Clock.SYSTEM)
        port = free_ports(4)
        self.alice = self.engine.create_session(f"rtp://127.0.0.1:{port + 2}?local=127.0.0.1:{port}{more}", "alice")
        self.bob = self.engine.create_session(f"rtp://127.0.0.1:{port}?local=127.0.0.1:{port + 2}{more}", "bob")
        self.name = f"127.0.0.1:{port}"  # alice's, for bob

    def connect(self, *sessions: Session) -> None:
        for session in sessions or (self.bob, self.alice):
            session.connect(wait=False)
            self.event(session, EventType.SESSION_STATE, SessionState.CONNECTED)

    def show(self, sender: Session, receiver: Session, frames: int = 5) -> tuple[OutgoingVideo, IncomingVideo]:
        """Sends pictures until so many came out at the other end."""
        stream = self.engine.create_outgoing_video(nv12(160, 120, 30), codec=Codec.VP8, limits=Limits.EXTENDED)
        sender.start_video(stream)
        self.event(sender, EventType.FRAME_SENDER_CHANGED)
        incoming: Optional[IncomingVideo] = None
        deadline = time.monotonic() + DEADLINE
        while frames > 0:
            if time.monotonic() > deadline:
                raise AssertionError(f"{frames} frames did not come")
            stream.sender.send_array(picture(stream.sender.format), timeout=1)
            try:
                if incoming is None:
                    event = receiver.next_event(0.03)
                    if event.type == EventType.INCOMING_VIDEO_ADDED:
                        incoming = event.incoming_video
                        incoming.start()
                else:
                    with incoming.read(0.03) as frame:
                        assert (frame.width, frame.height) == (160, 120)
                        frames -= 1
            except MediaTimeout:
                pass
        assert incoming is not None
        return stream, incoming


class CallTest(unittest.TestCase):
    def test_both_ways(self) -> None:
        for more in ("", "&rtcp-mux=1&feedback=1&rtx=97"):
            with Wire(more) as wire:
                wire.connect()
                wire.show(wire.alice, wire.bob)
                wire.show(wire.bob, wire.alice)
                self.assertEqual([one.user_id for one in wire.bob.participants()], ["bob", wire.name])
                wire.alice.disconnect()
                left = wire.event(wire.bob, EventType.PARTICIPANT_LEFT)
                self.assertEqual(left.user_id, wire.name)

    def test_protected(self) -> None:
        for suite, size in (("AES_CM_128_HMAC_SHA1_80", 30), ("AEAD_AES_128_GCM", 28), ("AEAD_AES_256_GCM", 44)):
            with Wire(f"&srtp={suite}") as wire:
                own, theirs = KEY[:size], KEY[:size][::-1]
                with self.assertRaisesRegex(StateError, "msdk_session_set_srtp_keys"):
                    wire.alice.connect()
                wire.alice.set_srtp_keys(own, theirs)
                wire.bob.set_srtp_keys(theirs, own)
                wire.connect()
                wire.show(wire.alice, wire.bob)
                with self.assertRaisesRegex(StateError, "connected"):
                    wire.alice.set_srtp_keys(own, theirs)

    def test_offer_and_answer(self) -> None:
        for protection in ("", "&srtp=AEAD_AES_128_GCM"):
            with Wire() as wire:
                alice = wire.engine.create_session("rtp:?host=127.0.0.1" + protection, "alice")
                bob = wire.engine.create_session("rtp:?host=127.0.0.1", "bob")
                offer = alice.local_sdp()
                self.assertTrue(offer.startswith("v=0\r\n") and offer.endswith("\r\n") and "a=rtpmap:96 VP8/90000\r\n" in offer)
                self.assertEqual("a=crypto:" in offer, protection != "")
                self.assertEqual(alice.local_sdp(), offer)
                bob.set_remote_sdp(SdpType.OFFER, offer)
                alice.set_remote_sdp(SdpType.ANSWER, bob.local_sdp())
                wire.connect(bob, alice)
                wire.show(alice, bob)
                with self.assertRaisesRegex(StateError, "connected"):
                    bob.set_remote_sdp(SdpType.OFFER, offer)

    def test_announced(self) -> None:
        with Wire() as wire:
            port = free_ports(4)
            alice = wire.engine.create_session(f"rtp://127.0.0.1:{port}?local={port + 2}&media=video&direction=sendonly", "alice")
            bob = wire.engine.create_session("rtp:", "bob")
            bob.set_remote_sdp(SdpType.ANNOUNCED, alice.local_sdp())
            wire.connect(bob, alice)
            wire.show(alice, bob)
            with self.assertRaisesRegex(StateError, "announced"):
                bob.local_sdp()


class RefusalTest(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room(Clock.SYSTEM)
        self.addCleanup(self.room.close)

    def session(self, url: str) -> Session:
        return self.room.engine.create_session(url, "me")

    def test_types(self) -> None:
        self.assertEqual([int(SdpType.OFFER), int(SdpType.ANSWER), int(SdpType.ANNOUNCED)], [1, 2, 3])
        with self.assertRaisesRegex(UnsupportedError, "MSDK_SDP_OFFER"):
            self.session("rtp:").set_remote_sdp(SdpType(4), "v=0")

    def test_urls(self) -> None:
        for url, error, words in (
                ("rtp://127.0.0.1", InvalidError, "127.0.0.1"), ("rtp://127.0.0.1:0", RangeError, "1..65535"),
                ("rtp://a_b:5004", InvalidError, "RFC 1123"),
                ("rtp://127.0.0.1:5004?colour=red", InvalidError, "colour"), ("rtp://127.0.0.1:5004?mtu=1", RangeError, "mtu=1"),
                ("rtp:?local=1", InvalidError, "local"), ("rtps://127.0.0.1:5004", UnsupportedError, "rtp://HOST:PORT")):
            with self.assertRaisesRegex(error, words):
                self.session(url)

    def test_names(self) -> None:
        session = self.session("rtp://nowhere.invalid:5004")
        session.connect(wait=False)
        error = self.room.event(session, EventType.SESSION_STATE, SessionState.DISCONNECTED).error
        self.assertIsInstance(error, (NotFoundError, MediaIOError, MediaTimeout))
        self.assertIn("nowhere.invalid", str(error))
        named = self.session("rtp://localhost:5004?local=127.0.0.1:0&direction=sendonly")
        named.connect(wait=False)
        self.room.event(named, EventType.SESSION_STATE, SessionState.CONNECTED)

    def test_virtual_clock(self) -> None:
        with Room(Clock.VIRTUAL) as room, self.assertRaisesRegex(UnsupportedError, "virtual clock"):
            room.engine.create_session("rtp://127.0.0.1:5004", "me")

    def test_raw_streams(self) -> None:
        with Wire() as wire:
            wire.connect()
            with self.assertRaisesRegex(UnsupportedError, "MSDK_CODEC_VP8"):
                wire.alice.start_video(wire.engine.create_outgoing_video(nv12(), codec="RAW", limits=Limits.EXTENDED))

    def test_keys(self) -> None:
        session = self.session("rtp://127.0.0.1:5004?srtp=AES_CM_128_HMAC_SHA1_80")
        for own, theirs, words in ((KEY[:29], KEY[:30], "own"), (KEY[:30], b"", "theirs"), (KEY * 3, KEY[:30], "own")):
            with self.assertRaisesRegex(InvalidError, words):
                session.set_srtp_keys(own, theirs)
        with self.assertRaisesRegex(StateError, "srtp"):
            self.session("rtp://127.0.0.1:5004").set_srtp_keys(KEY, KEY)

    def test_descriptions(self) -> None:
        session = self.session("rtp:")
        for text, words in (("", "SDP"), ("hello", "line 1"), ("v=0\r\no=x\r\n", "line 2"), ("v=0" + "x" * 70_000, "65536"), ("v=0\0", "sdp")):
            with self.assertRaisesRegex((InvalidError, ValueError), words):
                session.set_remote_sdp(SdpType.OFFER, text)
        with self.assertRaisesRegex(StateError, "offer"):
            session.set_remote_sdp(SdpType.ANSWER, "v=0")
        with self.assertRaisesRegex(StateError, "msdk_session_set_remote_sdp"):
            session.connect()
        for url in ("rtp://127.0.0.1:5004", "loopback:lobby"):
            with self.assertRaisesRegex(StateError, "rtp:"):
                self.session(url).set_remote_sdp(SdpType.OFFER, "v=0")
        session.close()
        with self.assertRaises(HandleError):
            session.local_sdp()

    def test_a_port_that_is_taken(self) -> None:
        port = free_ports(2)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", port))
            session = self.session(f"rtp://127.0.0.1:9?local=127.0.0.1:{port}")
            with self.assertRaisesRegex(ExistsError, str(port)):
                session.connect()
        self.room.events.clear()
        session.connect()
        self.room.event(session, EventType.SESSION_STATE, SessionState.CONNECTED)


if __name__ == "__main__":
    unittest.main()
