"""Sessions of this library in a room of Janus's VideoRoom, over HTTPS and WebSocket, with a member by aiortc among them, or by libwebrtc."""
from __future__ import annotations

import asyncio
import os
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

import material
import mediasdk
import numbered
from janus import Handle, Janus
from ours import OurEnd
from peers import InteropTest, need
from rtc.room_member import RoomMember

try:
    from rtc.end import Caller, Viewer
    from rtc.simulcast import SIZES, Simulcast
except ImportError as error:
    MISSING: Optional[str] = f"aiortc or wrtc is not here ({error}); make interop installs them"
else:
    MISSING = None

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 60.0  # seconds for what takes a few
PICTURES, SECONDS = 40, 2  # of each of the others, that each member waits for
ROOM, PIN = 1234, "a pin"
TOKEN, SECRET = "pin=a%20pin", "a secret"
DORA = 9  # whose the pictures of aiortc's member are
EMIL = 7  # and those of libwebrtc's
SETTLED = 30  # pictures of one size in a row, of 10 a second


async def no_more(event: mediasdk.Event) -> None:
    """For events of which nothing follows."""


class Guest:
    """Who is in the room by handles of its server, which are kept alive."""

    def __init__(self, janus: Janus) -> None:
        self._janus = janus
        self._keeping: list[asyncio.Task] = []

    async def attach(self) -> Handle:
        handle = await asyncio.to_thread(self._janus.attach, "videoroom")
        self._keeping.append(asyncio.ensure_future(self._keep_alive(handle)))
        return handle

    async def _keep_alive(self, handle: Handle) -> None:
        while True:
            await asyncio.sleep(20)
            await asyncio.to_thread(handle.keep_alive)

    async def close(self) -> None:
        for task in self._keeping:
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)


class Aiortc(Guest):
    """Dora, who publishes by one connection and receives each of the others by another: of several sounds in one, aiortc plays but the first."""

    def __init__(self, janus: Janus, size: tuple[int, int] = (material.WIDTH, material.HEIGHT), rate: int = material.RATE) -> None:
        super().__init__(janus)
        self.caller = Caller(lambda number: numbered.luma(DORA, number, False, *size), rate)
        self.viewers: dict[str, Viewer] = {}  # by names

    async def join(self, feeds: int) -> None:
        handle = await self.attach()
        deadline = time.monotonic() + PATIENCE
        joined, _ = await asyncio.to_thread(handle.command, request="join", ptype="publisher", room=ROOM, display="Dora", pin=PIN)
        _, answer = await asyncio.to_thread(handle.command, await self.caller.offer(), request="publish")
        assert answer is not None
        await self.caller.take(answer)
        while True:
            everybody = await asyncio.to_thread(handle.request, request="listparticipants", room=ROOM)
            others = {one["display"]: one["id"] for one in everybody["participants"] if one.get("publisher") and one["id"] != joined["id"]}
            if len(others) >= feeds:
                break
            assert time.monotonic() < deadline, everybody
            await asyncio.sleep(0.2)
        for name, feed in others.items():
            receiving = await self.attach()
            _, offer = await asyncio.to_thread(receiving.command, request="join", ptype="subscriber", room=ROOM, pin=PIN, streams=[{"feed": feed}])
            assert offer is not None
            viewer = self.viewers[name] = Viewer()
            await asyncio.to_thread(receiving.command, await viewer.answer(offer), request="start")

    @property
    def told(self) -> str:
        return f"Dora has {({name: (one.state, len(one.pictures), len(one.samples)) for name, one in self.viewers.items()})}"

    async def close(self) -> None:
        await super().close()
        await self.caller.close()
        for viewer in self.viewers.values():
            await viewer.close()


class Libwebrtc(Guest):
    """Emil, who publishes a video in three sizes at once, and receives nobody."""

    def __init__(self, janus: Janus) -> None:
        super().__init__(janus)
        self.simulcast = Simulcast(EMIL)

    async def join(self) -> None:
        handle = await self.attach()
        await asyncio.to_thread(handle.command, request="join", ptype="publisher", room=ROOM, display="Emil", pin=PIN)
        # More than the room allows, which is too little for the largest size.
        said, answer = await asyncio.to_thread(handle.command, await self.simulcast.offer(), request="publish", bitrate=2_000_000)
        assert answer is not None and said["streams"][0]["simulcast"], said
        await self.simulcast.take(answer)

    @property
    def told(self) -> str:
        return f"Emil is {self.simulcast.connection.connection_state}, has sent {self.simulcast.sent}"

    async def close(self) -> None:
        await super().close()
        await self.simulcast.close()


class VideoRoom(InteropTest, unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        super().setUp()
        if MISSING:
            self.skipTest(MISSING)
        self.janus = Janus(self)
        self.janus.attach("videoroom").request(
            request="create", room=ROOM, publishers=6, bitrate=1_000_000, audiocodec="opus", videocodec="vp8", pin=PIN, secret=SECRET, audiolevel_event=True,
            audio_active_packets=25, audio_level_average=60)
        self.members: list[RoomMember] = []
        self.told_by: list[Any] = []  # who have something to say of what did not come

    def url(self, scheme: str, room: int = ROOM) -> str:
        port, path = (8089, "/janus") if scheme == "janus+https" else (8989, "/")
        return f"{scheme}://{self.janus.far}:{port}{path}?room={room}#fingerprint={self.janus.fingerprint}"

    def join(self, scheme: str, name: str, stream: int, frequency: float, token: str = TOKEN, **options: Any) -> RoomMember:
        member = RoomMember(self.url(scheme), name, stream, frequency, token, **options)
        self.addAsyncCleanup(member.close)
        self.members.append(member)
        self.told_by.append(member)
        return member

    def dora(self, **options: Any) -> Aiortc:
        dora = Aiortc(self.janus, **options)
        self.addAsyncCleanup(dora.close)
        self.told_by.append(dora)
        return dora

    async def until(self, what: str, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            for member in self.members:
                member.check()
            self.assertLess(time.monotonic(), deadline, "\n".join([f"{what}: not after {PATIENCE:g} s", *(member.told for member in self.told_by)]))
            await asyncio.sleep(0.05)

    def check_media(self, member: RoomMember, name: str, stream: int, tone: float) -> None:
        """All pictures are that sender's, each later than the one before, but those of a screen that are repeated, and the tone is theirs."""
        last, unread = -1, 0
        for picture in member.pictures[name]:
            word = numbered.read(picture)
            if word is None:
                unread += 1
                continue
            self.assertEqual(word[0], stream)
            self.assertGreater(word[1], last - (member.kinds[name] == mediasdk.VideoKind.SCREEN_SHARE))
            last = word[1]
        # An encoder that is short of bits, as the room's bound makes it, may blur one: so does aiortc's, whose own decoder cannot read it either.
        self.assertLessEqual(unread, len(member.pictures[name]) // 20, f"pictures of {name} that {member.name} cannot read")
        frequency, length = material.tone_of(np.concatenate(member.samples[name]), 48_000)
        self.assertAlmostEqual(frequency, tone, delta=5)
        self.assertGreater(length, SECONDS / 2)

    def make_publish(self) -> Path:
        """The example publish.c."""
        need("cc")
        program, library = self.directory / "publish", os.environ["MSDK_LIB_DIR"]
        subprocess.run(["cc", "-std=c11", str(ROOT / "Examples/C/publish.c"), f"-I{ROOT / 'Include'}", "-o", str(program), f"-L{library}",
                        "-lmediasdk", "-lm", f"-Wl,-rpath,{library}"], check=True, timeout=60)
        return program

    async def publish(self, program: Path, url: str, watcher: Any, pictures: Callable[[], int], **variables: str) -> None:
        """Runs the program with a url. Whoever watches there has pictures of it; nobody does in a room of the program's own process."""
        before = pictures()
        process = await asyncio.create_subprocess_exec(str(program), url, "8", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
                                                       env=os.environ | {"TOKEN": TOKEN} | variables)
        said, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
        ended = self.janus.process.process.poll()
        self.assertEqual(process.returncode, 0, f"{said.decode()}\nJanus {'is there' if ended is None else f'ended by {ended}'}")
        self.assertIn(f"connected to {url}", said.decode())
        if watcher is not None:
            watcher.check()
            self.assertGreater(pictures() - before, 20, f"{url}: {said.decode()}")

    async def test_one_program_goes_wherever_its_url_says(self) -> None:
        """The example publish.c: in its own process, to a room of another program, by WHIP and LiveKit's protocol too, to a room of Janus."""
        program = self.make_publish()
        host = OurEnd("loopback:lobby", 1, 440.0)
        self.addAsyncCleanup(host.close)
        host.handle(no_more)
        access = ("key", "a secret of thirty-two characters")
        server = mediasdk.serve_room(host.engine, "loopback:lobby", "127.0.0.1", access=access)
        token = mediasdk.create_access_token(api_key=access[0], api_secret=access[1], room="lobby", user_id="bot")
        anna = self.join("janus+https", "Anna", 1, 440.0)
        await self.publish(program, "loopback:lobby", None, lambda: 0)
        await self.publish(program, f"whip+http://127.0.0.1:{server.port}/whip/lobby", host, lambda: len(host.pictures))
        await self.publish(program, server.url(), host, lambda: len(host.pictures), TOKEN=token, USER_ID="bot")
        await self.publish(program, self.url("janus+https"), anna, lambda: sum(len(one) for one in anna.pictures.values()))

    async def test_through_a_proxy(self) -> None:
        """What the program says to Janus goes through a proxy that the environment names; its media go as ever."""
        targets: list[str] = []

        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while data := await reader.read(65_536):
                    writer.write(data)
                    await writer.drain()
            except ConnectionError:
                pass
            finally:
                writer.close()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            method, target, _ = (await reader.readuntil(b"\r\n\r\n")).decode().split(None, 2)
            self.assertEqual(method, "CONNECT")
            targets.append(target)
            host, port = target.rsplit(":", 1)
            far_reader, far_writer = await asyncio.open_connection(host, int(port))
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(carry(reader, far_writer), carry(far_reader, writer))

        proxy = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.addAsyncCleanup(proxy.wait_closed)
        self.addCleanup(proxy.close)
        anna = self.join("janus+https", "Anna", 1, 440.0)
        await self.until("Anna is in the room", lambda: anna.session.state == mediasdk.SessionState.CONNECTED)
        program, address = self.make_publish(), f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
        for scheme in ["janus+https", "janus+wss"]:
            await self.publish(program, self.url(scheme), anna, lambda: sum(len(one) for one in anna.pictures.values()), https_proxy=address)
        self.assertEqual(set(targets), {f"{self.janus.far}:8089", f"{self.janus.far}:8989"})

    async def test_members_see_and_hear_each_other(self) -> None:
        anna = self.join("janus+https", "Anna", 1, 440.0)
        bob = self.join("janus+wss", "Bob", 2, 660.0)
        cleo = self.join("janus+https", "Cleo", 3, 880.0, is_screen=True)
        dora = self.dora()
        await dora.join(3)
        media = {"Anna": (1, 440.0), "Bob": (2, 660.0), "Cleo": (3, 880.0), "Dora": (DORA, material.TONE)}
        for member in self.members:
            for name in media.keys() - {member.name}:
                await self.until(f"pictures of {name} at {member.name}", lambda: len(member.pictures[name]) >= PICTURES)
                await self.until(f"sound of {name} at {member.name}", lambda: sum(map(len, member.samples[name])) >= SECONDS * 48_000)
        await self.until("media at Dora", lambda: all(len(one.pictures) >= PICTURES and len(one.samples) >= 100 for one in dora.viewers.values()))
        for member in self.members:
            for name in media.keys() - {member.name}:
                self.check_media(member, name, *media[name])
        for name, viewer in dora.viewers.items():
            self.check_at_dora(name, viewer, *media[name])
        self.assertEqual(anna.kinds["Cleo"], mediasdk.VideoKind.SCREEN_SHARE)
        self.assertEqual(anna.kinds["Bob"], mediasdk.VideoKind.VIRTUAL)
        # One stream stops, and begins again.
        bob.session.stop_video(bob.video)
        await self.until("Bob's video is gone", lambda: "Bob" in anna.gone and "Bob" in cleo.gone)
        count = len(anna.pictures["Bob"])
        bob.start_video()
        await self.until("Bob's video comes again", lambda: len(anna.pictures["Bob"]) >= count + PICTURES)
        # Somebody leaves.
        bob.session.disconnect()
        await self.until("Bob has left", lambda: "Bob" in anna.left and "Bob" in cleo.left)
        await self.until("the others go on", lambda: len(anna.pictures["Cleo"]) > PICTURES)
        self.assertEqual(anna.session.state, mediasdk.SessionState.CONNECTED)

    async def test_layers_of_a_member(self) -> None:
        """A session sends two sizes. Who shows it small gets the small one, and the others the large one."""
        anna, bob = self.join("janus+https", "Anna", 1, 440.0), self.join("janus+wss", "Bob", 2, 660.0, size=(640, 480))
        cleo = self.join("janus+https", "Cleo", 3, 880.0)

        def shapes(member: RoomMember, count: int) -> set[tuple[int, ...]]:
            return {picture.shape for picture in member.pictures["Bob"][-count:]}

        for member in [anna, cleo]:
            await self.until(f"{member.name} sees all of Bob", lambda: shapes(member, 15) == {(480, 640)})
        await self.until("Bob sends both", lambda: bob.video.stats().active_layers == 2)
        self.assertEqual(bob.video.stats().layers, 2)
        cleo.videos["Bob"].set_preference(width=320, height=240)
        await self.until("Cleo sees less of him", lambda: shapes(cleo, 15) == {(240, 320)} and shapes(anna, 15) == {(480, 640)})
        cleo.videos["Bob"].set_preference()
        await self.until("Cleo sees all of him again", lambda: shapes(cleo, 15) == {(480, 640)})

    async def test_a_minute(self) -> None:
        """Everybody sees and hears everybody else all the time, and nobody is connected again."""
        size, rate, seconds, window = (160, 120), 10, 60, 5
        anna = self.join("janus+https", "Anna", 1, 440.0, size=size, rate=rate)
        self.join("janus+wss", "Bob", 2, 660.0, size=size, rate=rate)
        self.join("janus+https", "Cleo", 3, 880.0, is_screen=True, size=size, rate=rate)
        dora = self.dora(size=size, rate=rate)
        # She subscribes once, to all that there is then.
        for member in self.members:
            await self.until(f"media of the others at {member.name}", lambda: len(member.pictures) == 2 and len(member.samples) == 2)
        await dora.join(3)
        media = {"Anna": (1, 440.0), "Bob": (2, 660.0), "Cleo": (3, 880.0), "Dora": (DORA, material.TONE)}
        for member in self.members:
            await self.until(f"pictures of all at {member.name}", lambda: all(len(member.pictures[name]) >= 5 for name in media.keys() - {member.name}))
            await self.until(f"sound of all at {member.name}", lambda: all(member.samples[name] for name in media.keys() - {member.name}))
        await self.until("media at Dora", lambda: all(one.pictures and one.samples for one in dora.viewers.values()))
        # What came before does not count.
        sounds = {(member.name, name): len(member.samples[name]) for member in self.members for name in media.keys() - {member.name}}
        start, said = time.monotonic(), dora.caller.tone.seconds
        while time.monotonic() < start + seconds:
            for member in self.members:
                member.check()
            await asyncio.sleep(0.5)
        # Of Dora as much is heard as she has said, which is less than a minute where this process has much to do.
        lengths = dict.fromkeys(media, seconds) | {"Dora": int(dora.caller.tone.seconds - said)}
        self.assertGreater(lengths["Dora"], 3 * window)
        for member in self.members:
            self.assertEqual(member.states, [mediasdk.SessionState.CONNECTING, mediasdk.SessionState.CONNECTED], member.told)
            self.assertEqual((member.error, member.gone, member.left), (None, [], []), member.told)
            for name in media.keys() - {member.name}:
                self.check_media(member, name, *media[name])
                self.check_flow(f"{name} at {member.name}", [at - start for at in member.times[name]], seconds, window, rate)
                self.check_tones(f"{name} at {member.name}", np.concatenate(member.samples[name][sounds[member.name, name]:]),
                                 media[name][1], lengths[name], window)
        for name, viewer in dora.viewers.items():
            self.check_at_dora(name, viewer, *media[name])
            self.check_flow(f"{name} at Dora", [at - start for at in viewer.times], seconds, window, rate)
            self.check_tones(f"{name} at Dora", np.concatenate(viewer.samples)[-seconds * 48_000:] / viewer.LOUDEST, media[name][1], seconds, window)
        self.assertEqual(anna.kinds["Cleo"], mediasdk.VideoKind.SCREEN_SHARE)

    def check_at_dora(self, name: str, viewer: Viewer, stream: int, tone: float) -> None:
        words = list(map(numbered.read, viewer.pictures))
        # After a loss aiortc shows what it cannot decode, and on a busy machine its event loop is late for what comes.
        self.assertGreaterEqual(sum(word is not None and word[0] == stream for word in words), len(words) // 2, f"pictures of {name} at Dora")
        self.assertAlmostEqual(material.tone_of(np.concatenate(viewer.samples) / viewer.LOUDEST, 48_000)[0], tone, delta=5)

    def check_flow(self, what: str, times: list[float], seconds: int, window: int, rate: int) -> None:
        """Half of the pictures at least came in each window; most do, on a machine that has nothing else to do."""
        counts = [sum(begin <= at < begin + window for at in times) for begin in range(0, seconds, window)]
        self.assertGreater(min(counts), window * rate // 2, f"pictures of {what} in each {window} s: {counts}")

    def check_tones(self, what: str, samples: np.ndarray, tone: float, seconds: int, window: int) -> None:
        self.assertGreater(len(samples), (seconds - window) * 48_000, what)
        for begin in range(0, seconds - window, window):
            frequency, length = material.tone_of(samples[begin * 48_000:(begin + window) * 48_000], 48_000)
            self.assertAlmostEqual(frequency, tone, delta=5, msg=f"{what} after {begin} s")
            self.assertGreater(length, window / 2, f"{what} after {begin} s")

    async def test_program_that_stops_to_receive(self) -> None:
        """The server is asked for no more of it, and for all when it starts again."""
        anna, bob = self.join("janus+wss", "Anna", 1, 440.0), self.join("janus+https", "Bob", 2, 660.0)
        await self.until("pictures of Bob", lambda: len(anna.pictures["Bob"]) >= PICTURES)
        anna.videos["Bob"].stop()
        await asyncio.sleep(1)
        received = anna.session.stats().bytes_received
        count = len(anna.pictures["Bob"])
        await asyncio.sleep(2)
        # Sound goes on, of some 4 kB a second.
        self.assertLess(anna.session.stats().bytes_received - received, 40_000)
        anna.videos["Bob"].start(pixel_format="I420")
        anna.keep(anna.videos["Bob"], "Bob")
        await self.until("pictures again", lambda: len(anna.pictures["Bob"]) >= count + PICTURES)
        self.assertEqual(bob.session.state, mediasdk.SessionState.CONNECTED)

    async def test_size_that_is_preferred(self) -> None:
        """Of a video that comes in three, the smallest that is not smaller is received, and another one when another is preferred."""
        emil = Libwebrtc(self.janus)
        self.addAsyncCleanup(emil.close)
        self.told_by.append(emil)
        await emil.join()
        anna = self.join("janus+wss", "Anna", 1, 440.0)
        pictures = anna.pictures["Emil"]
        small, middle, large = SIZES
        await self.receives(pictures, large)
        for preference, size in [((200, 100), small), ((600, 300), large), ((200, 100), small), ((300, 160), middle), ((0, 0), large)]:
            anna.videos["Emil"].set_preference(width=preference[0], height=preference[1])
            await self.receives(pictures, size)
        last = 0
        for picture in pictures:
            word = numbered.read(picture)
            self.assertIsNotNone(word)
            if word is not None:
                self.assertEqual(word[0], EMIL)
                # The last of one size and the first of the next may be of the same picture.
                self.assertGreaterEqual(word[1], last)
                last = word[1]
        self.assertEqual(anna.states, [mediasdk.SessionState.CONNECTING, mediasdk.SessionState.CONNECTED], anna.told)

    async def receives(self, pictures: list[np.ndarray], size: tuple[int, int]) -> None:
        """Soon pictures of that size come, and no others. What comes before is in flight, or of a size between the two."""
        begin = len(pictures)
        await self.until(f"pictures of {size} only", lambda: len(pictures) >= begin + SETTLED
                         and all(picture.shape == size[::-1] for picture in pictures[-SETTLED:]))

    async def test_mute_and_moderation(self) -> None:
        anna = self.join("janus+wss", "Anna", 1, 440.0, f"{TOKEN}&secret=a%20secret")
        bob = self.join("janus+https", "Bob", 2, 660.0)
        await self.until("sound of both", lambda: bool(anna.samples["Bob"]) and bool(bob.samples["Anna"]))
        # By oneself.
        bob.audio.set_muted(True)
        await self.until("Bob is muted", lambda: anna.muted == [("Bob", True)])
        bob.audio.set_muted(False)
        await self.until("Bob is heard again", lambda: anna.muted == [("Bob", True), ("Bob", False)])
        # By a moderator.
        self.assertRaises(mediasdk.RefusedError, bob.session.mute_participant, next(iter(bob.names)))
        bobs = next(user for user, name in anna.names.items() if name == "Bob")
        anna.session.mute_participant(bobs)
        await self.until("Bob is moderated", lambda: bob.moderated == [mediasdk.Moderation.MUTED] and bob.audio.muted and anna.muted[2:] == [("Bob", True)])
        anna.session.mute_participant(bobs, False)
        await self.until("that is over", lambda: not bob.audio.muted and anna.muted[3:] == [("Bob", False)])
        anna.session.remove_participant(bobs)
        await self.until("Bob is removed", lambda: bob.error is not None and "Bob" in anna.left)
        self.assertIsInstance(bob.error, mediasdk.RemovedError)
        self.assertEqual(anna.session.state, mediasdk.SessionState.CONNECTED)

    async def test_one_member_by_name(self) -> None:
        """msdk receive --from; the server makes the user ids."""
        anna, bob = self.join("janus+wss", "Anna", 1, 440.0), self.join("janus+https", "Bob", 2, 660.0)
        await self.until("pictures of both", lambda: bool(anna.pictures["Bob"]) and bool(bob.pictures["Anna"]))
        token = self.directory / "token"
        token.write_text(f"{TOKEN}\n")
        token.chmod(0o600)
        for name, stream in [("Bob", 2), ("Anna", 1)]:
            film = self.directory / f"{name}.y4m"
            receiver = self.msdk("receive", self.url("janus+wss"), "--token", token, "--from", name, "--renderer", f"file:{film}", "--frames", 20)
            await asyncio.to_thread(self.finish, receiver)
            head, _, rest = film.read_bytes().partition(b"FRAME\n")
            width, height = (int(word[1:]) for word in head.split()[1:3])
            read = numbered.read(np.frombuffer(rest[:width * height], np.uint8).reshape(height, width))
            self.assertIsNotNone(read)
            self.assertEqual(read[0] if read else None, stream)

    async def check_another_address(self, scheme: str) -> None:
        """The network is another one: media come back."""
        anna, bob = self.join(scheme, "Anna", 1, 440.0), self.join(scheme, "Bob", 2, 660.0)
        for one, other in [(anna, "Bob"), (bob, "Anna")]:
            await self.until(f"pictures of {other}", lambda: len(one.pictures[other]) >= PICTURES)
        self.janus.move()
        await self.until("the path is lost", lambda: all(mediasdk.SessionState.RECONNECTING in one.states for one in self.members))
        counts = len(anna.pictures["Bob"]), len(bob.pictures["Anna"])
        await self.until("pictures again", lambda: len(anna.pictures["Bob"]) >= counts[0] + PICTURES and len(bob.pictures["Anna"]) >= counts[1] + PICTURES)
        await self.until("connected", lambda: all(one.session.state == mediasdk.SessionState.CONNECTED for one in self.members))

    async def test_another_address(self) -> None:
        await self.check_another_address("janus+https")

    async def test_another_address_over_websocket(self) -> None:
        await self.check_another_address("janus+wss")

    async def test_refusals(self) -> None:
        for scheme in ["janus+https", "janus+wss"]:
            for room, token, kind in [(ROOM, "pin=wrong", mediasdk.RefusedError), (ROOM + 1, TOKEN, mediasdk.NotFoundError)]:
                member = RoomMember(self.url(scheme, room), "Eve", 5, 440.0, token)
                self.addAsyncCleanup(member.close)
                self.members = [member]
                await self.until("it is refused", lambda: member.error is not None)
                self.assertIsInstance(member.error, kind)


if __name__ == "__main__":
    unittest.main()
