"""Nothing grows: threads, descriptors, memory and references over many engines."""
from __future__ import annotations

import gc
import os
import threading
import time
import unittest
from unittest import mock

from call import PATIENCE, Call, nv12, picture, room
from mediasdk import Clock, Codec, Engine, HandleError
from mediasdk._call import check
from mediasdk._native import library

CYCLES = 200
SETTLE = 20  # cycles until allocators and caches have their size


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def resident() -> int:
    """Bytes of memory in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def settled(count: object, wanted: int) -> int:
    """A count that may need a moment, because ended threads leave /proc after they are joined."""
    deadline = time.monotonic() + PATIENCE
    while count() > wanted and time.monotonic() < deadline:  # type: ignore[operator]
        time.sleep(0.01)
    return count()  # type: ignore[operator]


def cycle(codec: Codec, clock: Clock, tidy: bool) -> None:
    call = Call(nv12(160, 120, 30), codec=codec, clock=clock)
    frame = call.until_received()
    luma = frame.planes[0]
    buffer = bytearray(picture(call.sender.format))
    call.sender.send_buffer(buffer)
    if tidy:
        frame.close()
        call.incoming.close()
        call.stream.close()
        call.bob.close()
        call.alice.close()
    call.close()
    assert luma[0] is not None


class CycleTest(unittest.TestCase):
    def cycles(self, codec: Codec, clock: Clock) -> None:
        with Engine(ignore_environment=True) as watcher:
            for number in range(SETTLE):
                cycle(codec, clock, number % 2 == 0)
            gc.collect()
            frames, before = watcher.stats().frames, (threads(), descriptors(), resident())
            for number in range(CYCLES):
                cycle(codec, clock, number % 2 == 0)
            gc.collect()
            self.assertEqual(watcher.stats().frames, frames)
            self.assertEqual(watcher.stats().encoded_frames, 0)
            self.assertEqual(settled(threads, before[0]), before[0])
            self.assertEqual(settled(descriptors, before[1]), before[1])
            # 40 KB a cycle would be one small picture.
            self.assertLess(resident() - before[2], CYCLES * 20_000)

    def test_raw(self) -> None:
        self.cycles(Codec.RAW, Clock.SYSTEM)

    def test_vp8(self) -> None:
        self.cycles(Codec.VP8, Clock.SYSTEM)

    def test_virtual(self) -> None:
        self.cycles(Codec.VP8, Clock.VIRTUAL)

    def test_balanced_references(self) -> None:
        gc.collect()
        with Engine(ignore_environment=True) as engine:
            stats = engine.stats()
            self.assertEqual((stats.frames, stats.encoded_frames), (0, 0))
            self.assertEqual((stats.sessions, stats.outgoing_videos, stats.incoming_videos, stats.instances), (0, 0, 0, 0))

    def test_forgotten_objects_end(self) -> None:
        """Without any close, when Python collects them."""
        before = threads()
        for _ in range(10):
            call = Call(nv12(64, 48))
            call.until_received()
            del call
            gc.collect()
        self.assertEqual(settled(threads, before), before)

    def test_an_interrupted_close_ends_the_engine(self) -> None:
        """Ctrl-C while the first of two sessions leaves."""
        engine = Engine(ignore_environment=True)
        sessions = [engine.create_session(room(), user) for user in ("alice", "bob")]

        def interrupt() -> None:
            raise KeyboardInterrupt

        with mock.patch.object(sessions[0], "_let_go", interrupt), mock.patch.object(sessions[1], "_let_go", interrupt):
            with self.assertRaises(KeyboardInterrupt):
                engine.close()
        self.assertIsNone(engine.close())
        with self.assertRaises(HandleError):
            check(library.msdk_engine_set_log_level(engine._raw_handle, 0))

    def test_no_python_thread_is_ever_made(self) -> None:
        with Call(nv12(64, 48), codec=Codec.VP8) as call:
            call.until_received().close()
            self.assertEqual(threading.active_count(), 1)


if __name__ == "__main__":
    unittest.main()
