"""Frames as numpy arrays, and arrays as frames.  Skipped where numpy is not installed."""
from __future__ import annotations

import gc
import unittest

from call import Call, nv12
from mediasdk import Engine, Frame, InvalidError, PixelFormat, VideoFormat, plane_shapes

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]


@unittest.skipIf(numpy is None, "needs numpy")
class ArrayTest(unittest.TestCase):
    def test_shapes(self) -> None:
        expected = {
            PixelFormat.NV12: [(9, 17), (5, 9, 2)], PixelFormat.I420: [(9, 17), (5, 9), (5, 9)], PixelFormat.GRAY8: [(9, 17)],
            PixelFormat.RGB24: [(9, 17, 3)], PixelFormat.BGRA: [(9, 17, 4)],
        }
        for kind, shapes in expected.items():
            with self.subTest(kind.name), Frame.create(VideoFormat(kind, 17, 9)) as frame:
                arrays = [frame.plane_array(index) for index in range(len(shapes))]
                self.assertEqual([array.shape for array in arrays], shapes)
                whole = frame.to_numpy()
                self.assertEqual([array.shape for array in whole] if isinstance(whole, tuple) else [whole.shape], shapes)

    def test_no_copy_and_strides(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.NV12, 17, 9)) as frame:
            luma, chroma = frame.to_numpy()
            luma[:] = numpy.arange(17 * 9, dtype=numpy.uint8).reshape(9, 17)
            chroma[:, :, 0], chroma[:, :, 1] = 1, 2
            self.assertEqual(luma.strides[0], frame.planes[0].stride)
            self.assertEqual(frame.planes[0].tobytes(), bytes(range(17 * 9)))
            self.assertEqual(frame.planes[1].tobytes(), b"\1\2" * 45)
            self.assertTrue(luma.flags.writeable)
            self.assertTrue(numpy.shares_memory(luma, numpy.asarray(frame.planes[0])))

    def test_writing_a_plane(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.GRAY8, 6, 4)) as frame:
            image = numpy.arange(24, dtype=numpy.uint8).reshape(4, 6)
            for same in (image, numpy.asfortranarray(image), numpy.repeat(image, 2, axis=1)[:, ::2]):
                frame.planes[0].write(same)
                self.assertEqual(frame.planes[0].tobytes(), image.tobytes())
            for wrong in (image.T, image.T.copy(), numpy.zeros(3), image.view(numpy.int8), numpy.zeros((4, 6), bool)):
                with self.assertRaises(InvalidError):
                    frame.planes[0].write(wrong)

    def test_view_of_padded_rows(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.GRAY8, 17, 9)) as frame:
            view = frame.planes[0].view
            self.assertEqual((view.shape, view.strides), ((9, 17), (frame.planes[0].stride, 1)))
            view[8, 16] = 77
            self.assertEqual(frame.planes[0][8][16], 77)

    def test_arrays_outlive_frame_and_engine(self) -> None:
        call = Call()
        frame = call.until_received()
        luma = frame.plane_array(0)
        asarray = numpy.asarray(frame.planes[1])
        copies = luma.copy(), asarray.copy()
        self.assertFalse(luma.flags.writeable)
        self.assertFalse(asarray.flags.writeable)
        frame.close()
        call.close()
        del frame, call
        gc.collect()
        with Engine(ignore_environment=True) as engine:
            held = engine.stats().frames
            self.assertGreaterEqual(held, 1)
            self.assertTrue((luma == copies[0]).all() and (asarray == copies[1]).all())
            del luma, asarray
            gc.collect()
            self.assertLess(engine.stats().frames, held)

    def test_wrap_arrays(self) -> None:
        wide = numpy.arange(3 * 40, dtype=numpy.uint8).reshape(3, 40)
        with Frame.wrap([wide[:, 4:21]], VideoFormat(PixelFormat.GRAY8, 17, 3)) as frame:
            self.assertEqual(frame.tobytes(), wide[:, 4:21].tobytes())
            wide[1, 4] = 250
            self.assertEqual(frame.planes[0][1][0], 250)
        color = numpy.zeros((4, 6, 4), numpy.uint8)
        color[3, 5] = (1, 2, 3, 4)
        with Frame.wrap(color, VideoFormat(PixelFormat.RGBA, 6, 4)) as frame:
            self.assertEqual(bytes(frame.planes[0][3][20:]), b"\1\2\3\4")
        with Frame.wrap([color[:, 1:5]], VideoFormat(PixelFormat.RGBA, 4, 4)) as frame:
            self.assertEqual(bytes(frame.planes[0][3]), color[3, 1:5].tobytes())

    def test_planes_that_do_not_fit(self) -> None:
        whole = numpy.zeros((4, 8), numpy.uint8)
        for source in (whole[:, ::2], whole[::-1, :4], whole.T[:4, :4], whole[:3, :4], whole[:, :3]):
            with self.subTest(source.strides), self.assertRaises(InvalidError):
                Frame.wrap([source], VideoFormat(PixelFormat.GRAY8, 4, 4))
        with self.assertRaises(InvalidError):
            Frame.wrap(whole[:, :4], VideoFormat(PixelFormat.GRAY8, 4, 4))

    def test_wrap_strided_chroma(self) -> None:
        luma = numpy.full((4, 16), 7, numpy.uint8)[:, :6]
        chroma = numpy.arange(2 * 8 * 2, dtype=numpy.uint8).reshape(2, 8, 2)[:, 2:5]
        with Frame.wrap([luma, chroma], VideoFormat(PixelFormat.NV12, 6, 4)) as frame:
            self.assertEqual([plane.rows for plane in frame.planes], [shape.rows for shape in plane_shapes(PixelFormat.NV12, 6, 4)])
            self.assertEqual(frame.planes[1].tobytes(), chroma.tobytes())


@unittest.skipIf(numpy is None, "needs numpy")
class SendArrayTest(unittest.TestCase):
    def test_what_arrives(self) -> None:
        format = nv12(64, 48)
        with Call(format) as call:
            call.until_received().close()
            flat = numpy.random.default_rng(1).integers(0, 256, format.packed_size, numpy.uint8)
            doubled = numpy.repeat(flat, 2)
            for source in (flat, flat.reshape(72, 64), doubled[::2], numpy.asfortranarray(flat.reshape(72, 64))):
                with self.subTest(source.shape):
                    while True:
                        try:
                            call.incoming.read(0.05).close()
                        except TimeoutError:
                            break
                    call.sender.send_array(source)
                    with call.read() as frame:
                        self.assertEqual(frame.tobytes(), flat.tobytes())
                    if source.flags.c_contiguous:
                        call.sender.send_buffer(source)
                        with call.read() as frame:
                            self.assertEqual(frame.tobytes(), flat.tobytes())
                            self.assertTrue(numpy.shares_memory(source, frame.plane_array(0)))
                    else:
                        with self.assertRaises(InvalidError):
                            call.sender.send_buffer(source)


if __name__ == "__main__":
    unittest.main()
