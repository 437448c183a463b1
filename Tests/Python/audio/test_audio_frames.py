"""Buffers of sound alone: formats, memory, references, what is refused."""
from __future__ import annotations

import gc
import unittest
from array import array

from mediasdk import (AudioFormat, AudioFrame, ClosedError, Codec, CorruptError, EncodedFrame, Engine, FrameFlag, InvalidError,
                      MediaSDKError, RangeError, SampleFormat, UnsupportedError)
from mediasdk.audio_format import sample_bytes_of

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

# A packet of 20 ms of silence: CELT, full band, code 0 (RFC 6716, section 3.1: configuration 31), mono and stereo.
SILENT_MONO, SILENT_STEREO = bytes((31 << 3, 0xFF, 0xFE)), bytes((31 << 3 | 4, 0xFF, 0xFE))


class FormatTest(unittest.TestCase):
    def test_figures(self) -> None:
        format = AudioFormat(44_100, 2, SampleFormat.F32, 441)
        self.assertEqual((format.type_code, format.sample_bytes), ("f", 8))
        self.assertEqual(format.duration_ns(441), 10_000_000)
        self.assertEqual(AudioFormat(22_050).duration_ns(220), 9_977_324)
        self.assertEqual(AudioFormat(), AudioFormat(48_000, 1, SampleFormat.S16, 0))

    def test_unknown_sample_format(self) -> None:
        with self.assertRaises(UnsupportedError):
            AudioFormat(sample_format=SampleFormat(99)).type_code


class FrameTest(unittest.TestCase):
    def test_silent_and_writable(self) -> None:
        for kind, code in ((SampleFormat.S16, "h"), (SampleFormat.F32, "f")):
            with self.subTest(kind.name), AudioFrame.create(AudioFormat(48_000, 2, kind), 480) as frame:
                self.assertEqual((frame.samples.format, len(frame.samples), len(frame)), (code, 960, 480))
                self.assertEqual(set(frame.samples), {0})
                self.assertEqual((frame.sample_rate, frame.channels, frame.duration_ns), (48_000, 2, 10_000_000))
                self.assertEqual((frame.format.sample_format, frame.writable, frame.references), (kind, True, 1))
                frame.samples[959] = 1
                self.assertEqual(frame.samples[959], 1)
                self.assertEqual(len(frame.tobytes()), 960 * array(code).itemsize)

    def test_makers_members(self) -> None:
        with AudioFrame.create(AudioFormat(16_000), 160) as frame:
            frame.timestamp_ns = 5_000_000_000
            frame.flags = FrameFlag.END
            self.assertEqual((frame.timestamp_ns, frame.flags), (5_000_000_000, FrameFlag.END | FrameFlag.WRITABLE))
            frame.flags = FrameFlag(0)
            self.assertEqual(frame.flags, FrameFlag.WRITABLE)
            for time, sample in ((5_000_000_000, 0), (5_000_062_500, 1), (5_000_062_499, 0), (4_999_999_999, -1), (5_010_000_000, 160),
                                 (4_990_000_000, -160)):
                self.assertEqual(frame.position(time), sample, time)

    def test_closed(self) -> None:
        frame = AudioFrame.create(AudioFormat(), 960)
        view = frame.samples
        frame.close()
        frame.close()
        self.assertTrue(frame.closed)
        self.assertEqual(frame.references, 0)
        self.assertEqual(repr(frame), "<AudioFrame closed>")
        for use in (lambda: frame.samples, lambda: frame.format, lambda: frame.level, lambda: frame.position(0), lambda: len(frame)):
            with self.assertRaises(ClosedError):
                use()
        self.assertEqual(view[959], 0)  # kept alive by the view

    def test_views_keep_it_alive(self) -> None:
        with Engine(ignore_environment=True) as engine:
            gc.collect()
            before = engine.stats().audio_frames
            view = AudioFrame.create(AudioFormat(), 960).samples[10:20]
            gc.collect()
            self.assertEqual(engine.stats().audio_frames, before + 1)
            del view
            gc.collect()
            self.assertEqual(engine.stats().audio_frames, before)

    def test_refused(self) -> None:
        for format, count, kind in ((AudioFormat(7_999), 960, RangeError), (AudioFormat(192_001), 960, RangeError),
                                    (AudioFormat(48_000, 0), 960, MediaSDKError), (AudioFormat(48_000, 3), 960, MediaSDKError),
                                    (AudioFormat(), 0, RangeError), (AudioFormat(), 192_001, RangeError), (AudioFormat(), -1, RangeError),
                                    (AudioFormat(), 1 << 32, RangeError), (AudioFormat(-1), 960, RangeError),
                                    (AudioFormat(sample_format=SampleFormat(9)), 960, MediaSDKError)):
            with self.subTest(format=format, count=count), self.assertRaises(kind) as raised:
                AudioFrame.create(format, count)
            self.assertTrue(raised.exception.text)

    @unittest.skipIf(numpy is None, "needs numpy")
    def test_numpy(self) -> None:
        with AudioFrame.create(AudioFormat(48_000, 2, SampleFormat.F32), 480) as frame:
            samples = frame.to_numpy()
            self.assertEqual((samples.shape, samples.dtype, samples.flags.writeable), ((480, 2), numpy.float32, True))
            samples[3] = (0.25, -0.5)
            self.assertEqual(list(frame.samples[6:8]), [0.25, -0.5])
            self.assertTrue(numpy.shares_memory(samples, frame.samples))
        self.assertEqual(samples[3, 1], -0.5)


class BufferTest(unittest.TestCase):
    """What counts as samples."""

    STEREO = AudioFormat(48_000, 2)

    def test_taken(self) -> None:
        data = bytes(range(8))
        for source in (data, bytearray(data), memoryview(data), memoryview(data).cast("h"), array("h", data),
                       memoryview(data).cast("B", (4, 2)), memoryview(bytes(range(8)) * 2)[::1][:8]):
            with self.subTest(repr(source)):
                self.assertEqual(sample_bytes_of(source, self.STEREO), data)
        self.assertEqual(sample_bytes_of(b"", self.STEREO), b"")
        self.assertEqual(sample_bytes_of(memoryview(array("h", [1, 2, 3, 4]))[::2], self.STEREO), array("h", [1, 3]).tobytes())

    def test_refused(self) -> None:
        for source in (5, "text", None, [1, 2], array("f", [1]), array("i", [1]), array("d", [1]), array("H", [1])):
            with self.subTest(repr(source)), self.assertRaises(InvalidError) as raised:
                sample_bytes_of(source, self.STEREO)
            self.assertRegex(raised.exception.text, "accepted|takes")
        with self.assertRaises(InvalidError):
            sample_bytes_of(array("h", [1]), AudioFormat(sample_format=SampleFormat.F32))

    @unittest.skipIf(numpy is None, "needs numpy")
    def test_arrays(self) -> None:
        samples = numpy.arange(8, dtype=numpy.int16).reshape(4, 2)
        for source in (samples, numpy.asfortranarray(samples), numpy.repeat(samples, 2, axis=0)[::2], samples.ravel()):
            self.assertEqual(sample_bytes_of(source, self.STEREO), samples.tobytes())
        for source in (samples.T, samples.astype(numpy.float32), samples.astype(numpy.float64), samples.astype(">i2"),
                       samples.reshape(2, 2, 2), numpy.float64(1)):
            with self.subTest(repr(source)), self.assertRaises(InvalidError):
                sample_bytes_of(source, self.STEREO)
        self.assertEqual(sample_bytes_of(numpy.zeros((0, 2), numpy.int16), self.STEREO), b"")


class PacketTest(unittest.TestCase):
    def test_opus(self) -> None:
        for data, channels in ((SILENT_MONO, 1), (SILENT_STEREO, 2)):
            with EncodedFrame.create(data, codec=Codec.OPUS, timestamp_ns=7) as packet:
                self.assertEqual((packet.codec, packet.channels, packet.sample_rate), (Codec.OPUS, channels, 48_000))
                self.assertEqual((packet.duration_ns, packet.timestamp_ns, bytes(packet)), (20_000_000, 7, data))
                self.assertIn("OPUS", repr(packet))

    def test_refused(self) -> None:
        # Empty; too long; code 3 without a count; two frames of a length that is odd together (RFC 6716, section 3.2).
        for data in (b"", bytes(61_441), bytes((31 << 3 | 3,)), bytes((31 << 3 | 1, 1, 2, 3))):
            with self.subTest(len(data)), self.assertRaises((CorruptError, InvalidError, RangeError)) as raised:
                EncodedFrame.create(data, codec=Codec.OPUS)
            self.assertTrue(raised.exception.text, len(data))


if __name__ == "__main__":
    unittest.main()
