"""Sound that is sent: what arrives, buffers and their sizes, the queue, muting and gain, reports, bad input."""
from __future__ import annotations

import math
import threading
import time
import unittest
from array import array

from call import PATIENCE
from mediasdk import (AgainError, AudioFormat, AudioFrame, AudioKind, Clock, Codec, DropReason, EncodedFrame, Engine, FullError, EventType,
                      InvalidError, MediaSDKError, MediaTimeout, OpusApplication, Outcome, OutgoingState, Output, RangeError, SampleFormat,
                      StateError, UnsupportedError)
from sound import SECOND, AudioCall, correlation, counting, data_of, floats, mono, sine, sweep, told

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

RATES = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000)


class RawTest(unittest.TestCase):
    def test_every_bit_arrives(self) -> None:
        for rate in RATES:
            for channels, buffer_ms in ((1, 20), (2, 10), (2, 100)):
                with self.subTest(rate=rate, channels=channels, buffer_ms=buffer_ms), \
                        AudioCall(sample_rate=rate, channels=channels, buffer_ms=buffer_ms) as call:
                    samples = rate * buffer_ms // 1000
                    self.assertEqual(call.stream.format, AudioFormat(rate, channels, SampleFormat.S16, samples))
                    self.assertEqual(call.stream.buffer_size, 2 * channels * samples)
                    sent = counting(3 * samples, channels)
                    frames = call.play(sent)
                    self.assertEqual(data_of(frames), sent.tobytes())
                    self.assertEqual([(len(frame), frame.sequence) for frame in frames], [(samples, 1), (samples, 2), (samples, 3)])
                    self.assertEqual([frame.format for frame in frames], [call.stream.format] * 3)
                    self.assertFalse(frames[0].writable)
                    self.assertTrue(frames[0].samples.readonly)
                    self.assertEqual(told(call.reports()), {"SENT": 3})

    def test_floats(self) -> None:
        with AudioCall(channels=2, sample_format=SampleFormat.F32) as call:
            sent = sine(440, 0.1, channels=2, amplitude=1.5, sample_format=SampleFormat.F32)  # beyond full scale is carried
            self.assertEqual(data_of(call.play(sent)), sent.tobytes())

    def test_22050_hz(self) -> None:
        """An odd multiple of 10 ms is rounded down, and time is counted in samples."""
        for buffer_ms, samples in ((10, 220), (20, 441), (30, 661), (50, 1102), (100, 2205)):
            with self.subTest(buffer_ms), AudioCall(sample_rate=22_050, buffer_ms=buffer_ms) as call:
                self.assertEqual(call.stream.format.frames_per_buffer, samples)
                frames = call.play(counting(10 * samples))
                start = frames[0].timestamp_ns
                for number, frame in enumerate(frames):
                    self.assertLessEqual(abs(frame.duration_ns - samples * SECOND / 22_050), 1)
                    self.assertLessEqual(abs(frame.timestamp_ns - start - number * samples * SECOND // 22_050), 1, number)

    def test_padding(self) -> None:
        with AudioCall() as call:
            frames = call.play(counting(1000))
            self.assertEqual(data_of(frames), counting(1000).tobytes() + bytes(2 * 920))
            call.stream.finish()  # nothing is kept any more
            self.assertEqual(call.play(b""), [])

    def test_pieces_of_any_length(self) -> None:
        with AudioCall(queue_ms=2000) as call:
            sent, place = counting(9600).tobytes(), 0
            for size in (1, 2, 3, 1919, 1920, 1921, 5000, 0, 100_000):
                piece = sent[place:place + size]
                self.assertEqual(call.stream.write(piece), len(piece))
                place += len(piece)
            self.assertEqual(data_of(call.play(b"")), sent)

    def test_kinds_of_buffers(self) -> None:
        sent = counting(960, 2)
        sources = [sent, sent.tobytes(), bytearray(sent.tobytes()), memoryview(sent), memoryview(sent.tobytes())]
        if numpy is not None:
            whole = numpy.frombuffer(sent, numpy.int16).reshape(960, 2)
            sources += [whole, whole.ravel(), numpy.asfortranarray(whole)]
        with AudioCall(channels=2) as call:
            for source in sources:
                with self.subTest(type(source).__name__):
                    call.stream.send(source)
                    self.assertEqual(data_of(call.play(b"")), sent.tobytes())
            (frame,) = (call.stream.send(sent), call.play(b""))[1]
            call.stream.send(frame)  # what was heard is sent on
            self.assertEqual(data_of(call.play(b"")), sent.tobytes())

    def test_timestamps(self) -> None:
        with AudioCall() as call:
            buffer = counting(960)
            start = call.engine.now() - 5_000_000
            call.stream.send(buffer, timestamp_ns=start)
            call.stream.send(buffer)
            call.stream.send(buffer, timestamp_ns=start + 45_000_000)
            call.stream.send(buffer, timestamp_ns=start)  # jumps back, and goes on
            call.stream.send(buffer, timestamp_ns=start + 21_000_000)
            self.assertEqual([frame.timestamp_ns - start for frame in call.play(b"")],
                             [0, 20_000_000, 45_000_000, 65_000_000, 86_000_000])
            call.go(SECOND)
            call.stream.send(buffer)  # after a pause it was captured just now, all 20 ms of it
            begin = call.engine.now() - 20_000_000
            self.assertEqual([frame.timestamp_ns for frame in call.play(b"")], [begin])


class OpusTest(unittest.TestCase):
    def test_a_tone(self) -> None:
        for rate, channels in ((48_000, 2), (44_100, 1), (22_050, 1), (16_000, 2)):
            with self.subTest(rate=rate, channels=channels), AudioCall(
                    codec=Codec.OPUS, sample_rate=rate, channels=channels, application=OpusApplication.AUDIO) as call:
                self.assertEqual((call.added.codec, call.incoming.codec, call.added.kind), (Codec.OPUS, Codec.OPUS, AudioKind.MICROPHONE))
                frames = call.play(sweep(0.5, rate, channels))
                self.assertEqual({frame.format.sample_rate for frame in frames}, {48_000})
                self.assertEqual({frame.format.sample_format for frame in frames}, {SampleFormat.F32})
                likeness, late_ms = correlation(floats(sweep(0.5)), mono(frames), 48_000)
                self.assertGreater(likeness, 0.95)
                self.assertLess(late_ms, 20)
                self.assertEqual(set(told(call.reports())), {"ENCODED"})
                stats = call.stream.stats()
                self.assertEqual(stats.buffers_offered, stats.buffers_encoded)
                self.assertGreater(stats.packets_sent, 20)
                self.assertEqual(call.incoming.stats().packets_received, stats.packets_sent)

    def test_packets(self) -> None:
        """Read undecoded, and sent on by a program that has them."""
        with AudioCall(codec=Codec.OPUS, start={"output": Output.BOTH}) as call:
            call.play(sweep(0.2))
            packets: list[EncodedFrame] = []
            while True:
                try:
                    packets.append(call.incoming.read_encoded(0))
                except MediaTimeout:
                    break
        self.assertGreaterEqual(len(packets), 10)
        self.assertEqual({(packet.codec, packet.channels, packet.sample_rate, packet.duration_ns) for packet in packets},
                         {(Codec.OPUS, 1, 48_000, 20_000_000)})
        self.assertEqual([packet.sequence for packet in packets], list(range(1, len(packets) + 1)))
        with AudioCall(codec=Codec.OPUS, encoded_input=True) as call:
            with self.assertRaises(StateError):
                call.stream.send(bytes(call.stream.buffer_size))
            with self.assertRaises(UnsupportedError):
                call.stream.set_gain(0.5)
            for packet in packets[:10]:
                call.stream.send_encoded(packet)
            frames = call.play(b"")
            self.assertGreater(correlation(floats(sweep(0.2)), mono(frames), 48_000)[0], 0.95)
            self.assertEqual(told(call.reports()), {"SENT": 10})

    def test_steering(self) -> None:
        with AudioCall(codec=Codec.OPUS, bitrate=16_000, fec=True, expected_loss=5) as call:
            self.assertEqual(call.stream.stats().bitrate, 16_000)
            call.stream.set_bitrate(64_000)
            call.stream.set_expected_loss(20)
            self.assertEqual(call.stream.stats().bitrate, 64_000)
            for use in (lambda: call.stream.set_bitrate(5_999), lambda: call.stream.set_bitrate(510_001),
                        lambda: call.stream.set_bitrate(-1), lambda: call.stream.set_expected_loss(101)):
                with self.assertRaises(RangeError):
                    use()
        with AudioCall(start=None) as call:
            with self.assertRaises(UnsupportedError):
                call.stream.set_bitrate(64_000)
            with self.assertRaises(UnsupportedError):
                call.stream.set_expected_loss(20)


class QueueTest(unittest.TestCase):
    def test_backpressure(self) -> None:
        with AudioCall(queue_ms=100) as call:
            buffer = counting(960)
            taken = 0
            with self.assertRaises(AgainError) as raised:
                for _ in range(50):
                    call.stream.send(buffer)
                    taken += 1
            self.assertTrue(raised.exception.text)
            self.assertTrue(5 <= taken <= 7, taken)
            self.assertTrue(80_000_000 <= call.stream.queued_ns <= 100_000_000, call.stream.queued_ns)
            self.assertEqual(call.stream.stats().queued_ns, call.stream.queued_ns)
            self.assertEqual(call.stream.write(buffer, timeout=0), 0)
            call.go(40_000_000)
            self.assertGreater(call.stream.write(counting(4800), timeout=0), 0)

    def test_it_leaves_in_real_time(self) -> None:
        with AudioCall(queue_ms=2000) as call:
            start = call.engine.now()
            call.stream.write(counting(48_000))
            while call.stream.queued_ns:
                call.go(1_000_000)
            self.assertAlmostEqual((call.engine.now() - start) / SECOND, 0.98, delta=0.03)

    def test_flush(self) -> None:
        with AudioCall(queue_ms=1000) as call:
            call.stream.write(counting(960 * 20 + 100))
            call.stream.flush()
            self.assertEqual(call.stream.queued_ns, 0)
            sent = counting(960, first=5)
            self.assertEqual(data_of(call.play(sent))[-1920:], sent.tobytes())  # the hundred samples are not before it
            outcomes = told(call.reports())
            self.assertEqual(sum(outcomes.values()), 21)
            self.assertGreaterEqual(outcomes["FLUSHED"], 18)

    def test_played(self) -> None:
        with AudioCall(queue_ms=1000) as call:
            call.stream.write(counting(9600))
            with self.assertRaises(MediaTimeout):
                call.stream.wait_played(0)
            call.go(170_000_000)
            with self.assertRaises(MediaTimeout):
                call.stream.wait_played(0)
            call.go(60_000_000)
            call.stream.wait_played(0)

    def test_on_the_system_clock(self) -> None:
        """Waiting for room, for the end, and in vain."""
        with AudioCall(clock=Clock.SYSTEM, queue_ms=100) as call:
            sent, start = counting(24_000), time.monotonic()
            self.assertEqual(call.stream.write(sent, timeout=PATIENCE), len(sent) * 2)
            self.assertGreater(time.monotonic() - start, 0.3)  # half a second, and 100 ms of it may still wait
            with self.assertRaises(MediaTimeout):
                for _ in range(1000):
                    call.stream.send(counting(960), timeout=0.001)
            call.stream.send(counting(960), timeout=PATIENCE)
            call.stream.wait_played(PATIENCE)
            self.assertEqual(call.stream.queued_ns, 0)
            self.assertGreater(time.monotonic() - start, 0.5)

    def test_flush_ends_a_write(self) -> None:
        with AudioCall(clock=Clock.SYSTEM, queue_ms=100) as call:
            taken: list[int] = []
            samples = counting(480_000)  # takes its time, which is not the writer's
            writer = threading.Thread(target=lambda: taken.append(call.stream.write(samples)))
            writer.start()
            call.until(lambda: call.stream.queued_ns >= 80_000_000)  # there is no room for another buffer: it waits
            call.stream.flush()
            writer.join(PATIENCE)
            self.assertFalse(writer.is_alive())
            self.assertTrue(0 < taken[0] < 480_000, taken)
            self.assertEqual(call.stream.queued_ns, 0)

    def test_close_ends_a_write(self) -> None:
        call = AudioCall(clock=Clock.SYSTEM, queue_ms=100)
        errors: list[MediaSDKError] = []
        samples = counting(480_000)

        def write() -> None:
            try:
                call.stream.write(samples)
            except MediaSDKError as error:
                errors.append(error)

        writer = threading.Thread(target=write)
        writer.start()
        call.until(lambda: call.stream.queued_ns >= 80_000_000)
        call.close()
        writer.join(PATIENCE)
        self.assertFalse(writer.is_alive())
        self.assertEqual(len(errors), 1)


class SteeringTest(unittest.TestCase):
    def test_muting(self) -> None:
        with AudioCall() as call:
            call.play(counting(960))
            call.stream.set_muted(True)
            self.assertTrue(call.stream.muted)
            event = call.event(call.bob, EventType.INCOMING_AUDIO_MUTED)
            self.assertEqual((event.muted, event.incoming_audio, event.user_id), (True, call.incoming, "alice"))
            call.reports()
            self.assertLessEqual(len(call.play(counting(9600))), 1)  # one may carry the fade
            self.assertGreaterEqual(told(call.reports())["MUTED"], 9)
            call.stream.set_muted(False)
            self.assertIs(call.event(call.bob, EventType.INCOMING_AUDIO_MUTED).muted, False)
            call.play(counting(960))
            sent = counting(9600)
            self.assertEqual(data_of(call.play(sent)), sent.tobytes())

    def test_muted_before_it_is_there(self) -> None:
        with AudioCall(start=None) as call:
            call.stream.set_muted(True)
            carol = call.join("carol")
            self.assertIs(call.event(carol, EventType.INCOMING_AUDIO_ADDED).muted, True)
            self.assertIs(call.added.muted, False)

    def test_gain(self) -> None:
        with AudioCall(sample_format=SampleFormat.F32) as call:
            self.assertEqual(call.stream.gain, 1)
            tone = sine(440, 0.1, sample_format=SampleFormat.F32)
            for where in (call.stream, call.incoming):
                where.set_gain(0.5)
                call.play(tone)
                heard = mono(call.play(tone))
                self.assertLess(max(abs(a / 2 - b) for a, b in zip(tone, heard)), 1e-6)
                where.set_gain(1)
                call.play(tone)
            for gain in (-0.1, 8.1, math.nan, math.inf):
                for where in (call.stream, call.incoming):
                    with self.subTest(gain), self.assertRaises((RangeError, InvalidError)) as raised:
                        where.set_gain(gain)
                    self.assertIn("gain", raised.exception.text)

    def test_reports(self) -> None:
        """One for each buffer, whatever becomes of it."""
        with AudioCall(start=None) as call:
            call.stream.write(counting(4800))
            call.go(SECOND)
            reports = call.reports()
            self.assertEqual(told(reports), {"NO_RECEIVER": 5})
            self.assertEqual({report.reason for report in reports}, {DropReason.NO_RECEIVER})
            call.incoming.start()
            call.until(lambda: call.stream.stats().receivers == 1)
            call.stream.write(counting(9600))
            call.alice.stop_audio(call.stream)
            outcomes = told(call.reports())
            self.assertEqual(sum(outcomes.values()), 10)
            self.assertGreaterEqual(outcomes["STOPPED"], 8)
            self.assertEqual(call.stream.state, OutgoingState.STOPPED)
            self.assertEqual(call.event(call.bob, EventType.INCOMING_AUDIO_REMOVED).incoming_audio, call.incoming)
            self.assertTrue(all(isinstance(report.outcome, Outcome) for report in reports))


class AttachedTest(unittest.TestCase):
    def test_before_connecting(self) -> None:
        """It starts when the session gets connected, and again when it does again."""
        with AudioCall(start=None) as call:
            carol = call.engine.create_session(call.url, "carol")
            stream = call.engine.create_outgoing_audio(kind=AudioKind.SCREEN_SHARE)
            carol.start_audio(stream)
            with self.assertRaises(StateError):
                carol.start_audio(stream)
            with self.assertRaises(StateError):
                stream.send(bytes(stream.buffer_size))
            with self.assertRaisesRegex(StateError, "STARTED"):
                stream.write(bytes(4))  # less than a buffer
            for _ in range(2):
                carol.connect(wait=False)
                event = call.event(carol, EventType.OUTGOING_AUDIO_STATE, OutgoingState.STARTED)
                self.assertIs(event.outgoing_audio, stream)
                added = call.event(call.bob, EventType.INCOMING_AUDIO_ADDED)
                self.assertEqual((added.user_id, added.kind, added.audio_format), ("carol", AudioKind.SCREEN_SHARE, stream.format))
                carol.disconnect()
                call.event(call.bob, EventType.INCOMING_AUDIO_REMOVED)
            carol.stop_audio(stream)
            with self.assertRaises(StateError):
                carol.stop_audio(stream)

    def test_eight(self) -> None:
        with Engine(ignore_environment=True) as engine:
            session = engine.create_session("loopback:eight", "alice")
            streams = [engine.create_outgoing_audio() for _ in range(9)]
            for stream in streams[:8]:
                session.start_audio(stream)
            with self.assertRaises(FullError):
                session.start_audio(streams[8])
            self.assertEqual(engine.stats().outgoing_audios, 9)


class RefusedTest(unittest.TestCase):
    def test_options(self) -> None:
        with Engine(ignore_environment=True) as engine:
            for member, values in {
                "sample_rate": (8_000, 11_025, 48_001, 96_000, -1), "channels": (3, -1), "sample_format": (3,),
                "buffer_ms": (5, 15, 110, -10), "queue_ms": (10, 60_001), "kind": (3,), "report_capacity": (4_097,),
                "codec": (0x30385056, 5),
            }.items():
                for value in values:
                    with self.subTest(member=member, value=value), self.assertRaises(MediaSDKError) as raised:
                        engine.create_outgoing_audio(**{member: value})
                    self.assertIn(member, raised.exception.text)
            for member, values in {"application": (3,), "bitrate": (5_999, 510_001), "complexity": (11,), "packet_ms": (5, 30, 100),
                                   "expected_loss": (101,)}.items():
                for value in values:
                    with self.subTest(member=member, value=value), self.assertRaises(MediaSDKError) as raised:
                        engine.create_outgoing_audio(codec=Codec.OPUS, **{member: value})
                    self.assertIn(member, raised.exception.text)
            self.assertEqual(engine.stats().outgoing_audios, 0)

    def test_buffers(self) -> None:
        with AudioCall() as call:
            for size in (0, 1, 1918, 1919, 1921, 1922, 3840):
                with self.subTest(size), self.assertRaises(InvalidError) as raised:
                    call.stream.send(bytes(size))
                self.assertIn("1920", raised.exception.text.replace(",", ""))
            for source in (None, 5, "text", array("f", [0.0] * 480)):
                with self.assertRaises(InvalidError):
                    call.stream.send(source)
                with self.assertRaises(InvalidError):
                    call.stream.write(source)
            with self.assertRaises(RangeError):
                call.stream.send(bytes(1920), timestamp_ns=1 << 63)
            with self.assertRaises(InvalidError):
                call.stream.send(bytes(1920), timeout=-1)
            with self.assertRaises(InvalidError):
                call.stream.write(bytes(1920), timeout=-1)
            with EncodedFrame.create(bytes((31 << 3, 0xFF, 0xFE)), codec=Codec.OPUS) as packet, self.assertRaises(StateError):
                call.stream.send_encoded(packet)
            self.assertEqual(call.stream.stats().buffers_offered, 0)

    def test_samples_that_are_no_numbers(self) -> None:
        with AudioCall(sample_format=SampleFormat.F32) as call:
            for bad in (math.nan, math.inf, -math.inf):
                samples = array("f", [0.0] * 960)
                samples[77] = bad
                with self.assertRaises(InvalidError) as raised:
                    call.stream.send(samples)
                self.assertIn("77", raised.exception.text)
                with self.assertRaises(InvalidError):
                    call.stream.write(samples)
            good = sine(440, 0.02, sample_format=SampleFormat.F32)
            self.assertEqual(data_of(call.play(good)), good.tobytes())

    def test_a_frame_of_another_rate(self) -> None:
        with AudioCall() as call, AudioFrame.create(AudioFormat(44_100), 960) as frame, self.assertRaises(InvalidError):
            call.stream.send(frame)


if __name__ == "__main__":
    unittest.main()
