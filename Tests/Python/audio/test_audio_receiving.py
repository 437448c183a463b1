"""Sound that is received: converted, mixed, lost on the way; who speaks; what plugins make and take."""
from __future__ import annotations

import cmath
import gc
import tempfile
import unittest
import wave
from array import array
from pathlib import Path
from typing import Any

from call import nv12, picture, plugin_dir
from mediasdk import (AudioFormat, AudioFrame, AudioKind, ClosedError, Codec, Engine, EventType, FrameFlag, HandleError, IncomingState,
                      InstanceState, Kind, Limits, MediaSDKError, MediaTimeout, NetworkStep, Output, QueuePolicy, SampleFormat, StateError,
                      UnsupportedError, script_network)
from sound import SECOND, AudioCall, correlation, counting, data_of, floats, mono, sine, sweep

TONE = "org.mediasdk.producer.tone"
WAV = "org.mediasdk.producer.wav"
WRITER = "org.mediasdk.renderer.wav"
RECORDER = "org.mediasdk.renderer.recorder"
SPEAKING_NS = 3 * SECOND  # by then it is known that somebody speaks, or does not any more


class ConversionTest(unittest.TestCase):
    def test_what_is_wanted(self) -> None:
        sent = sweep(0.4, channels=2)
        for rate, channels, kind, buffer_ms in ((16_000, 1, SampleFormat.S16, 30), (44_100, 2, SampleFormat.F32, 10),
                                                (22_050, 2, SampleFormat.S16, 10), (48_000, 2, SampleFormat.F32, 100)):
            with self.subTest(rate=rate, channels=channels), AudioCall(
                    channels=2, start={"sample_rate": rate, "channels": channels, "sample_format": kind, "buffer_ms": buffer_ms}) as call:
                frames = call.play(sent)
                self.assertEqual({(frame.sample_rate, frame.channels, frame.format.sample_format, len(frame)) for frame in frames},
                                 {(rate, channels, kind, rate * buffer_ms // 1000)})
                self.assertGreater(correlation(floats(sweep(0.4, rate)), mono(frames), rate)[0], 0.99)

    def test_dropping(self) -> None:
        for policy, expected in ((QueuePolicy.DROP_OLDEST, [6, 7, 8, 9, 10]), (QueuePolicy.DROP_NEWEST, [1, 2, 3, 4, 5])):
            with self.subTest(policy.name), AudioCall(start={"queue_ms": 100, "queue_policy": policy}) as call:
                call.stream.write(counting(9600))
                call.go(SECOND // 2)
                self.assertEqual([frame.sequence for frame in call.heard()], expected)
                stats = call.incoming.stats()
                self.assertEqual((stats.buffers_delivered, stats.buffers_dropped), (5, 5))

    def test_refused(self) -> None:
        with AudioCall(start=None) as call:
            for options in ({"sample_rate": 8_000}, {"channels": 3}, {"sample_format": 9}, {"buffer_ms": 15}, {"queue_ms": 19},
                            {"queue_ms": 60_001}, {"queue_policy": QueuePolicy.WAIT}, {"output": 7}, {"sample_rate": -1}):
                with self.subTest(options), self.assertRaises(MediaSDKError) as raised:
                    call.incoming.start(**options)
                self.assertIn(next(iter(options)), raised.exception.text)
            with self.assertRaises(StateError):
                call.incoming.read(0)
            self.assertEqual(call.incoming.state, IncomingState.AVAILABLE)
            with self.assertRaises(UnsupportedError):
                call.bob.mixed_audio.start(output=Output.ENCODED)

    def test_again(self) -> None:
        with AudioCall() as call:
            with self.assertRaises(StateError):
                call.incoming.start()
            call.incoming.stop()
            call.incoming.stop()
            call.until(lambda: call.incoming.state == IncomingState.STOPPED)
            call.incoming.start()
            call.until(lambda: call.stream.stats().receivers == 1)
            self.assertEqual(data_of(call.play(counting(960))), counting(960).tobytes())
            call.alice.stop_audio(call.stream)
            call.event(call.bob, EventType.INCOMING_AUDIO_REMOVED)
            self.assertEqual(list(call.incoming.frames()), [])
            with self.assertRaises(ClosedError):
                call.incoming.start()


class LossTest(unittest.TestCase):
    SENT = sine(440, 3)

    def call_over(self, codec: Codec, loss_ppm: int, seed: int, **options: Any) -> AudioCall:
        call = AudioCall(codec=codec, **options)
        script_network(call.engine, call.url, [NetworkStep(delay_ns=30_000_000, jitter_ns=20_000_000, loss_ppm=loss_ppm)], seed=seed)
        return call

    def test_raw_leaves_gaps(self) -> None:
        with self.call_over(Codec.RAW, 100_000, 3) as call:
            frames, stats = call.play(self.SENT), call.incoming.stats()
            self.assertGreater(stats.packets_lost, 3)
            gaps = [frame for before, frame in zip(frames, frames[1:]) if frame.sequence != before.sequence + 1]
            self.assertTrue(gaps and all(frame.flags & FrameFlag.DISCONTINUITY for frame in gaps))
            self.assertEqual(len(frames) + stats.packets_lost, 150)

    def test_opus_is_made_good(self) -> None:
        for fec in (False, True):
            with self.subTest(fec=fec), self.call_over(Codec.OPUS, 100_000, 3, fec=fec, expected_loss=20) as call:
                frames, stats = call.play(self.SENT), call.incoming.stats()
                self.assertGreater(stats.packets_lost, 3)
                self.assertEqual(stats.fec_packets_recovered > 0, fec)
                self.assertEqual(sum(bool(frame.flags & FrameFlag.CORRUPT) for frame in frames) > 0, stats.concealed_samples > 0)
                self.assertGreaterEqual(sum(map(len, frames)), 48_000 * 2.9)

    def test_same_seed_same_run(self) -> None:
        for codec in (Codec.RAW, Codec.OPUS):
            runs = []
            for seed in (7, 7, 8):
                with self.call_over(codec, 50_000, seed) as call:
                    runs.append([(frame.timestamp_ns, frame.sequence, int(frame.flags), frame.level, frame.tobytes())
                                 for frame in call.play(self.SENT)])
            with self.subTest(codec.name):
                self.assertEqual(runs[0], runs[1])
                self.assertNotEqual(runs[0], runs[2])


class MixedTest(unittest.TestCase):
    def test_silence_by_the_clock(self) -> None:
        with AudioCall(mixed=True, start=None) as call:
            self.assertIs(call.incoming, call.bob.mixed_audio)
            self.assertTrue(call.incoming.mixed)
            self.assertFalse(call.added.incoming_audio.mixed)
            self.assertEqual((call.incoming.user_id, call.incoming.kind), ("", None))
            call.incoming.start(queue_ms=2000)
            call.go(SECOND)
            frames = call.heard()
            self.assertTrue(49 <= len(frames) <= 51, len(frames))
            self.assertEqual({(frame.format, frame.level) for frame in frames},
                             {(AudioFormat(48_000, 2, SampleFormat.F32, 960), 127)})
            self.assertEqual(call.incoming.stats().sources, 0)
            with self.assertRaises(MediaTimeout):
                call.incoming.read(0)

    def test_one(self) -> None:
        for codec in (Codec.RAW, Codec.OPUS):
            with self.subTest(codec.name), AudioCall(mixed=True, codec=codec, start={"channels": 1, "queue_ms": 5000}) as call:
                frames = call.play(sweep(1))
                likeness, late_ms = correlation(floats(sweep(1)), mono(frames), 48_000)
                self.assertGreater(likeness, 0.97)
                self.assertLess(late_ms, 100)
                loud = [frame.level for frame in frames if frame.level < 127]
                self.assertAlmostEqual(min(loud), 15, delta=1)  # a quarter of full scale, as a sine: 12 + 3 dB

    def test_utterances(self) -> None:
        """Each is heard in one piece to its end, and none later than the first, whatever the pauses between."""
        for codec, rate in ((Codec.RAW, 48_000), (Codec.OPUS, 48_000), (Codec.OPUS, 22_050)):
            with self.subTest(codec=codec.name, rate=rate), AudioCall(
                    mixed=True, codec=codec, sample_rate=rate, start={"channels": 1, "queue_ms": 5000}) as call:
                delays = []
                for _ in range(4):
                    begun = call.engine.now()
                    frames = call.play(sine(600, 0.81, rate), rest_ms=800)
                    loud = [place for place, frame in enumerate(frames) if frame.level < 60]
                    self.assertEqual(loud, list(range(loud[0], loud[-1] + 1)), [frame.level for frame in frames])
                    self.assertTrue(41 <= len(loud) <= 43, loud)
                    delays.append(loud[0] * 20)
                    self.assertLess(call.engine.now() - begun, 3 * SECOND)
                self.assertLessEqual(max(delays), delays[0] + 40, delays)
                self.assertEqual(call.incoming.stats().underruns, 0)

    def test_two_and_not_oneself(self) -> None:
        with AudioCall(mixed=True, start={"channels": 1, "queue_ms": 5000}) as call:
            carol = call.join("carol")
            hers = call.engine.create_outgoing_audio(queue_ms=2000)
            carol.start_audio(hers)
            own = call.engine.create_outgoing_audio(queue_ms=2000)
            call.bob.start_audio(own)
            call.until(lambda: hers.stats().receivers == 1)
            hers.write(sine(1000, 1))
            own.write(sine(3000, 1))
            frames = mono(call.play(sine(440, 1)))
            # The loudness of each: by the correlation of the middle with sine and cosine.
            for frequency, amplitude in ((440, 0.25), (1000, 0.25), (3000, 0.0)):
                self.assertAlmostEqual(strength(frames[16_000:40_000], frequency), amplitude, delta=0.02)

    def test_gain_of_the_mix(self) -> None:
        with AudioCall(mixed=True, start={"channels": 1, "queue_ms": 5000}) as call:
            call.incoming.set_gain(0.5)
            frames = mono(call.play(sine(440, 1)))
            self.assertAlmostEqual(strength(frames[16_000:40_000], 440), 0.125, delta=0.01)

    def test_ends_with_the_session(self) -> None:
        with AudioCall(mixed=True) as call:
            call.bob.close()
            self.assertEqual(list(call.incoming.frames()), [])
            with self.assertRaises(HandleError):
                call.bob.mixed_audio


def strength(samples: array[float], frequency: float, rate: int = 48_000) -> float:
    """The amplitude of a frequency in a piece of sound."""
    turn = cmath.exp(-2j * cmath.pi * frequency / rate)
    phase, total = 1 + 0j, 0j
    for sample in samples:
        total += sample * phase
        phase *= turn
    return 2 * abs(total) / len(samples)


class SpeakerTest(unittest.TestCase):
    def test_who_speaks(self) -> None:
        with AudioCall() as call:
            self.assertEqual([(one.user_id, one.audio_stream_count, one.is_speaking, one.audio_level) for one in call.bob.participants()],
                             [("bob", 0, False, 127), ("alice", 1, False, 127)])
            call.play(sine(440, SPEAKING_NS / SECOND), rest_ms=0)
            alice = call.bob.participants()[1]
            self.assertTrue(alice.is_speaking)
            self.assertAlmostEqual(alice.audio_level, 15, delta=2)
            for session in (call.bob, call.alice):  # of oneself too
                event = call.event(session, EventType.ACTIVE_SPEAKER)
                self.assertEqual((event.user_id, event.speaking), ("alice", True))
                self.assertAlmostEqual(event.level, 15, delta=2)
            call.go(SPEAKING_NS)
            self.assertIs(call.event(call.bob, EventType.ACTIVE_SPEAKER).speaking, False)
            self.assertFalse(call.bob.participants()[1].is_speaking)

    def test_not_what_is_shown(self) -> None:
        with AudioCall(kind=AudioKind.SCREEN_SHARE) as call:
            self.assertEqual(call.incoming.kind, AudioKind.SCREEN_SHARE)
            call.play(sine(440, 1), rest_ms=0)
            self.assertFalse(call.bob.participants()[1].is_speaking)


@unittest.skipUnless(plugin_dir().is_dir(), f"needs the plugins in {plugin_dir()}")
class PluginTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def call(self, **options: Any) -> AudioCall:
        call = AudioCall(**options)
        self.addCleanup(call.close)
        call.engine.add_plugin_dir(plugin_dir())
        return call

    def test_a_producer(self) -> None:
        call = self.call(sample_rate=44_100)
        tone = call.engine.create_instance(TONE, frequency=441, amplitude=0.5)
        self.assertEqual(next(one.kinds for one in call.engine.classes() if one.id == TONE), Kind.AUDIO_PRODUCER)
        call.stream.attach_producer(tone)
        call.go(SECOND // 2)
        self.assertEqual(tone.state(Kind.AUDIO_PRODUCER), InstanceState.STARTED)
        heard = mono(call.heard())
        self.assertGreater(len(heard), 15_000)
        self.assertAlmostEqual(strength(heard[-8820:], 441, 44_100), 0.5, delta=0.01)
        call.stream.detach_producer()
        self.assertNotEqual(tone.state(Kind.AUDIO_PRODUCER), InstanceState.STARTED)

    def test_a_file(self) -> None:
        path, sent = self.directory / "tone.wav", sine(440, 0.5, 22_050)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(22_050)
            file.writeframes(sent.tobytes())
        call = self.call(sample_rate=22_050, start={"queue_ms": 2000})
        producer = call.engine.create_instance(WAV, path=path)
        self.assertEqual(producer.audio_format().sample_rate, 22_050)
        self.assertEqual(producer.audio_format().channels, 1)
        call.stream.attach_producer(producer)
        ended = call.event(call.alice, EventType.PLUGIN)
        self.assertIs(ended.instance, producer)
        call.go(SECOND // 10)
        heard = data_of(call.heard())
        self.assertEqual(heard[:len(sent) * 2].strip(b"\0"), sent.tobytes().strip(b"\0"))

    def test_no_file(self) -> None:
        call = self.call()
        producer = call.engine.create_instance(WAV, path=self.directory / "missing.wav")
        with self.assertRaises(MediaSDKError) as raised:
            producer.audio_format()
        self.assertIn("missing.wav", raised.exception.text)

    def test_recording(self) -> None:
        call = self.call(mixed=True, codec=Codec.OPUS, start=None)
        path = self.directory / "call.webm"
        recorder = call.engine.create_instance(RECORDER, path=path)
        call.incoming.attach_renderer(recorder)
        call.incoming.start()
        call.play(sine(440, 1))
        self.assertGreater(call.incoming.stats().buffers_rendered, 40)
        call.incoming.detach_renderer(recorder)
        recorder.release()
        data = path.read_bytes()
        self.assertTrue(data.startswith(b"\x1a\x45\xdf\xa3"))  # EBML
        self.assertIn(b"webm", data[:64])
        self.assertIn(b"A_OPUS", data)

    def test_rendering_by_hand(self) -> None:
        """A buffer of this program's own, into a file."""
        call = self.call(start=None)
        path, samples = self.directory / "hand.wav", counting(960, 2)
        writer = call.engine.create_instance(WRITER, path=path)
        with AudioFrame.create(AudioFormat(48_000, 2), 960) as frame:
            frame.timestamp_ns = call.engine.now()
            frame.samples[:] = memoryview(samples)
            writer.render(frame)
            self.assertFalse(frame.writable)
            with self.assertRaises(StateError):
                frame.timestamp_ns = 1
        writer.release()
        with wave.open(str(path), "rb") as file:
            self.assertEqual((file.getnchannels(), file.getframerate(), file.getnframes()), (2, 48_000, 960))
            self.assertEqual(file.readframes(960), samples.tobytes())


class TogetherTest(unittest.TestCase):
    def test_the_sound_of_a_picture(self) -> None:
        """Timestamps are of one clock: each picture has its place in one buffer of sound."""
        with AudioCall(start={"queue_ms": 2000}) as call:
            format = nv12(64, 48, 25)
            video = call.engine.create_outgoing_video(format, limits=Limits.EXTENDED)
            call.alice.start_video(video)
            sender = call.event(call.alice, EventType.FRAME_SENDER_CHANGED).sender
            incoming = call.event(call.bob, EventType.INCOMING_VIDEO_ADDED).incoming_video
            incoming.start(queue_capacity=16)
            call.until(lambda: video.stats().receivers == 1)
            call.stream.write(counting(48_000 // 2))
            for number in range(6):
                call.go(40_000_000)
                sender.send_array(picture(format, number))
            call.go(SECOND // 5)
            sound = call.heard()
            pictures = list(incoming.frames(timeout=0))
            self.assertEqual(len(pictures), 6)
            for number, frame in enumerate(pictures, start=1):
                places = [(index, place) for index, buffer in enumerate(sound)
                          if 0 <= (place := buffer.position(frame.timestamp_ns)) < len(buffer)]
                # The first buffer was captured while it was not yet full: 20 ms before it was written.
                self.assertEqual(places, [(number * 2 + 1, 0)])


class CountTest(unittest.TestCase):
    def test_what_is_alive(self) -> None:
        gc.collect()
        with AudioCall() as call:
            stats = call.engine.stats()
            frames = stats.audio_frames
            self.assertEqual((stats.outgoing_audios, stats.incoming_audios), (1, 1))
            call.bob.mixed_audio
            self.assertEqual(call.engine.stats().incoming_audios, 2)
            call.stream.close()
            self.assertEqual(call.engine.stats().outgoing_audios, 0)
        with Engine(ignore_environment=True) as engine:
            self.assertEqual(engine.stats().audio_frames, frames)


if __name__ == "__main__":
    unittest.main()
