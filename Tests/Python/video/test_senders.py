"""The frame sender: what it accepts, what it refuses, and how long it holds the program's memory."""
from __future__ import annotations

import array
import gc
import itertools
import mmap
import threading
import time
import unittest
import weakref

from call import PATIENCE, Call, nv12, picture
from mediasdk import (ClosedError, Codec, Engine, FormatError, Frame, HandleError, InvalidError, LimitError, Limits, MediaTimeout,
                      PixelFormat, QueuePolicy, RangeError, StaleSenderError, StateError, VideoFormat, check_video_limit,
                      video_limits)


class InputTest(unittest.TestCase):
    FORMAT = nv12(64, 48)

    def setUp(self) -> None:
        self.call = Call(self.FORMAT, start={"queue_capacity": 16})
        self.addCleanup(self.call.close)
        self.call.until_received().close()
        for frame in self.call.incoming.frames(timeout=0.05):
            frame.close()

    def test_all_kinds_of_buffers(self) -> None:
        data = picture(self.FORMAT, 5)
        mapped = mmap.mmap(-1, len(data))
        mapped[:] = data
        sources = [data, bytearray(data), memoryview(data), memoryview(bytearray(b"x" + data))[1:], array.array("B", data),
                   mapped]
        for source in sources:
            for send in (self.call.sender.send_array, self.call.sender.send_buffer):
                with self.subTest(type(source).__name__, send=send.__name__):
                    send(source)
                    with self.call.read() as frame:
                        self.assertEqual(frame.tobytes(), data)

    def test_reprs(self) -> None:
        self.assertEqual(repr(self.call.incoming), "<IncomingVideo VIRTUAL RAW from alice>")
        self.assertEqual(repr(self.call.stream), "<OutgoingVideo VIRTUAL NV12 64x48>")
        self.call.stream.close()
        self.assertEqual(repr(self.call.stream), "<OutgoingVideo VIRTUAL NV12 64x48 closed>")
        self.assertEqual(repr(self.call.engine.create_outgoing_video(kind="SCREEN_SHARE")), "<OutgoingVideo SCREEN_SHARE>")

    def test_strided_bytes_are_copied(self) -> None:
        data = picture(self.FORMAT, 6)
        doubled = bytes(byte for pair in zip(data, data) for byte in pair)
        self.call.sender.send_array(memoryview(doubled)[::2])
        with self.call.read() as frame:
            self.assertEqual(frame.tobytes(), data)
        with self.assertRaises(InvalidError):
            self.call.sender.send_buffer(memoryview(doubled)[::2])

    def test_wrong_sizes(self) -> None:
        size = self.FORMAT.packed_size
        for length in (0, 1, size - 1, size + 1, size * 2):
            for send in (self.call.sender.send_array, self.call.sender.send_buffer):
                with self.subTest(length=length, send=send.__name__), self.assertRaisesRegex(InvalidError, f"{length} bytes.*{size}"):
                    send(bytes(length))

    def test_no_buffers(self) -> None:
        for source in (None, 5, "text", object(), [1, 2]):
            for send in (self.call.sender.send_array, self.call.sender.send_buffer):
                with self.subTest(source=source, send=send.__name__), self.assertRaisesRegex(InvalidError, "buffer"):
                    send(source)

    def test_wrong_frames(self) -> None:
        for format in (nv12(64, 46), nv12(66, 48), VideoFormat(PixelFormat.I420, 64, 48)):
            with self.subTest(format), Frame.create(format) as frame, self.assertRaises(FormatError) as raised:
                self.call.sender.send(frame)
            self.assertTrue(raised.exception.text)
        frame = Frame.create(self.FORMAT)
        frame.close()
        with self.assertRaises(HandleError):
            self.call.sender.send(frame)
        with self.assertRaises(TypeError):
            self.call.sender.send()  # type: ignore[call-arg]

    def test_no_encoded_frames(self) -> None:
        self.assertIsNone(self.call.sender.stream.close())
        with self.assertRaises((HandleError, ClosedError, StaleSenderError, StateError)):
            self.call.sender.send_array(picture(self.FORMAT))

    def test_pool_of_eight(self) -> None:
        frames = [self.call.sender.acquire() for _ in range(8)]
        with self.assertRaises(MediaTimeout):
            self.call.sender.acquire(0.05)
        frames.pop().close()
        self.call.sender.acquire(PATIENCE).close()
        for frame in frames:
            frame.close()

    def test_sent_frames_are_read_only(self) -> None:
        with self.call.sender.acquire(PATIENCE) as frame:
            self.call.sender.send(frame)
            with self.assertRaises(TypeError):
                frame.planes[0][0][0] = 1
            with self.assertRaises(StateError):
                frame.timestamp_ns = 5

    def test_timestamps(self) -> None:
        now = self.call.engine.now()
        for given, own, expected in ((now - 1234, 0, now - 1234), (0, now, now), (now + 1, 5678, now + 1)):
            with self.subTest(given=given, own=own), self.call.sender.acquire(PATIENCE) as frame:
                if own:
                    frame.timestamp_ns = own
                self.call.sender.send(frame, given)
                with self.call.read() as got:
                    self.assertEqual(got.timestamp_ns, expected)
        with self.call.sender.acquire(PATIENCE) as frame, self.assertRaisesRegex(RangeError, "timestamp_ns"):
            self.call.sender.send(frame, 1 << 63)
        with self.assertRaisesRegex(RangeError, "timestamp_ns"):
            self.call.sender.send_buffer(picture(self.FORMAT), -1 << 64)
        before = self.call.engine.now()
        buffer = bytearray(picture(self.FORMAT))
        stamps = []
        for _ in range(3):  # the wrapped frame is used again, its time is not
            self.call.sender.send_buffer(buffer)
            with self.call.read() as got:
                stamps.append(got.timestamp_ns)
        self.assertEqual(stamps, sorted(set(stamps)))
        self.assertTrue(all(before <= stamp <= self.call.engine.now() for stamp in stamps), stamps)


class LentMemoryTest(unittest.TestCase):
    FORMAT = nv12(64, 48)

    def setUp(self) -> None:
        self.call = Call(self.FORMAT, start={"queue_capacity": 16})
        self.addCleanup(self.call.close)
        self.call.until_received().close()
        for frame in self.call.incoming.frames(timeout=0.05):
            frame.close()

    def test_no_copy(self) -> None:
        buffer = bytearray(picture(self.FORMAT))
        self.call.sender.send_buffer(buffer)
        with self.call.read() as frame:
            buffer[0] ^= 0xFF
            self.assertEqual(frame.planes[0][0][0], buffer[0])

    def test_busy_while_received_frame_lives(self) -> None:
        buffer = bytearray(picture(self.FORMAT))
        self.call.sender.send_buffer(buffer)
        frame = self.call.read()
        self.assertTrue(self.call.sender.busy(buffer))
        frame.close()
        self.assertFalse(self.call.sender.busy(buffer))

    def test_same_buffer_many_times(self) -> None:
        buffer = bytearray(picture(self.FORMAT))
        for number in range(40):
            buffer[0] = number
            self.call.sender.send_buffer(buffer)
            with self.call.read() as frame:
                self.assertEqual(frame.planes[0][0][0], number)
        self.assertEqual(len(self.call.sender._wrapped), 1)

    def test_held_while_in_flight_beyond_the_sender(self) -> None:
        class Memory(bytearray):
            pass

        buffer = Memory(picture(self.FORMAT, 9))
        gone = weakref.ref(buffer)
        expected = bytes(buffer)
        self.call.sender.send_buffer(buffer)
        frame = self.call.read()
        del buffer
        self.call.close()
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertEqual(frame.tobytes(), expected)
        frame.close()
        with Engine(ignore_environment=True) as engine:
            engine.stats()
        gc.collect()
        self.assertIsNone(gone())

    def test_transient_buffers_are_given_up(self) -> None:
        class Memory(bytearray):
            pass

        references = []
        for number in range(30):
            buffer = Memory(picture(self.FORMAT, number))
            references.append(weakref.ref(buffer))
            self.call.sender.send_buffer(buffer)
            del buffer
            self.call.read().close()
        alive = sum(reference() is not None for reference in references)
        self.assertLessEqual(alive, 4)
        self.call.sender.release_buffers()
        self.assertEqual(sum(reference() is not None for reference in references), 0)

    def test_threads_share_a_sender(self) -> None:
        """Every picture is of one value; a picture of two would be one whose planes were mixed up. They send until several values were seen: a
        busy machine lets the reader look at few pictures."""
        size, done, mixed, failed, seen = self.FORMAT.packed_size, threading.Event(), [], [], set()
        deadline = time.monotonic() + PATIENCE

        def send(value: int) -> None:
            try:
                for number in itertools.count():
                    if number >= 150 and (len(seen) > 3 or time.monotonic() > deadline):
                        break
                    self.call.sender.send_buffer(bytes([value + number % 2 * 100]) * size)
                    self.call.sender.send_array(bytes([value + 50]) * size, timeout=PATIENCE)
            except BaseException as error:
                failed.append(error)

        def receive() -> None:
            while not done.is_set():
                for frame in self.call.incoming.frames(timeout=0.05):
                    values = set(frame.tobytes())
                    seen.update(values)
                    if len(values) != 1:
                        mixed.append(values)

        reader = threading.Thread(target=receive)
        senders = [threading.Thread(target=send, args=(value,)) for value in (1, 2, 3)]
        for thread in (reader, *senders):
            thread.start()
        for thread in senders:
            thread.join()
        done.set()
        reader.join()
        self.assertEqual((mixed, failed), ([], []))
        self.assertGreater(len(seen), 3)
        stats = self.call.stream.stats()
        self.assertEqual(stats.frames_offered, stats.frames_sent + stats.frames_dropped)

    def test_wrapped_frame_closed_in_flight(self) -> None:
        buffer = bytearray(picture(self.FORMAT, 3))
        with Frame.wrap(buffer, self.FORMAT) as frame:
            self.call.sender.send(frame)
        got = self.call.read()
        with self.assertRaises(BufferError):
            buffer.append(0)
        got.close()
        self.call.engine.stats()  # looks for memory that came back
        buffer.append(0)


class DeclaringTest(unittest.TestCase):
    def test_limits(self) -> None:
        limits = video_limits()
        self.assertEqual((limits[0].width, limits[0].height, limits[0].fps), (1920, 1080, 30))
        self.assertEqual(len(limits), 12)
        for limit in limits:
            check_video_limit(nv12(limit.width, limit.height, limit.fps))
            with self.assertRaisesRegex(LimitError, str(limit.fps)):
                check_video_limit(nv12(limit.width, limit.height, limit.fps + 1))
        with self.assertRaises(LimitError):
            check_video_limit(nv12(1281, 720, 30))
        check_video_limit(nv12(1281, 721, 60), Limits.EXTENDED)
        with self.assertRaises(LimitError):
            check_video_limit(nv12(3842, 2160, 30), Limits.EXTENDED)

    def test_refused_streams(self) -> None:
        with Engine(ignore_environment=True) as engine:
            with self.assertRaises(LimitError):
                engine.create_outgoing_video([nv12(320, 240, 15), nv12(333, 222, 15)])
            engine.create_outgoing_video(VideoFormat(PixelFormat.BGRA, 320, 240, 15), codec=Codec.VP8).close()  # converted
            for formats in ([], [nv12()] * 65, [nv12(320, 240, 0)]):
                with self.subTest(len(formats)), self.assertRaises((InvalidError, LimitError, ValueError)):
                    engine.create_outgoing_video(formats)
            with self.assertRaises(ValueError):
                engine.create_outgoing_video(nv12(), report_capacity=1 << 33)
            with self.assertRaises(Exception):
                engine.create_outgoing_video(nv12(), queue_capacity=17)
            self.assertEqual(engine.stats().outgoing_videos, 0)

    def test_starting_unconnected(self) -> None:
        with Engine(ignore_environment=True) as engine:
            session = engine.create_session("loopback:unconnected", "alice")
            stream = engine.create_outgoing_video(nv12(), queue_policy=QueuePolicy.DROP_NEWEST)
            with self.assertRaises(StateError):
                session.stop_video(stream)
            with self.assertRaises(StateError):
                stream.sender


if __name__ == "__main__":
    unittest.main()
