"""Producers and renderers from plugin files: listed, made, steered, attached."""
from __future__ import annotations

import gc
import struct
import tempfile
import time
import unittest
import zlib
from pathlib import Path
from typing import Any

from call import PATIENCE, Call, nv12, picture, plugin_dir
from mediasdk import (ClosedError, Codec, DropReason, Engine, Frame, HandleError, InstanceState, InvalidError, Kind, Limits, MediaSDKError,
                      NotFoundError, Outcome, ParamFlag, PixelFormat, RangeError, StateError, UnsupportedError, ValueType, ValueTypeError,
                      VideoFormat)

PATTERN = "org.mediasdk.producer.testpattern"
FILE_PRODUCER = "org.mediasdk.producer.file"
FILE_RENDERER = "org.mediasdk.renderer.file"
BW = "org.mediasdk.renderer.bw"
CLIP = Path(__file__).resolve().parents[2] / "Media" / "bunny-720p25.ivf"


def png_size(path: Path) -> tuple[int, int, int]:
    """Width, height and bytes of the inflated pixels of a PNG whose chunks are all whole."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    place, pixels, size = 8, b"", (0, 0)
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[place + 8 + length:place + 12 + length])[0], kind
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        place += 12 + length
    return (*size, len(zlib.decompress(pixels)))


@unittest.skipUnless(plugin_dir().is_dir(), f"needs the plugins in {plugin_dir()}")
class PluginTest(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine(ignore_environment=True)
        self.addCleanup(self.engine.close)
        self.engine.add_plugin_dir(plugin_dir())
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)


class PreviewTest(PluginTest):
    """One's own video, without a session."""

    def setUp(self) -> None:
        super().setUp()
        self.stream = self.engine.create_outgoing_video(nv12(64, 48), limits=Limits.EXTENDED, codec=Codec.VP8)
        self.path = self.directory / "mirror.y4m"
        self.mirror = self.engine.create_instance(FILE_RENDERER, path=self.path)

    def shown(self, count: int) -> None:
        """Waits for so many frames, and closes the file."""
        deadline = time.monotonic() + PATIENCE
        while (self.stream.stats().frames_dropped < count or not self.path.exists()) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.stream.detach_renderer(self.mirror)
        self.mirror.release()
        data = self.path.read_bytes()
        self.assertTrue(data.startswith(b"YUV4MPEG2 W64 H48"), data[:40])
        self.assertGreater(data.count(b"FRAME"), 0)

    def test_of_a_producer(self) -> None:
        self.stream.attach_producer(self.engine.create_instance(PATTERN))
        self.stream.attach_renderer(self.mirror)
        self.shown(10)

    def test_of_the_program(self) -> None:
        with self.assertRaises(StateError):
            self.stream.sender
        self.stream.attach_renderer(self.mirror)
        sender = self.stream.sender
        for _ in range(10):
            sender.send_array(picture(sender.format), timeout=PATIENCE)
            time.sleep(0.02)
        report = self.stream.read_report(PATIENCE)
        self.assertEqual((report.outcome, report.reason), (Outcome.DROPPED, DropReason.NOT_CONNECTED))
        self.shown(10)
        with self.assertRaises(StateError):
            sender.send_array(picture(sender.format), timeout=PATIENCE)


class ListingTest(PluginTest):
    def test_classes(self) -> None:
        found = {one.id: one for one in self.engine.classes()}
        self.assertLessEqual({PATTERN, FILE_PRODUCER, FILE_RENDERER, BW}, set(found))
        self.assertEqual(found[PATTERN].kinds, Kind.VIDEO_PRODUCER)
        self.assertEqual(found[BW].kinds & Kind.VIDEO_RENDERER, Kind.VIDEO_RENDERER)
        self.assertTrue(found[BW].name and found[BW].summary)
        self.assertTrue(Path(found[BW].module_path).is_file())
        self.assertEqual(found[BW].param_count, len(self.engine.class_params(BW)))

    def test_loading_again_changes_nothing(self) -> None:
        before = self.engine.classes()
        self.assertGreaterEqual(self.engine.add_plugin_dir(str(plugin_dir())), 4)
        self.engine.load_plugin(next(one.module_path for one in before if one.module_path))
        self.assertEqual(self.engine.classes(), before)

    def test_files_that_are_none(self) -> None:
        with self.assertRaises(NotFoundError):
            self.engine.load_plugin(self.directory / "missing.so")
        (self.directory / "text.so").write_text("no plugin")
        with self.assertRaises(MediaSDKError) as raised:
            self.engine.load_plugin(self.directory / "text.so")
        self.assertTrue(raised.exception.text)
        self.assertEqual(self.engine.add_plugin_dir(self.directory), 0)
        with self.assertRaises(MediaSDKError):
            self.engine.add_plugin_dir(self.directory / "missing")

    def test_params(self) -> None:
        params = {one.name: one for one in self.engine.class_params(BW)}
        self.assertEqual(params["mode"].choices, ("gray", "threshold"))
        self.assertEqual((params["mode"].type, params["mode"].default), (ValueType.STRING, "gray"))
        self.assertEqual((params["level"].minimum, params["level"].maximum), (0, 255))
        self.assertTrue(params["level"].flags & ParamFlag.LIVE)
        with self.assertRaisesRegex(NotFoundError, "org.example.none"):
            self.engine.class_params("org.example.none")


class ParamTest(PluginTest):
    def test_setting_and_reading(self) -> None:
        with self.engine.create_instance(BW, mode="threshold", level=77) as renderer:
            self.assertEqual((renderer["mode"], renderer["level"]), ("threshold", 77))
            renderer["level"] = 255
            renderer.set_text("mode", "gray")
            renderer.set_text("level", "3")
            self.assertEqual((renderer["mode"], renderer["level"]), ("gray", 3))
            self.assertEqual([one.name for one in renderer.params()], ["mode", "level"])

    def test_an_int_is_a_number(self) -> None:
        with self.engine.create_instance(PATTERN, speed=2) as producer:
            self.assertEqual(producer["speed"], 2.0)
            producer["speed"] = 0.5
            self.assertEqual(producer["speed"], 0.5)

    def test_long_text(self) -> None:
        path = self.directory / ("x" * 200) / ("y" * 200)
        with self.engine.create_instance(FILE_RENDERER, path=path) as renderer:
            self.assertEqual(renderer["path"], str(path))

    def test_refused(self) -> None:
        renderer = self.engine.create_instance(BW)
        for name, value, kind in (("nope", 1, NotFoundError), ("mode", "sepia", RangeError), ("mode", 5, ValueTypeError),
                                  ("level", 256, RangeError), ("level", -1, MediaSDKError), ("level", "high", ValueTypeError),
                                  ("level", 1 << 70, RangeError), ("level", None, ValueTypeError), ("level", 1 << 40, MediaSDKError),
                                  ("mode", "gr\0ay", InvalidError), ("mode", [], ValueTypeError)):
            with self.subTest(name=name, value=value), self.assertRaises(kind) as raised:
                renderer[name] = value
            self.assertTrue(raised.exception.text)
        self.assertEqual((renderer["mode"], renderer["level"]), ("gray", 128))
        with self.assertRaises(NotFoundError):
            renderer["nope"]
        with self.assertRaises(RangeError):
            self.engine.create_instance(BW, mode="sepia")
        with self.assertRaisesRegex(NotFoundError, BW):  # lists those there are
            self.engine.create_instance("org.example.none")
        self.assertEqual(self.engine.stats().instances, 1)

    def test_closed(self) -> None:
        renderer = self.engine.create_instance(BW)
        renderer.close()
        renderer.close()
        for use in (lambda: renderer["mode"], lambda: renderer.release(), lambda: renderer.state(Kind.VIDEO_RENDERER)):
            with self.assertRaises(HandleError):
                use()
        other = self.engine.create_instance(BW)
        self.engine.close()
        with self.assertRaises((HandleError, ClosedError)):
            other["mode"]
        other.close()


class RendererTest(PluginTest):
    GRAY = VideoFormat(PixelFormat.GRAY8, 8, 4)

    def test_by_hand_to_png(self) -> None:
        path = self.directory / "one.png"
        with self.engine.create_instance(FILE_RENDERER, path=path) as renderer:
            with Frame.create(nv12(33, 17)) as frame:
                for plane in frame.planes:
                    plane.write(b"\x80" * (plane.rows * plane.row_bytes))
                renderer.render(frame)
                self.assertFalse(frame.writable)
            renderer.release()
        self.assertEqual(png_size(path)[:2], (33, 17))

    def test_filter_to_y4m(self) -> None:
        path = self.directory / "three.y4m"
        bw = self.engine.create_instance(BW, mode="threshold", level=100)
        writer = self.engine.create_instance(FILE_RENDERER, path=path, max_frames=3)
        bw.attach_renderer(writer)
        for number in range(5):
            with Frame.wrap(bytes([90 + number * 10]) * 32, VideoFormat(PixelFormat.GRAY8, 8, 4, 25), timestamp_ns=number + 1) as frame:
                bw.render(frame)
        bw.release()
        writer.release()
        data = path.read_bytes()
        self.assertTrue(data.startswith(b"YUV4MPEG2 W8 H4"), data[:40])
        self.assertEqual(data.count(b"FRAME"), 3)

    def test_snapshot(self) -> None:
        with self.engine.create_instance(FILE_RENDERER, path=self.directory / "x.png") as renderer, self.assertRaises(UnsupportedError):
            renderer.snapshot()

    def test_renderer_is_no_producer(self) -> None:
        with self.engine.create_instance(FILE_RENDERER, path=self.directory / "x.png") as renderer:
            with self.assertRaises(UnsupportedError):
                renderer.formats()
            self.assertEqual(renderer.state(Kind.VIDEO_RENDERER), InstanceState.CREATED)

    def test_attached_instances_are_kept(self) -> None:
        """Python lets go of the renderers; what they are attached to does not."""
        path = self.directory / "kept.y4m"
        with Call(nv12(64, 48, 30)) as call:
            call.engine.add_plugin_dir(plugin_dir())
            call.incoming.attach_renderer(call.engine.create_instance(FILE_RENDERER, path=path))
            gc.collect()
            self.assertEqual(call.engine.stats().instances, 1)
            deadline = time.monotonic() + PATIENCE
            while call.incoming.stats().frames_delivered < 5 and time.monotonic() < deadline:
                call.sender.send_array(picture(call.sender.format), timeout=PATIENCE)
                time.sleep(0.01)
        self.assertGreaterEqual(path.read_bytes().count(b"FRAME"), 1)

    def test_detaching(self) -> None:
        with Call(nv12(64, 48, 30)) as call:
            call.engine.add_plugin_dir(plugin_dir())
            for attach, detach in ((call.incoming.attach_renderer, call.incoming.detach_renderer),
                                   (call.stream.attach_renderer, call.stream.detach_renderer)):
                with call.engine.create_instance(BW) as renderer:
                    attach(renderer)
                    attach(renderer)  # again: it has no view, as before
                    detach(renderer)
                    with self.assertRaises(MediaSDKError):
                        detach(renderer)


class ProducerTest(PluginTest):
    def call(self, class_id: str, codec: Codec = Codec.RAW, format: Any = None, **params: Any) -> Call:
        def make(engine: Engine) -> Any:
            engine.add_plugin_dir(plugin_dir())
            producer = engine.create_instance(class_id, **params)
            self.assertTrue(producer.formats())
            return producer

        call = Call(format or nv12(320, 240, 30), codec=codec, producer=make, start={"queue_capacity": 16})
        self.addCleanup(call.close)
        return call

    def test_pattern_raw_and_vp8(self) -> None:
        for codec in (Codec.RAW, Codec.VP8):
            with self.subTest(codec.name):
                call = self.call(PATTERN, codec, pattern="lines")
                pictures = set()
                last = 0
                for _ in range(10):
                    with call.incoming.read(PATIENCE) as frame:
                        self.assertGreater(frame.timestamp_ns, last)
                        last = frame.timestamp_ns
                        pictures.add(hash(frame.tobytes()))
                self.assertGreater(len(pictures), 5)  # it moves

    @unittest.skipUnless(CLIP.is_file(), "needs the test clip")
    def test_file(self) -> None:
        with self.engine.create_instance(FILE_PRODUCER, path=CLIP) as producer:
            formats = producer.formats()
            self.assertIn((PixelFormat.NV12, 1280, 720, 25), [(one.pixel_format, one.width, one.height, one.fps) for one in formats])
            format = next(one for one in formats if one.pixel_format == PixelFormat.NV12)
        call = self.call(FILE_PRODUCER, Codec.RAW, format, path=CLIP, loop=True)
        with call.incoming.read(PATIENCE) as frame:
            self.assertEqual((frame.pixel_format, frame.width, frame.height), (PixelFormat.NV12, 1280, 720))
            self.assertGreater(len(set(bytes(frame.planes[0][360]))), 10)  # a picture, not a plain colour

    def test_missing_file(self) -> None:
        with self.engine.create_instance(FILE_PRODUCER, path=self.directory / "missing.y4m") as producer:
            with self.assertRaises(MediaSDKError) as raised:
                producer.formats()
            self.assertIn("missing.y4m", raised.exception.text)


if __name__ == "__main__":
    unittest.main()
