"""Rooms over the network: a hub in one engine, members of another who know of it by its url."""
from __future__ import annotations

import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Optional

import sound
from call import Room, nv12
from mediasdk import (AgainError, AudioKind, Clock, ClosedError, Codec, Engine, EventType, ExistsError, Hub, IncomingAudio, IncomingVideo,
                      InvalidError, Limits, MediaIOError, MediaTimeout, NotFoundError, Permission, RangeError, RefusedError, RemovedError,
                      Session, SessionState, UnsupportedError, UntrustedError, VideoKind, access_requests, configure_room,
                      create_access_token, open_hub, PORT_ANY)

DEADLINE = 20.0


class House(Room):
    """A room that is open to the network at 127.0.0.1, and an engine for those who come."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Clock.SYSTEM)
        self.away = Engine(ignore_environment=True)
        self.hub: Hub = open_hub(self.engine, self.url, "127.0.0.1", **options)

    def close(self) -> None:
        self.away.close()
        super().close()

    def knock(self, user_id: str, url: Optional[str] = None, **options: Any) -> Session:
        session = self.away.create_session(url or self.hub.url("127.0.0.1"), user_id, **options)
        session.connect(wait=False)
        return session

    def guest(self, user_id: str, **options: Any) -> Session:
        session = self.knock(user_id, **options)
        self.event(session, EventType.SESSION_STATE, SessionState.CONNECTED)
        return session

    def reason(self, session: Session) -> Optional[Exception]:
        return self.event(session, EventType.SESSION_STATE, SessionState.DISCONNECTED).error

    def eventually(self, what: Any) -> bool:
        deadline = time.monotonic() + DEADLINE
        while not what() and time.monotonic() < deadline:
            time.sleep(0.01)
        return bool(what())

    def show(self, engine: Engine, sender: Session, receiver: Session, frames: int = 5) -> None:
        """Sends pictures until so many came."""
        stream = engine.create_outgoing_video(nv12(160, 120, 30), codec=Codec.VP8, limits=Limits.EXTENDED)
        sender.start_video(stream)
        self.event(sender, EventType.FRAME_SENDER_CHANGED)
        incoming: Optional[IncomingVideo] = self.event(receiver, EventType.INCOMING_VIDEO_ADDED).incoming_video
        assert incoming is not None
        incoming.start()
        deadline = time.monotonic() + DEADLINE
        while frames > 0:
            assert time.monotonic() < deadline, f"{frames} frames did not come"
            stream.sender.send_array(bytes([200]) * 160 * 120 + bytes([128]) * 80 * 120, timeout=1)
            try:
                with incoming.read(0.03) as frame:
                    assert (frame.width, frame.height) == (160, 120)
                    assert abs(frame.planes[0].tobytes()[80 * 120] - 200) < 20
                    frames -= 1
            except MediaTimeout:
                pass
        stream.close()


class CallTest(unittest.TestCase):
    def test_both_ways(self) -> None:
        with House() as house:
            alice, bob = house.join("alice"), house.guest("bob", display_name="Bob")
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_JOINED).user_id, "bob")
            self.assertEqual(house.event(bob, EventType.PARTICIPANT_JOINED).user_id, "alice")
            self.assertEqual([(one.user_id, one.display_name) for one in alice.participants()], [("alice", "alice"), ("bob", "Bob")])
            self.assertEqual([one.user_id for one in bob.participants()], ["bob", "alice"])
            house.show(house.engine, alice, bob)
            house.show(house.away, bob, alice)
            self.assertEqual(house.hub.info.member_count, 1)
            stats = bob.stats()
            self.assertTrue(stats.packets_sent > 3 and stats.packets_received > 3, stats)
            bob.disconnect()
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_LEFT).user_id, "bob")

    def test_sound(self) -> None:
        with House() as house:
            alice, bob = house.join("alice"), house.guest("bob")
            stream = house.away.create_outgoing_audio(codec=Codec.OPUS)
            bob.start_audio(stream)
            incoming: Optional[IncomingAudio] = house.event(alice, EventType.INCOMING_AUDIO_ADDED).incoming_audio
            assert incoming is not None
            incoming.start()
            tone, at, heard = sound.sine(440, 2, stream.format.sample_rate, stream.format.channels), 0, []
            size = stream.format.frames_per_buffer * stream.format.channels
            deadline = time.monotonic() + DEADLINE
            while len(heard) < 40 and time.monotonic() < deadline:
                try:
                    stream.send(tone[at:at + size])
                    at = (at + size) % (len(tone) // size * size)
                except AgainError:
                    pass
                try:
                    heard.append(max(incoming.read(0.01).samples, default=0))
                except MediaTimeout:
                    pass
            self.assertEqual(len(heard), 40)
            self.assertGreater(max(heard[20:]), 0.15)

    def test_codec_chosen_by_the_sdk(self) -> None:
        with House() as house:
            alice = house.join("alice")
            video, audio = house.engine.create_outgoing_video(nv12()), house.engine.create_outgoing_audio()
            alice.start_video(video)
            alice.start_audio(audio)
            house.guest("bob")
            changes = [house.event(alice, EventType.CODEC_CHANGED) for _ in range(2)]
            self.assertEqual({(change.outgoing_video, change.outgoing_audio, change.kind, change.codec) for change in changes},
                             {(video, None, VideoKind.VIRTUAL, Codec.VP8), (None, audio, AudioKind.MICROPHONE, Codec.OPUS)})

    def test_raw_streams_are_refused(self) -> None:
        with House() as house:
            bob = house.guest("bob")
            with self.assertRaisesRegex(UnsupportedError, "MSDK_CODEC_VP8"):
                bob.start_video(house.away.create_outgoing_video(nv12(), codec="RAW"))
            with self.assertRaisesRegex(UnsupportedError, "MSDK_CODEC_OPUS"):
                bob.start_audio(house.away.create_outgoing_audio(codec="RAW"))

    def test_a_page(self) -> None:
        with Engine(ignore_environment=True) as engine:
            with open_hub(engine, "loopback:page", "127.0.0.1", web_port=PORT_ANY) as hub:
                self.assertEqual(hub.web_url, f"http://127.0.0.1:{hub.info.web_port}/page")
                with urllib.request.urlopen(hub.web_url, timeout=60) as response:
                    self.assertIn(b"<title>Room</title>", response.read())
            with open_hub(engine, "loopback:page", "127.0.0.1") as hub:
                self.assertEqual((hub.web_url, hub.info.web_port), ("", 0))

    def test_sessions_by_the_web_port(self) -> None:
        """By LiveKit's protocol, without an API key: the room's verifier judges the token, and moderators have reasons."""
        with House(web_port=PORT_ANY) as house:
            configure_room(house.engine, house.url, permissions=Permission(63))
            url = f"livekit+ws://127.0.0.1:{house.hub.info.web_port}#room={house.url.partition(':')[2]}"
            alice, bob = house.join("alice"), house.guest("bob", url=url, display_name="Bob")
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_JOINED).user_id, "bob")
            self.assertEqual([(one.user_id, one.display_name) for one in bob.participants()], [("bob", "Bob"), ("alice", "alice")])
            house.show(house.engine, alice, bob)
            alice.remove_participant("bob", "enough")
            error = house.reason(bob)
            self.assertIsInstance(error, RemovedError)
            self.assertIn("enough", str(error))
            configure_room(house.engine, house.url, verified=True)
            eve = house.knock("eve", url, access_token="wrong")
            next(iter(access_requests(house.engine, house.url, timeout=10))).refuse()
            self.assertIsInstance(house.reason(eve), RefusedError)
            self.assertIsInstance(house.reason(house.knock("bob", url.replace("room=", "room=x"))), NotFoundError)

    def test_tokens_of_livekit(self) -> None:
        """A client's token is checked before it comes."""
        key, secret = "key", "a secret of thirty-two characters"
        with Engine(ignore_environment=True) as engine, open_hub(engine, "loopback:page", "127.0.0.1", web_port=PORT_ANY, access=(key, secret)) as hub:
            def answer(token: str) -> tuple[int, str]:
                url = f"http://127.0.0.1:{hub.info.web_port}/rtc/v1/validate"
                try:
                    with urllib.request.urlopen(urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"}), timeout=60) as response:
                        return response.status, response.read().decode().strip()
                except urllib.error.HTTPError as error:
                    with error:
                        return error.code, error.read().decode()

            def token(key: str = key, secret: str = secret, room: str = "page", **options: Any) -> str:
                return create_access_token(api_key=key, api_secret=secret, room=room, user_id="anna", **options)

            self.assertEqual(answer(token()), (200, "success"))
            for wrong, more in [(token(secret=secret[::-1]), "signed"), (token(key="other"), "API key"), (token(room="other"), "room"), ("a.b.c", "")]:
                status, text = answer(wrong)
                self.assertGreaterEqual(status, 400)
                self.assertIn(more, text)

    def test_close(self) -> None:
        with House() as house:
            alice, bob = house.join("alice"), house.guest("bob")
            house.hub.close()
            self.assertIsInstance(house.reason(bob), ClosedError)
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_LEFT).user_id, "bob")
            house.hub.close()
            with self.assertRaises(NotFoundError):
                house.hub.info
            with open_hub(house.engine, house.url, ["127.0.0.1"], port=house.hub.port) as again:
                self.assertEqual(again.port, house.hub.port)
                self.assertNotEqual(again.fingerprint, house.hub.fingerprint)
                house.hub = again
                house.guest("bob", url=again.url("127.0.0.1", srtp="AES_CM_128_HMAC_SHA1_80"))
        house.hub.close()  # of an engine that is gone

    def test_moderation(self) -> None:
        with House() as house:
            configure_room(house.engine, house.url, permissions=Permission.MODERATE)
            alice, bob = house.join("alice"), house.guest("bob")
            house.event(alice, EventType.PARTICIPANT_JOINED)
            alice.remove_participant("bob", "enough")
            error = house.reason(bob)
            self.assertIsInstance(error, RemovedError)
            self.assertIn("enough", str(error))


class AccessTest(unittest.TestCase):
    def test_tokens(self) -> None:
        with House() as house:
            configure_room(house.engine, house.url, verified=True)
            bob, eve = house.knock("bob", access_token="right"), house.knock("eve", access_token="wrong")
            answered = 0
            for request in access_requests(house.engine, house.url, timeout=10):
                self.assertTrue(request.admit() if request.access_token == "right" else request.refuse())
                answered += 1
                if answered == 2:
                    break
            house.event(bob, EventType.SESSION_STATE, SessionState.CONNECTED)
            self.assertIsInstance(house.reason(eve), RefusedError)

    def test_another_certificate(self) -> None:
        with House() as house:
            url = house.hub.url("127.0.0.1").replace(house.hub.fingerprint, "00:" * 31 + "00")
            error = house.reason(house.knock("bob", url))
            self.assertIsInstance(error, UntrustedError)
            self.assertIn(house.hub.fingerprint, str(error))

    def test_names(self) -> None:
        with House() as house:
            named = house.knock("bob", house.hub.url("LocalHost"))
            house.event(named, EventType.SESSION_STATE, SessionState.CONNECTED)
            error = house.reason(house.knock("carol", house.hub.url("nowhere.invalid")))
            self.assertIsInstance(error, (NotFoundError, MediaIOError, MediaTimeout))
            self.assertIn("nowhere.invalid", str(error))

    def test_urls(self) -> None:
        with House() as house:
            self.assertRegex(house.hub.url("::1"), r"^hub://\[::1\]:\d+/python-.*\?fingerprint=([0-9A-F]{2}:){31}[0-9A-F]{2}$")
            good = house.hub.url("127.0.0.1")
            self.assertEqual((house.hub.info.url, house.hub.url()), (good, good))
            for url, error, words in ((good + "&token=x", InvalidError, "apart from the url"),
                                      (good.replace("127.0.0.1", "local_host"), InvalidError, "RFC 1123"),
                                      (good.split("?")[0], InvalidError, "fingerprint"),
                                      (good + "&srtp=x", UnsupportedError, "AEAD_AES_128_GCM")):
                with self.assertRaisesRegex(error, words):
                    house.away.create_session(url, "bob")


class OptionsTest(unittest.TestCase):
    def test_what_cannot_be(self) -> None:
        with House() as house:
            def opened(*arguments: Any, room: str = "loopback:python-other", **options: Any) -> Hub:
                return open_hub(house.engine, room, *arguments, **options)

            with self.assertRaises(ExistsError):
                opened(room=house.url)
            with self.assertRaisesRegex(InvalidError, "options.addresses"):
                opened("localhost")
            with self.assertRaisesRegex(InvalidError, "1..8"):
                opened(["127.0.0.1"] * 9)
            with self.assertRaises(MediaIOError):
                opened("192.0.2.7")
            with self.assertRaises(ExistsError):
                opened("127.0.0.1", port=house.hub.port)
            with self.assertRaisesRegex(RangeError, "65535"):
                opened(port=65537)
            with self.assertRaisesRegex(InvalidError, "PORT_ANY"):
                opened(port=0)
            with self.assertRaisesRegex(RangeError, "most_members"):
                opened(most_members=1001)
            with self.assertRaises((RangeError, InvalidError)):
                opened(port=-1)
            with self.assertRaisesRegex(NotFoundError, "nothing.pem"):
                opened(certificate=(Path("nothing.pem"), "nothing.key"))
            with self.assertRaisesRegex(InvalidError, "two files"):
                opened(certificate="cert.pem")
            with tempfile.NamedTemporaryFile("w", suffix=".pem") as file, self.assertRaisesRegex(InvalidError, "holds no certificate"):
                opened(certificate=(file.name, file.name))
            with self.assertRaisesRegex(InvalidError, "api_secret has 5 bytes"):
                opened("127.0.0.1", web_port=PORT_ANY, access=("key", "short"))
            with self.assertRaisesRegex(InvalidError, "web_port"):
                opened("127.0.0.1", access=("key", "a secret of thirty-two characters"))
            with self.assertRaisesRegex(InvalidError, "two texts"):
                opened("127.0.0.1", access="key")
            with self.assertRaisesRegex(InvalidError, "without"):
                opened(room="loopback:what?")
            with self.assertRaises(UnsupportedError):
                opened(room="rtp:")

    def test_the_virtual_clock(self) -> None:
        with Room(Clock.VIRTUAL) as room, self.assertRaises(UnsupportedError):
            open_hub(room.engine, room.url)


if __name__ == "__main__":
    unittest.main()
