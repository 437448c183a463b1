"""Files that ffmpeg encodes, played by the file producer on a virtual clock: frames come, and are stamped, as far apart as their
time stamps say."""
from __future__ import annotations

import struct
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Iterable

import mediasdk
from mediasdk import Clock, Codec, EncodedFrame, EventType, MediaTimeout

from call import Call, nv12, plugin_dir

MS = 1_000_000
HEADER, FRAME_HEADER = 32, 12
SHOWN = 0x10  # RFC 6386, section 9.1


def encode(path: Path, source: str, *options: str, deadline: str = "realtime") -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-c:v", "libvpx", "-b:v", "100k", "-deadline", deadline,
                    "-cpu-used", "8", *options, str(path)], check=True, capture_output=True, timeout=60)


def encode_looking_ahead(path: Path, source: str, *options: str) -> None:
    """With frames that are not shown, which libvpx makes in the second of two passes only."""
    for number in ("1", "2"):
        encode(path, source, "-auto-alt-ref", "1", "-lag-in-frames", "25", "-pass", number, "-passlogfile", str(path), *options,
               deadline="good")


def packets(file: bytes) -> Iterable[tuple[int, int, bool]]:
    """Where each begins, its time stamp, and whether it is to be shown."""
    at = HEADER
    while at < len(file):
        size, stamp = struct.unpack_from("<IQ", file, at)
        yield at, stamp, bool(file[at + FRAME_HEADER] & SHOWN)
        at += FRAME_HEADER + size


def times(file: bytes) -> list[float]:
    """When, in nanoseconds after the first, each shown frame is due."""
    rate, scale = struct.unpack_from("<II", file, 16)
    stamps = [stamp for _, stamp, shown in packets(file) if shown]
    return [(stamp - stamps[0]) * scale * 1e9 / rate for stamp in stamps]


def restamped(file: bytes, stamps: list[int], rate: int) -> bytes:
    """The same frames with other time stamps."""
    made = bytearray(file)
    struct.pack_into("<II", made, 16, rate, 1)
    for (at, _, _), stamp in zip(packets(file), stamps):
        struct.pack_into("<Q", made, at + 4, stamp)
    return bytes(made)


def joined(*files: bytes) -> bytes:
    """One after the other, as a stream is recorded that changes its size: 25 frames a second."""
    made, number = bytearray(files[0][:HEADER]), 0
    for file in files:
        for at, _, _ in packets(file):
            size = struct.unpack_from("<I", file, at)[0]
            made += struct.pack("<IQ", size, number) + file[at + FRAME_HEADER:at + FRAME_HEADER + size]
            number += 1
    return bytes(made)


class Playback(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "film.ivf")

    def play(self, seconds: float, loop: bool = False, fps: int = 0) -> tuple[list[int], list[int]]:
        """The capture times of what bob received, and when it came, both counted from the first frame."""
        captured: list[int] = []
        came: list[int] = []

        def producer(engine: mediasdk.Engine) -> mediasdk.Instance:
            engine.add_plugin_dir(plugin_dir())
            return engine.create_instance("org.mediasdk.producer.file", path=self.path, loop=loop)

        with mediasdk.Engine(ignore_environment=True) as engine:
            self.format = producer(engine).formats()[0]
        with Call([self.format], clock=Clock.VIRTUAL) as call:
            if fps:
                call.stream.set_frame_rate(fps)
            call.engine.advance_clock(MS)
            call.stream.attach_producer(producer(call.engine))
            for _ in range(int(seconds * 1000)):
                call.engine.advance_clock(MS)
                try:
                    while True:
                        with call.incoming.read(0) as frame:
                            self.look(len(captured), frame)
                            captured.append(frame.timestamp_ns)
                            came.append(call.engine.now())
                except MediaTimeout:
                    pass
            while True:
                try:
                    event = call.alice.next_event(0)
                except MediaTimeout:
                    break
                if event.type == EventType.PLUGIN:
                    self.assertEqual(event.text, "the producer has no more frames")
        return [time - captured[0] for time in captured], [time - came[0] for time in came]

    def count_frames(self) -> int:
        """As ffmpeg sees it."""
        counted = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0",
                                  str(self.path)], check=True, capture_output=True, timeout=60).stdout
        return int(counted)

    def look(self, number: int, frame: mediasdk.Frame) -> None:
        """For tests that look at pictures."""

    def check(self, wanted: list[float], captured: list[int], came: list[int]) -> None:
        self.assertEqual(len(captured), len(wanted))
        for index, time in enumerate(wanted):
            self.assertLess(abs(captured[index] - time), MS, f"frame {index} of {len(wanted)} was captured at {captured[index]}")
            self.assertLess(abs(came[index] - time), 2 * MS, f"frame {index} of {len(wanted)} came at {came[index]}")

    def test_hidden_frames_take_no_time(self) -> None:
        encode_looking_ahead(self.path, "testsrc2=s=160x120:r=25:d=8", "-enc_time_base", "1/1000", "-vsync", "passthrough")
        file = self.path.read_bytes()
        self.assertTrue(any(not shown for _, _, shown in packets(file)))
        captured, came = self.play(9)
        self.assertEqual(self.format.fps, 25)
        self.check([index * 40 * MS for index in range(200)], captured, came)
        self.check(times(file), captured, came)

    def test_hidden_frames_that_were_counted_take_no_time(self) -> None:
        """In a time base of frames FFmpeg gives them stamps of their own."""
        encode_looking_ahead(self.path, "testsrc2=s=160x120:r=25:d=8")
        self.assertGreater(times(self.path.read_bytes())[-1], 8000 * MS)
        captured, came = self.play(9)
        self.assertEqual(self.format.fps, 25)
        self.check([index * 40 * MS for index in range(200)], captured, came)

    def test_a_pause_is_kept(self) -> None:
        encode(self.path, "testsrc2=s=160x120:r=20:d=3", "-vf", "setpts=PTS+gte(T\\,1)*3/TB", "-vsync", "passthrough")
        file = self.path.read_bytes()
        wanted = times(file)
        self.assertEqual(max(after - before for before, after in zip(wanted, wanted[1:])), 3050 * MS)
        captured, came = self.play(7)
        self.check(wanted, captured, came)

    def test_a_rate_that_changes(self) -> None:
        encode(self.path, "testsrc2=s=160x120:r=30:d=4")
        stamps = [index * 3000 if index < 90 else 270_000 + (index - 90) * 45_000 for index in range(120)]
        self.path.write_bytes(restamped(self.path.read_bytes(), stamps, 90_000))
        captured, came = self.play(19)
        self.check([stamp / 90_000 * 1e9 for stamp in stamps], captured, came)

    def test_a_recording_whose_stamps_waver(self) -> None:
        encode(self.path, "testsrc2=s=160x120:r=30:d=4")
        stamps = [index * 3000 + index * 7919 % 1200 for index in range(120)]
        self.path.write_bytes(restamped(self.path.read_bytes(), stamps, 90_000))
        captured, came = self.play(5)
        self.check([stamp / 90_000 * 1e9 for stamp in stamps], captured, came)

    def test_a_size_that_changes(self) -> None:
        clips = []
        for size in ("160x90", "320x180", "90x160"):
            encode(self.path, f"smptebars=s=320x180:r=25:d=0.4,scale={size.replace('x', ':')}", "-b:v", "2M")
            clips.append(self.path.read_bytes())
        self.path.write_bytes(joined(*clips))
        self.assertEqual(self.count_frames(), 30)
        rows: list[list[int]] = []

        def look(number: int, frame: mediasdk.Frame) -> None:
            luma = bytes(frame.tobytes()[:320 * 180])
            rows.append([luma[320 * 60 + x] for x in range(320)])

        self.look = look  # type: ignore[method-assign]
        captured, came = self.play(2)
        self.assertEqual((self.format.width, self.format.height), (320, 180))
        self.check([index * 40 * MS for index in range(30)], captured, came)
        far = [x for x in range(320) if x % 46 in range(15, 30)]  # from the edges of the bars
        for small in rows[:10]:
            self.assertLess(max(abs(small[x] - rows[15][x]) for x in far), 6)
        for upright in rows[20:]:  # 101 wide, between black
            self.assertEqual({upright[x] for x in (*range(108), *range(212, 320))}, {16})
            self.assertGreater(upright[112], 150)

    def test_a_recording_of_a_size_that_changes(self) -> None:
        """Our own, of a stream that is pushed in: every frame, at its time, for us and for ffmpeg."""
        sent: list[bytes] = []
        for size in ("320x180", "160x90", "320x180"):
            encode(self.path, f"testsrc2=s={size}:r=25:d=0.4")
            file = self.path.read_bytes()
            for at, _, _ in packets(file):
                sent.append(file[at + FRAME_HEADER:at + FRAME_HEADER + struct.unpack_from("<I", file, at)[0]])
        waits = [40 + index * 7 % 5 * 10 + (3000 if index == 14 else 0) for index in range(len(sent))]
        with Call([nv12(320, 180, 25)], codec=Codec.VP8, encoded_input=True, clock=Clock.VIRTUAL) as call:
            call.engine.add_plugin_dir(plugin_dir())
            call.engine.advance_clock(MS)
            call.incoming.attach_renderer(call.engine.create_instance("org.mediasdk.renderer.file", path=self.path))
            for data, wait in zip(sent, waits):
                with EncodedFrame.create(data) as frame:
                    call.sender.send_encoded(frame)
                call.engine.advance_clock(wait * MS)
        wanted = [float(sum(waits[:index]) * MS) for index in range(len(sent))]
        recorded = times(self.path.read_bytes())
        self.assertEqual(len(recorded), 30)
        self.assertLess(max(abs(time - due) for time, due in zip(recorded, wanted)), MS)
        self.assertEqual(self.count_frames(), 30)
        captured, came = self.play(6)
        self.assertEqual((self.format.width, self.format.height), (320, 180))
        self.check(wanted, captured, came)

    def test_a_loop_goes_on_at_the_right_time(self) -> None:
        encode_looking_ahead(self.path, "testsrc2=s=160x120:r=25:d=2")
        captured, came = self.play(10, loop=True)
        self.check([index * 40 * MS for index in range(250)], captured[:250], came[:250])

    def test_a_lower_rate_does_not_slow_it_down(self) -> None:
        encode(self.path, "testsrc2=s=160x120:r=25:d=4")
        captured, came = self.play(5, fps=5)
        self.check([index * 200 * MS for index in range(20)], captured, came)


if __name__ == "__main__":
    unittest.main()
