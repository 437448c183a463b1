"""Clients with LiveKit's own SDK (libwebrtc, by its binding for Python) in a room that this process serves, among them sessions of this process."""
from __future__ import annotations

import asyncio
import time
import unittest
from typing import Any, Callable, Optional

import numpy as np

import material
import mediasdk
import numbered
from link import has_network
from rtc.room_member import RoomMember
from rtc.way import Way

try:
    import aiohttp
    from google.protobuf import json_format
    from livekit import api, rtc
    from rtc.livekit_client import CAMERA, KEY, MICROPHONE, SCREEN, SECRET, LiveKitClient, token
except ImportError as error:
    MISSING: Optional[str] = f"LiveKit's SDK is not here ({error}); make interop installs it"
else:
    MISSING = None

PATIENCE = 30.0  # seconds for what takes one or two
PICTURES, SECONDS = 15, 0.5  # of pictures and of sound, that each waits for
BETWEEN_LAYERS = 5  # pictures by which one layer may be later than another
ROOM = "loopback:lobby"
ANNA, BOB, CLEO = (1, 440.0), (2, 660.0), (3, 880.0)  # streams of pictures, and tones


class LiveKitRoom(unittest.IsolatedAsyncioTestCase):
    """Version 1 of the signalling."""
    has_one_connection = True
    media_port = 0

    async def asyncSetUp(self) -> None:
        if MISSING:
            self.skipTest(MISSING)
        has_network(self)
        asyncio.get_running_loop().slow_callback_duration = 10  # seconds: pictures are made on the loop
        self.engine = mediasdk.Engine()
        self.addCleanup(self.engine.close)
        self.server = mediasdk.serve_room(self.engine, ROOM, "127.0.0.1", access=(KEY, SECRET), media_port=self.media_port)
        self.url = f"ws://127.0.0.1:{self.server.port}"
        self.everybody: list[Any] = []

    def add(self, one: Any) -> Any:
        self.everybody.append(one)
        self.addAsyncCleanup(one.close)
        return one

    async def client(self, name: str, access: Optional[str] = None, **options: Any) -> LiveKitClient:
        return await self.add(LiveKitClient(self.url, name)).join(access, single_peer_connection=self.has_one_connection, **options)

    def member(self, name: str, stream: int, frequency: float, **options: Any) -> RoomMember:
        return self.add(RoomMember(ROOM, name, stream, frequency, **options))

    def session(self, name: str, stream: int, frequency: float, **options: Any) -> RoomMember:
        """A session of this library that joins as other clients do."""
        return self.add(RoomMember(f"livekit+{self.url}", name, stream, frequency, token(f"id-{name}"), **options))

    def let_members_moderate(self) -> None:
        may = mediasdk.Permission
        permissions = may.PUBLISH_VIDEO | may.PUBLISH_AUDIO | may.SHARE_SCREEN | may.RECEIVE | may.MODERATE | may.SEND_DATA
        mediasdk.configure_room(self.engine, ROOM, permissions=permissions)
        self.addCleanup(mediasdk.open_room, self.engine, ROOM)

    # --------------------------------------------------------------------------------------------------------------- waiting

    @property
    def told(self) -> str:
        return "\n".join(one.told for one in self.everybody)

    async def until(self, what: str, is_so: Callable[[], Any], patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        while not is_so():
            for one in self.everybody:
                one.check()
            self.assertLess(time.monotonic(), deadline, f"{what}: not after {patience:g} s\n{self.told}")
            await asyncio.sleep(0.05)

    async def sees(self, client: LiveKitClient, name: str, stream: int, source: int = CAMERA, patience: float = PATIENCE,
                   size: tuple[int, int] = (material.WIDTH, material.HEIGHT), layers: int = 1) -> None:
        """Pictures of that stream come from now on, each later than the one before, and look like what was sent. Where another layer takes over,
        it does so with a key frame, which may have been on its way for longer than the last pictures of the layer before."""
        words = client.words[name, source]
        begin = len(words)
        await self.until(f"{client.name} sees {name}, stream {stream}", lambda: len(words) >= begin + PICTURES, patience)
        came = words[begin:]
        numbers = [one[1] for one in came if one and one[0] == stream]
        # Of the first pictures an encoder may blur one, before it knows what the path carries.
        self.assertGreaterEqual(len(numbers), len(came) - 2, f"{came}\n{self.told}")
        steps_back = [before - after for before, after in zip(numbers, numbers[1:]) if after <= before]
        self.assertLess(len(steps_back), layers, f"{numbers}\n{self.told}")
        self.assertLessEqual(max(steps_back, default=0), BETWEEN_LAYERS, f"{numbers}\n{self.told}")
        self.check_likeness(client.last[name, source], stream, size)

    def check_likeness(self, picture: np.ndarray, stream: int, size: tuple[int, int]) -> None:
        """With one of these pictures, of that size. A smaller one is compared without the blocks, whose edges are elsewhere."""
        word = numbered.read(picture)
        assert word is not None
        height, width = picture.shape
        sent = numbered.luma(stream, word[1], False, *size)
        if (width, height) != size:
            rows, columns = (np.arange(height) + 0.5) * size[1] / height, (np.arange(width) + 0.5) * size[0] / width
            rows = rows[:height * (numbered.ROWS - 3) // numbered.ROWS]
            picture, sent = picture[:len(rows)], sent[np.ix_(rows.astype(int), columns.astype(int))]
        self.assertGreater(numbered.psnr(picture, sent), 25, f"{width}x{height}\n{self.told}")

    async def hears(self, one: Any, name: str, frequency: float, patience: float = PATIENCE) -> None:
        """From now on, of a client or of a member of this process."""
        samples = one.samples[name]
        begin = len(samples)

        def is_heard() -> bool:
            recent = np.concatenate([np.zeros(0), *samples[begin:][-100:]])[-48_000:]
            heard, length = material.tone_of(recent, 48_000)
            return length >= SECONDS and abs(heard - frequency) < 5

        await self.until(f"{one.name} hears {name}, {frequency:g} Hz", is_heard, patience)

    async def meet(self, one: LiveKitClient, other: LiveKitClient, patience: float = PATIENCE, **options: Any) -> None:
        """Media go both ways, between Anna and Bob."""
        for client, name, (stream, frequency) in [(one, other.name, BOB), (other, one.name, ANNA)]:
            await self.sees(client, name, stream, patience=patience, **options)
            await self.hears(client, name, frequency, patience)

    async def anna_and_bob(self, simulcast: bool = False, **options: Any) -> tuple[LiveKitClient, LiveKitClient]:
        """Both publish."""
        anna, bob = await self.client("anna"), await self.client("bob")
        for client, (stream, frequency) in [(anna, ANNA), (bob, BOB)]:
            await client.publish_video(stream, simulcast=simulcast, **options)
            await client.publish_audio(frequency)
        return anna, bob

    # --------------------------------------------------------------------------------------------------------------- media

    async def test_two_clients(self) -> None:
        """And what each knows of the other."""
        anna, bob = await self.anna_and_bob()
        await self.meet(anna, bob)
        self.assertEqual(anna.room.name, "lobby")
        for client, name in [(anna, "bob"), (bob, "anna")]:
            other = client.room.remote_participants[name]
            self.assertEqual((other.name, other.metadata, other.attributes), (name.title(), f"metadata of {name}", {"of": name}))
            self.assertEqual({one.source for one in other.track_publications.values()}, {CAMERA, MICROPHONE})
        self.assertEqual(self.server.info.member_count, 2)
        for client in [anna, bob]:
            # How well is a matter of what else this machine does.
            await self.until(f"{client.name} knows how both are connected", lambda: set(client.qualities) == {"anna", "bob"})
        await bob.close()
        await self.until("Anna knows that Bob left", lambda: anna.of("participant_disconnected") == [("bob",)])
        self.assertEqual(dict(anna.room.remote_participants), {})

    async def test_two_clients_with_simulcast(self) -> None:
        """Of a size of which the SDK makes two layers."""
        anna, bob = await self.anna_and_bob(simulcast=True, size=(640, 480))
        await self.meet(anna, bob, size=(640, 480), layers=2)

    async def test_layers(self) -> None:
        """Of one client: who shows it small gets the small one, and nobody else does."""
        anna, bob, cleo = await self.client("anna", dynacast=True), await self.client("bob"), self.member("Cleo", *CLEO)
        publication = await anna.publish_video(ANNA[0], simulcast=True, size=(640, 480))
        await self.sees(bob, "anna", ANNA[0], size=(640, 480), layers=2)

        def shape() -> Any:
            return cleo.pictures["Anna"][-1].shape if cleo.pictures["Anna"] else None

        await self.until("Cleo sees all of it", lambda: shape() == (480, 640))
        cleo.videos["Anna"].set_preference(width=320, height=240)
        await self.until("Cleo sees less of it", lambda: shape() and shape()[0] < 480)
        begin = len(cleo.pictures["Anna"])
        await self.sees(bob, "anna", ANNA[0], size=(640, 480), layers=2)
        await self.until("Cleo sees more frames", lambda: len(cleo.pictures["Anna"]) > begin + PICTURES)
        self.assertLess(max(picture.shape[0] for picture in cleo.pictures["Anna"][begin:]), 480)
        cleo.videos["Anna"].set_preference()
        await self.until("Cleo sees all of it again", lambda: shape() == (480, 640))
        # Nobody sees more than the small one: it alone is sent, until somebody does.
        await bob.close()
        cleo.videos["Anna"].set_preference(width=320, height=240)
        await self.until("Cleo sees less of it", lambda: shape()[0] < 480)
        await asyncio.sleep(7)
        before = await anna.encoded(publication)
        begin = len(cleo.pictures["Anna"])
        await self.until("Cleo sees more frames", lambda: len(cleo.pictures["Anna"]) > begin + PICTURES)
        after = await anna.encoded(publication)
        self.assertEqual(len(after), 2)
        self.assertEqual([layer for layer in after if after[layer] > before[layer] + 5], ["q"], (before, after))
        cleo.videos["Anna"].set_preference()
        await self.until("Cleo sees all of it once more", lambda: shape() == (480, 640))

    async def test_session_with_layers(self) -> None:
        """A session sends two sizes: who shows it small gets the small one, and the others the large one."""
        anna, cleo = await self.client("anna"), self.member("Cleo", *CLEO)
        bob = self.session("Bob", *BOB, size=(640, 480))
        await self.sees(anna, "id-Bob", BOB[0], size=(640, 480), layers=2)
        await self.until("Cleo sees all of it", lambda: cleo.pictures["Id-Bob"] and cleo.pictures["Id-Bob"][-1].shape == (480, 640))
        cleo.videos["Id-Bob"].set_preference(width=320, height=240)
        await self.until("Cleo sees less of it", lambda: cleo.pictures["Id-Bob"][-1].shape == (240, 320))
        begin = len(cleo.pictures["Id-Bob"])
        await self.sees(anna, "id-Bob", BOB[0], size=(640, 480), layers=2)
        await self.until("Cleo sees more frames", lambda: len(cleo.pictures["Id-Bob"]) > begin + PICTURES)
        self.assertEqual({picture.shape for picture in cleo.pictures["Id-Bob"][begin:]}, {(240, 320)})
        await self.until("Bob sends both", lambda: bob.video.stats().active_layers == 2)
        self.assertEqual(bob.video.stats().layers, 2)

    async def test_five_videos_of_one_client(self) -> None:
        anna, bob = await self.client("anna"), await self.client("bob")
        for stream in range(1, 6):
            await anna.publish_video(stream, size=(160, 120))
        for stream in range(1, 6):
            await self.until(f"stream {stream}", lambda: len(bob.numbers("anna", stream)) >= PICTURES)
        self.assertEqual(len(bob.of("track_subscribed")), 5, self.told)

    async def test_publishes_again(self) -> None:
        anna, bob = await self.client("anna"), await self.client("bob")
        first = await anna.publish_video(1)
        await self.sees(bob, "anna", 1)
        await anna.own.unpublish_track(first.sid)
        await self.until("Bob knows that it ended", lambda: bob.of("track_unpublished") == [(first.sid, "anna")])
        second = await anna.publish_video(2)
        self.assertNotEqual(first.sid, second.sid)
        await self.until("pictures of the second", lambda: bob.numbers("anna", 2))
        await self.sees(bob, "anna", 2)
        self.assertEqual(len(bob.room.remote_participants["anna"].track_publications), 1)

    async def test_subscribes_later(self) -> None:
        """Cleo receives all from the beginning; that Bob has nothing is looked at when she has."""
        anna = await self.client("anna")
        await anna.publish_video(ANNA[0])
        await anna.publish_audio(ANNA[1])
        bob, cleo = await self.client("bob", auto_subscribe=False), await self.client("cleo")
        await self.sees(cleo, "anna", ANNA[0])
        await self.hears(cleo, "anna", ANNA[1])
        self.assertEqual((bob.of("track_subscribed"), len(bob.words["anna", CAMERA])), ([], 0), self.told)
        await self.until("Bob knows both", lambda: len(bob.room.remote_participants["anna"].track_publications) == 2)
        publications = {one.source: one for one in bob.room.remote_participants["anna"].track_publications.values()}
        publications[CAMERA].set_subscribed(True)
        await self.sees(bob, "anna", ANNA[0])
        self.assertFalse(bob.samples["anna"])
        publications[MICROPHONE].set_subscribed(True)
        await self.hears(bob, "anna", ANNA[1])
        publications[CAMERA].set_subscribed(False)
        await self.until("Bob has no video of Anna", lambda: bob.of("track_unsubscribed") != [])
        publications[CAMERA].set_subscribed(True)
        await self.sees(bob, "anna", ANNA[0])

    # --------------------------------------------------------------------------------------------------------------- with a session

    async def check_with_member(self, is_screen: bool, *, is_client: bool = False) -> None:
        source = SCREEN if is_screen else CAMERA
        anna = await self.client("anna")
        bob = (self.session if is_client else self.member)("Bob", *BOB, is_screen=is_screen)
        await anna.publish_video(ANNA[0], source)
        await anna.publish_audio(ANNA[1])
        await self.sees(anna, "id-Bob", BOB[0], source)
        await self.hears(anna, "id-Bob", BOB[1])
        await self.until("Bob sees Anna", lambda: len(bob.pictures["Anna"]) >= PICTURES)
        words = [numbered.read(picture) for picture in bob.pictures["Anna"]]
        numbers = [one[1] for one in words if one and one[0] == ANNA[0]]
        self.assertGreaterEqual(len(numbers), len(words) - 2, words)
        self.assertEqual(numbers, sorted(set(numbers)))
        await self.hears(bob, "Anna", ANNA[1])
        self.assertEqual(bob.kinds["Anna"], mediasdk.VideoKind.SCREEN_SHARE if is_screen else mediasdk.VideoKind.VIRTUAL)
        self.assertEqual(anna.room.remote_participants["id-Bob"].name, "Id-Bob" if is_client else "Bob")
        bob.session.disconnect()
        await self.until("Anna knows that Bob left", lambda: anna.of("participant_disconnected") == [("id-Bob",)])

    async def test_with_member(self) -> None:
        await self.check_with_member(False)

    async def test_screens_with_member(self) -> None:
        await self.check_with_member(True)

    async def test_with_session(self) -> None:
        await self.check_with_member(False, is_client=True)

    async def test_screens_with_session(self) -> None:
        await self.check_with_member(True, is_client=True)

    async def test_h264(self) -> None:
        """Of a codec that the server only carries: clients see it, in one size and in several, who cannot decode it gets it encoded, and sees the
        rest."""
        bob, cleo, dora = await self.client("bob"), self.session("Cleo", *CLEO), self.member("Dora", *BOB)
        for name, simulcast, size in [("anna", False, (material.WIDTH, material.HEIGHT)), ("emil", True, (640, 480))]:
            with self.subTest(name):
                one = await self.client(name)
                publication = await one.publish_video(ANNA[0], codec=rtc.VideoCodec.H264, simulcast=simulcast, size=size)
                await self.sees(bob, name, ANNA[0], size=size, layers=3 if simulcast else 1)
                self.assertEqual(bob.room.remote_participants[name].track_publications[publication.sid].mime_type, "video/h264")
                await self.sees(one, "id-Cleo", CLEO[0])
                await self.sees(one, "id-Dora", BOB[0])
        await self.sees(bob, "id-Cleo", CLEO[0])
        await self.until("neither decodes them", lambda: dora.undecodable == cleo.undecodable == ["Anna", "Emil"])
        for one in (dora, cleo):
            await self.gets_h264(one.videos["Anna"])
        self.assertEqual([len(member.pictures[name]) for member in (cleo, dora) for name in ("Anna", "Emil")], [0] * 4)

    async def gets_h264(self, video: mediasdk.IncomingVideo) -> None:
        """In the byte-stream format; the first is a key frame, with its parameter sets."""
        video.start(output="ENCODED")
        frames = []
        while len(frames) < PICTURES:
            with await video.read_encoded_async(PATIENCE) as frame:
                frames.append(bytes(frame.data))
        self.assertTrue(all(one.startswith(b"\0\0\0\1") for one in frames))
        self.assertEqual(frames[0][4] & 31, 7)  # a sequence parameter set

    async def sees_anna(self, member: RoomMember) -> None:
        """Pictures from now on, all of which are Anna's."""
        begin = len(member.pictures["Anna"])
        await self.until(f"{member.name} sees Anna", lambda: len(member.pictures["Anna"]) >= begin + PICTURES)
        words = [numbered.read(picture) for picture in member.pictures["Anna"][begin:]]
        self.assertGreaterEqual(len([one for one in words if one and one[0] == ANNA[0]]), len(words) - 2, words)

    async def test_encrypted(self) -> None:
        """End to end, in the format of LiveKit's SDK: a member, a session, and two who have no key, or another one."""
        key, state = "correct horse battery staple", mediasdk.EncryptionState
        secret = rtc.E2EEOptions(key_provider_options=rtc.KeyProviderOptions(shared_key=key.encode()))
        anna = await self.client("anna", encryption=secret)
        await anna.publish_video(ANNA[0])
        await anna.publish_audio(ANNA[1])
        bob, cleo = self.session("Bob", *BOB, encrypts=True, key=key), self.member("Cleo", *CLEO, encrypts=True, key=key)
        for name, (stream, frequency) in [("id-Bob", BOB), ("id-Cleo", CLEO)]:
            await self.sees(anna, name, stream)
            await self.hears(anna, name, frequency)
        for member in (bob, cleo):
            await self.sees_anna(member)
            await self.hears(member, "Anna", ANNA[1])
        # Each follows a key of the other's that goes on.
        manager = anna.room.e2ee_manager
        manager.key_provider.ratchet_shared_key(0)
        await self.sees_anna(bob)
        await self.hears(cleo, "Anna", ANNA[1])
        bob.session.ratchet_frame_key()
        await self.sees(anna, "id-Bob", BOB[0])
        await self.hears(anna, "id-Bob", BOB[1])
        await self.sees_anna(bob)
        self.assertEqual((bob.encryption["", "video"], bob.encryption["Anna", "video"][-1]), ([state.ACTIVE], state.ACTIVE))
        dora, emil = self.session("Dora", 4, 990.0), self.session("Emil", 5, 550.0, encrypts=True, key="another")
        for member, wrong in [(dora, state.NO_KEY), (emil, state.WRONG_KEY)]:
            await self.until(f"{member.name} cannot decrypt", lambda: all(
                member.encryption[name, what] == [wrong] for name in ("Anna", "Id-Bob", "Cleo") for what in ("video", "audio")))
            self.assertFalse([name for name in ("Anna", "Id-Bob", "Cleo") if member.pictures[name] or member.samples[name]])
        # What is not encrypted is refused by those who encrypt.
        await self.until("Bob refuses Dora", lambda: bob.encryption["Id-Dora", "video"] == [state.NOT_ENCRYPTED])
        dora.session.set_frame_key(manager.key_provider.export_shared_key(0))
        await self.sees_anna(dora)

    async def check_metadata(self, **secrets: Any) -> None:
        """Each picture comes with what was sent with it: between the SDK, a member and a session, all of whom send and receive."""
        anna = await self.client("anna", **({"encryption": secrets["sdk"]} if secrets else {}))
        await anna.publish_video(ANNA[0], metadata=True)
        key = {"encrypts": True, "key": secrets["key"]} if secrets else {}
        bob, cleo = self.session("Bob", *BOB, has_metadata=True, **key), self.member("Cleo", *CLEO, has_metadata=True, **key)

        def wrong(words: list[Any], metadata: list[Any]) -> list[Any]:
            return [(one, came) for one, came in zip(words, metadata) if one and (not came or tuple(came) != numbered.metadata(one[1]))]

        for name, stream in [("id-Bob", BOB[0]), ("id-Cleo", CLEO[0])]:
            await self.sees(anna, name, stream)
            words, metadata = anna.words[name, CAMERA], anna.metadata[name, CAMERA]
            self.assertEqual(wrong(words, metadata), [], self.told)
            self.assertGreater(len([one for one in words if one]), PICTURES // 2)
        for member, names in [(bob, ["Anna", "Cleo"]), (cleo, ["Anna", "Id-Bob"])]:
            for name in names:
                await self.until(f"{member.name} sees {name}", lambda: len(member.pictures[name]) >= PICTURES)
                words = [numbered.read(picture) for picture in member.pictures[name]]
                came = [(one.user_data, one.user_timestamp_us, one.frame_id) for one in member.metadata[name]]
                self.assertEqual(wrong(words, came), [], self.told)
                self.assertGreater(len([one for one in words if one]), PICTURES // 2)
                self.assertTrue(member.videos[name].carries_metadata)

    async def test_metadata(self) -> None:
        await self.check_metadata()

    async def test_metadata_beside_encryption(self) -> None:
        key = "correct horse battery staple"
        await self.check_metadata(key=key, sdk=rtc.E2EEOptions(key_provider_options=rtc.KeyProviderOptions(shared_key=key.encode())))

    async def test_encrypted_data(self) -> None:
        """Data, texts and calls, end to end, with LiveKit's SDK: a member, a session, and one without a key."""
        key, state = "correct horse battery staple", mediasdk.EncryptionState
        secret = rtc.E2EEOptions(key_provider_options=rtc.KeyProviderOptions(shared_key=key.encode()))
        anna, dora = await self.client("anna", encryption=secret), await self.client("dora")
        bob, cleo = self.session("Bob", *BOB, encrypts=True, key=key), self.member("Cleo", *CLEO, encrypts=True, key=key)
        members = {"id-Bob": bob, "id-Cleo": cleo}
        await self.until("they know each other", lambda: set(members) <= set(anna.room.remote_participants) and all(
            len(one.session.participants()) == 4 for one in members.values()))
        texts: list[tuple[str, str]] = []

        async def keep(reader: rtc.TextStreamReader, sender: str) -> None:
            texts.append((sender, await reader.read_all()))

        async def double(call: rtc.RpcInvocationData) -> str:
            return call.payload * 2

        anna.room.register_text_stream_handler("chat", lambda reader, sender: anna.begin(keep(reader, sender)))
        anna.own.register_rpc_method("double", double)

        async def exchange(text: str) -> None:
            await anna.own.publish_data(text.encode(), topic="t")
            for user_id, member in members.items():
                await self.until(f"{user_id} reads", lambda: (reads.setdefault(user_id, member.session.read_data()) or reads.pop(user_id)))
                data = reads.pop(user_id)
                self.assertEqual((data.data, data.topic, data.user_id), (text.encode(), "t", "anna"))
                member.session.send_data(text.encode(), topic="t", to="anna")
                await self.until(f"anna reads what {user_id} sends", lambda: (user_id, text.encode(), "t") in anna.data)

        reads: dict[str, Any] = {}
        await exchange("hello")
        for user_id, member in members.items():
            await self.until(f"{user_id} knows that it is encrypted", lambda: member.data_encryption["Anna"] == [state.ACTIVE])
            member.session.data_streams.accept()
            await anna.own.send_text("a text " * 10_000, topic="chat", destination_identities=[user_id])
            data = b""
            while (part := await member.session.data_streams.next_async(timeout=PATIENCE)).part != mediasdk.DataPart.ENDED:
                data += part.data
            self.assertEqual(data.decode() == "a text " * 10_000, True)
            stream = member.session.data_streams.open_text("chat", to="anna")
            await stream.write_async("another text " * 10_000, timeout=PATIENCE)
            await stream.close_async(timeout=PATIENCE)
            await self.until(f"anna has the text of {user_id}", lambda: len(texts) == 1)
            self.assertEqual(texts.pop() == (user_id, "another text " * 10_000), True)
            member.session.rpc.call("anna", "double", "ha")
            self.assertEqual((await member.session.rpc.next_async(timeout=PATIENCE)).payload, "haha")
            member.session.rpc.register("triple")
            call = asyncio.ensure_future(anna.own.perform_rpc(destination_identity=user_id, method="triple", payload="ho"))
            request = await member.session.rpc.next_async(timeout=PATIENCE)
            member.session.rpc.respond(request, request.payload * 3)
            self.assertEqual(await call, "hohoho")
        # Each follows a key of the other's that goes on.
        anna.room.e2ee_manager.key_provider.ratchet_shared_key(0)
        await exchange("after anna's")
        bob.session.ratchet_frame_key()
        await exchange("after bob's")
        # Who has no key reads nothing, and is not read.
        await dora.own.publish_data(b"in the clear", topic="t")
        for user_id, member in members.items():
            await self.until(f"{user_id} refuses it", lambda: member.data_encryption["Dora"] == [state.NOT_ENCRYPTED])
            self.assertIsNone(member.session.read_data())
        self.assertEqual([one for one in dora.data if one[0] != ""], [])

    # --------------------------------------------------------------------------------------------------------------- mute

    async def test_mute(self) -> None:
        """By oneself: video and audio."""
        anna, bob = await self.client("anna"), await self.client("bob")
        video, audio = await anna.publish_video(ANNA[0]), await anna.publish_audio(ANNA[1])
        cleo = self.member("Cleo", *CLEO)
        await self.sees(bob, "anna", ANNA[0])
        await self.hears(bob, "anna", ANNA[1])
        await self.hears(cleo, "Anna", ANNA[1])
        for publication in [audio, video]:
            publication.track.mute()
            await self.until("Bob knows of the mute", lambda: bob.of("track_muted") == [("anna", publication.sid)])
            self.assertTrue(bob.room.remote_participants["anna"].track_publications[publication.sid].muted)
            publication.track.unmute()
            await self.until("Bob knows of its end", lambda: bob.of("track_unmuted") == [("anna", publication.sid)])
            self.assertFalse(bob.room.remote_participants["anna"].track_publications[publication.sid].muted)
            bob.events.clear()
        await self.until("Cleo knew of both", lambda: cleo.muted == [("Anna", True), ("Anna", False)])
        # Black pictures of the mute, which read as stream 0, may still be on their way.
        words = bob.words["anna", CAMERA]
        begin = len(words)
        await self.until("pictures", lambda: len(words) >= begin + PICTURES and all(one and one[0] == ANNA[0] for one in words[-5:]))
        await self.sees(bob, "anna", ANNA[0])
        await self.hears(bob, "anna", ANNA[1])
        await self.hears(cleo, "Anna", ANNA[1])

    async def test_moderation(self) -> None:
        self.let_members_moderate()
        anna, bob = await self.client("anna"), await self.client("bob")
        audio = await anna.publish_audio(ANNA[1])
        cleo = self.member("Cleo", *CLEO)
        await self.hears(cleo, "Anna", ANNA[1])
        await self.hears(bob, "anna", ANNA[1])
        cleo.session.mute_participant("anna")
        await self.until("Anna is muted", lambda: ("anna", audio.sid) in anna.of("track_muted"))
        await self.until("Bob knows", lambda: bob.of("track_muted") == [("anna", audio.sid)])
        await self.until("Cleo knows", lambda: cleo.muted == [("Anna", True)])
        cleo.session.mute_participant("anna", False)
        await self.until("Anna is heard again", lambda: ("anna", audio.sid) in anna.of("track_unmuted"))
        await self.until("Bob knows of that", lambda: bob.of("track_unmuted") == [("anna", audio.sid)])
        await self.hears(cleo, "Anna", ANNA[1])
        await self.hears(bob, "anna", ANNA[1])
        cleo.session.remove_participant("anna")
        removed = str(rtc.DisconnectReason.PARTICIPANT_REMOVED)
        await self.until("Anna is removed", lambda: anna.of("disconnected") == [(removed,)])
        await self.until("Bob knows", lambda: bob.of("participant_disconnected") == [("anna",)])
        await self.until("Cleo knows", lambda: cleo.left == ["Anna"])

    async def test_session_that_moderates(self) -> None:
        """Whose token is an administrator's."""
        anna, cleo = await self.client("anna"), self.member("Cleo", *CLEO)
        audio = await anna.publish_audio(ANNA[1])
        bob = self.add(RoomMember(f"livekit+{self.url}", "Bob", *BOB, token("id-Bob", is_administrator=True)))
        await self.hears(bob, "Anna", ANNA[1])
        for is_muted, event in [(True, "track_muted"), (False, "track_unmuted")]:
            for user_id in ["anna", "id-Cleo"]:
                bob.session.mute_participant(user_id, is_muted)
            await self.until(f"{event} of Anna", lambda: ("anna", audio.sid) in anna.of(event))
            await self.until("Cleo knows", lambda: ("Anna", is_muted) in cleo.muted)
            moderation = mediasdk.Moderation.MUTED if is_muted else mediasdk.Moderation.UNMUTED
            await self.until("Cleo is moderated", lambda: moderation in cleo.moderated)
        await self.hears(bob, "Anna", ANNA[1])
        bob.session.remove_participant("anna")
        bob.session.remove_participant("id-Cleo")
        await self.until("Anna is removed", lambda: anna.of("disconnected") == [(str(rtc.DisconnectReason.PARTICIPANT_REMOVED),)])
        await self.until("Cleo is removed", lambda: isinstance(cleo.error, mediasdk.RemovedError))

    # ------------------------------------------------------------------------------------------------------- administration

    async def test_administration(self) -> None:
        """By LiveKit's own client of the API."""
        anna, bob, cleo = await self.client("anna"), await self.client("bob"), self.member("Cleo", *CLEO)
        video, audio = await anna.publish_video(ANNA[0]), await anna.publish_audio(ANNA[1])
        await self.sees(bob, "anna", ANNA[0])
        await self.sees(bob, "id-Cleo", CLEO[0])
        await self.hears(cleo, "Anna", ANNA[1])
        server = api.LiveKitAPI(self.url.replace("ws", "http", 1), KEY, SECRET)
        self.addAsyncCleanup(server.aclose)
        at = {"room": "lobby"}
        rooms = (await server.room.list_rooms(api.ListRoomsRequest())).rooms
        self.assertEqual([(one.name, one.num_participants, one.num_publishers) for one in rooms], [("lobby", 3, 2)])
        self.assertEqual(rooms[0].sid, await bob.room.sid)
        everybody = {one.identity: one for one in (await server.room.list_participants(api.ListParticipantsRequest(**at))).participants}
        self.assertEqual(set(everybody), {"anna", "bob", "id-Cleo"})
        for name in ["anna", "id-Cleo"]:
            known = bob.room.remote_participants[name]
            self.assertEqual((everybody[name].sid, everybody[name].name), (known.sid, known.name))
            self.assertEqual({track.sid for track in everybody[name].tracks}, set(known.track_publications))
        one = await server.room.get_participant(api.RoomParticipantIdentity(**at, identity="anna"))
        self.assertEqual((one.metadata, dict(one.attributes), one.permission.can_publish), ("metadata of anna", {"of": "anna"}, True))
        # Muted as one track; of a member all audio.
        for publication in [video, audio]:
            for is_muted, event in [(True, "track_muted"), (False, "track_unmuted")]:
                request = api.MuteRoomTrackRequest(**at, identity="anna", track_sid=publication.sid, muted=is_muted)
                self.assertEqual((await server.room.mute_published_track(request)).track.muted, is_muted)
                await self.until(f"{event} of Anna", lambda: ("anna", publication.sid) in anna.of(event))
                await self.until("Bob knows", lambda: ("anna", publication.sid) in bob.of(event))
        await self.hears(bob, "anna", ANNA[1])
        sound = next(track for track in everybody["id-Cleo"].tracks if track.type == 0)
        await server.room.mute_published_track(api.MuteRoomTrackRequest(**at, identity="id-Cleo", track_sid=sound.sid, muted=True))
        await self.until("Cleo is muted", lambda: cleo.moderated == [mediasdk.Moderation.MUTED])
        await self.until("Bob knows", lambda: ("id-Cleo", sound.sid) in bob.of("track_muted"))
        # What is said of the room, and of Anna, who may not say it.
        await server.room.update_room_metadata(api.UpdateRoomMetadataRequest(**at, metadata="news"))
        await self.until("Bob has the news", lambda: bob.room.metadata == "news")
        await server.room.update_participant(api.UpdateParticipantRequest(**at, identity="anna", name="A.", metadata="new", attributes={"hand": "up"}))
        await self.until("Bob knows more of Anna", lambda: bob.room.remote_participants["anna"].attributes.get("hand") == "up")
        await self.until("Bob knows her metadata", lambda: bob.room.remote_participants["anna"].metadata == "new")
        await self.until("Anna knows her name", lambda: anna.own.name == "A.")
        await self.until("Cleo knows", lambda: cleo.session.attributes("anna").get("hand") == "up")
        # Data.
        await server.room.send_data(api.SendDataRequest(**at, data=b"to all", topic="t"))
        await server.room.send_data(api.SendDataRequest(**at, data=b"to Bob", destination_identities=["bob"]))
        await self.until("Bob has both", lambda: bob.data == [("", b"to all", "t"), ("", b"to Bob", "")])
        await self.until("Anna has one", lambda: anna.data == [("", b"to all", "t")])
        data = await cleo.session.next_data_async(timeout=PATIENCE)
        self.assertEqual((data.user_id, data.data, data.topic), ("", b"to all", "t"))
        # The end.
        for name, is_out in [("anna", lambda: anna.of("disconnected")), ("id-Cleo", lambda: cleo.error)]:
            await server.room.remove_participant(api.RoomParticipantIdentity(**at, identity=name))
            await self.until(f"{name} is removed", is_out)
            await self.until("Bob knows", lambda: name not in bob.room.remote_participants)
            with self.assertRaises(api.TwirpError) as refused:
                await server.room.remove_participant(api.RoomParticipantIdentity(**at, identity=name))
            self.assertEqual((refused.exception.code, refused.exception.status), ("not_found", 404))
        # Who is none.
        stranger = api.LiveKitAPI(self.url.replace("ws", "http", 1), KEY, "another secret of thirty-two characters")
        self.addAsyncCleanup(stranger.aclose)
        with self.assertRaises(api.TwirpError) as refused:
            await stranger.room.remove_participant(api.RoomParticipantIdentity(**at, identity="bob"))
        self.assertEqual((refused.exception.code, refused.exception.status), ("unauthenticated", 401))
        left = (await server.room.list_participants(api.ListParticipantsRequest(**at))).participants
        self.assertEqual([one.identity for one in left], ["bob"])

    async def ask(self, method: str, request: Any, answer: Any) -> Any:
        """By JSON, as LiveKit's SDK for Node.js does. Of the answer each name has to be one of `answer`."""
        access = api.AccessToken(KEY, SECRET).with_grants(api.VideoGrants(room_admin=True, room_list=True, room="lobby")).to_jwt()
        headers = {"Authorization": f"Bearer {access}", "Content-Type": "application/json;charset=UTF-8"}
        url = f"{self.url.replace('ws', 'http', 1)}/twirp/livekit.RoomService/{method}"
        async with aiohttp.ClientSession() as http, http.post(url, headers=headers, data=json_format.MessageToJson(request)) as response:
            self.assertEqual(response.headers["Content-Type"], "application/json")
            text = await response.text()
            self.assertEqual(response.status, 200, text)
            return json_format.Parse(text, answer())

    async def test_administration_by_json(self) -> None:
        anna, bob, cleo = await self.client("anna"), await self.client("bob"), self.member("Cleo", *CLEO)
        video = await anna.publish_video(ANNA[0])
        await self.sees(bob, "anna", ANNA[0])
        await self.sees(bob, "id-Cleo", CLEO[0])
        server = api.LiveKitAPI(self.url.replace("ws", "http", 1), KEY, SECRET)
        self.addAsyncCleanup(server.aclose)
        at = {"room": "lobby"}
        # What LiveKit's own client gets, in Protocol Buffers, is the same.
        self.assertEqual(await self.ask("ListRooms", api.ListRoomsRequest(names=["lobby"]), api.ListRoomsResponse),
                         await server.room.list_rooms(api.ListRoomsRequest()))
        everybody = await self.ask("ListParticipants", api.ListParticipantsRequest(**at), api.ListParticipantsResponse)
        self.assertEqual({one.identity for one in everybody.participants}, {"anna", "bob", "id-Cleo"})
        known = await server.room.list_participants(api.ListParticipantsRequest(**at))
        known.DiscardUnknownFields()  # what sessions of this library learn beside the protocol
        self.assertEqual(everybody, known)
        one = await self.ask("GetParticipant", api.RoomParticipantIdentity(**at, identity="anna"), api.ParticipantInfo)
        self.assertEqual((one.metadata, dict(one.attributes), one.permission.can_publish), ("metadata of anna", {"of": "anna"}, True))
        self.assertEqual((one.state, one.tracks[0].source), (api.ParticipantInfo.State.ACTIVE, CAMERA))
        for is_muted, event in [(True, "track_muted"), (False, "track_unmuted")]:
            request = api.MuteRoomTrackRequest(**at, identity="anna", track_sid=video.sid, muted=is_muted)
            self.assertEqual((await self.ask("MutePublishedTrack", request, api.MuteRoomTrackResponse)).track.muted, is_muted)
            await self.until(f"{event} of Anna", lambda: ("anna", video.sid) in anna.of(event))
        changed = await self.ask("UpdateRoomMetadata", api.UpdateRoomMetadataRequest(**at, metadata="grüße \U0001f3a5"), api.Room)
        self.assertEqual(changed.metadata, "grüße \U0001f3a5")
        await self.until("Bob has the news", lambda: bob.room.metadata == changed.metadata)
        request = api.UpdateParticipantRequest(**at, identity="anna", name="A.", metadata="new", attributes={"hand": "up"})
        self.assertEqual((await self.ask("UpdateParticipant", request, api.ParticipantInfo)).name, "A.")
        await self.until("Bob knows more of Anna", lambda: bob.room.remote_participants["anna"].attributes.get("hand") == "up")
        data = bytes(range(256))
        request = api.SendDataRequest(**at, data=data, topic="t", destination_identities=["bob"], nonce=data[:16])
        await self.ask("SendData", request, api.SendDataResponse)
        await self.until("Bob has it", lambda: bob.data == [("", data, "t")])
        await self.ask("RemoveParticipant", api.RoomParticipantIdentity(**at, identity="id-Cleo", revoke_token_ts=1), api.RemoveParticipantResponse)
        await self.until("Cleo is removed", lambda: cleo.error)
        with self.assertRaisesRegex(AssertionError, "(?s)404 != 200 : .*not_found"):
            await self.ask("RemoveParticipant", api.RoomParticipantIdentity(**at, identity="nobody"), api.RemoveParticipantResponse)

    # --------------------------------------------------------------------------------------------------------------- data

    async def three(self) -> tuple[LiveKitClient, LiveKitClient, LiveKitClient]:
        anna, bob, cleo = [await self.client(name) for name in ("anna", "bob", "cleo")]
        # Whoever came first knows the last when they have a path to the server, too.
        await self.until("all know each other", lambda: all(len(one.room.remote_participants) == 2 for one in (anna, bob, cleo)))
        return anna, bob, cleo

    async def test_data(self) -> None:
        """To all, and to one; a message to all afterwards says that nothing more comes."""
        anna, bob, cleo = await self.three()
        for is_reliable in [True, False]:
            for sender, others in [(anna, (bob, cleo)), (bob, (anna, cleo))]:
                words = f"{sender.name} {'reliable' if is_reliable else 'lossy'}".encode()
                await sender.own.publish_data(words, reliable=is_reliable, topic="greeting")
                for other in others:
                    await self.until(f"{other.name} has {words!r}", lambda: other.data == [(sender.name, words, "greeting")])
                    other.data.clear()
                self.assertEqual(sender.data, [])
            await anna.own.publish_data(b"for Bob", reliable=is_reliable, destination_identities=["bob"])
            await self.until("Bob has it", lambda: bob.data == [("anna", b"for Bob", "")])
            await anna.own.publish_data(b"for all", reliable=is_reliable)
            await self.until("Bob has that", lambda: bob.data[1:] == [("anna", b"for all", "")])
            await self.until("Cleo has only that", lambda: cleo.data == [("anna", b"for all", "")])
            bob.data.clear()
            cleo.data.clear()

    async def test_data_with_member_and_session(self) -> None:
        """A client, a member of the process that serves the room, and a session of this library, each to all, and to one."""
        anna, cleo, bob = await self.client("anna"), self.member("Cleo", *CLEO), self.session("Bob", *BOB)
        await self.until("they know each other", lambda: {"id-Bob", "id-Cleo"} <= set(anna.room.remote_participants) and all(
            {other.user_id for other in one.session.participants()} == {"anna", "id-Bob", "id-Cleo"} for one in (bob, cleo)))
        sessions = {"id-Cleo": cleo.session, "id-Bob": bob.session}
        for is_reliable in [True, False]:
            for sender, session in sessions.items():
                words = f"{sender} {'reliable' if is_reliable else 'lossy'}".encode()
                session.send_data(words, topic="greeting", lossy=not is_reliable)
                await self.until(f"anna has {words!r}", lambda: anna.data == [(sender, words, "greeting")])
                anna.data.clear()
                for other in (one for name, one in sessions.items() if name != sender):
                    data = await other.next_data_async(timeout=PATIENCE)
                    self.assertEqual((data.user_id, data.data, data.topic, data.is_lossy), (sender, words, "greeting", not is_reliable))
                session.send_data(b"for anna", to=["anna"], lossy=not is_reliable)
                await self.until("anna has that", lambda: anna.data == [(sender, b"for anna", "")])
                anna.data.clear()
            await anna.own.publish_data(b"for Bob", reliable=is_reliable, destination_identities=["id-Bob"])
            await anna.own.publish_data(b"for all", reliable=is_reliable, topic="greeting")
            for name, session in sessions.items():
                came = [await session.next_data_async(timeout=PATIENCE) for _ in range(2 if name == "id-Bob" else 1)]
                self.assertEqual([data.data for data in came], ([b"for Bob"] if name == "id-Bob" else []) + [b"for all"])
                self.assertEqual({(data.user_id, data.is_lossy, data.missed) for data in came}, {("anna", not is_reliable, 0)})
                self.assertEqual(came[-1].topic, "greeting")
            for session in sessions.values():
                self.assertIsNone(session.read_data())

    async def test_many_messages(self) -> None:
        anna, bob, cleo = await self.three()
        sent = [f"message {number}".encode() for number in range(300)]
        for words in sent:
            await anna.own.publish_data(words)
        for other in (bob, cleo):
            await self.until(f"{other.name} has all", lambda: len(other.data) >= len(sent))
            self.assertEqual([words for _, words, _ in other.data], sent)

    async def test_text_and_calls(self) -> None:
        """Of other methods, and of more than a packet."""
        anna, bob, cleo = await self.three()
        texts: list[tuple[str, str, str]] = []

        async def keep(name: str, reader: Any, sender: str) -> None:
            texts.append((name, sender, await reader.read_all()))

        for client in (bob, cleo):
            client.room.register_text_stream_handler("chat", lambda reader, sender, client=client: client.begin(keep(client.name, reader, sender)))
        text = "Grüße an alle. " * 4_000
        await anna.own.send_text(text, topic="chat", compress=False)
        await self.until("both have the text", lambda: sorted(texts) == [("bob", "anna", text), ("cleo", "anna", text)])
        await anna.own.send_text("for Bob", topic="chat", destination_identities=["bob"])
        await anna.own.send_text("for all", topic="chat")
        await self.until("Cleo has the last", lambda: ("cleo", "anna", "for all") in texts)
        self.assertNotIn(("cleo", "anna", "for Bob"), texts)
        await self.until("Bob has both", lambda: {("bob", "anna", "for Bob"), ("bob", "anna", "for all")} <= set(texts))

        async def double(call: Any) -> str:
            return f"{call.caller_identity} says {call.payload}{call.payload}"

        bob.own.register_rpc_method("double", double)
        self.assertEqual(await anna.own.perform_rpc(destination_identity="bob", method="double", payload="ha"), "anna says haha")
        with self.assertRaises(rtc.RpcError) as caught:
            await anna.own.perform_rpc(destination_identity="cleo", method="double", payload="ha")
        self.assertEqual(caught.exception.code, rtc.RpcError.ErrorCode.UNSUPPORTED_METHOD)

    async def test_rpc_with_member_and_session(self) -> None:
        """A client, a member of the process that serves the room, and a session of this library call each other."""
        anna, cleo, bob = await self.client("anna"), self.member("Cleo", *CLEO), self.session("Bob", *BOB)
        await self.until("they know each other", lambda: {"id-Bob", "id-Cleo"} <= set(anna.room.remote_participants) and all(
            {other.user_id for other in one.session.participants()} == {"anna", "id-Bob", "id-Cleo"} for one in (bob, cleo)))
        sessions = {"id-Cleo": cleo.session, "id-Bob": bob.session}

        async def double(call: rtc.RpcInvocationData) -> str:
            if not call.payload:
                raise rtc.RpcError(1234, "nothing to double", "more")
            return f"{call.caller_identity} says {call.payload * 2}"

        anna.own.register_rpc_method("double", double)
        for user_id, session in sessions.items():
            session.rpc.call("anna", "double", "ha")
            result = await session.rpc.next_async(timeout=PATIENCE)
            self.assertEqual((result.kind, result.user_id, result.payload), (mediasdk.RpcKind.RESPONSE, "anna", f"{user_id} says haha"))
            session.rpc.call("anna", "double")
            failure = await session.rpc.next_async(timeout=PATIENCE)
            self.assertEqual((failure.code, failure.text, failure.payload), (1234, "nothing to double", "more"))
            session.rpc.call("anna", "halve")
            self.assertEqual((await session.rpc.next_async(timeout=PATIENCE)).code, mediasdk.RpcErrorCode.METHOD_NOT_REGISTERED)
            session.rpc.register("triple")
        for user_id, session in sessions.items():
            for caller in (anna, *(other for name, other in sessions.items() if name != user_id)):
                if caller is anna:
                    call = asyncio.ensure_future(anna.own.perform_rpc(destination_identity=user_id, method="triple", payload="ho"))
                else:
                    caller.rpc.call(user_id, "triple", "ho")
                request = await session.rpc.next_async(timeout=PATIENCE)
                self.assertEqual((request.kind, request.method, request.payload), (mediasdk.RpcKind.REQUEST, "triple", "ho"))
                session.rpc.respond(request, request.payload * 3)
                response = await call if caller is anna else (await caller.rpc.next_async(timeout=PATIENCE)).payload
                self.assertEqual(response, "hohoho")
            call = asyncio.ensure_future(anna.own.perform_rpc(destination_identity=user_id, method="triple", payload="ho"))
            session.rpc.fail(await session.rpc.next_async(timeout=PATIENCE), 7, "not today", "more")
            for waiting, code in ((call, 7), (anna.own.perform_rpc(destination_identity=user_id, method="halve", payload=""), 1400)):
                with self.assertRaises(rtc.RpcError) as caught:
                    await waiting
                self.assertEqual(caught.exception.code, code)

    async def test_streams_with_member_and_session(self) -> None:
        """Texts and files between a client, a member of the process that serves the room, and a session of this library."""
        anna, cleo, bob = await self.client("anna"), self.member("Cleo", *CLEO), self.session("Bob", *BOB)
        await self.until("they know each other", lambda: {"id-Bob", "id-Cleo"} <= set(anna.room.remote_participants) and all(
            {other.user_id for other in one.session.participants()} == {"anna", "id-Bob", "id-Cleo"} for one in (bob, cleo)))
        sessions = {"id-Cleo": cleo.session, "id-Bob": bob.session}
        text, noise = "Grüße an alle. " * 4_000, np.random.default_rng(1).bytes(1_000_000)
        came: list[tuple[str, Any]] = []
        named: list[tuple[str, list[str]]] = []

        async def keep(reader: Any, sender: str) -> None:
            if isinstance(reader, rtc.TextStreamReader):
                came.append((sender, (await reader.read_all(), reader.info.topic, dict(reader.info.attributes))))
                named.append((reader.info.stream_id, list(reader.info.attachments)))
            else:
                came.append((sender, (b"".join([chunk async for chunk in reader]), reader.info.name, reader.info.mime_type)))

        anna.room.register_text_stream_handler("chat", lambda reader, sender: anna.begin(keep(reader, sender)))
        anna.room.register_byte_stream_handler("file", lambda reader, sender: anna.begin(keep(reader, sender)))

        async def read(session: mediasdk.Session) -> tuple[list[mediasdk.DataStreamPart], bytes]:
            parts = [await session.data_streams.next_async(timeout=PATIENCE)]
            while parts[-1].part not in (mediasdk.DataPart.ENDED, mediasdk.DataPart.ABORTED):
                parts.append(await session.data_streams.next_async(timeout=PATIENCE))
            self.assertEqual((parts[-1].part, parts[-1].text), (mediasdk.DataPart.ENDED, ""))
            return parts, b"".join(part.data for part in parts)

        for session in sessions.values():
            session.data_streams.accept()
        sent = await anna.own.send_text(text, topic="chat", attributes={"mood": "good"}, reply_to_id="before")
        for session in sessions.values():
            (first, *_), data = await read(session)
            self.assertEqual((first.id, first.reply_to, first.attachments), (sent.stream_id, "before", ()))
            self.assertEqual((first.type, first.user_id, first.topic, first.attributes, data.decode()),
                             (mediasdk.DataStreamType.TEXT, "anna", "chat", {"mood": "good"}, text))
        await anna.own.send_bytes(noise, topic="file", name="noise", mime_type="application/x-noise")
        for session in sessions.values():
            (first, *_), data = await read(session)
            self.assertEqual((first.type, first.name, first.mime_type, first.total_size), (
                mediasdk.DataStreamType.BYTES, "noise", "application/x-noise", len(noise)))
            self.assertEqual(data == noise, True)
        for user_id, session in sessions.items():
            stream = session.data_streams.open_text("chat", attributes={"mood": "better"}, reply_to=sent.stream_id, attachments=["a file"])
            await stream.write_async(text, timeout=PATIENCE)
            await stream.close_async(timeout=PATIENCE)
            file = session.data_streams.open_bytes(
                "file", name="noise", mime_type="application/x-noise", to="anna", total_size=len(noise), id="a file")
            await file.write_async(noise, timeout=PATIENCE)
            await file.close_async(timeout=PATIENCE)
            await self.until(f"anna has what {user_id} sends", lambda: len(came) == 2)
            self.assertEqual(came == [(user_id, (text, "chat", {"mood": "better"})), (user_id, (noise, "noise", "application/x-noise"))], True)
            came.clear()
            self.assertEqual(named.pop(), (stream.id, ["a file"]))
            (other,) = (one for one in sessions.values() if one is not session)
            (first, *_), data = await read(other)
            self.assertEqual((first.user_id, data.decode() == text), (user_id, True))
            self.assertEqual((first.id, first.reply_to, first.attachments), (stream.id, sent.stream_id, ("a file",)))
            self.assertIsNone(other.data_streams.read())

    async def test_bytes(self) -> None:
        """A megabyte that cannot be compressed, as they are sent and compressed."""
        anna, bob, cleo = await self.three()
        came: dict[str, list[bytes]] = {"bob": [], "cleo": []}

        async def keep(name: str, reader: Any) -> None:
            came[name].append(b"".join([chunk async for chunk in reader]))

        for client in (bob, cleo):
            client.room.register_byte_stream_handler("file", lambda reader, _, client=client: client.begin(keep(client.name, reader)))
        sent = np.random.default_rng(1).bytes(1_000_000)
        for compress in [False, True]:
            await anna.own.send_bytes(sent, topic="file", name="noise", compress=compress)
        for name, files in came.items():
            await self.until(f"{name} has both", lambda: len(files) == 2)
            self.assertEqual([one == sent for one in files], [True, True])

    # --------------------------------------------------------------------------------------------------------------- coming again

    async def check_reconnecting(self, scenario: int) -> tuple[LiveKitClient, LiveKitClient]:
        """Anna loses her connection; media come again within 15 s, both ways."""
        anna, bob = await self.anna_and_bob()
        await self.meet(anna, bob)
        bob.events.clear()
        begin = time.monotonic()
        await anna.room.simulate_scenario(scenario)
        await self.until("Anna is back", lambda: anna.of("reconnected"), 15)
        await self.meet(anna, bob, begin + 15 - time.monotonic())
        await anna.own.publish_data(b"again")
        await bob.own.publish_data(b"welcome")
        await self.until("data both ways", lambda: bob.data == [("anna", b"again", "")] and anna.data == [("bob", b"welcome", "")])
        self.assertEqual(self.server.info.member_count, 2)
        return anna, bob

    async def test_resumes(self) -> None:
        """Bob does not notice."""
        _, bob = await self.check_reconnecting(rtc.SimulateScenarioKind.SIMULATE_SIGNAL_RECONNECT)
        self.assertEqual(bob.events, [])

    async def test_reconnects(self) -> None:
        """All anew, as another participant of the same name."""
        _, bob = await self.check_reconnecting(rtc.SimulateScenarioKind.SIMULATE_FULL_RECONNECT)
        self.assertEqual(list(bob.room.remote_participants), ["anna"])

    async def test_session_goes_on(self) -> None:
        """Its connection to the server is reset, of which others notice nothing."""
        way = await Way(self.server.port).open()
        self.addAsyncCleanup(way.close)
        anna = await self.client("anna")
        await anna.publish_video(ANNA[0])
        bob = self.add(RoomMember(f"livekit+ws://127.0.0.1:{way.port}", "Bob", *BOB, token("id-Bob")))
        await self.sees(anna, "id-Bob", BOB[0])
        await self.until("Bob sees Anna", lambda: len(bob.pictures["Anna"]) > PICTURES)
        for count in [1, 2]:
            way.cut()
            again = [mediasdk.SessionState.RECONNECTING, mediasdk.SessionState.CONNECTED] * count
            await self.until("Bob is connected again", lambda: bob.states[-2 * count:] == again)
            begin = len(bob.pictures["Anna"])
            await self.until("Bob sees Anna", lambda: len(bob.pictures["Anna"]) > begin + PICTURES)
            await self.sees(anna, "id-Bob", BOB[0])
        self.assertEqual((anna.of("participant_disconnected"), anna.of("track_unpublished"), bob.gone, bob.left), ([], [], [], []))

    # --------------------------------------------------------------------------------------------------------------- access

    async def test_refusals(self) -> None:
        for what, access in [("expired", token("eve", lifetime=-600)), ("forged", token("eve", secret="another secret of thirty-two characters")),
                             ("of another room", token("eve", room="attic")), ("without the right to join", token("eve", joins=False))]:
            with self.subTest(what):
                begin = time.monotonic()
                with self.assertRaisesRegex(rtc.ConnectError, "401"):
                    await self.client("eve", access)
                self.assertLess(time.monotonic() - begin, 3)
        self.assertEqual(self.server.info.member_count, 0)

    async def test_same_identity(self) -> None:
        """The newcomer takes the place of the first."""
        bob, first = await self.client("bob"), await self.client("anna")
        await self.until("Bob knows Anna", lambda: "anna" in bob.room.remote_participants)
        second = await self.client("anna")
        replaced = str(rtc.DisconnectReason.DUPLICATE_IDENTITY)
        await self.until("the first is disconnected", lambda: first.of("disconnected") == [(replaced,)])
        await second.publish_video(CLEO[0])
        await self.sees(bob, "anna", CLEO[0])
        self.assertEqual((list(bob.room.remote_participants), self.server.info.member_count), (["anna"], 2))
        self.assertEqual(second.room.connection_state, rtc.ConnectionState.CONN_CONNECTED)

    async def test_twenty_come_and_go(self) -> None:
        anna = await self.client("anna")
        names = [f"guest {number}" for number in range(20)]
        for name in names:
            guest = LiveKitClient(self.url, name)
            try:
                await guest.join(single_peer_connection=self.has_one_connection)
                await self.until(f"Anna knows {name}", lambda: name in anna.room.remote_participants)
            finally:
                await guest.close()
            await self.until(f"Anna knows that {name} left", lambda: name not in anna.room.remote_participants)
        for event in ("participant_connected", "participant_disconnected"):
            self.assertEqual([name for name, in anna.of(event)], names)
        await self.until("only Anna is there", lambda: self.server.info.member_count == 1)
        self.assertEqual(anna.room.connection_state, rtc.ConnectionState.CONN_CONNECTED)


class LiveKitRoomOfTwoConnections(LiveKitRoom):
    """Version 0, of most SDKs. What does not depend on the connections is not looked at again."""
    has_one_connection = False
    test_five_videos_of_one_client = test_layers = test_screens_with_member = test_screens_with_session = test_moderation = test_many_messages = test_bytes = None  # type: ignore[assignment]
    test_refusals = test_same_identity = test_twenty_come_and_go = test_administration = test_session_that_moderates = None  # type: ignore[assignment]
    test_session_goes_on = test_encrypted = test_encrypted_data = None  # type: ignore[assignment]


class LiveKitRoomOfOnePort(LiveKitRoom):
    """Media of all at one UDP port. What does not depend on it is not looked at again."""
    media_port = mediasdk.PORT_ANY


AT_ONE_PORT = {"test_two_clients", "test_layers", "test_with_member", "test_with_session", "test_encrypted_data", "test_resumes", "test_reconnects",
               "test_session_goes_on", "test_twenty_come_and_go"}
for name in dir(LiveKitRoom):
    if name.startswith("test_") and name not in AT_ONE_PORT:
        setattr(LiveKitRoomOfOnePort, name, None)


if __name__ == "__main__":
    unittest.main()
