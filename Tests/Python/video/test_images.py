"""Arrays and images that are sent: what is accepted, what arrives, and what is said about the rest."""
from __future__ import annotations

import array
import unittest
from typing import Any

from call import Call, nv12
from mediasdk import InvalidError, PixelFormat, Scale, VideoFormat

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]
try:
    from PIL import Image
except ImportError:
    Image = None  # type: ignore[assignment]

WIDTH, HEIGHT = 64, 48


def shaped(data: bytes, *shape: int) -> memoryview:
    return memoryview(data).cast("B", shape)


def packed(pixel_format: PixelFormat) -> VideoFormat:
    return VideoFormat(pixel_format, WIDTH, HEIGHT, 15)


class ArrayTest(unittest.TestCase):
    """send_array checks what it is given."""

    def refused(self, format: VideoFormat, source: Any, words: str) -> None:
        with Call(format) as call:
            for send in (call.sender.send_array, call.sender.send_buffer):
                with self.subTest(send.__name__), self.assertRaises(InvalidError) as raised:
                    send(source)
                self.assertEqual(raised.exception.text, words)

    def test_shapes(self) -> None:
        self.refused(packed(PixelFormat.RGB24), shaped(bytes(64 * 48 * 3), 64, 48, 3),
                     "the array has the shape (64, 48, 3); RGB24 64x48 takes the shape (48, 64, 3) or the shape (48, 192) or "
                     "the shape (9216,)")
        self.refused(nv12(64, 48), shaped(bytes(64 * 72), 64, 72),
                     "the array has the shape (64, 72); NV12 64x48 takes the shape (72, 64) or the shape (4608,)")
        self.refused(packed(PixelFormat.GRAY8), shaped(bytes(64 * 48 * 3), 48, 64, 3),
                     "the buffer has 9216 bytes, the shape (48, 64, 3); GRAY8 64x48 takes 3072, the shape (48, 64) or "
                     "the shape (48, 64, 1) or the shape (3072,)")

    def test_types(self) -> None:
        self.refused(nv12(64, 48), array.array("H", bytes(4608)), "the array is of the type 'H'; NV12 64x48 takes uint8")
        self.refused(nv12(64, 48), array.array("b", bytes(4608)), "the array is of the type 'b'; NV12 64x48 takes uint8")
        if numpy is not None:
            self.refused(packed(PixelFormat.RGB24), numpy.zeros((48, 64, 3)), "the array is of float64; RGB24 64x48 takes uint8")

    def test_accepted_shapes(self) -> None:
        for format, shapes in ((packed(PixelFormat.BGRA), [(48, 64, 4), (48, 256)]), (packed(PixelFormat.GRAY8), [(48, 64), (48, 64, 1)]),
                               (packed(PixelFormat.I420), [(72, 64)]), (VideoFormat(PixelFormat.I420, 63, 47, 15), [])):
            with Call(format) as call:
                for shape in [*shapes, (format.packed_size,)]:
                    with self.subTest(format.pixel_format, shape=shape):
                        call.sender.send_array(shaped(bytes(format.packed_size), *shape), timeout=5)


class ImageTest(unittest.TestCase):
    """send_image converts what it is given."""

    def setUp(self) -> None:
        self.call = Call([packed(PixelFormat.BGRA)], start={"pixel_format": PixelFormat.RGBA, "queue_capacity": 16})
        self.addCleanup(self.call.close)
        self.call.settle()

    def seen(self, image: Any, **more: Any) -> bytes:
        """What bob sees of it: RGBA."""
        self.call.sender.send_image(image, timeout=5, **more)
        with self.call.read() as frame:
            return frame.tobytes()

    def test_rgba_and_rgb(self) -> None:
        rgba = bytes(range(256)) * (WIDTH * HEIGHT * 4 // 256)
        self.assertEqual(self.seen(shaped(rgba, HEIGHT, WIDTH, 4)), rgba)
        rgb = b"".join(rgba[place:place + 3] for place in range(0, len(rgba), 4))
        opaque = b"".join(rgb[place:place + 3] + b"\xFF" for place in range(0, len(rgb), 3))
        self.assertEqual(self.seen(shaped(rgb, HEIGHT, WIDTH, 3)), opaque)

    def test_other_sizes(self) -> None:
        """Of a square of red, all with black bars at the sides, or filling the frame."""
        red = shaped(b"\xFF\0\0" * (96 * 96), 96, 96, 3)
        for scale, left in ((Scale.FIT, b"\0\0\0"), ("FIT", b"\0\0\0"), (Scale.STRETCH, b"\xFF\0\0"), (Scale.FILL, b"\xFF\0\0")):
            with self.subTest(scale):
                row = self.seen(red, scale=scale)[20 * WIDTH * 4:]
                self.assertEqual((row[:3], row[WIDTH // 2 * 4:][:3]), (left, b"\xFF\0\0"))

    def test_a_yuv_sender(self) -> None:
        with Call(nv12(64, 48), start={"pixel_format": PixelFormat.RGB24}) as call:
            call.settle()
            now = call.engine.now()
            call.sender.send_image(shaped(bytes((255, 128, 0)) * (64 * 48), 48, 64, 3), now, timeout=5)
            with call.read() as frame:
                self.assertEqual(frame.timestamp_ns, now)
                pixel = frame.planes[0][10][30:33].tolist()
            for value, sent in zip(pixel, (255, 128, 0)):
                self.assertAlmostEqual(value, sent, delta=4)

    def test_refused(self) -> None:
        accepted = "a uint8 array of the shape (height, width, 3) or (height, width, 4), or an image of PIL's, is accepted"
        for image, words in ((shaped(bytes(48 * 64), 48, 64), "the image is of the type 'B' and has the shape (48, 64)"),
                             (shaped(bytes(48 * 64 * 2), 48, 64, 2), "the image is of the type 'B' and has the shape (48, 64, 2)"),
                             (array.array("f", [0.5] * 12), "the image is of the type 'f' and has the shape (12,)"),
                             ("picture.png", "the image is a str"), (None, "the image is a NoneType")):
            with self.subTest(words), self.assertRaises(InvalidError) as raised:
                self.call.sender.send_image(image)
            self.assertEqual(raised.exception.text, f"{words}; {accepted}")
        with self.assertRaisesRegex(InvalidError, "scale is 'ZOOM'; .*FIT"):
            self.call.sender.send_image(shaped(bytes(12), 2, 2, 3), scale="ZOOM")

    @unittest.skipIf(numpy is None, "needs numpy")
    def test_numpy(self) -> None:
        rgb = numpy.random.default_rng(3).integers(0, 256, (HEIGHT, WIDTH, 3), numpy.uint8)
        for image in (rgb, rgb[:, ::-1], numpy.asfortranarray(rgb)):  # a mirror is not contiguous
            got = numpy.frombuffer(self.seen(image), numpy.uint8).reshape(HEIGHT, WIDTH, 4)
            self.assertTrue((got[..., :3] == image).all())
        with self.assertRaisesRegex(InvalidError, r"the image is of float32 and has the shape \(48, 64, 3\); "):
            self.call.sender.send_image(rgb.astype(numpy.float32))

    @unittest.skipIf(Image is None, "needs PIL")
    def test_pil(self) -> None:
        rgba = bytes(range(256)) * (WIDTH * HEIGHT * 4 // 256)
        image = Image.frombytes("RGBA", (WIDTH, HEIGHT), rgba)
        self.assertEqual(self.seen(image), rgba)
        for mode in ("RGB", "L", "P", "1", "CMYK"):
            with self.subTest(mode):
                other = image.convert("RGB").convert(mode)
                self.assertEqual(self.seen(other), other.convert("RGB").convert("RGBA").tobytes())


if __name__ == "__main__":
    unittest.main()
