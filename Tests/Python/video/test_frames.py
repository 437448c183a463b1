"""Frames: making, looking, wrapping, converting, lifetime."""
from __future__ import annotations

import gc
import mmap
import sys
import threading
import unittest
from array import array

from mediasdk import (ClosedError, CorruptError, EncodedFrame, Engine, Frame, FrameFlag, InvalidError, MediaSDKError, Orientation,
                      PixelFormat, RangeError, UnsupportedError, VideoFormat, frame_layout, plane_shapes)

SIZES = [(1, 1), (2, 2), (3, 5), (17, 9), (64, 48), (65, 33)]


def live_frames() -> int:
    with Engine(ignore_environment=True) as engine:
        return engine.stats().frames


class FormatTest(unittest.TestCase):
    def test_rates_are_exact(self) -> None:
        for given, terms in ((30, (30, 1)), ("30000/1001", (30000, 1001)), (29.97, (2997, 100)), (12.5, (25, 2)), (0, (0, 1))):
            with self.subTest(given):
                struct = VideoFormat(PixelFormat.NV12, 4, 4, given)._struct()
                self.assertEqual((struct.fps_num, struct.fps_den), terms)

    def test_bad_rates_are_refused(self) -> None:
        for rate in (-1, "fast", float("nan"), float("inf"), "1/0", 1 << 40, None):
            with self.subTest(rate), self.assertRaises(InvalidError):
                VideoFormat(PixelFormat.NV12, 4, 4, rate)

    def test_numbers_are_not_cut(self) -> None:
        for width in (-1, (1 << 32) + 640):
            with self.subTest(width), self.assertRaisesRegex(RangeError, "width"):
                Frame.create(VideoFormat(PixelFormat.NV12, width, 4))

    def test_layout_is_the_bindings_own(self) -> None:
        for kind in PixelFormat:
            for width, height in SIZES:
                with self.subTest(kind=kind.name, width=width, height=height):
                    layout = frame_layout(kind, width, height)
                    shapes = plane_shapes(kind, width, height)
                    self.assertEqual(layout.rows, tuple(shape.rows for shape in shapes))
                    self.assertEqual(layout.row_bytes, tuple(shape.row_bytes for shape in shapes))
                    self.assertEqual(layout.strides, layout.row_bytes)
                    self.assertEqual(layout.size, VideoFormat(kind, width, height).packed_size)

    def test_aligned_layout(self) -> None:
        layout = frame_layout(PixelFormat.NV12, 17, 9, 64)
        self.assertEqual(layout.strides, (64, 64))
        self.assertEqual(layout.row_bytes, (17, 18))
        for alignment in (3, 8192, -1):
            with self.subTest(alignment), self.assertRaises(MediaSDKError):
                frame_layout(PixelFormat.NV12, 17, 9, alignment)
        with self.assertRaises(UnsupportedError):
            frame_layout(0x1234, 4, 4)  # type: ignore[arg-type]


class CreatedFrameTest(unittest.TestCase):
    def test_planes_of_every_format_and_odd_sizes(self) -> None:
        for kind in PixelFormat:
            for width, height in SIZES:
                with self.subTest(kind=kind.name, width=width, height=height), Frame.create(VideoFormat(kind, width, height)) as frame:
                    data = bytes(index % 251 for index in range(frame.format.packed_size))
                    start = 0
                    for plane, shape in zip(frame.planes, plane_shapes(kind, width, height)):
                        self.assertEqual(plane.shape, (shape.rows, shape.row_bytes))
                        self.assertGreaterEqual(plane.stride, shape.row_bytes)
                        self.assertEqual(len(plane), shape.rows)
                        plane.write(data[start:start + shape.rows * shape.row_bytes])
                        start += shape.rows * shape.row_bytes
                    self.assertEqual(frame.tobytes(), data)

    def test_rows(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.GRAY8, 5, 3)) as frame:
            plane = frame.planes[0]
            for number, row in enumerate(plane):
                row[:] = bytes([number] * 5)
            self.assertEqual(bytes(plane[2]), b"\2\2\2\2\2")
            self.assertEqual(bytes(plane[-3]), b"\0\0\0\0\0")
            self.assertEqual(len(plane.memory), plane.stride * 2 + 5)
            for row in (3, -4):
                with self.assertRaises(IndexError):
                    plane[row]
            with self.assertRaises(ValueError):
                plane.write(b"1234")
            with self.assertRaisesRegex(TypeError, "data is None; .* accepted"):
                plane.write(None)
            with self.assertRaises(ValueError):
                plane[0][:] = b"123456"

    def test_a_plane_is_written_from_its_own_shape(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.NV12, 8, 4)) as frame:
            luma, chroma = frame.planes
            for shape in ((4, 8), (4, 8, 1), (2, 16), (32,)):
                luma.write(memoryview(bytes(range(32))).cast("B", shape))
                self.assertEqual(luma.tobytes(), bytes(range(32)))
            for shape in ((2, 4, 2), (2, 8)):
                chroma.write(memoryview(bytes(range(16))).cast("B", shape))
                self.assertEqual(chroma.tobytes(), bytes(range(16)))
            luma.write(memoryview(bytes(range(64)))[::2])
            self.assertEqual(luma.tobytes(), bytes(range(0, 64, 2)))
            for wrong in (memoryview(bytes(32)).cast("B", (8, 4)), array("d", [0] * 4), array("H", [0] * 16), array("b", [0] * 32)):
                with self.subTest(wrong), self.assertRaisesRegex(InvalidError, "accepted"):
                    luma.write(wrong)

    def test_view_of_two_dimensions(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.GRAY8, 64, 3)) as frame:
            self.assertEqual(frame.planes[0].stride, 64)
            view = frame.planes[0].view
            self.assertEqual(view.shape, (3, 64))
            view[2, 63] = 9
            self.assertEqual(frame.planes[0][2][63], 9)

    def test_makers_members(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.NV12, 4, 4)) as frame:
            self.assertTrue(frame.writable)
            self.assertEqual((frame.timestamp_ns, frame.sequence, frame.orientation), (0, 0, Orientation.ROTATE_0))
            frame.timestamp_ns = 123
            frame.orientation = Orientation.ROTATE_90 | Orientation.MIRROR
            self.assertEqual(frame.timestamp_ns, 123)
            self.assertEqual(frame.orientation, Orientation.ROTATE_90 | Orientation.MIRROR)
            frame.duration_ns = 40_000_000
            frame.flags = FrameFlag.DISCONTINUITY | FrameFlag.END
            self.assertEqual((frame.duration_ns, frame.flags), (40_000_000, FrameFlag.WRITABLE | FrameFlag.DISCONTINUITY | FrameFlag.END))
            with self.assertRaises(RangeError):
                frame.timestamp_ns = 1 << 63
            with self.assertRaises(RangeError):
                frame.orientation = 8  # type: ignore[assignment]
            self.assertIn("NV12 4x4", repr(frame))

    def test_refused_sizes(self) -> None:
        for width, height in ((0, 4), (4, 0), (16385, 4)):
            with self.subTest(width=width), self.assertRaises(RangeError):
                Frame.create(VideoFormat(PixelFormat.NV12, width, height))

    def test_closed(self) -> None:
        frame = Frame.create(VideoFormat(PixelFormat.NV12, 4, 4))
        frame.close()
        frame.close()
        self.assertTrue(frame.closed)
        self.assertEqual(frame.references, 0)
        for use in (lambda: frame.planes, lambda: frame.format, lambda: frame.timestamp_ns, lambda: frame.convert(PixelFormat.I420)):
            with self.assertRaises(ClosedError):
                use()


class LifetimeTest(unittest.TestCase):
    def setUp(self) -> None:
        gc.collect()
        self.before = live_frames()

    def tearDown(self) -> None:
        gc.collect()
        self.assertEqual(live_frames(), self.before)

    def test_planes_outlive_frame(self) -> None:
        frame = Frame.create(VideoFormat(PixelFormat.GRAY8, 4, 2))
        plane = frame.planes[0]
        plane.write(b"abcdefgh")
        row = plane[1]
        frame.close()
        del frame, plane
        gc.collect()
        self.assertEqual(live_frames(), self.before + 1)
        self.assertEqual(bytes(row), b"efgh")

    def test_threads_look_at_a_frame_at_once(self) -> None:
        """The one reference is given back once."""
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        self.addCleanup(sys.setswitchinterval, interval)
        barrier = threading.Barrier(2)
        counts: list[int] = []

        def look(frames: list[Frame]) -> None:
            for frame in frames:
                barrier.wait()
                counts.append(len(frame.planes))

        frames = [Frame.create(VideoFormat(PixelFormat.NV12, 2, 2)) for _ in range(12000)]
        threads = [threading.Thread(target=look, args=(frames,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counts, [2] * 24000)
        self.assertEqual({frame.references for frame in frames}, {1})

    def test_collected_without_close(self) -> None:
        for _ in range(10):
            Frame.create(VideoFormat(PixelFormat.GRAY8, 4, 2))
        for _ in range(10):
            self.assertEqual(len(Frame.create(VideoFormat(PixelFormat.GRAY8, 4, 2)).planes), 1)

    def test_wrapped_buffer_is_held_while_wrapped(self) -> None:
        memory = bytearray(b"abcdefgh")
        frame = Frame.wrap(memory, VideoFormat(PixelFormat.GRAY8, 4, 2))
        with self.assertRaises(BufferError):
            memory.append(0)
        frame.close()
        memory.append(0)

    def test_wrapped_buffer_is_held_by_planes(self) -> None:
        memory = bytearray(b"abcdefgh")
        frame = Frame.wrap(memory, VideoFormat(PixelFormat.GRAY8, 4, 2))
        row = frame.planes[0][0]
        frame.close()
        del frame
        with self.assertRaises(BufferError):
            memory.append(0)
        self.assertEqual(bytes(row), b"abcd")
        del row
        memory.append(0)


class WrapTest(unittest.TestCase):
    GRAY = VideoFormat(PixelFormat.GRAY8, 4, 2)

    def test_all_kinds_of_buffers(self) -> None:
        mapped = mmap.mmap(-1, 8)
        mapped[:] = b"abcdefgh"
        for source in (b"abcdefgh", bytearray(b"abcdefgh"), memoryview(b"abcdefgh"), memoryview(b"xabcdefghx")[1:9], mapped):
            with self.subTest(type(source).__name__), Frame.wrap(source, self.GRAY, timestamp_ns=7) as frame:
                self.assertEqual(frame.tobytes(), b"abcdefgh")
                self.assertEqual(frame.timestamp_ns, 7)
                self.assertEqual(frame.references, 1)
        mapped.close()

    def test_no_copy(self) -> None:
        memory = bytearray(b"abcdefgh")
        with Frame.wrap(memory, self.GRAY) as frame:
            memory[4] = ord("X")
            self.assertEqual(bytes(frame.planes[0][1]), b"Xfgh")

    def test_planes_apart(self) -> None:
        luma = bytes(range(15))
        chroma = bytes(range(100, 112))
        with Frame.wrap([luma, chroma], VideoFormat(PixelFormat.NV12, 5, 3)) as frame:
            self.assertEqual([plane.tobytes() for plane in frame.planes], [luma, chroma])

    def test_aligned(self) -> None:
        memory = bytearray(64 * 2)
        memory[0:4], memory[64:68] = b"abcd", b"efgh"
        with Frame.wrap(memory, self.GRAY, alignment=64) as frame:
            self.assertEqual(frame.tobytes(), b"abcdefgh")

    def test_wrong_sizes(self) -> None:
        for source in (b"", b"abcdefg", b"abcdefghi", [b"abcdefgh", b""], []):
            with self.subTest(source), self.assertRaises(InvalidError) as raised:
                Frame.wrap(source, self.GRAY)
            self.assertTrue(raised.exception.text)

    def test_no_buffers(self) -> None:
        for source in ("text", 5, None, object()):
            with self.subTest(source), self.assertRaisesRegex(InvalidError, "buffer"):
                Frame.wrap(source, self.GRAY)

    def test_gaps_inside(self) -> None:
        with self.assertRaises(InvalidError):
            Frame.wrap(memoryview(b"abcdefghijklmnop")[::2], self.GRAY)
        for source in (memoryview(b"abcdefghijklmnop")[::2], memoryview(b"abcdefgh")[::-1]):
            with self.assertRaisesRegex(InvalidError, "bytes apart"):
                Frame.wrap([source], self.GRAY)


class ConvertTest(unittest.TestCase):
    def test_gray_to_rgb_and_back(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.GRAY8, 17, 9, color_full_range=True)) as gray:
            gray.planes[0].write(bytes(index % 256 for index in range(17 * 9)))
            gray.timestamp_ns = 5
            with gray.convert(PixelFormat.BGRA) as color, color.convert(PixelFormat.GRAY8) as back:
                self.assertEqual((color.pixel_format, color.width, color.height), (PixelFormat.BGRA, 17, 9))
                self.assertEqual(color.timestamp_ns, 5)
                worst = max(abs(one - other) for one, other in zip(gray.tobytes(), back.tobytes()))
                self.assertLessEqual(worst, 2)

    def test_nv12_to_i420_is_exact(self) -> None:
        for width, height in SIZES:
            with self.subTest(width=width, height=height), Frame.create(VideoFormat(PixelFormat.NV12, width, height)) as source:
                for plane in source.planes:
                    plane.write(bytes(index * 7 % 256 for index in range(plane.rows * plane.row_bytes)))
                with source.convert(PixelFormat.I420) as result:
                    luma, u, v = (plane.tobytes() for plane in result.planes)
                    pairs = source.planes[1].tobytes()
                    self.assertEqual((luma, u, v), (source.planes[0].tobytes(), pairs[0::2], pairs[1::2]))

    def test_scaling(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.GRAY8, 64, 64)) as source:
            source.planes[0].write(b"\x50" * 4096)
            for width, height in ((32, 32), (128, 128), (7, 5)):
                with self.subTest(width=width), source.convert(width=width, height=height) as result:
                    self.assertEqual(result.tobytes(), b"\x50" * (width * height))

    def test_into(self) -> None:
        with Frame.wrap(b"\x10" * 8, VideoFormat(PixelFormat.GRAY8, 4, 2)) as source:
            with Frame.create(VideoFormat(PixelFormat.GRAY8, 8, 4)) as destination:
                source.convert_into(destination)
                self.assertEqual(destination.tobytes(), b"\x10" * 32)
            with self.assertRaises(ClosedError):
                source.convert_into(destination)

    def test_unknown_format(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.GRAY8, 4, 2)) as source, self.assertRaises(UnsupportedError):
            source.convert(0x1234)  # type: ignore[arg-type]


class EncodedTest(unittest.TestCase):
    def test_no_vp8(self) -> None:
        for data in (b"\0", b"no VP8 at all"):
            with self.subTest(data), self.assertRaises(CorruptError):
                EncodedFrame.create(data)
        for nothing in (b"", "text"):
            with self.subTest(nothing), self.assertRaises(InvalidError):
                EncodedFrame.create(nothing)

    def test_key_frame_header(self) -> None:
        # RFC 6386, section 9.1: a key frame's tag, start code, width and height.
        data = bytes([0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xF0, 0x00]) + bytes(64)
        frame = EncodedFrame.create(data, timestamp_ns=9)
        self.assertEqual((frame.width, frame.height, frame.key_frame, frame.timestamp_ns), (320, 240, True, 9))
        view = frame.data
        self.assertTrue(view.readonly)
        frame.close()
        frame.close()
        self.assertEqual(bytes(view), data)
        with self.assertRaises(ClosedError):
            frame.size


if __name__ == "__main__":
    unittest.main()
