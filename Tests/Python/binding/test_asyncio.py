"""Events and frames in asyncio, without a thread."""
from __future__ import annotations

import asyncio
import os
import threading
import time
import unittest
from functools import partial

from call import PATIENCE, Call, nv12, picture, room
from mediasdk import (ClosedError, Codec, Engine, EventType, FrameSenderChanged, HandleError, Limits, MediaTimeout, Output, QueuePolicy,
                      SessionState)


class AsyncTest(unittest.TestCase):
    def run_async(self, coroutine: object) -> object:
        return asyncio.run(asyncio.wait_for(coroutine, PATIENCE * 3))  # type: ignore[arg-type]

    def test_events(self) -> None:
        async def go() -> list[object]:
            with Engine(ignore_environment=True) as engine:
                session = engine.create_session(room(), "alice")
                asyncio.get_running_loop().call_later(0.05, partial(session.connect, wait=False))
                states = []
                async for event in session:
                    states.append(event.state)
                    if event.state == SessionState.CONNECTED:
                        session.disconnect()
                    if event.state == SessionState.DISCONNECTED:
                        break
                return states

        self.assertEqual(self.run_async(go()), [SessionState.CONNECTING, SessionState.CONNECTED, SessionState.DISCONNECTING,
                                                SessionState.DISCONNECTED])

    def test_closing(self) -> None:
        async def go() -> None:
            engine = Engine(ignore_environment=True)
            session = engine.create_session(room(), "alice")
            await session.connected()
            waiting = asyncio.ensure_future(session.next_data_async())
            await asyncio.sleep(0)
            await session.close_async()
            with self.assertRaises(ClosedError):
                await waiting
            await session.close_async()
            await engine.close_async()
            self.assertEqual(engine.now(), 0)

        self.run_async(go())

    def test_a_whole_call(self) -> None:
        """Both sides in one loop, one task each."""
        format = nv12(64, 48, 30)

        async def send(engine: Engine, url: str) -> None:
            session = engine.create_session(url, "alice")
            stream = engine.create_outgoing_video(format, limits=Limits.EXTENDED, queue_policy=QueuePolicy.WAIT)  # not paced
            session.start_video(stream)
            await session.connected()
            async for event in session:
                if isinstance(event, FrameSenderChanged):
                    break
            while not stream.stats().receivers:
                await asyncio.sleep(0.005)
            for number in range(100):
                event.sender.send_array(picture(format, number))
                await asyncio.sleep(0.005)
            session.stop_video(stream)

        async def receive(engine: Engine, url: str) -> int:
            session = engine.create_session(url, "bob")
            session.connect(wait=False)
            count = 0
            async for event in session:
                if event.type == EventType.INCOMING_VIDEO_ADDED:
                    event.incoming_video.start(queue_capacity=16)
                    async for frame in event.incoming_video:
                        with frame:
                            count += 1
                    break
            return count

        async def go() -> int:
            with Engine(ignore_environment=True) as engine:
                url = room()
                _, count = await asyncio.gather(send(engine, url), receive(engine, url))
                return count

        self.assertGreater(self.run_async(go()), 50)

    def test_timeouts(self) -> None:
        async def go() -> float:
            with Call(nv12(64, 48)) as call:
                start = time.monotonic()
                with self.assertRaises(MediaTimeout):
                    await call.incoming.read_async(0.1)
                took = time.monotonic() - start
                with self.assertRaises(TimeoutError):
                    await call.incoming.read_async(0)
                return took

        self.assertTrue(0.09 < self.run_async(go()) < 5)

    def test_close_ends_waiting(self) -> None:
        async def go(close: str) -> int:
            call = Call(nv12(64, 48))

            async def events() -> None:
                async for _ in call.bob:
                    pass

            async def frames() -> None:
                async for frame in call.incoming:
                    frame.close()

            tasks = [asyncio.create_task(events()), asyncio.create_task(frames()), asyncio.create_task(frames())]
            await asyncio.sleep(0.05)
            if close == "session":
                call.bob.close()
            elif close == "engine":
                call.close()
            else:
                threading.Thread(target=call.close).start()
            await asyncio.gather(*tasks)
            call.close()
            return len(tasks)

        for close in ("session", "engine", "engine in another thread"):
            with self.subTest(close):
                self.assertEqual(self.run_async(go(close)), 3)

    def test_who_waits_when_it_is_closed_gets_closed_error(self) -> None:
        async def go(close: str) -> list[type]:
            call = Call(nv12(64, 48))
            sound = call.engine.create_outgoing_audio(queue_ms=20)
            call.bob.start_audio(sound)

            async def events() -> None:
                while True:
                    await call.bob.next_event_async()

            tasks = [asyncio.create_task(waiting) for waiting in (
                events(), call.incoming.read_async(), call.incoming.read_encoded_async(), sound.write_async(bytes(960_000)))]
            while call.bob.next_event(PATIENCE).type != EventType.OUTGOING_AUDIO_STATE:
                pass
            await asyncio.sleep(0.05)
            call.close() if close == "engine" else call.bob.close()
            if close == "session":
                sound.close()
            errors = await asyncio.gather(*tasks, return_exceptions=True)
            call.close()
            with self.assertRaises(HandleError):  # closed before
                await call.bob.next_event_async()
            return [type(error) for error in errors]

        for close in ("session", "engine"):
            with self.subTest(close):
                self.assertEqual(self.run_async(go(close)), [ClosedError] * 4)

    def test_cancelled_waits_leave_nothing(self) -> None:
        async def go() -> int:
            with Call(nv12(64, 48)) as call:
                call.incoming.fileno()  # makes it
                before = len(os.listdir("/proc/self/fd"))
                for _ in range(20):
                    task = asyncio.create_task(call.incoming.read_async())
                    await asyncio.sleep(0)
                    task.cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await task
                return len(os.listdir("/proc/self/fd")) - before

        self.assertEqual(self.run_async(go()), 0)

    def test_encoded(self) -> None:
        format = nv12(64, 48, 30)

        async def go() -> bool:
            with Call(format, codec=Codec.VP8, start={"output": Output.BOTH}) as call:
                call.sender.send_array(picture(format))
                encoded = asyncio.create_task(call.incoming.read_encoded_async(PATIENCE))
                raw = asyncio.create_task(call.incoming.read_async(PATIENCE))
                while not (encoded.done() and raw.done()):
                    await asyncio.sleep(0.02)
                    call.sender.send_array(picture(format))
                with await encoded as first, await raw as frame:
                    return first.key_frame and frame.width == 64

        self.assertTrue(self.run_async(go()))

    def test_waiting_costs_no_cpu(self) -> None:
        async def go() -> float:
            with Call(nv12(64, 48)) as call:
                start = time.process_time()
                with self.assertRaises(MediaTimeout):
                    await call.incoming.read_async(1.0)
                return time.process_time() - start

        self.assertLess(self.run_async(go()), 0.1)


if __name__ == "__main__":
    unittest.main()
