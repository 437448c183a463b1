"""A call of four as its users have it: a real program's window shared from an X server, another screen fed by another process, both seen by
two others as one picture each, while the feeder is killed and comes again."""
from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import mediasdk
from call import PATIENCE, Room, plugin_dir
from mediasdk import (PORT_ANY, AgainError, Codec, EventType, IngestState, Limits, ScreenShareState, Session, SessionState, VideoKind,
                      configure_room, next_access_request)

TESTS = Path(__file__).resolve().parents[2]
FEEDER = Path(mediasdk.__file__).with_name("feeder.py")
SHOW, EXPECT = b"the token the feeder shows", b"the token it is shown"
TITLE = "the shared clock"
BRIGHT = 220
GROUND = 71  # the luma of the window's ground, #404040
# Bright from edge to edge, from a process that knows nothing of the SDK but that one file.
CHILD = f"""
import sys, time
from feeder import Feeder
with Feeder(port=int(sys.argv[1]), transmission_token={SHOW!r}, reception_token={EXPECT!r}) as feeder:
    picture = bytes([{BRIGHT}]) * (640 * 360) + bytes([128]) * (640 * 360 // 2)
    while True:
        feeder.send("NV12", 640, 360, picture)
        time.sleep(0.05)
"""

JOIN = """
import sys
from mediasdk import *
engine = Engine()
engine.add_plugin_dir(sys.argv[1])
def join(name):
    session = engine.create_session("loopback:here", name)
    session.connect()
    return session
"""
# Captures a window, and feeds it to the doors of other processes: DIR DISPLAY TITLE PORT...
SHARER = JOIN + f"""
from mediasdk.feeder import Feeder
alice, mirror = join("alice"), join("mirror")
screen = engine.create_outgoing_video(kind=VideoKind.SCREEN_SHARE, limits=Limits.EXTENDED)
screen.attach_producer(engine.create_instance("org.mediasdk.producer.x11", display=sys.argv[2], source="window", window=sys.argv[3]))
alice.start_video(screen)
seen = next(event.incoming_video for event in mirror.events(timeout=30) if event.type == EventType.INCOMING_VIDEO_ADDED)
seen.start(pixel_format=PixelFormat.NV12)
feeders = [Feeder(port=int(port), transmission_token={SHOW!r}, reception_token={EXPECT!r}) for port in sys.argv[4:]]
for frame in seen:
    for feeder in feeders:
        feeder.send("NV12", frame.width, frame.height, frame.tobytes())
"""
# A session with a door, and another that sees the call as a grid: DIR. Tells its port, and for each line on its input how many pixels of
# those it looks at have the window's ground.
VIEWER = JOIN + f"""
host, eyes = join("host"), join("eyes")
host.set_ingest(transmission_token={SHOW!r}, reception_token={EXPECT!r}, port=PORT_ANY, limits=Limits.EXTENDED, fps=15)
grid = engine.create_instance("org.mediasdk.renderer.grid", width=640, height=360, fps=15)
eyes.attach_renderer(grid)
print(host.ingest_port, flush=True)
for line in sys.stdin:
    try:
        picture = grid.snapshot()
    except AgainError:  # it has shown nothing yet
        print(0, flush=True)
        continue
    with picture:
        if path := line.strip():
            file = engine.create_instance("org.mediasdk.renderer.file", path=path)
            file.render(picture)
            file.release()
        luma = picture.planes[0]
        print(sum(abs(luma[y][x] - {GROUND}) <= 3 for y in range(9, 360, 18) for x in range(6, 640, 13)), flush=True)
"""


class GroupCallTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        server = [str(TESTS / "Plugins" / "x11_server.sh")]
        self.addCleanup(subprocess.run, [*server, "STOP", str(self.directory / "x")], check=True)
        started = subprocess.run([*server, "START", str(self.directory / "x"), "-screen", "0", "800x600x24"], check=True,
                                 stdout=subprocess.PIPE, text=True)
        self.display = started.stdout.strip()
        self.room = Room()
        self.addCleanup(self.room.close)
        self.room.engine.add_plugin_dir(plugin_dir())

    def start(self, *words: str, path: str = "", **pipes: int) -> subprocess.Popen[str]:
        environment = {**os.environ, "DISPLAY": self.display}
        if path:
            environment["PYTHONPATH"] = path
        process = subprocess.Popen(words, env=environment, text=True, **{"stdout": subprocess.DEVNULL, **pipes})
        self.addCleanup(process.__exit__, None, None, None)
        self.addCleanup(process.kill)
        return process

    def clock(self) -> subprocess.Popen[str]:
        return self.start("xclock", "-title", TITLE, "-geometry", "400x300+50+50", "-update", "1", "-bg", "#404040")

    def feeder(self, port: int) -> subprocess.Popen[str]:
        return self.start(sys.executable, "-c", CHILD, str(port), path=str(FEEDER.parent))

    def share_window(self, session: Session, title: str) -> None:
        stream = self.room.engine.create_outgoing_video(kind=VideoKind.SCREEN_SHARE, codec=Codec.VP8, limits=Limits.EXTENDED)
        stream.attach_producer(
            self.room.engine.create_instance("org.mediasdk.producer.x11", display=self.display, source="window", window=title))
        session.start_video(stream)

    def until(self, what: str, holds: object) -> None:
        deadline = time.monotonic() + 3 * PATIENCE
        while not holds():  # type: ignore[operator]
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def brightest(self, grid: mediasdk.Instance) -> int:
        """How many pixels of a thousand, looked at evenly, are the feeder's."""
        try:
            with grid.snapshot() as seen:
                luma = seen.planes[0]
                return sum(abs(luma[y][x] - BRIGHT) <= 3 for y in range(9, 360, 18) for x in range(6, 640, 13))
        except AgainError:
            return 0

    @unittest.skipUnless(plugin_dir().is_dir() and shutil.which("Xvfb") and shutil.which("xclock"), "needs the plugins, Xvfb, xclock")
    def test_windows_feeders_and_grids(self) -> None:
        engine = self.room.engine
        clock = self.clock()
        alice, dave = self.room.join("alice"), self.room.join("dave")
        viewers = [self.room.join("bob"), self.room.join("carol")]
        grids = [engine.create_instance("org.mediasdk.renderer.grid", width=640, height=360, fps=15) for _ in viewers]
        for viewer, grid in zip(viewers, grids):
            viewer.attach_renderer(grid)

        def share() -> bool:
            try:
                self.share_window(alice, TITLE)
                return True
            except mediasdk.MediaSDKError:  # the program has no window yet
                return False
        self.until("alice shares the window", share)
        dave.set_ingest(transmission_token=SHOW, reception_token=EXPECT, port=PORT_ANY, limits=Limits.EXTENDED, fps=15)
        feeder = self.feeder(dave.ingest_port)
        self.room.event(dave, EventType.INGEST, IngestState.SHARING)
        self.room.event(viewer, EventType.SCREEN_SHARE_STATE, ScreenShareState.ENABLED)
        for grid in grids:
            self.until("the feeder's picture is seen", lambda grid=grid: self.brightest(grid) > 10)
        self.keep(grids[0], "both.png")

        feeder.send_signal(signal.SIGKILL)
        self.room.event(dave, EventType.INGEST, IngestState.FEEDER_DISCONNECTED)
        for grid in grids:
            self.until("what was fed is gone", lambda grid=grid: self.brightest(grid) == 0)
        self.keep(grids[0], "killed.png")
        self.assertIsNone(clock.poll())

        # The call goes on, and so does the door.
        self.feeder(dave.ingest_port)
        for grid in grids:
            self.until("the next feeder's picture is seen", lambda grid=grid: self.brightest(grid) > 10)
        sharing = {one.user_id: one.is_sharing_screen for one in viewer.participants()}
        self.assertEqual(sharing, {"alice": True, "dave": True, "bob": False, "carol": False})

    @unittest.skipUnless(plugin_dir().is_dir() and shutil.which("Xvfb") and shutil.which("xclock"), "needs the plugins, Xvfb, xclock")
    def test_one_process_shares_and_two_others_see(self) -> None:
        self.clock()
        words = [sys.executable, "-c", VIEWER, str(plugin_dir())]
        viewers = [self.start(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)]
        ports = [viewer.stdout.readline().strip() for viewer in viewers]

        def share() -> subprocess.Popen[str]:
            return self.start(sys.executable, "-c", SHARER, str(plugin_dir()), self.display, TITLE, *ports)

        def looked(viewer: subprocess.Popen[str], picture: str = "") -> int:
            viewer.stdin.write(f"{picture}\n")
            viewer.stdin.flush()
            return int(viewer.stdout.readline())
        folder = Path(os.environ.get("MSDK_TEST_PICTURES", self.directory))
        sharer = share()
        for number, viewer in enumerate(viewers):
            self.until("the window is seen", lambda: looked(viewer) > 100)
            looked(viewer, str(folder / f"viewer{number}.png"))
        sharer.send_signal(signal.SIGKILL)
        for viewer in viewers:
            self.until("the window is gone", lambda: looked(viewer) == 0)
        share()
        for viewer in viewers:
            self.until("the window is seen again", lambda: looked(viewer) > 100)

    def keep(self, grid: mediasdk.Instance, name: str) -> None:
        """For people to look at."""
        if folder := os.environ.get("MSDK_TEST_PICTURES"):
            file = self.room.engine.create_instance("org.mediasdk.renderer.file", path=Path(folder, name))
            with grid.snapshot() as seen:
                file.render(seen)
            file.release()

    def test_a_wrong_token_is_refused(self) -> None:
        configure_room(self.room.engine, self.room.url, verified=True)
        mallory = self.room.engine.create_session(self.room.url, "mallory", access_token="guessed")
        mallory.connect(wait=False)
        request = next_access_request(self.room.engine, self.room.url, timeout=PATIENCE)
        self.assertEqual((request.user_id, request.access_token), ("mallory", "guessed"))
        request.refuse()
        event = self.room.event(mallory, EventType.SESSION_STATE, SessionState.DISCONNECTED)
        self.assertIsInstance(event.error, mediasdk.RefusedError)
        self.assertNotIn("guessed", str(event.error))


if __name__ == "__main__":
    unittest.main()
