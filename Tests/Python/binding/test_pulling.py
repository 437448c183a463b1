"""What other SDKs hand to callbacks is pulled: one's own streams by a tap, events of instances, requests, reports; with descriptors."""
from __future__ import annotations

import asyncio
import select
import threading
import unittest

from call import PATIENCE, Call, nv12, picture, plugin_dir, room
from mediasdk import (AudioFormat, Clock, ClosedError, Codec, Engine, HandleError, MediaTimeout, Outcome, Output, PixelFormat, PluginEvent,
                      QueuePolicy, RangeError, SessionState, StateError, UnsupportedError, VideoFormat, access_request_fileno,
                      configure_room, next_access_request, next_access_request_async)
from sound import AudioCall, sine

FRAME_NS = 66_666_667  # of nv12()


def is_readable(descriptor: int) -> bool:
    return bool(select.select([descriptor], [], [], 0)[0])


class TapTest(unittest.TestCase):
    def test_video_before_and_after_the_encoder(self) -> None:
        with Call(nv12(64, 48), codec=Codec.VP8, clock=Clock.VIRTUAL, start=None) as call:  # nobody receives it
            call.stream.start_tap(output="BOTH")
            for number in range(10):
                self.assertFalse(is_readable(call.stream.fileno()))
                call.sender.send_array(picture(call.sender.format, number), timeout=0)
                call.engine.advance_clock(FRAME_NS)
                self.assertTrue(is_readable(call.stream.fileno()))
                self.assertEqual(call.stream.read(0).tobytes(), picture(call.sender.format, number))
                packet = call.stream.read_encoded(0)
                self.assertEqual((packet.codec, packet.key_frame, packet.sequence), (Codec.VP8, number == 0, number + 1))
                self.assertEqual(call.stream.read_report(0).outcome, Outcome.ENCODED)
            with self.assertRaises(MediaTimeout):
                call.stream.read(0)
            with self.assertRaises(StateError):
                call.stream.start_tap()
            call.stream.stop_tap()
            with self.assertRaises(ClosedError):
                call.stream.read_encoded(0)

    def test_audio_before_and_after_the_encoder(self) -> None:
        with AudioCall(codec=Codec.OPUS) as call:
            call.stream.start_tap(output=Output.BOTH, queue_ms=2000)
            call.play(sine(440, 1))
            self.assertTrue(is_readable(call.stream.fileno()))
            buffers = list(call.stream.frames(timeout=0))
            self.assertEqual(len(buffers), 50)
            self.assertEqual(buffers[20].tobytes(), sine(440, 1).tobytes()[20 * 1920:21 * 1920])
            packets = 0
            while True:
                try:
                    self.assertEqual(call.stream.read_encoded(0).codec, Codec.OPUS)
                    packets += 1
                except MediaTimeout:
                    break
            self.assertIn(packets, (50, 51))
            self.assertEqual(call.stream.stats().tap_buffers_dropped, 0)

    def test_what_is_not_read_is_dropped_and_counted(self) -> None:
        with Call(nv12(64, 48), clock=Clock.VIRTUAL) as call:
            call.stream.start_tap(queue_capacity=2, queue_policy=QueuePolicy.DROP_NEWEST)
            for number in range(12):  # more than the sender has
                call.sender.send_array(picture(call.sender.format, number), timeout=0)
                call.engine.advance_clock(FRAME_NS)
            self.assertEqual(call.stream.stats().tap_frames_dropped, 10)
            self.assertEqual([frame.sequence for frame in call.stream.frames(timeout=0)], [1, 2])

    def test_refused(self) -> None:
        with Engine(ignore_environment=True) as engine:
            video, audio = engine.create_outgoing_video(nv12(), codec="RAW"), engine.create_outgoing_audio(codec="RAW")
            for stream in (video, audio):
                with self.assertRaises(StateError):
                    stream.read(0)
                with self.assertRaises(UnsupportedError):
                    stream.start_tap(output=Output.ENCODED)
            with self.assertRaises(RangeError):
                video.start_tap(queue_capacity=65)
            with self.assertRaises(RangeError):
                audio.start_tap(queue_ms=5)
            video.start_tap()
            video.close()
            with self.assertRaises(HandleError):
                video.read(0)

    def test_asyncio(self) -> None:
        async def go() -> None:
            with Call(nv12(64, 48, 30), codec=Codec.VP8) as call:
                call.stream.start_tap(output=Output.BOTH)
                reading = asyncio.create_task(call.stream.read_async(PATIENCE))
                packet = asyncio.create_task(call.stream.read_encoded_async(PATIENCE))
                report = asyncio.create_task(call.stream.read_report_async(PATIENCE))
                await asyncio.sleep(0.05)
                call.sender.send_array(picture(call.sender.format, 1), timeout=0)
                self.assertEqual((await reading).sequence, 1)
                self.assertTrue((await packet).key_frame)
                self.assertEqual((await report).sequence, 1)
                waiting = asyncio.create_task(call.stream.read_async(PATIENCE))
                await asyncio.sleep(0.05)
                call.stream.close()
                with self.assertRaises((ClosedError, HandleError)):
                    await waiting
                self.assertEqual(threading.active_count(), 1)

        asyncio.run(asyncio.wait_for(go(), PATIENCE * 3))


@unittest.skipUnless(plugin_dir().is_dir(), f"needs the plugins in {plugin_dir()}")
class ProducerTest(unittest.TestCase):
    """Producers that are read without a stream."""

    def setUp(self) -> None:
        self.engine = Engine(clock=Clock.VIRTUAL, ignore_environment=True)
        self.addCleanup(self.engine.close)
        self.engine.add_plugin_dir(plugin_dir())

    def test_video(self) -> None:
        pattern = self.engine.create_instance("org.mediasdk.producer.testpattern")
        with self.assertRaises(StateError):
            pattern.read(0)
        pattern.start_pull(VideoFormat("BGRA", 320, 180, 15), queue_capacity=64)
        self.assertFalse(is_readable(pattern.pull_fileno()))
        self.engine.advance_clock(1_000_000_000)
        self.assertTrue(is_readable(pattern.pull_fileno()))
        frames = list(pattern.frames(timeout=0))
        self.assertIn(len(frames), (15, 16))
        self.assertEqual([frame.sequence for frame in frames], list(range(1, len(frames) + 1)))
        self.assertEqual((frames[0].format.pixel_format, frames[0].format.width), (PixelFormat.BGRA, 320))
        with self.assertRaises(StateError):
            pattern.start_pull()
        pattern.stop_pull()
        with self.assertRaises(ClosedError):
            pattern.read()
        pattern.start_pull(queue_capacity=1, queue_policy="DROP_NEWEST")
        self.engine.advance_clock(1_000_000_000)
        self.assertEqual([frame.sequence for frame in pattern.frames(timeout=0)], [1])

    def test_audio_to_its_end(self) -> None:
        tone = self.engine.create_instance("org.mediasdk.producer.tone")
        tone["duration_ms"] = 100
        tone.start_pull_audio(AudioFormat(16_000, 1), queue_ms=1000)
        self.engine.advance_clock(1_000_000_000)
        self.assertTrue(is_readable(tone.pull_audio_fileno()))
        self.assertEqual(sum(buffer.sample_count for buffer in tone.audio_frames()), 1600)
        self.assertIn(PluginEvent.ENDED, [event.type for event in tone.events(timeout=0)])
        with self.assertRaises(ClosedError):
            tone.read_audio(0)
        tone.stop_pull_audio()

    def test_refused(self) -> None:
        pattern, tone = (self.engine.create_instance(f"org.mediasdk.producer.{name}") for name in ("testpattern", "tone"))
        with self.assertRaises(UnsupportedError):
            tone.start_pull()
        with self.assertRaises(UnsupportedError):
            pattern.start_pull_audio()
        with self.assertRaises(RangeError):
            pattern.start_pull(queue_capacity=65)
        with self.assertRaises(RangeError):
            tone.start_pull_audio(queue_ms=1)
        with self.assertRaises(StateError):
            tone.read_audio(0)

    def test_asyncio(self) -> None:
        async def go() -> None:
            with Engine(ignore_environment=True) as engine:
                engine.add_plugin_dir(plugin_dir())
                pattern = engine.create_instance("org.mediasdk.producer.testpattern")
                tone = engine.create_instance("org.mediasdk.producer.tone")
                pattern.start_pull()
                tone.start_pull_audio()
                self.assertGreater((await pattern.read_async(PATIENCE)).sequence, 0)
                self.assertGreater((await tone.read_audio_async(PATIENCE)).sequence, 0)
                self.assertEqual(threading.active_count(), 1)
                waiting = asyncio.create_task(pattern.read_async(PATIENCE))
                pattern.stop_pull()
                with self.assertRaises(ClosedError):
                    await waiting

        asyncio.run(asyncio.wait_for(go(), PATIENCE * 3))


class DescriptorTest(unittest.TestCase):
    def test_reports(self) -> None:
        with Call(nv12(64, 48), clock=Clock.VIRTUAL) as call:
            self.assertFalse(is_readable(call.stream.report_fileno()))
            call.sender.send_array(picture(call.sender.format, 1), timeout=0)
            call.engine.advance_clock(FRAME_NS)
            self.assertTrue(is_readable(call.stream.report_fileno()))
            call.stream.read_report(0)
            self.assertFalse(is_readable(call.stream.report_fileno()))
        with AudioCall() as sound:
            self.assertFalse(is_readable(sound.stream.report_fileno()))
            sound.play(sine(440, 0.02))
            self.assertTrue(is_readable(sound.stream.report_fileno()))

    @unittest.skipUnless(plugin_dir().is_dir(), f"needs the plugins in {plugin_dir()}")
    def test_events_of_instances(self) -> None:
        async def go() -> None:
            with Engine(ignore_environment=True) as engine:
                engine.add_plugin_dir(plugin_dir())
                with engine.create_instance("org.mediasdk.renderer.bw") as instance:
                    self.assertFalse(is_readable(instance.fileno()))
                    waiting = asyncio.create_task(instance.next_event_async(PATIENCE))
                    await asyncio.sleep(0.05)
                    instance["mode"] = "gray"
                    self.assertEqual((await waiting).text, "mode")
                    instance["mode"] = "gray"
                    self.assertTrue(is_readable(instance.fileno()))
                    instance.next_event(0)
                    waiting = asyncio.create_task(instance.next_event_async(PATIENCE))
                    await asyncio.sleep(0.05)
                with self.assertRaises((ClosedError, HandleError)):
                    await waiting

        asyncio.run(asyncio.wait_for(go(), PATIENCE * 3))

    def test_requests(self) -> None:
        async def go() -> None:
            with Engine(ignore_environment=True) as engine:
                url = room()
                with self.assertRaises(StateError):
                    access_request_fileno(engine, url)
                configure_room(engine, url, verified=True)
                descriptor = access_request_fileno(engine, url)
                self.assertFalse(is_readable(descriptor))
                waiting = asyncio.create_task(next_access_request_async(engine, url, PATIENCE))
                await asyncio.sleep(0.05)
                session = engine.create_session(url, "alice")
                session.connect(wait=False)
                self.assertTrue((await waiting).admit())
                self.assertFalse(is_readable(descriptor))
                await session.connected()
                self.assertEqual(session.state, SessionState.CONNECTED)
                with self.assertRaises(MediaTimeout):
                    next_access_request(engine, url, 0)
                waiting = asyncio.create_task(next_access_request_async(engine, url, PATIENCE))
                await asyncio.sleep(0.05)
                configure_room(engine, url)  # anew: whoever waits learns of it
                with self.assertRaises((ClosedError, StateError)):
                    await waiting

        asyncio.run(asyncio.wait_for(go(), PATIENCE * 3))


if __name__ == "__main__":
    unittest.main()
