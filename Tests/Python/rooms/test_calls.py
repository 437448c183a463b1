"""A whole call on a system clock: connecting, negotiating, sending, receiving, reports; raw and VP8."""
from __future__ import annotations

import gc
import select
import signal
import subprocess
import sys
import threading
import time
import unittest

from call import PATIENCE, Call, nv12, outcomes, picture, room
from mediasdk import (ClosedError, Codec, DropReason, Engine, EventType, ExistsError, Frame, FrameSenderChanged, HandleError,
                      IncomingState, InvalidError, Limits, MediaTimeout, Outcome, OutgoingState, OutgoingVideo, Output, PixelFormat,
                      SessionState, StateError, VideoFormat)


class SessionTest(unittest.TestCase):
    def test_joining_and_leaving(self) -> None:
        with Engine(ignore_environment=True) as engine:
            url = room()
            alice = engine.create_session(url, "alice", "Alice A.")
            self.assertEqual(alice.state, SessionState.IDLE)
            alice.connect(wait=False)
            with self.assertRaises(StateError):
                alice.connect()
            states = [alice.next_event(PATIENCE).state for _ in range(2)]
            self.assertEqual(states, [SessionState.CONNECTING, SessionState.CONNECTED])
            self.assertEqual(alice.state, SessionState.CONNECTED)
            bob = engine.create_session(url, "bob")
            bob.connect()
            joined = alice.next_event(PATIENCE)
            self.assertEqual((joined.type, joined.user_id, joined.text), (EventType.PARTICIPANT_JOINED, "bob", "bob"))
            there = alice.participants()
            self.assertEqual([(one.user_id, one.display_name, one.is_local) for one in there],
                             [("alice", "Alice A.", True), ("bob", "bob", False)])
            self.assertEqual(alice.stats().participants, 2)
            bob.close()
            left = alice.next_event(PATIENCE)
            self.assertEqual((left.type, left.user_id), (EventType.PARTICIPANT_LEFT, "bob"))
            alice.disconnect()
            self.assertEqual([alice.next_event(PATIENCE).state for _ in range(2)],
                             [SessionState.DISCONNECTING, SessionState.DISCONNECTED])

    def test_many_participants(self) -> None:
        with Engine(ignore_environment=True) as engine:
            url = room()
            sessions = [engine.create_session(url, f"user {number}") for number in range(40)]
            for session in sessions:
                session.connect()
            deadline = time.monotonic() + PATIENCE
            while len(sessions[0].participants()) < 40 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual({one.user_id for one in sessions[0].participants()}, {f"user {number}" for number in range(40)})

    def test_taken_name(self) -> None:
        with Engine(ignore_environment=True) as engine:
            url = room()
            first, second = (engine.create_session(url, "alice") for _ in range(2))
            first.connect(wait=False)
            self.assertEqual([first.next_event(PATIENCE).state for _ in range(2)][-1], SessionState.CONNECTED)
            second.connect(wait=False)
            ended = [second.next_event(PATIENCE) for _ in range(2)][-1]
            self.assertEqual(ended.state, SessionState.DISCONNECTED)
            self.assertIsInstance(ended.error, ExistsError)
            self.assertTrue(ended.text)

    def test_bad_arguments(self) -> None:
        with Engine(ignore_environment=True) as engine:
            for url, user in (("nowhere:x", "a"), ("loopback:", "a"), ("loopback:x", ""), ("loopback:x", "a" * 256), ("", "a"),
                              ("loopback:x", "a\0b")):
                with self.subTest(url=url, user=user[:5]), self.assertRaises(Exception) as raised:
                    engine.create_session(url, user)
                self.assertTrue(getattr(raised.exception, "text", ""), raised.exception)

    def test_waiting_for_events(self) -> None:
        with Engine(ignore_environment=True) as engine:
            session = engine.create_session(room(), "alice")
            start = time.monotonic()
            with self.assertRaises(MediaTimeout):
                session.next_event(0.3)
            self.assertGreaterEqual(time.monotonic() - start, 0.29)
            with self.assertRaises(TimeoutError):
                session.next_event(0)
            for timeout in (-1, float("nan")):
                with self.subTest(timeout), self.assertRaises(InvalidError):
                    session.next_event(timeout)
            poller = select.poll()
            poller.register(session.fileno(), select.POLLIN)
            self.assertEqual(poller.poll(0), [])
            session.connect(wait=False)
            self.assertTrue(poller.poll(int(PATIENCE * 1000)))
            self.assertEqual([session.next_event(PATIENCE).state for _ in range(2)],
                             [SessionState.CONNECTING, SessionState.CONNECTED])
            self.assertEqual(poller.poll(0), [])

    def test_close_wakes_a_waiting_thread(self) -> None:
        with Engine(ignore_environment=True) as engine:
            session = engine.create_session(room(), "alice")
            seen: list[BaseException] = []

            def wait() -> None:
                try:
                    session.next_event()
                except BaseException as error:
                    seen.append(error)

            thread = threading.Thread(target=wait)
            thread.start()
            time.sleep(0.05)
            session.close()
            thread.join(PATIENCE)
            self.assertFalse(thread.is_alive())
            self.assertIsInstance(seen[0], (ClosedError, HandleError))


    def test_interrupt(self) -> None:
        """Ctrl-C reaches a program that waits for ever."""
        # A job in the background of a shell begins with SIGINT ignored, and Python then leaves it so.
        code = ("import signal\n"
                "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                "from mediasdk import Engine\n"
                "with Engine() as engine:\n"
                "    session = engine.create_session('loopback:interrupted', 'alice')\n"
                "    print('waiting', flush=True)\n"
                "    session.next_event()\n")
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "waiting\n")
            time.sleep(0.1)
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            try:
                _, errors = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()
            self.assertIn("KeyboardInterrupt", errors)
            self.assertLess(time.monotonic() - start, 5)


class RawCallTest(unittest.TestCase):
    def test_main_flow(self) -> None:
        formats = [nv12(320, 240), nv12(640, 360, 30)]
        with Call(formats) as call:
            self.assertEqual(call.stream.state, OutgoingState.STARTED)
            self.assertIs(call.stream.sender, call.sender)
            self.assertIs(call.sender.stream, call.stream)
            self.assertEqual((call.sender.format.width, call.sender.format.height), (640, 360))  # the best, not the first
            self.assertEqual((call.incoming.user_id, call.incoming.codec), ("alice", Codec.RAW))
            self.assertEqual(call.incoming.format.width, 640)
            self.assertEqual(call.bob.incoming_videos(), [call.incoming])
            self.assertEqual(call.bob.incoming_audios(), [])
            call.until_received().close()
            self.drain(call)
            format = call.sender.format
            stamps = []
            for number in range(5):
                with call.sender.acquire(PATIENCE) as frame:
                    self.assertTrue(frame.writable)
                    for plane in frame.planes:
                        for row in plane:
                            row[:] = bytes([number + 1]) * len(row)
                    stamp = call.engine.now()
                    call.sender.send(frame, stamp)
                    self.assertFalse(frame.writable)
                    stamps.append(stamp)
                with call.read() as got:
                    self.assertEqual(got.tobytes(), bytes([number + 1]) * format.packed_size)
                    self.assertEqual(got.timestamp_ns, stamp)
                    self.assertFalse(got.writable)
                    with self.assertRaises(TypeError):
                        got.planes[0][0][0] = 1
                    with self.assertRaises(StateError):
                        got.timestamp_ns = 1
                report = call.report()
                self.assertEqual((report.outcome, report.timestamp_ns, report.reason), (Outcome.SENT, stamp, DropReason.NONE))
                self.assertEqual(report.bytes, format.packed_size)
            stats = call.stream.stats()
            self.assertEqual(stats.frames_offered, stats.frames_sent + stats.frames_dropped)
            self.assertEqual((stats.width, stats.height, stats.receivers), (640, 360, 1))
            self.assertEqual(call.incoming.stats().state, IncomingState.STARTED)
            self.assertEqual(call.incoming.stats().frames_delivered, call.incoming.stats().frames_received)

    def drain(self, call: Call) -> None:
        """Reads what until_received left behind."""
        for _ in call.incoming.frames(timeout=0.05):
            pass
        try:
            while True:
                call.stream.read_report(0)
        except MediaTimeout:
            pass

    def test_nobody_receives(self) -> None:
        with Call(start=None) as call:
            call.sender.send_array(picture(call.sender.format))
            report = call.report()
            self.assertEqual((report.outcome, report.reason), (Outcome.DROPPED, DropReason.NO_RECEIVER))
            with self.assertRaises(StateError):
                call.incoming.read(0)

    def test_wanted_format(self) -> None:
        with Call(nv12(64, 48), start={"pixel_format": PixelFormat.BGRA, "width": 32, "height": 24}) as call:
            with call.until_received() as frame:
                self.assertEqual((frame.pixel_format, frame.width, frame.height), (PixelFormat.BGRA, 32, 24))

    def test_odd_sizes(self) -> None:
        for kind in (PixelFormat.NV12, PixelFormat.I420, PixelFormat.RGB24, PixelFormat.GRAY8):
            with self.subTest(kind.name), Call(VideoFormat(kind, 67, 35, 30)) as call:
                with call.until_received() as frame:
                    self.assertEqual((frame.width, frame.height), (67, 35))
                    expected = picture(call.sender.format, 0)
                    self.assertEqual(len(frame.tobytes()), len(expected))

    def test_frames_of_other_memory(self) -> None:
        format = nv12(64, 48)
        with Call(format) as call:
            call.until_received().close()
            self.drain(call)
            data = picture(format, 3)
            with Frame.wrap(data, format) as wrapped, Frame.create(format) as made:
                for frame in (wrapped, made):
                    if frame is made:
                        wrapped.convert_into(made)
                    call.sender.send(frame)
                    with call.read() as got:
                        self.assertEqual(got.tobytes(), data)
                        call.sender.send(got)  # a received frame, sent on
                    with call.read() as again:
                        self.assertEqual(again.tobytes(), data)

    def test_ending(self) -> None:
        with Call() as call:
            call.until_received().close()
            call.alice.stop_video(call.stream)
            removed = call.event(call.bob, EventType.INCOMING_VIDEO_REMOVED)
            self.assertIs(removed.incoming_video, call.incoming)
            self.assertEqual(call.incoming.state, IncomingState.NOT_AVAILABLE)
            for frame in call.incoming:
                frame.close()
            with self.assertRaises(ClosedError):
                call.incoming.read(PATIENCE)
            with self.assertRaises(ClosedError):
                call.incoming.start()
            with self.assertRaises(StateError):
                call.stream.sender
            self.assertEqual(call.stream.state, OutgoingState.STOPPED)

    def test_events_of_ended_streams(self) -> None:
        """A sender that is gone when its event is read."""
        with Engine(ignore_environment=True) as engine:
            session = engine.create_session(room(), "alice")
            session.connect()
            stream = engine.create_outgoing_video(nv12(), limits=Limits.EXTENDED)
            session.start_video(stream)
            time.sleep(0.1)
            stream.close()
            changed = [event for event in session.events(timeout=0.2) if event.type == EventType.FRAME_SENDER_CHANGED]
            self.assertEqual([type(event) for event in changed], [FrameSenderChanged])
            with self.assertRaises(HandleError):
                changed[0].sender.send_array(picture(nv12(), 1))

    def test_started_streams_keep_their_session(self) -> None:
        with Call() as call:
            stream = call.stream

            def start() -> OutgoingVideo:
                carol = call.join("carol")
                mine = call.engine.create_outgoing_video(nv12(), limits=Limits.EXTENDED)
                carol.start_video(mine)
                return mine

            kept = start()
            gc.collect()
            self.assertEqual(call.event(call.bob, EventType.INCOMING_VIDEO_ADDED).user_id, "carol")
            self.assertEqual((kept.state, stream.state), (OutgoingState.STARTED, OutgoingState.STARTED))

    def test_stop_and_start_again(self) -> None:
        with Call() as call:
            call.until_received().close()
            call.incoming.stop()
            call.event(call.bob, EventType.INCOMING_VIDEO_STATE, IncomingState.STOPPED)
            call.incoming.start()
            call.until_received().close()

    def test_reading_thread(self) -> None:
        with Call(start={"queue_capacity": 64}) as call:
            got: list[int] = []

            def receive() -> None:
                for frame in call.incoming.frames(timeout=PATIENCE):
                    got.append(frame.sequence)
                    frame.close()
                    if len(got) == 20:
                        break

            thread = threading.Thread(target=receive)
            thread.start()
            for number in range(20):
                call.sender.send_array(picture(call.sender.format, number), timeout=PATIENCE)
                time.sleep(0.005)
            thread.join(PATIENCE)
            self.assertEqual(len(got), 20)
            self.assertEqual(got, sorted(set(got)))

    def test_polling_frames(self) -> None:
        with Call() as call:
            call.until_received().close()
            self.drain(call)
            poller = select.poll()
            poller.register(call.incoming.fileno(), select.POLLIN)
            self.assertEqual(poller.poll(0), [])
            call.sender.send_array(picture(call.sender.format))
            self.assertTrue(poller.poll(int(PATIENCE * 1000)))
            call.incoming.read(0).close()
            self.assertEqual(poller.poll(0), [])


class VP8CallTest(unittest.TestCase):
    FORMAT = nv12(320, 240, 30)

    def flat(self, level: int) -> bytes:
        size = 320 * 240
        return bytes([level]) * size + b"\x80" * (size // 2)

    def test_pictures_survive(self) -> None:
        with Call(self.FORMAT, codec=Codec.VP8, target_bitrate=1_000_000) as call:
            self.assertEqual(call.incoming.codec, Codec.VP8)
            sent: dict[int, int] = {}
            seen = 0
            for number in range(30):
                level, stamp = 40 + number * 5, call.engine.now()
                sent[stamp] = level
                call.sender.send_array(self.flat(level), stamp, timeout=PATIENCE)
                try:
                    frame = call.incoming.read(0.5)
                except MediaTimeout:
                    continue
                with frame:
                    self.assertEqual(frame.pixel_format, PixelFormat.I420)
                    mean = sum(frame.planes[0][100]) / 320
                    self.assertLess(abs(mean - sent[frame.timestamp_ns]), 3)
                    seen += 1
            self.assertGreater(seen, 20)
            stats = call.stream.stats()
            self.assertGreater(stats.frames_encoded, 20)
            self.assertGreaterEqual(stats.key_frames_encoded, 1)
            self.assertEqual(call.incoming.stats().frames_corrupt, 0)

    def test_reports_add_up(self) -> None:
        with Call(self.FORMAT, codec=Codec.VP8, report_capacity=256) as call:
            call.until_received().close()
            for number in range(50):
                call.sender.send_array(picture(self.FORMAT, number), timeout=PATIENCE)
            offered = call.stream.stats().frames_offered
            reports = [call.report() for _ in range(offered)]
            with self.assertRaises(MediaTimeout):
                call.stream.read_report(0.2)
            counted = outcomes(reports)
            stats = call.stream.stats()
            self.assertEqual(sum(counted.values()), offered)
            self.assertEqual(counted.get("ENCODED", 0), stats.frames_encoded)
            self.assertEqual(counted.get("REPLACED", 0), stats.frames_replaced)
            self.assertEqual(counted.get("DROPPED", 0), stats.frames_dropped)
            self.assertEqual(sum(report.bytes for report in reports if report.outcome == Outcome.ENCODED), stats.bytes_sent)

    def test_encoded_out_and_in(self) -> None:
        with Call(self.FORMAT, codec=Codec.VP8, start={"output": Output.BOTH}) as call:
            call.until_received().close()
            encoded = call.incoming.read_encoded(PATIENCE)
            self.assertTrue(encoded.key_frame)
            self.assertEqual((encoded.width, encoded.height, encoded.codec), (320, 240, Codec.VP8))
            self.assertGreater(encoded.size, 0)
            with Call(self.FORMAT, codec=Codec.VP8, encoded_input=True) as second:
                deadline = time.monotonic() + PATIENCE
                while True:
                    second.sender.send_encoded(encoded)
                    try:
                        with second.incoming.read(0.1) as frame:
                            self.assertEqual((frame.width, frame.height), (320, 240))
                        break
                    except MediaTimeout:
                        self.assertLess(time.monotonic(), deadline)
                outcome = {second.report().outcome}
                self.assertLessEqual(outcome, {Outcome.SENT, Outcome.DROPPED})
            encoded.close()

    def test_steering(self) -> None:
        with Call(self.FORMAT, codec=Codec.VP8, target_bitrate=500_000) as call:
            call.until_received().close()
            self.assertEqual(call.stream.stats().target_bitrate, 500_000)
            call.stream.set_bitrate(target=800_000)
            with self.assertRaises(ValueError):
                call.stream.set_bitrate(target=10, minimum=20, maximum=5)
            deadline = time.monotonic() + PATIENCE  # one that was sent before may come first
            while call.stream.stats().target_bitrate != 800_000 and time.monotonic() < deadline:
                call.until_received().close()
            self.assertEqual(call.stream.stats().target_bitrate, 800_000)
            before = call.stream.stats().key_frames_encoded
            call.stream.request_key_frame()
            deadline = time.monotonic() + PATIENCE
            while call.stream.stats().key_frames_encoded == before and time.monotonic() < deadline:
                call.sender.send_array(picture(self.FORMAT), timeout=PATIENCE)
                time.sleep(0.02)
            self.assertGreater(call.stream.stats().key_frames_encoded, before)
            call.stream.set_frame_rate(10)
            with self.assertRaises(ValueError):
                call.stream.set_frame_rate(1000)
            call.stream.set_frame_rate(0)


if __name__ == "__main__":
    unittest.main()
