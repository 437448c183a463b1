"""Rooms over the network: one engine serves the room, members of another know of it by its url."""
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
from mediasdk import (PORT_ANY, AgainError, AudioKind, Clock, ClosedError, Codec, CorruptError, Engine, EventType, ExistsError, FullError,
                      IncomingAudio, IncomingVideo, InvalidError, Limits, MediaIOError, MediaTimeout, NotFoundError, Permission, RangeError,
                      RefusedError, RemovedError, RoomServer, Session, SessionState, UnsupportedError, UntrustedError, VideoKind,
                      access_requests, configure_room, create_access_token, serve_room)

DEADLINE = 20.0
KEY, SECRET = "key", "a secret of thirty-two characters"
LOOPBACK, EVERYWHERE = "127.0.0.1", "0.0.0.0"  # without TLS, and with it


class House(Room):
    """A room that is served over the network, and an engine for those who come, at 127.0.0.1."""

    def __init__(self, addresses: str = LOOPBACK, url: Optional[str] = None, **options: Any) -> None:
        super().__init__(Clock.SYSTEM, url)
        self.away = Engine(ignore_environment=True)
        self.server: RoomServer = serve_room(self.engine, self.url, addresses, **options)

    def close(self) -> None:
        self.away.close()
        super().close()

    def knock(self, user_id: str, url: Optional[str] = None, **options: Any) -> Session:
        session = self.away.create_session(url or self.server.url("127.0.0.1"), user_id, **options)
        session.connect(wait=False)
        return session

    def guest(self, user_id: str, **options: Any) -> Session:
        session = self.knock(user_id, **options)
        self.event(session, EventType.SESSION_STATE, SessionState.CONNECTED)
        return session

    def token(self, user_id: str, *, room: Optional[str] = None, secret: str = SECRET, **options: Any) -> str:
        return create_access_token(api_key=KEY, api_secret=secret, room=room or self.url.split(":", 1)[1], user_id=user_id, **options)

    def reason(self, session: Session) -> Optional[Exception]:
        return self.event(session, EventType.SESSION_STATE, SessionState.DISCONNECTED).error

    def eventually(self, what: Any) -> bool:
        deadline = time.monotonic() + DEADLINE
        while not what() and time.monotonic() < deadline:
            time.sleep(0.01)
        return bool(what())

    def added(self, receiver: Session, kind: EventType, timeout: float) -> Any:
        while (event := receiver.next_event(timeout)).type != kind:
            pass
        return event

    def show(self, engine: Engine, sender: Session, receiver: Session, frames: int = 5) -> None:
        """Sends pictures until so many came."""
        stream = engine.create_outgoing_video(nv12(160, 120, 30), codec=Codec.VP8, limits=Limits.EXTENDED)
        sender.start_video(stream)
        self.event(sender, EventType.FRAME_SENDER_CHANGED)
        incoming: Optional[IncomingVideo] = None
        deadline = time.monotonic() + DEADLINE
        while frames > 0:
            assert time.monotonic() < deadline, f"{frames} frames did not come"
            stream.sender.send_array(bytes([200]) * 160 * 120 + bytes([128]) * 80 * 120, timeout=1)
            try:
                if incoming is None:
                    incoming = self.added(receiver, EventType.INCOMING_VIDEO_ADDED, 0.03).incoming_video
                    assert incoming is not None
                    incoming.start()
                with incoming.read(0.03) as frame:
                    assert (frame.width, frame.height) == (160, 120)
                    assert abs(frame.planes[0].tobytes()[80 * 120] - 200) < 20
                    frames -= 1
            except MediaTimeout:
                pass
        stream.close()


class CallTest(unittest.TestCase):
    def both_ways(self, addresses: str) -> None:
        with House(addresses) as house:
            self.assertEqual(house.server.info.member_count, 0)
            alice, bob = house.join("alice"), house.guest("bob", display_name="Bob")
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_JOINED).user_id, "bob")
            self.assertEqual(house.event(bob, EventType.PARTICIPANT_JOINED).user_id, "alice")
            self.assertEqual([(one.user_id, one.display_name) for one in alice.participants()], [("alice", "alice"), ("bob", "Bob")])
            self.assertEqual([one.user_id for one in bob.participants()], ["bob", "alice"])
            house.show(house.engine, alice, bob)
            house.show(house.away, bob, alice)
            self.assertEqual(house.server.info.member_count, 1)
            stats = bob.stats()
            self.assertTrue(stats.packets_sent > 3 and stats.packets_received > 3, stats)
            bob.disconnect()
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_LEFT).user_id, "bob")
            self.assertTrue(house.eventually(lambda: house.server.info.member_count == 0))

    def test_both_ways(self) -> None:
        self.both_ways(LOOPBACK)

    def test_both_ways_over_tls(self) -> None:
        self.both_ways(EVERYWHERE)

    def test_sound(self) -> None:
        with House() as house:
            alice, bob = house.join("alice"), house.guest("bob")
            stream = house.away.create_outgoing_audio(codec=Codec.OPUS)
            bob.start_audio(stream)
            incoming: Optional[IncomingAudio] = None
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
                    if incoming is None:
                        incoming = house.added(alice, EventType.INCOMING_AUDIO_ADDED, 0.01).incoming_audio
                        assert incoming is not None
                        incoming.start()
                    heard.append(max(incoming.read(0.01).samples, default=0))
                except MediaTimeout:
                    pass
            self.assertEqual(len(heard), 40)
            self.assertGreater(max(heard[20:]), 0.15)

    def test_streams_are_known_before_media(self) -> None:
        """Whoever starts a stream is seen to have it, as in a room of one process, though no frame was sent yet."""
        with House() as house:
            alice, bob, carol = house.join("alice"), house.guest("bob"), house.guest("carol")
            video, audio = house.away.create_outgoing_video(nv12()), house.away.create_outgoing_audio()
            bob.start_video(video)
            bob.start_audio(audio)
            for session in (alice, carol):
                for kind in (EventType.INCOMING_VIDEO_ADDED, EventType.INCOMING_AUDIO_ADDED):
                    with self.subTest(user=session.user_id, kind=kind):
                        try:
                            self.assertEqual(house.added(session, kind, DEADLINE).user_id, "bob")
                        except MediaTimeout:
                            self.fail("the stream is not known")

    def wanted(self, house: House, engine: Engine, sender: Session, receiver: Session) -> None:
        stream = engine.create_outgoing_video(nv12(160, 120, 30), codec=Codec.VP8, limits=Limits.EXTENDED)
        sender.start_video(stream)
        house.event(sender, EventType.FRAME_SENDER_CHANGED)

        def told(session: Session, kind: EventType) -> Any:
            deadline = time.monotonic() + DEADLINE
            while time.monotonic() < deadline:
                stream.sender.send_array(bytes([200]) * 160 * 120 + bytes([128]) * 80 * 120, timeout=1)
                try:
                    return house.added(session, kind, 0.03)
                except MediaTimeout:
                    pass
            raise AssertionError(f"{kind!r} did not come")

        incoming = told(receiver, EventType.INCOMING_VIDEO_ADDED).incoming_video
        # Nobody receives it yet, whoever passes it on.
        with self.assertRaises(MediaTimeout):
            house.added(sender, EventType.RECEIVERS, 0)
        incoming.start()
        self.assertEqual(told(sender, EventType.RECEIVERS).count, 1)
        incoming.set_preference(width=80, height=60, fps=5)
        event = told(sender, EventType.OUTGOING_VIDEO_WANTED)
        self.assertEqual((event.width, event.height, event.fps), (80, 60, 5))
        incoming.stop()
        self.assertEqual(told(sender, EventType.RECEIVERS).count, 0)

    def test_what_receivers_want(self) -> None:
        """Senders are told who receives, and what they want, as in a room of one process."""
        with House() as house:
            alice, bob, carol = house.join("alice"), house.guest("bob"), house.guest("carol")
            for engine, sender, receiver in ((house.engine, alice, bob), (house.away, bob, alice), (house.away, carol, bob)):
                with self.subTest(sender=sender.user_id, receiver=receiver.user_id):
                    self.wanted(house, engine, sender, receiver)

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
            with serve_room(engine, "loopback:a page", "127.0.0.1") as server:
                self.assertEqual(server.page_url, f"http://127.0.0.1:{server.port}/a%20page")
                self.assertEqual((server.info.page_url, server.info.port), (server.page_url, server.port))
                with urllib.request.urlopen(server.page_url, timeout=60) as response:
                    self.assertIn(b"<title>Room</title>", response.read())
            with self.assertRaisesRegex(urllib.error.URLError, "refused"):
                urllib.request.urlopen(server.page_url, timeout=60)

    def test_tokens_of_livekit(self) -> None:
        """A client's token is checked before it comes."""
        with Engine(ignore_environment=True) as engine, serve_room(engine, "loopback:page", "127.0.0.1", access=(KEY, SECRET)) as server:
            def answer(token: str) -> tuple[int, str]:
                url = f"http://127.0.0.1:{server.port}/rtc/v1/validate"
                try:
                    with urllib.request.urlopen(urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"}), timeout=60) as response:
                        return response.status, response.read().decode().strip()
                except urllib.error.HTTPError as error:
                    with error:
                        return error.code, error.read().decode()

            def token(key: str = KEY, secret: str = SECRET, room: str = "page", **options: Any) -> str:
                return create_access_token(api_key=key, api_secret=secret, room=room, user_id="anna", **options)

            self.assertEqual(answer(token()), (200, "success"))
            for wrong, more in [(token(secret=SECRET[::-1]), "signed"), (token(key="other"), "API key"), (token(room="other"), "room"), ("a.b.c", "")]:
                status, text = answer(wrong)
                self.assertGreaterEqual(status, 400)
                self.assertIn(more, text)

    def test_sessions_with_tokens_of_livekit(self) -> None:
        """Of a room with API keys the token says who they are, and which room it is."""
        with House(access=(KEY, SECRET)) as house:
            self.assertEqual(house.server.url(), f"livekit+ws://127.0.0.1:{house.server.port}")

            def token(secret: str = SECRET, **options: Any) -> str:
                return house.token("anna", secret=secret, display_name="Anna", **options)

            alice, anna = house.join("alice"), house.guest("anna", access_token=token())
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_JOINED).user_id, "anna")
            self.assertEqual([(one.user_id, one.display_name) for one in alice.participants()], [("alice", "alice"), ("anna", "Anna")])
            self.assertEqual(house.event(anna, EventType.PARTICIPANT_JOINED).user_id, "alice")
            self.assertEqual([one.user_id for one in anna.participants()], ["anna", "alice"])
            for wrong, kind in ((token(SECRET[::-1]), RefusedError), (token(room="other"), RefusedError), ("a.b.c", CorruptError)):
                with self.subTest(wrong):
                    self.assertIsInstance(house.reason(house.knock("anna", access_token=wrong)), kind)
            with self.assertRaisesRegex(RefusedError, "token"):
                house.knock("eve")
            self.assertEqual([one.user_id for one in alice.participants()], ["alice", "anna"])
            self.assertEqual(anna.state, SessionState.CONNECTED)

    def test_who_comes_again_with_a_token(self) -> None:
        with House(access=(KEY, SECRET)) as house:
            alice, anna = house.join("alice"), house.guest("anna", access_token=house.token("anna"))
            again = house.guest("anna", access_token=house.token("anna"))
            self.assertIsInstance(house.reason(anna), ExistsError)
            self.assertTrue(house.eventually(lambda: [one.user_id for one in alice.participants()] == ["alice", "anna"]))
            self.assertTrue(house.eventually(lambda: house.server.info.member_count == 1))
            self.assertEqual(again.state, SessionState.CONNECTED)

    def test_the_token_of_another(self) -> None:
        """Who says to be eve is not let in as anybody else, and nobody notices."""
        with House(access=(KEY, SECRET)) as house:
            alice, anna = house.join("alice"), house.guest("anna", access_token=house.token("anna"))
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_JOINED).user_id, "anna")
            for other in ("anna", "bob"):
                with self.assertRaises(InvalidError):
                    house.knock("eve", access_token=house.token(other))
            for session, kind in ((alice, EventType.PARTICIPANT_JOINED), (anna, EventType.SESSION_STATE)):
                with self.subTest(session.user_id), self.assertRaises(MediaTimeout):
                    house.added(session, kind, 1)
            self.assertEqual(anna.state, SessionState.CONNECTED)

    def test_close(self) -> None:
        with House(EVERYWHERE) as house:
            alice, bob = house.join("alice"), house.guest("bob")
            house.server.close()
            self.assertIsInstance(house.reason(bob), ClosedError)
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_LEFT).user_id, "bob")
            house.server.close()
            with self.assertRaises(NotFoundError):
                house.server.info
            with serve_room(house.engine, house.url, [EVERYWHERE], port=house.server.port) as again:
                self.assertEqual(again.port, house.server.port)
                self.assertNotEqual(again.fingerprint, house.server.fingerprint)
                house.server = again
                house.guest("bob")
            with serve_room(house.engine, house.url, [LOOPBACK], port=house.server.port) as again:
                self.assertEqual((again.port, again.fingerprint), (house.server.port, ""))
                house.server = again
                house.guest("bob")
        house.server.close()  # of an engine that is gone

    def test_media_port(self) -> None:
        with House(media_port=PORT_ANY) as house:
            port = house.server.media_port
            self.assertTrue(0 < port < 65_536)
            self.assertEqual(house.server.info.media_port, port)
            house.guest("bob")
            house.guest("carol")
            with self.assertRaises(ExistsError):
                serve_room(house.engine, "loopback:another", LOOPBACK, media_port=port)
        with House() as house:
            self.assertEqual(house.server.media_port, 0)
            for wrong in (-1, 65_537, 1 << 32):
                with self.assertRaises(RangeError):
                    serve_room(house.engine, "loopback:another", LOOPBACK, media_port=wrong)

    def test_public_addresses(self) -> None:
        with House(public_addresses="127.0.0.2") as house:
            self.assertEqual(house.server.page_url, f"http://127.0.0.2:{house.server.port}/{house.url.split(':')[1]}")
        with House() as house:
            for wrong in ("here", ["192.0.2.1", "192.0.2.2"]):
                with self.assertRaisesRegex(InvalidError, "options.public_addresses has "):
                    serve_room(house.engine, "loopback:another", LOOPBACK, public_addresses=wrong)

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
        with House(EVERYWHERE) as house:
            url = house.server.url("127.0.0.1").replace(house.server.fingerprint, "00:" * 31 + "00")
            error = house.reason(house.knock("bob", url))
            self.assertIsInstance(error, UntrustedError)
            self.assertIn(house.server.fingerprint, str(error))
            # Without a fingerprint an authority of the system has to know it.
            error = house.reason(house.knock("bob", house.server.url("127.0.0.1").split("&fingerprint")[0]))
            self.assertIsInstance(error, UntrustedError)

    def test_another_room(self) -> None:
        with House() as house:
            error = house.reason(house.knock("bob", house.server.url().replace("room=", "room=another-")))
            self.assertIsInstance(error, NotFoundError)

    def test_most_members(self) -> None:
        """Members of the process do not count."""
        with House(most_members=1) as house:
            alice, bob = house.join("alice"), house.guest("bob")
            self.assertIsInstance(house.reason(house.knock("carol")), FullError)
            self.assertEqual(house.server.info.member_count, 1)
            bob.disconnect()
            self.assertTrue(house.eventually(lambda: house.server.info.member_count == 0))
            carol = house.guest("carol")
            self.assertEqual(house.event(carol, EventType.PARTICIPANT_JOINED).user_id, alice.user_id)

    def test_the_same_user(self) -> None:
        with House() as house:
            alice, bob = house.join("alice"), house.guest("bob")
            for user_id in ("alice", "bob"):
                error = house.reason(house.knock(user_id))
                self.assertIsInstance(error, ExistsError)
                self.assertIn(user_id, str(error))
            self.assertEqual([session.state for session in (alice, bob)], [SessionState.CONNECTED] * 2)

    def test_names_of_rooms(self) -> None:
        """They are escaped in urls."""
        with House(url="loopback:What is \N{LATIN SMALL LETTER E WITH ACUTE}? #1 & 100 %/=+") as house:
            alice, bob = house.join("alice"), house.guest("bob")
            self.assertEqual(house.event(alice, EventType.PARTICIPANT_JOINED).user_id, "bob")
            self.assertEqual(house.event(bob, EventType.PARTICIPANT_JOINED).user_id, "alice")
            self.assertTrue(house.server.url().isascii() and house.server.page_url.isascii(), house.server.info)

    def test_names(self) -> None:
        with House(EVERYWHERE) as house:
            named = house.knock("bob", house.server.url("LocalHost"))
            house.event(named, EventType.SESSION_STATE, SessionState.CONNECTED)
            carol = house.knock("carol", house.server.url("nowhere.invalid"))
            with House() as former:
                former.server.close()
            dave = house.knock("dave", former.server.url())  # nobody listens there
            error = house.reason(carol)
            self.assertIsInstance(error, (NotFoundError, MediaIOError, MediaTimeout))
            self.assertIn("nowhere.invalid", str(error))
            self.assertIsInstance(house.reason(dave), MediaIOError)

    def test_urls(self) -> None:
        with House(EVERYWHERE) as house:
            port, name = house.server.port, house.url.split(":", 1)[1]
            form = rf"^livekit\+wss://HOST:{port}#room={name}&fingerprint=([0-9A-F]{{2}}:){{31}}[0-9A-F]{{2}}$"
            self.assertRegex(house.server.url("::1"), form.replace("HOST", r"\[::1\]"))
            self.assertRegex(house.server.url("fe80::1%eth0"), form.replace("HOST", r"\[fe80::1%25eth0\]"))
            self.assertRegex(house.server.url("room.example.org"), form.replace("HOST", r"room\.example\.org"))
            good = house.server.url("127.0.0.1")
            self.assertRegex(good, form.replace("HOST", r"127\.0\.0\.1"))
            # Of all addresses it is the one from which this machine sends to others.
            self.assertRegex(house.server.url(), form.replace("HOST", r"[0-9.]+"))
            self.assertNotIn("//0.0.0.0", house.server.url())
            self.assertEqual(house.server.info.url, house.server.url())
            for url, error, words in ((good + "&token=x", InvalidError, "apart from the URL"),
                                      (good.replace("127.0.0.1", "local host"), InvalidError, "visible letter"),
                                      (good.split("fingerprint")[0] + "fingerprint=AB", InvalidError, "fingerprint"),
                                      (good.replace(f"room={name}", "room="), InvalidError, "room"),
                                      (good.replace(f"room={name}", "room=" + 256 * "r"), InvalidError, "1..255"),
                                      (f"livekit+ws://192.0.2.7:{port}#room={name}", UntrustedError, "livekit\\+wss"),
                                      (good.replace("wss", "ws"), InvalidError, "fingerprint"),
                                      (good + "&srtp=AEAD_AES_128_GCM", InvalidError, "srtp"),
                                      (f"hub://127.0.0.1:{port}/{name}?fingerprint={house.server.fingerprint}", UnsupportedError, "hub")):
                with self.subTest(url), self.assertRaisesRegex(error, words):
                    house.away.create_session(url, "bob")

    def test_urls_of_loopback(self) -> None:
        with House() as house:
            good = f"livekit+ws://127.0.0.1:{house.server.port}#room={house.url.split(':', 1)[1]}"
            self.assertEqual((house.server.info.url, house.server.url(), house.server.url("127.0.0.1")), (good, good, good))
            self.assertEqual(house.server.url("::1"), good.replace("127.0.0.1", "[::1]"))
            self.assertEqual((house.server.fingerprint, house.server.info.fingerprint), ("", ""))


class OptionsTest(unittest.TestCase):
    def test_what_cannot_be(self) -> None:
        with House() as house:
            def opened(*arguments: Any, room: str = "loopback:python-other", **options: Any) -> RoomServer:
                return serve_room(house.engine, room, *arguments, **options)

            with self.assertRaises(ExistsError):
                opened(room=house.url)
            with self.assertRaisesRegex(InvalidError, "options.addresses"):
                opened("localhost")
            with self.assertRaisesRegex(InvalidError, "1..8"):
                opened(["127.0.0.1"] * 9)
            with self.assertRaises(MediaIOError):
                opened("192.0.2.7")
            with self.assertRaises(ExistsError):
                opened("127.0.0.1", port=house.server.port)
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
                opened("127.0.0.1", access=("key", "short"))
            with self.assertRaisesRegex(InvalidError, "api_key is empty"):
                opened("127.0.0.1", access=("", "a secret of thirty-two characters"))
            with self.assertRaisesRegex(InvalidError, "two texts"):
                opened("127.0.0.1", access="key")
            with self.assertRaisesRegex(InvalidError, "1..255"):
                opened(room="loopback:")
            with self.assertRaisesRegex(InvalidError, "without control characters"):
                opened(room="loopback:a\nb")
            with self.assertRaisesRegex(TypeError, "web_port"):
                opened(web_port=8443)
            self.assertEqual(house.server.info.member_count, 0)
            with self.assertRaises(UnsupportedError):
                opened(room="rtp:")

    def test_the_virtual_clock(self) -> None:
        with Room(Clock.VIRTUAL) as room, self.assertRaises(UnsupportedError):
            serve_room(room.engine, room.url)


if __name__ == "__main__":
    unittest.main()
