"""Producers, renderers and filters written in Python: pulled, on the program's own thread or task."""
from __future__ import annotations

import asyncio
import os
import threading
import time
import unittest
from array import array
from typing import Any, Callable

from call import PATIENCE, Call, nv12
from mediasdk import (AudioFormat, AudioFrame, AudioProducer, Codec, Engine, Filter, Frame, FrameSenderChanged, IncomingAudioAdded,
                      IncomingVideoAdded, InvalidError, Limits, NetworkStep, OutgoingState, Renderer, StateError, ValueTypeError,
                      VideoFormat, VideoProducer, script_network)
from sound import AudioCall, Clock, sine


class Shades(VideoProducer):
    """Frames of one shade each, 0, 1, 2 ...; the program may look at what was asked for."""

    def __init__(self, count: int = 1_000_000) -> None:
        self.count = count
        self.due: list[int] = []
        self.formats: list[VideoFormat] = []
        self.threads: set[int] = set()

    def format_changed(self, format: VideoFormat) -> None:
        self.formats.append(format)

    def produce(self, frame: Frame) -> bool:
        if len(self.due) == self.count:
            return False
        self.threads.add(threading.get_ident())
        for plane in frame.planes:
            plane.write(bytes((len(self.due) & 0xFF,)) * (plane.rows * plane.row_bytes))
        self.due.append(frame.timestamp_ns)
        return True


class Seen(Renderer[Frame]):
    """Keeps the first byte and the time of what comes."""

    def __init__(self, until: int = 1_000_000) -> None:
        self.until = until
        self.bytes: list[int] = []
        self.times: list[int] = []
        self.frames: list[Frame] = []
        self.threads: set[int] = set()

    def render(self, frame: Frame) -> bool:
        self.threads.add(threading.get_ident())
        self.bytes.append(frame.planes[0][0][0])
        self.times.append(frame.timestamp_ns)
        self.frames.append(frame)
        return len(self.bytes) < self.until


class OnlyEven(Filter[Frame]):
    def filter(self, frame: Frame) -> Frame | None:
        return frame if frame.planes[0][0][0] % 2 == 0 else None


class Noise(Filter[Frame]):
    def filter(self, frame: Frame) -> Frame:
        frame.planes[0].write(os.urandom(frame.width) * frame.height)
        return frame


class Brighter(Filter[Frame]):
    """A new frame, also of a read-only one."""

    made: list[Frame] = []

    def filter(self, frame: Frame) -> Frame:
        made = frame.convert()
        self.made.append(made)
        for row in made.planes[0]:
            row[:] = bytes(byte + 100 for byte in row)
        return made


class VideoTest(unittest.TestCase):
    def call(self, **options: Any) -> Call:
        call = Call(nv12(64, 48, 60), start={"queue_capacity": 64}, **options)
        self.addCleanup(call.close)
        call.settle()
        return call

    def start(self, run: Callable[..., Any], *arguments: Any, **options: Any) -> threading.Thread:
        thread = threading.Thread(target=run, args=arguments, kwargs=options, daemon=True)
        thread.start()
        return thread

    def joined(self, thread: threading.Thread) -> None:
        thread.join(PATIENCE)
        self.assertFalse(thread.is_alive())

    def test_a_producer_and_a_renderer(self) -> None:
        call = self.call()
        shades, seen = Shades(20), Seen(until=20)
        thread = self.start(call.incoming.run, seen)
        self.assertEqual(call.stream.run(shades), 20)
        self.joined(thread)
        self.assertEqual((seen.bytes, seen.times), (list(range(20)), shades.due))
        self.assertEqual(shades.formats, [call.sender.format])
        period = 1_000_000_000 / 60
        for earlier, later in zip(shades.due, shades.due[1:]):  # at whole numbers of frames, though a busy machine may skip some
            self.assertAlmostEqual((later - earlier) / period, round((later - earlier) / period), places=3)
        self.assertTrue(all(frame.closed for frame in seen.frames))
        # No thread but those that the program made has run any of it.
        self.assertEqual((shades.threads, seen.threads), ({threading.get_ident()}, {thread.ident}))

    def test_its_own_rate(self) -> None:
        shades = Shades(5)
        self.call().stream.run(shades, fps=20)
        self.assertTrue(all((later - earlier) % 50_000_000 == 0 for earlier, later in zip(shades.due, shades.due[1:])))

    def test_filters(self) -> None:
        call, brighter = self.call(), Brighter()
        seen = Seen(until=5)
        thread = self.start(call.incoming.run, seen, filters=[brighter])
        self.assertEqual(call.stream.run(Shades(10), filters=[OnlyEven(), brighter]), 5)
        self.joined(thread)
        self.assertEqual(seen.bytes, [200, 202, 204, 206, 208])
        call.stream.run(Shades(1), filters=[brighter, brighter])
        self.assertEqual(len(brighter.made), 12)
        self.assertTrue(all(frame.closed for frame in brighter.made))
        call.incoming.read(PATIENCE).close()
        seen.until = 0
        thread = self.start(call.incoming.run, seen, filters=[OnlyEven()])
        call.stream.run(Shades(3))
        self.joined(thread)
        self.assertEqual(seen.bytes[5:], [0])

    def test_a_filter_of_another_format_is_an_error(self) -> None:
        class Wrong(Filter[Frame]):
            def filter(self, frame: Frame) -> Frame:
                return frame.convert("RGB24")

        with self.assertRaisesRegex(Exception, "MSDK_E_FORMAT"):
            self.call().stream.run(Shades(), filters=[Wrong()])

    def test_an_error_in_a_producer_is_the_programs(self) -> None:
        class Broken(VideoProducer):
            def produce(self, frame: Frame) -> bool:
                raise ZeroDivisionError

        call = self.call()
        for _ in range(10):  # more often than there are frames in the pool
            with self.assertRaises(ZeroDivisionError):
                call.stream.run(Broken())

    def test_ends_with_the_stream(self) -> None:
        for end in ("stop", "close", "engine"):
            with self.subTest(end):
                call = self.call()
                shades, seen = Shades(), Seen()
                threads = [self.start(call.stream.run, shades), self.start(call.incoming.run, seen)]
                while not seen.bytes:
                    time.sleep(0.005)
                if end == "stop":
                    call.alice.stop_video(call.stream)
                else:
                    (call.stream if end == "close" else call).close()
                for thread in threads:
                    self.joined(thread)

    def test_waits_for_the_stream_and_follows_its_formats(self) -> None:
        with Engine(ignore_environment=True) as engine:
            url = f"loopback:{self.id()}"
            script_network(engine, url, [NetworkStep()])
            alice, bob = engine.create_session(url, "alice"), engine.create_session(url, "bob")
            formats = [nv12(1280, 720, 30), nv12(640, 360, 30)]
            stream = engine.create_outgoing_video(formats, limits=Limits.EXTENDED, codec=Codec.VP8)
            shades = Shades()
            thread = self.start(stream.run, shades, filters=[Noise()])  # one shade fits through any network
            time.sleep(0.05)
            self.assertEqual(shades.formats, [])
            bob.connect()
            alice.start_video(stream)
            alice.connect()
            next(event for event in bob.events(PATIENCE) if isinstance(event, IncomingVideoAdded)).incoming_video.start()
            deadline = time.monotonic() + PATIENCE
            while not shades.formats and time.monotonic() < deadline:
                time.sleep(0.01)
            script_network(engine, url, [NetworkStep(bandwidth_bps=300_000)])
            while len(shades.formats) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertTrue([event for event in alice.events(0) if isinstance(event, FrameSenderChanged)])  # none was taken away
            stream.close()
            self.joined(thread)
            self.assertEqual([format.width for format in shades.formats[:2]], [1280, 640])

    def test_a_slow_producer_leaves_the_loop_to_others(self) -> None:
        class Slow(Shades):
            def produce(self, frame: Frame) -> bool:
                time.sleep(0.03)  # of a frame every 17 ms
                return super().produce(frame)

        async def go() -> int:
            call, slow, ticks = self.call(), Slow(10), 0
            producing = asyncio.ensure_future(call.stream.run_async(slow))
            while not producing.done():
                await asyncio.sleep(0)
                ticks += 1
            return ticks

        self.assertGreater(asyncio.run(asyncio.wait_for(go(), PATIENCE)), 10)

    def test_a_bool_of_numpys_ends_it(self) -> None:
        class Ends(Shades):
            def produce(self, frame: Frame) -> Any:
                return super().produce(frame) or NumpyFalse()

        class Full(Seen):
            def render(self, frame: Frame) -> Any:
                return super().render(frame) or NumpyFalse()

        call = self.call()
        thread = self.start(call.incoming.run, Full(until=3))
        self.assertEqual(call.stream.run(Ends(3)), 3)
        self.joined(thread)

    def test_what_is_no_role_is_refused(self) -> None:
        class Later(Shades):
            async def produce(self, frame: Frame) -> bool:  # type: ignore[override]
                return True

        class SeenLater(Seen):
            async def render(self, frame: Frame) -> bool:  # type: ignore[override]
                return True

        class FilteredLater(OnlyEven):
            async def filter(self, frame: Frame) -> Frame:  # type: ignore[override]
                return frame

        class Answers(Filter[Frame]):
            def __init__(self, answer: Any) -> None:
                self.answer = answer

            def filter(self, frame: Frame) -> Any:
                return self.answer

        call = self.call()
        runs: list[tuple[Any, Any, Any]] = [
            (call.stream, Later(), ()), (call.stream, Shades(), [FilteredLater()]), (call.stream, None, ()), (call.stream, Shades, ()),
            (call.stream, Shades(), [None]), (call.incoming, SeenLater(), ()), (call.incoming, "x", ()),
            (call.incoming, Seen(), [FilteredLater()])]
        for stream, role, filters in runs:
            with self.subTest(role=role, filters=filters):
                with self.assertRaisesRegex(ValueTypeError, "accepted"):
                    stream.run(role, filters=filters)
                with self.assertRaisesRegex(ValueTypeError, "accepted"):
                    asyncio.run(stream.run_async(role, filters=filters))
        for answer in (True, 5, bytearray(3), Later()):
            with self.subTest(answer), self.assertRaisesRegex(ValueTypeError, "Answers.filter returned .* accepted"):
                call.stream.run(Shades(), filters=[Answers(answer)])

    def test_asyncio(self) -> None:
        async def go() -> None:
            call = self.call()
            seen = Seen(until=10)
            rendering = asyncio.ensure_future(call.incoming.run_async(seen))
            self.assertEqual(await call.stream.run_async(Shades(10)), 10)
            self.assertEqual(await rendering, 10)
            self.assertEqual((seen.bytes, seen.threads), (list(range(10)), {threading.get_ident()}))
            producing = asyncio.ensure_future(call.stream.run_async(Shades()))
            await asyncio.sleep(0.05)
            producing.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await producing
            call.alice.stop_video(call.stream)
            self.assertEqual(await asyncio.ensure_future(call.incoming.run_async(Seen())) >= 0, True)

        asyncio.run(asyncio.wait_for(go(), 3 * PATIENCE))


class Tone(AudioProducer):
    """A second of a sine, in pieces that are no whole buffers."""

    def __init__(self) -> None:
        self.samples = sine(440, 1)
        self.formats: set[AudioFormat] = set()

    def produce(self, format: AudioFormat) -> array[int] | None:
        self.formats.add(format)
        piece, self.samples = self.samples[:700], self.samples[700:]
        return piece or None


class Heard(Renderer[AudioFrame]):
    def __init__(self, until: int) -> None:
        self.samples = array("h")
        self.until = until

    def render(self, frame: AudioFrame) -> bool:
        self.samples.extend(frame.samples)
        return len(self.samples) < self.until


class Nothing(AudioProducer):
    """Has no audio now, or nothing but silence."""

    def __init__(self, samples: bytes = b"") -> None:
        self.samples = samples
        self.calls = 0

    def produce(self, format: AudioFormat) -> bytes:
        self.calls += 1
        return self.samples


class Dropped(Filter[AudioFrame]):
    def filter(self, frame: AudioFrame) -> None:
        return None


class NumpyFalse:
    """What numpy's comparisons return: a bool that is not Python's."""

    def __bool__(self) -> bool:
        return False


NumpyFalse.__module__, NumpyFalse.__name__ = "numpy", "bool_"


class AudioTest(unittest.TestCase):
    def test_a_producer_and_a_renderer(self) -> None:
        with AudioCall(clock=Clock.SYSTEM, start={"queue_ms": 2000}) as call:
            tone, heard = Tone(), Heard(48_000)
            sent = tone.samples
            self.assertEqual(call.stream.run(tone), 96_000)
            call.incoming.run(heard)
            self.assertEqual(heard.samples, sent)
            self.assertEqual(tone.formats, {call.stream.format})

    def test_filters(self) -> None:
        """Buffers of the stream's length, whatever the producer's pieces are; in order, changed in place or new."""
        class Louder(Filter[AudioFrame]):
            counts: list[int] = []

            def filter(self, frame: AudioFrame) -> AudioFrame:
                self.counts.append(frame.sample_count)
                for index, sample in enumerate(samples := frame.samples):
                    samples[index] = sample + 1
                return frame

        class Doubled(Filter[AudioFrame]):
            made: list[AudioFrame] = []

            def filter(self, frame: AudioFrame) -> AudioFrame:
                made = AudioFrame.create(frame.format, frame.sample_count)
                self.made.append(made)
                for index, sample in enumerate(frame.samples):
                    made.samples[index] = 2 * sample
                return made

        class EveryOther(Filter[AudioFrame]):
            count = 0

            def filter(self, frame: AudioFrame) -> AudioFrame | None:
                self.count += 1
                return frame if self.count % 2 else None

        class Third(AudioProducer):
            """Bytes that end within a sample."""

            def __init__(self) -> None:
                self.pieces: list[bytes] = [b"\1\0\1", b"\0\1"]

            def produce(self, format: AudioFormat) -> bytes | None:
                return self.pieces.pop(0) if self.pieces else None

        with AudioCall(clock=Clock.SYSTEM, start={"queue_ms": 2000}) as call:
            tone, heard, louder, doubled = Tone(), Heard(48_000), Louder(), Doubled()
            sent = tone.samples
            self.assertEqual(call.stream.run(tone, filters=[louder, doubled]), 96_000)
            call.incoming.run(heard)
            self.assertEqual(heard.samples, array("h", (2 * (sample + 1) for sample in sent)))
            length = call.stream.format.frames_per_buffer
            self.assertEqual(louder.counts, [length] * (48_000 // length))
            self.assertTrue(doubled.made and all(frame.closed for frame in doubled.made))
            heard = Heard(24_000)
            self.assertEqual(call.stream.run(Tone(), filters=[EveryOther()]), 48_000)
            call.incoming.run(heard)
            self.assertEqual(heard.samples[:length], sent[:length])
            self.assertEqual(heard.samples[length:2 * length], sent[2 * length:3 * length])
            louder.counts.clear()
            self.assertEqual(call.stream.run(Third(), filters=[louder]), 6)
            self.assertEqual(louder.counts, [3])

    def test_filters_that_fail(self) -> None:
        class Wrong(Filter[AudioFrame]):
            def filter(self, frame: AudioFrame) -> AudioFrame:
                return AudioFrame.create(AudioFormat(16_000, 1), 160)

        class Broken(Filter[AudioFrame]):
            def filter(self, frame: AudioFrame) -> AudioFrame:
                raise StateError("mine")

        with AudioCall(clock=Clock.SYSTEM) as call:
            with self.assertRaisesRegex(InvalidError, "1 channels at 16000 Hz"):
                call.stream.run(Tone(), filters=[Wrong()])
            with self.assertRaisesRegex(StateError, "mine"):  # the filter's error is no end of the stream
                call.stream.run(Tone(), filters=[Broken()])

    def test_nothing_to_send_is_waited_for(self) -> None:
        """Neither the loop nor a core is taken by a producer without audio, or by a filter that drops all of it."""
        for samples, filters in ((b"", []), (bytes(1920), [Dropped()])):
            async def go(call: AudioCall, producer: Nothing) -> None:
                running = asyncio.ensure_future(call.stream.run_async(producer, filters=filters))
                await asyncio.sleep(0.2)
                self.assertTrue(1 < producer.calls < 250)
                call.stream.close()
                self.assertEqual(await running, 0)

            with self.subTest(len(samples)), AudioCall(clock=Clock.SYSTEM) as call:
                asyncio.run(asyncio.wait_for(go(call, Nothing(samples)), PATIENCE))
            with self.subTest(len(samples), thread=True), AudioCall(clock=Clock.SYSTEM) as call:
                producer = Nothing(samples)
                thread = threading.Thread(target=call.stream.run, args=(producer,), kwargs={"filters": filters}, daemon=True)
                thread.start()
                time.sleep(0.2)
                call.stream.close()
                thread.join(PATIENCE)
                self.assertFalse(thread.is_alive())
                self.assertTrue(1 < producer.calls < 250)

    def test_ends_with_the_stream(self) -> None:
        class Endless(AudioProducer):
            def produce(self, format: AudioFormat) -> bytes:
                return bytes(9600)

        class Same(Filter[AudioFrame]):
            def filter(self, frame: AudioFrame) -> AudioFrame:
                return frame

        for filters in ([], [Same()]):
            with self.subTest(filters=len(filters)), AudioCall(clock=Clock.SYSTEM) as call:
                thread = threading.Thread(target=call.stream.run, args=(Endless(),), kwargs={"filters": filters}, daemon=True)
                thread.start()
                time.sleep(0.1)
                call.stream.close()
                thread.join(PATIENCE)
                self.assertFalse(thread.is_alive())

    def test_asyncio(self) -> None:
        async def go(engine: Engine) -> None:
            alice, bob = engine.create_session("loopback:roles", "alice"), engine.create_session("loopback:roles", "bob")
            voice = engine.create_outgoing_audio()
            class Same(Filter[AudioFrame]):
                def filter(self, frame: AudioFrame) -> AudioFrame:
                    return frame

            producing = asyncio.ensure_future(voice.run_async(Tone(), filters=[Same()]))  # before it is started
            await bob.connected()
            alice.start_audio(voice)
            await alice.connected()
            async for event in bob:
                if isinstance(event, IncomingAudioAdded):
                    event.incoming_audio.start(queue_ms=2000)
                    break
            heard = Heard(24_000)
            rendering = asyncio.ensure_future(event.incoming_audio.run_async(heard))
            self.assertEqual(await producing, 96_000)
            await rendering
            self.assertEqual(voice.state, OutgoingState.STARTED)

        with Engine(ignore_environment=True) as engine:
            asyncio.run(asyncio.wait_for(go(engine), 3 * PATIENCE))


if __name__ == "__main__":
    unittest.main()
