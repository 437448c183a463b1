"""Nothing of sound grows or outlives its engine; what is closed says so."""
from __future__ import annotations

import gc
import unittest

from binding.test_cycles import descriptors, resident, settled, threads
from mediasdk import AudioFrame, Clock, ClosedError, Codec, Engine, HandleError, StateError
from sound import AudioCall, counting

CYCLES, SETTLE = 100, 20


def cycle(codec: Codec, clock: Clock, mixed: bool, tidy: bool) -> None:
    call = AudioCall(codec=codec, clock=clock, mixed=mixed)
    call.stream.write(counting(2000))
    frames: list[AudioFrame] = []
    call.until(lambda: frames.extend(call.heard()) or frames)
    call.incoming.fileno()
    samples = frames.pop().samples
    if tidy:
        call.incoming.close()
        call.stream.close()
        call.bob.close()
        call.alice.close()
    call.close()
    assert len(samples) and samples[0] is not None  # outlives the engine


class CycleTest(unittest.TestCase):
    def cycles(self, codec: Codec, clock: Clock, mixed: bool) -> None:
        with Engine(ignore_environment=True) as watcher:
            for number in range(SETTLE):
                cycle(codec, clock, mixed, number % 2 == 0)
            gc.collect()
            frames, before = watcher.stats().audio_frames, (threads(), descriptors(), resident())
            for number in range(CYCLES):
                cycle(codec, clock, mixed, number % 2 == 0)
            gc.collect()
            stats = watcher.stats()
            self.assertEqual((stats.audio_frames, stats.encoded_frames), (frames, 0))
            self.assertEqual(settled(threads, before[0]), before[0])
            self.assertEqual(settled(descriptors, before[1]), before[1])
            self.assertLess(resident() - before[2], CYCLES * 20_000)

    def test_raw(self) -> None:
        self.cycles(Codec.RAW, Clock.SYSTEM, False)

    def test_opus(self) -> None:
        self.cycles(Codec.OPUS, Clock.SYSTEM, False)

    def test_mixed(self) -> None:
        self.cycles(Codec.OPUS, Clock.VIRTUAL, True)

    def test_forgotten_objects_end(self) -> None:
        """Without any close, when Python collects them."""
        before = threads()
        for _ in range(10):
            call = AudioCall(clock=Clock.SYSTEM)
            call.bob.mixed_audio.start()
            del call
            gc.collect()
        self.assertEqual(settled(threads, before), before)

    def test_a_stream_is_kept_by_what_it_is_started_on(self) -> None:
        with AudioCall(start=None) as call:
            call.alice.start_audio(call.engine.create_outgoing_audio())
            gc.collect()
            self.assertEqual(call.engine.stats().outgoing_audios, 2)
            call.alice.close()
            gc.collect()
            self.assertEqual(call.engine.stats().outgoing_audios, 1)  # the call's own


class ClosedTest(unittest.TestCase):
    def test_everything_after_the_engine(self) -> None:
        call = AudioCall()
        frame = (call.stream.write(counting(960)), call.until(lambda: call.incoming.stats().total_samples_received), call.heard())[2][0]
        call.bob.mixed_audio.start()
        mixed = call.bob.mixed_audio
        call.close()
        stream, incoming = call.stream, call.incoming
        for use in (lambda: stream.state, lambda: stream.stats(), lambda: stream.send(bytes(1920)), lambda: stream.write(bytes(1920)),
                    lambda: stream.queued_ns, lambda: stream.flush(), lambda: stream.wait_played(0), lambda: stream.read_report(0),
                    lambda: stream.set_muted(True), lambda: stream.set_gain(1), lambda: stream.detach_producer(),
                    lambda: incoming.state, lambda: incoming.read(0), lambda: incoming.read_encoded(0), lambda: incoming.start(),
                    lambda: incoming.stats(), lambda: incoming.fileno(), lambda: incoming.set_gain(1), lambda: mixed.read(0),
                    lambda: call.bob.mixed_audio, lambda: call.alice.start_audio(stream), lambda: call.engine.create_outgoing_audio()):
            with self.assertRaises((HandleError, ClosedError)) as raised:
                use()
            self.assertTrue(raised.exception.text)
        self.assertEqual(list(incoming.frames()), [])
        self.assertEqual(frame.tobytes(), counting(960).tobytes())  # buffers outlive it
        stream.close()
        incoming.close()

    def test_stream_alone(self) -> None:
        with AudioCall() as call:
            call.stream.close()
            call.stream.close()
            with self.assertRaises((HandleError, ClosedError, StateError)):
                call.stream.write(bytes(1920))
            self.assertEqual(call.engine.stats().outgoing_audios, 0)


if __name__ == "__main__":
    unittest.main()
