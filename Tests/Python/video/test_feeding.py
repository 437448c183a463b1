"""Screen shares that another process feeds: the session's door, and the feeder class alone."""
from __future__ import annotations

import hmac
import importlib.util
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Callable

import mediasdk
from mediasdk import PORT_ANY, EventType, FeedReason, IngestState

FEEDER = Path(mediasdk.__file__).with_name("feeder.py")
# With NULs in them; one is a beginning of the other.
SHOW, EXPECT = b"\0secret\0 of 20 bytes", b"\0secret\0 of 20 bytes\0"

# As a stranger would use it: the file on its own, in an interpreter that cannot import the package.
CHILD = """
import importlib.util, sys, time
sys.modules["mediasdk"] = None
spec = importlib.util.spec_from_file_location("alone", sys.argv[1])
alone = importlib.util.module_from_spec(spec)
spec.loader.exec_module(alone)
door = {"socket_path": sys.argv[2]} if "/" in sys.argv[2] else {"port": int(sys.argv[2])}
with alone.Feeder(**door, transmission_token=bytes.fromhex(sys.argv[3]), reception_token=bytes.fromhex(sys.argv[4])) as feeder:
    while True:
        feeder.send("NV12", 640, 360, bytes([80]) * (640 * 360 * 3 // 2))
        time.sleep(0.01)
"""


def load_alone() -> object:
    spec = importlib.util.spec_from_file_location("feeder_alone", FEEDER)
    module = importlib.util.module_from_spec(spec)
    sys.modules["feeder_alone"] = module
    spec.loader.exec_module(module)
    return module


feeding = load_alone()


class FeedingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.directory.name, "door")
        self.engine = mediasdk.Engine()
        self.host = self.join("alice")
        self.viewer = self.join("bob")
        self.host.set_ingest(transmission_token=SHOW, reception_token=EXPECT, port=PORT_ANY, socket_path=self.path,
                             limits=mediasdk.Limits.EXTENDED, fps=60)
        self.port = self.host.ingest_port

    def tearDown(self) -> None:
        self.engine.close()
        self.assertFalse(os.path.exists(self.path))
        self.directory.cleanup()

    def join(self, name: str) -> mediasdk.Session:
        session = self.engine.create_session(f"loopback:{self.id()}", name)
        session.connect()
        return session

    def until(self, session: mediasdk.Session, kind: EventType, state: object = None) -> mediasdk.Event:
        for event in session.events(timeout=30):
            if event.type == kind and (state is None or getattr(event, "state", None) == state):
                return event
        self.fail(f"no {kind!r} {state!r}")

    def feeder(self, **door: object) -> object:
        return feeding.Feeder(**(door or {"port": self.port}), transmission_token=SHOW, reception_token=EXPECT, timeout=30)

    def feed(self, feeder: object, *picture: object, **more: object) -> None:
        for _ in range(5000):
            if feeder.send(*picture, **more):
                return
            time.sleep(0.001)
        self.fail("it is on its way for ever")

    def received(self, feeder: object, *picture: object, **more: object) -> mediasdk.Frame:
        """A frame of the stream that the picture starts, which is fed until it comes."""
        self.feed(feeder, *picture, **more)
        added = self.until(self.viewer, EventType.INCOMING_VIDEO_ADDED)
        added.incoming_video.start()
        for _ in range(500):
            self.feed(feeder, *picture, **more)
            try:
                return added.incoming_video.read(timeout=0.1)
            except mediasdk.MediaTimeout:
                continue
        self.fail("no frame came")

    # ---------------------------------------------------------------------------------------------------------------- frames

    def test_pictures_arrive_as_they_were_sent(self) -> None:
        for door in ({"port": self.port}, {"socket_path": self.path}):
            with self.feeder(**door) as feeder:
                connected = self.until(self.host, EventType.INGEST, IngestState.FEEDER_CONNECTED)
                self.assertEqual(connected.text, "tcp" if "port" in door else "unix")
                picture = bytes(range(256)) * (100 * 64 * 4 // 256)
                with self.received(feeder, "BGRA", 100, 64, picture, orientation=1) as frame:
                    self.assertEqual(b"".join(bytes(row) for row in frame.planes[0]), picture)
                    self.assertEqual(frame.orientation, 1)
                # Planes one by one, with strides; the last row may end with its pixels.
                luma, chroma = b"\x30" * (80 * 47 + 62), b"\x90" * (62 * 24)
                with self.received(feeder, "NV12", 62, 48, [luma, chroma], strides=(80, 62)) as frame:
                    self.assertEqual(b"".join(bytes(row) for row in frame.planes[0]), b"\x30" * (62 * 48))
                    self.assertEqual(b"".join(bytes(row) for row in frame.planes[1]), chroma)
                self.assertTrue(feeder.flush(30))
            self.assertEqual(self.until(self.host, EventType.INGEST, IngestState.FEEDER_DISCONNECTED).status, 0)

    def test_one_on_its_way_drops_the_next(self) -> None:
        with self.feeder() as feeder:
            picture = bytes(1920 * 1080 * 4)
            taken = [feeder.send("BGRA", 1920, 1080, picture) for _ in range(50)]
            self.assertTrue(taken[0])
            self.assertIn(False, taken)

    def test_what_was_sent_is_received_before_it_closes(self) -> None:
        """However late the session reads, and though it says something meanwhile."""
        heard = b""

        def exactly(one: socket.socket, size: int) -> bytes:
            return one.recv(size, socket.MSG_WAITALL)

        def serve() -> None:
            nonlocal heard
            with listener.accept()[0] as one:
                transcript = struct.pack("<16sHHI16x", b"MSDKFEED session", 2, len(EXPECT), 2) + exactly(one, 56)[24:] + bytes(32)
                proof = hmac.new(EXPECT, transcript, "sha256").digest()
                one.sendall(struct.pack("<IHHHHI", 72, 20, 0, 2, 0, 0) + bytes(32) + proof)
                exactly(one, 40)
                one.sendall(struct.pack("<IHHHHIQ", 16, 16, 0, 2, 0, 16, 1 << 24))
                has_left.wait(0.2)  # one that does not wait has gone by now
                try:
                    one.sendall(struct.pack("<IHH", 0, 19, 0))
                except OSError:
                    pass
                while some := one.recv(65536):
                    heard += some

        has_left = threading.Event()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.join(self.directory.name, "late"))
            listener.listen()
            thread = threading.Thread(target=serve)
            thread.start()
            with self.feeder(socket_path=listener.getsockname()) as feeder:
                self.assertTrue(feeder.send("GRAY8", 1024, 1024, bytes(1024 * 1024)))
            has_left.set()
            thread.join()
        self.assertEqual(len(heard), 8 + 64 + 1024 * 1024 + 8)
        self.assertEqual(heard[-8:], struct.pack("<IHH", 0, 6, 0))

    def test_wrong_pictures_are_refused_here(self) -> None:
        with self.feeder() as feeder:
            for wrong in (("NV13", 64, 32, b""), ("NV12", 64, 32, b"\0" * 64), ("NV12", 64, 32, [b"\0" * 2048]),
                          ("NV12", 64, 32, [b"\0" * 2048, b"\0" * 1023]), ("BGRA", 16384, 16384, bytes(0)),
                          ("BGRA", 0, 0, b""), ("BGRA", 4, -1, b""), ("GRAY8", 16385, 1, bytes(16385))):
                with self.assertRaises(ValueError):
                    feeder.send(*wrong)
            with self.assertRaises(ValueError):
                feeder.send("GRAY8", 64, 32, bytes(64 * 32), strides=(63,))
            with self.assertRaisesRegex(ValueError, "width is 0; 1 to 16384 is accepted"):
                feeder.send_encoded(b"", 0, 0, is_key_frame=True)

            class Array(list):  # type: ignore[type-arg]
                shape = (32, 64, 4)

            with self.assertRaisesRegex(ValueError, "planes is a Array of the shape .* memoryview.array., .* accepted"):
                feeder.send("BGRA", 64, 32, Array([bytes(256)] * 32))
            self.feed(feeder, "GRAY8", 64, 32, bytes(64 * 32))

    # --------------------------------------------------------------------------------------------------------------- refusals

    def test_wrong_tokens(self) -> None:
        for show in (EXPECT, SHOW[:-1] + b"!", b"!" + SHOW[1:], SHOW + b"\0", SHOW[:16]):
            with self.assertRaises(feeding.FeederError) as caught:
                feeding.Feeder(self.port, transmission_token=show, reception_token=EXPECT)
            self.assertEqual(caught.exception.reason, "not admitted")
        refused = self.until(self.host, EventType.INGEST, IngestState.FEEDER_REFUSED)
        self.assertEqual(refused.reason, FeedReason.NOT_ADMITTED)
        self.assertIsInstance(refused.error, mediasdk.MediaSDKError)
        with self.assertRaisesRegex(feeding.FeederError, "did not prove the reception token"):
            feeding.Feeder(self.port, transmission_token=SHOW, reception_token=SHOW)
        with self.assertRaises(ValueError):
            feeding.Feeder(self.port, transmission_token=b"short", reception_token=EXPECT)
        with self.assertRaises(ValueError):
            feeding.Feeder(self.port, socket_path=self.path, transmission_token=SHOW, reception_token=EXPECT)

    def test_who_cannot_prove_the_token_hears_nothing(self) -> None:
        """Whoever took the port before the session, or forwards to it, gets a HELLO and no more."""
        def listen(answer: Callable[[bytes], bytes]) -> tuple[Exception, bytes]:
            heard = b""

            def serve() -> None:
                nonlocal heard
                with listener.accept()[0] as one:
                    heard = one.recv(56, socket.MSG_WAITALL)
                    one.sendall(answer(heard))
                    while some := one.recv(4096):
                        heard += some

            with socket.create_server(("127.0.0.1", 0)) as listener:
                thread = threading.Thread(target=serve)
                thread.start()
                with self.assertRaises(feeding.FeederError) as caught:
                    self.feeder(port=listener.getsockname()[1])
                thread.join()
            return caught.exception, heard

        def forward(hello: bytes) -> bytes:
            with socket.create_connection(("127.0.0.1", self.port)) as session:
                session.sendall(hello)
                return session.recv(80, socket.MSG_WAITALL)

        head = struct.pack("<IHHHHI", 72, 20, 0, 2, 0, 0)
        for answer in (lambda hello: head + bytes(64), lambda hello: head + 2 * hello[24:], forward):
            error, heard = listen(answer)
            self.assertRegex(str(error), "did not prove the reception token")
            self.assertEqual((len(heard), heard[:24]), (56, struct.pack("<IHH8sHHI", 48, 1, 0, b"MSDKFEED", 2, 0, 0)))
            self.assertFalse(any(token[i:i + 8] in heard for token in (SHOW, EXPECT) for i in range(len(token) - 7)))
        error, _ = listen(lambda hello: struct.pack("<IHHII", 17, 17, 0, 3, 9) + b"\x1b[2J gone")
        self.assertEqual((str(error), error.reason), ("the session ended the connection:  [2J gone", "version"))

    def test_busy_closed_and_nobody(self) -> None:
        with self.feeder() as feeder:
            with self.assertRaises(feeding.FeederError) as caught:
                self.feeder(socket_path=self.path)
            self.assertEqual(caught.exception.reason, "busy")
            self.host.close_ingest()
            with self.assertRaises(mediasdk.StateError):
                self.host.ingest_port
            for _ in range(5000):
                if feeder.error is not None:
                    break
                time.sleep(0.005)
            self.assertEqual(feeder.error.reason, "closed")
            with self.assertRaises(feeding.FeederError):
                feeder.send("GRAY8", 64, 32, bytes(64 * 32))
        with self.assertRaises(feeding.FeederError):
            self.feeder()

    def test_a_frame_beyond_the_limits_ends_the_connection(self) -> None:
        with self.feeder() as feeder:
            self.feed(feeder, "GRAY8", 3841, 16, bytes(3841 * 16))
            for _ in range(5000):
                if feeder.error is not None:
                    break
                time.sleep(0.005)
            self.assertEqual(feeder.error.reason, "format")
        left = self.until(self.host, EventType.INGEST, IngestState.FEEDER_DISCONNECTED)
        self.assertIsInstance(left.error, mediasdk.LimitError)

    def test_a_free_port_is_asked_for_by_its_name(self) -> None:
        with self.assertRaisesRegex(mediasdk.InvalidError, "PORT_ANY"):
            self.viewer.set_ingest(transmission_token=SHOW, reception_token=EXPECT, port=0)

    def test_two_sessions_with_the_same_key(self) -> None:
        for door in ({"port": self.port}, {"socket_path": self.path}):
            with self.assertRaises(mediasdk.ExistsError):
                self.viewer.set_ingest(transmission_token=SHOW, reception_token=EXPECT, **door)

    # -------------------------------------------------------------------------------------------------------------- processes

    def test_a_feeder_is_killed(self) -> None:
        for door in (str(self.port), self.path):
            child = subprocess.Popen([sys.executable, "-c", CHILD, str(FEEDER), door, SHOW.hex(), EXPECT.hex()])
            try:
                self.until(self.host, EventType.INGEST, IngestState.SHARING)
                added = self.until(self.viewer, EventType.INCOMING_VIDEO_ADDED)
                added.incoming_video.start()
                with added.incoming_video.read(timeout=30) as frame:
                    self.assertEqual(bytes(frame.planes[0][0]), b"\x50" * 640)
            finally:
                child.send_signal(signal.SIGKILL)
                child.wait(30)
            left = self.until(self.host, EventType.INGEST, IngestState.FEEDER_DISCONNECTED)
            self.assertEqual(left.reason, FeedReason.NONE)
            self.assertLess(left.status, 0)
            self.until(self.viewer, EventType.INCOMING_VIDEO_REMOVED)

    def test_example(self) -> None:
        example = Path(__file__).resolve().parents[3] / "Examples" / "Python" / "feeder.py"
        for door in (str(self.port), self.path):
            key = Path(self.directory.name, "key")
            key.write_text(f"{door}\n{SHOW.hex()}\n{EXPECT.hex()}\n")
            done = subprocess.run([sys.executable, str(example), str(key), "--seconds", "0.4"], capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "PYTHONPATH": str(FEEDER.parent)}, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"sent \d frames, dropped \d\n")
            self.assertEqual(self.until(self.host, EventType.INGEST, IngestState.FEEDER_DISCONNECTED).status, 0)


if __name__ == "__main__":
    unittest.main()
