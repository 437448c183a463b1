"""Calls on a virtual clock over a scripted network: nothing happens by itself, and the same seed gives the same run."""
from __future__ import annotations

import unittest
from typing import Any

from call import Call, nv12, picture, state_of
from mediasdk import (Clock, Codec, Engine, EventType, MediaTimeout, NetworkStep, RangeError, SessionState, UnsupportedError, clock,
                      from_ticks, from_units, script_network, to_ticks, to_units)

SECOND = 1_000_000_000


def run(codec: Codec, seed: int) -> list[Any]:
    """Four seconds of a bad network; everything that can be seen, in order."""
    format = nv12(160, 120, 15)
    seen: list[Any] = []
    with Call(format, codec=codec, clock=Clock.VIRTUAL, target_bitrate=1_000_000) as call:
        script_network(call.engine, call.url, [
            NetworkStep(at_ns=0, bandwidth_bps=8_000_000, delay_ns=40_000_000, jitter_ns=30_000_000, loss_ppm=10_000),
            NetworkStep(at_ns=2 * SECOND, delay_ns=5_000_000, loss_ppm=30_000),
        ], seed=seed)
        for number in range(60):
            call.sender.send_array(picture(format, number))
            for _ in range(4):
                call.engine.advance_clock(format.frame_duration_ns // 4)
                drain(call, seen)
        call.engine.advance_clock(SECOND)
        drain(call, seen)
    return seen


def drain(call: Call, seen: list[Any]) -> None:
    now = call.engine.now()
    for session in (call.alice, call.bob):
        for event in session.events(timeout=0):
            seen.append((now, session.user_id, int(event.type), event.timestamp_ns, getattr(event, "bitrate", 0), state_of(event)))
    for frame in call.incoming.frames(timeout=0):
        with frame:
            seen.append((now, "frame", frame.sequence, frame.timestamp_ns, int(frame.flags), hash(frame.tobytes())))
    try:
        while True:
            report = call.stream.read_report(0)
            seen.append((now, "report", report))
    except MediaTimeout:
        pass


class VirtualClockTest(unittest.TestCase):
    def test_clock_moves_only_when_told(self) -> None:
        with Engine(clock=Clock.VIRTUAL, ignore_environment=True) as engine:
            self.assertEqual(engine.now(), SECOND)
            engine.advance_clock(1_500)
            self.assertEqual(engine.now(), SECOND + 1_500)
            self.assertEqual(engine.stats().threads, 0)
            for step in (-1, 25 * 3600 * SECOND, 1 << 64):
                with self.subTest(step), self.assertRaises((RangeError, ValueError)):
                    engine.advance_clock(step)
        with Engine(ignore_environment=True) as engine, self.assertRaises(UnsupportedError):
            engine.advance_clock(1)

    def test_same_seed_same_run(self) -> None:
        for codec in (Codec.RAW, Codec.VP8):
            with self.subTest(codec.name):
                first, again, other = run(codec, 7), run(codec, 7), run(codec, 8)
                self.assertEqual(first, again)
                self.assertNotEqual(first, other)
                self.assertGreater(sum(entry[1] == "frame" for entry in first), 20)
                self.assertEqual(sum(entry[1] == "report" for entry in first), 60)

    def test_delay_is_exact(self) -> None:
        format = nv12(64, 48, 15)
        with Call(format, clock=Clock.VIRTUAL) as call:
            call.until_received().close()
            script_network(call.engine, call.url, [NetworkStep(delay_ns=50_000_000)])
            sent = call.engine.now()
            call.sender.send_array(picture(format))
            call.engine.advance_clock(49_999_999)
            with self.assertRaises(MediaTimeout):
                call.incoming.read(0)
            call.engine.advance_clock(1)
            with call.incoming.read(0) as frame:
                self.assertEqual(frame.timestamp_ns, sent)

    def test_time_of_buffers(self) -> None:
        """Also when the same buffer is sent again."""
        with Call(nv12(64, 48), clock=Clock.VIRTUAL) as call:
            call.until_received().close()
            buffer = bytearray(picture(call.sender.format))
            for _ in range(3):
                call.engine.advance_clock(SECOND)
                call.sender.send_buffer(buffer)
                with call.read() as frame:
                    self.assertEqual(frame.timestamp_ns, call.engine.now())

    def test_negotiation_goes_down_at_once_and_up_late(self) -> None:
        formats = [nv12(1280, 720, 30), nv12(320, 240, 15)]
        with Call(formats, codec=Codec.VP8, clock=Clock.VIRTUAL) as call:
            self.assertEqual(call.sender.format.width, 1280)
            old = call.sender
            script_network(call.engine, call.url, [NetworkStep(bandwidth_bps=100_000), NetworkStep(at_ns=SECOND, bandwidth_bps=0)])
            changed = call.event(call.alice, EventType.FRAME_SENDER_CHANGED)
            self.assertEqual(changed.format.width, 320)
            self.assertIs(changed.outgoing_video, call.stream)
            self.assertIs(changed.sender, call.stream.sender)
            down = changed.timestamp_ns
            with self.assertRaises(Exception) as raised:
                old.send_array(picture(old.format))
            self.assertEqual(raised.exception.name, "MSDK_E_STALE")
            changed = call.event(call.alice, EventType.FRAME_SENDER_CHANGED)
            self.assertEqual(changed.format.width, 1280)
            self.assertGreaterEqual(changed.timestamp_ns - down, 5 * SECOND)

    def test_losing_the_network(self) -> None:
        with Call(clock=Clock.VIRTUAL) as call:
            script_network(call.engine, call.url, [NetworkStep(disconnected=True), NetworkStep(at_ns=SECOND)], user_id="alice")
            call.event(call.alice, EventType.SESSION_STATE, SessionState.RECONNECTING)
            call.event(call.alice, EventType.SESSION_STATE, SessionState.CONNECTED)

    def test_bad_scripts(self) -> None:
        with Engine(clock=Clock.VIRTUAL, ignore_environment=True) as engine:
            for url, steps in (("nowhere:x", []), ("loopback:x", [NetworkStep(bandwidth_bps=1)]),
                               ("loopback:x", [NetworkStep(delay_ns=-1)]), ("loopback:x", [NetworkStep(loss_ppm=1_000_001)]),
                               ("loopback:x", [NetworkStep(at_ns=2), NetworkStep(at_ns=1)]),
                               ("loopback:x", [NetworkStep()] * 1025), ("loopback:x", [NetworkStep(loss_ppm=-1)])):
                with self.subTest(url=url, steps=steps[:2]), self.assertRaises(Exception) as raised:
                    script_network(engine, url, steps)
                self.assertTrue(getattr(raised.exception, "text", ""), raised.exception)
            script_network(engine, "loopback:x", [])


class UnitsTest(unittest.TestCase):
    def test_conversions(self) -> None:
        self.assertEqual(to_ticks(150), 2)
        self.assertEqual(to_ticks(-150), -2)
        self.assertEqual(from_ticks(3), 300)
        self.assertEqual(to_units(SECOND, 90000), 90000)
        self.assertEqual(from_units(90000, 90000), SECOND)
        self.assertEqual(to_units(SECOND, 0), 0)
        self.assertEqual(from_ticks((1 << 63) - 1), (1 << 63) - 1)
        with self.assertRaises(RangeError):
            to_ticks(1 << 63)
        self.assertGreater(clock.monotonic(), 0)


if __name__ == "__main__":
    unittest.main()
