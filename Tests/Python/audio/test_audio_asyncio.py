"""Sound in asyncio, without a thread: both sides of a call in one loop, waiting for room, for the end, and in vain."""
from __future__ import annotations

import asyncio
import threading
import time
import unittest
from typing import Any, Coroutine

from call import PATIENCE
from mediasdk import AgainError, Clock, Codec, Engine, EventType, MediaTimeout, Output
from sound import AudioCall, correlation, counting, floats, mono, sine, sweep


def system_call(**options: Any) -> AudioCall:
    return AudioCall(clock=Clock.SYSTEM, **options)


class AsyncAudioTest(unittest.TestCase):
    def run_async(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run(asyncio.wait_for(coroutine, PATIENCE * 3))

    def test_a_whole_call(self) -> None:
        async def speak(engine: Engine, url: str) -> None:
            session = engine.create_session(url, "alice")
            voice = engine.create_outgoing_audio(codec=Codec.OPUS, queue_ms=200)
            session.start_audio(voice)
            session.connect(wait=False)
            while not voice.state or not voice.stats().receivers:
                await asyncio.sleep(0.01)
            sent = sweep(1)
            for place in range(0, len(sent), 4800):
                await voice.write_async(sent[place:place + 4800])
            await voice.finish_async()
            await voice.wait_played_async()
            await asyncio.sleep(0.1)
            session.stop_audio(voice)

        async def hear(engine: Engine, url: str) -> Any:
            session = engine.create_session(url, "bob")
            session.connect(wait=False)
            async for event in session:
                if event.type == EventType.INCOMING_AUDIO_ADDED:
                    event.incoming_audio.start(channels=1)
                    return mono([frame async for frame in event.incoming_audio])  # ends with the stream

        async def go() -> Any:
            with Engine(ignore_environment=True) as engine:
                _, heard = await asyncio.gather(speak(engine, "loopback:async-sound"), hear(engine, "loopback:async-sound"))
                self.assertEqual(threading.active_count(), 1)
                return heard

        heard = self.run_async(go())
        self.assertGreater(len(heard), 40_000)
        self.assertGreater(correlation(floats(sweep(1)), heard, 48_000)[0], 0.95)

    def test_mixed_and_packets(self) -> None:
        async def go() -> None:
            with system_call(codec=Codec.OPUS, start={"output": Output.BOTH}) as call:
                call.bob.mixed_audio.start()
                await call.stream.write_async(sine(440, 0.2))
                with await call.incoming.read_encoded_async(PATIENCE) as packet, await call.incoming.read_async(PATIENCE) as frame:
                    self.assertEqual((packet.codec, frame.sample_rate), (Codec.OPUS, 48_000))
                async for frame in call.bob.mixed_audio:
                    if frame.level < 127:
                        return

        self.run_async(go())

    def test_timeouts(self) -> None:
        async def go() -> None:
            with system_call(queue_ms=100) as call:
                start = time.monotonic()
                with self.assertRaises(MediaTimeout):
                    await call.incoming.read_async(0.1)
                with self.assertRaises(MediaTimeout):
                    await call.incoming.read_async(0)
                taken = await call.stream.write_async(counting(48_000), timeout=0.1)
                self.assertTrue(0 < taken < 96_000, taken)
                self.assertLess(time.monotonic() - start, 5)
                call.stream.flush()
                while True:
                    try:
                        await call.stream.send_async(counting(960), timeout=0)
                    except AgainError:
                        break
                with self.assertRaises(MediaTimeout):  # a busy machine may take so long that there is room meanwhile
                    for _ in range(1000):
                        await call.stream.send_async(counting(960), timeout=0.001)
                await call.stream.send_async(counting(960), timeout=PATIENCE)
                with self.assertRaises(MediaTimeout):
                    for _ in range(1000):
                        await call.stream.send_async(counting(960), timeout=PATIENCE)
                        await call.stream.wait_played_async(0.01)
                await call.stream.wait_played_async(PATIENCE)
                self.assertEqual(call.stream.queued_ns, 0)

        self.run_async(go())

    def test_barging_in(self) -> None:
        """flush ends a write that waits in another task, and a cancelled write sends no more."""
        async def go() -> None:
            with system_call(queue_ms=100) as call:
                speech = asyncio.create_task(call.stream.write_async(counting(480_000)))
                await asyncio.sleep(0.15)
                call.stream.flush()
                self.assertTrue(0 < await speech < 480_000)
                self.assertEqual(call.stream.queued_ns, 0)
                speech = asyncio.create_task(call.stream.write_async(counting(480_000)))
                await asyncio.sleep(0.05)
                speech.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await speech
                offered = call.stream.stats().buffers_offered
                await asyncio.sleep(0.05)
                self.assertEqual(call.stream.stats().buffers_offered, offered)

        self.run_async(go())

    def test_close_ends_waiting(self) -> None:
        async def go(close: str) -> None:
            call = system_call()

            async def listen(stream: Any) -> None:
                async for frame in stream:
                    frame.close()

            call.bob.mixed_audio.start()
            tasks = [asyncio.create_task(listen(stream)) for stream in (call.incoming, call.incoming, call.bob.mixed_audio)]
            await asyncio.sleep(0.05)
            (call.bob if close == "session" else call).close()
            await asyncio.gather(*tasks)
            call.close()

        for close in ("session", "engine"):
            with self.subTest(close):
                self.run_async(go(close))

    def test_waiting_costs_little(self) -> None:
        """A second of sound that is waited for is some wake-ups, not a busy loop."""
        async def go() -> float:
            with system_call(queue_ms=100) as call:
                samples, start = counting(48_000), time.process_time()
                await call.stream.write_async(samples)
                await call.stream.wait_played_async()
                return time.process_time() - start

        self.assertLess(self.run_async(go()), 0.3)


if __name__ == "__main__":
    unittest.main()
