"""Arguments of a wrong type or out of range: a MediaSDKError that names the argument, what it was and what is accepted."""
from __future__ import annotations

import asyncio
import unittest
from array import array
from typing import Any, Callable

import mediasdk
from call import Call, nv12, plugin_dir, room
from mediasdk import (AudioFormat, AudioFrame, Codec, DataPart, Engine, Frame, FrameMetadata, FramePacer, HandleError, InvalidError,
                      MediaSDKError, NetworkStep, OutgoingAudio, PixelFormat, RangeError, Scale, Session, ValueTypeError, VideoFormat, View,
                      configure_room, frame_layout, script_network, serve_room, video_limits)

NAN, HUGE = float("nan"), 10 ** 30


class ArgumentsTest(unittest.TestCase):
    call: Call
    audio: OutgoingAudio

    @classmethod
    def setUpClass(cls) -> None:
        cls.call = Call(nv12(64, 48))
        cls.audio = cls.call.engine.create_outgoing_audio()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.call.close()

    def refused(self, error: type[MediaSDKError], use: Callable[[Any], Any], name: str, *values: Any) -> None:
        for value in values:
            with self.subTest(name, value=repr(value)[:60]):
                with self.assertRaises(error) as raised:
                    use(value)
                self.assertRegex(raised.exception.text, f"^{name} (is|has) .*accepted")

    def test_whole_numbers(self) -> None:
        engine, format = self.call.engine, nv12()
        uses: list[tuple[str, Callable[[Any], Any]]] = [
            ("nanoseconds_on", engine.advance_clock),
            ("event_capacity", lambda value: engine.create_session(room(), "x", event_capacity=value)),
            ("queue_capacity", lambda value: engine.create_outgoing_video(format, queue_capacity=value)),
            ("sample_rate", lambda value: engine.create_outgoing_audio(sample_rate=value)),
            ("width", lambda value: VideoFormat("NV12", value, 240)),
            ("color_primaries", lambda value: VideoFormat("NV12", 4, 4, color_primaries=value)),
            ("channels", lambda value: AudioFormat(48_000, value)), ("sample_count", lambda value: AudioFrame.create(AudioFormat(), value)),
            ("width", lambda value: View(value, 4)), ("height", lambda value: View(4, 4).place(4, value)),
            ("alignment", lambda value: frame_layout("NV12", 4, 4, value)),
            ("timestamp_ns", lambda value: self.call.sender.send_buffer(b"", value)),
            ("timestamp_ns", lambda value: self.call.sender.send(Frame.create(nv12(64, 48)), value)),
            ("timestamp_ns", lambda value: self.audio.send(b"", value)), ("target", self.call.stream.set_bitrate),
            ("index", self.call.alice.select_frame_key), ("request", self.call.alice.rpc.respond),
            ("capacity", lambda value: configure_room(engine, room(), capacity=value)),
            ("at_ns", lambda value: script_network(engine, room(), [NetworkStep(at_ns=value)])),
            ("number", lambda value: self.call.alice.open_data_channel("x", number=value))]
        plane = Frame.create(nv12()).planes[0]
        uses.append(("row", lambda value: plane[value]))
        for name, use in uses:
            self.refused(ValueTypeError, use, name, 1.5, "x", [1], NAN)

    def test_ranges_are_those_of_the_library_or_of_the_type(self) -> None:
        for value, text in ((-1, "no negative number is accepted"), (HUGE, "no number of more than 32 bits is accepted")):
            with self.assertRaisesRegex(RangeError, f"sample_rate is {value}; {text}"):
                self.call.engine.create_outgoing_audio(sample_rate=value)
        with self.assertRaisesRegex(RangeError, f"timestamp_ns is -{HUGE}; no number of more than 64 bits is accepted"):
            self.audio.send(b"", -HUGE)
        with self.assertRaisesRegex(MediaSDKError, "sample_rate is 7; accepted: 16000"):
            self.call.engine.create_outgoing_audio(sample_rate=7)

    def test_numbers_of_other_libraries(self) -> None:
        class Three:
            def __index__(self) -> int:
                return 3

        self.assertEqual(AudioFormat(48_000, Three()).channels, 3)  # type: ignore[arg-type]
        self.audio.set_expected_loss(Three())  # type: ignore[arg-type]

    def test_bools(self) -> None:
        engine = self.call.engine
        self.refused(ValueTypeError, lambda value: engine.create_outgoing_video(nv12(), carries_metadata=value), "carries_metadata",
                     None, "x", 1.5)
        self.refused(ValueTypeError, lambda value: Engine(ignore_environment=value), "ignore_environment", None, "x")
        with self.assertRaisesRegex(MediaSDKError, "carries_metadata"):
            engine.create_outgoing_video(nv12(), carries_metadata=2)  # type: ignore[arg-type]

    def test_members_of_enumerations(self) -> None:
        engine = self.call.engine
        uses: list[tuple[str, Callable[[Any], Any]]] = [
            ("clock", lambda value: Engine(clock=value)), ("codec", lambda value: engine.create_outgoing_video(nv12(), codec=value)),
            ("pixel_format", lambda value: VideoFormat(value, 4, 4)), ("sample_format", lambda value: AudioFormat(sample_format=value)),
            ("scale", lambda value: View(4, 4, value)), ("limits", lambda value: video_limits(value)),
            ("flags", lambda value: setattr(Frame.create(nv12()), "flags", value))]
        for name, use in uses:
            self.refused(ValueTypeError, use, name, None, 1.5, b"NV12", [], mediasdk.SessionState.IDLE)
        self.refused(ValueTypeError, lambda value: View(4, 4, value), "scale", Codec.VP8)
        self.assertEqual(View(4, 4, Scale(9)).scale, 9)
        self.assertEqual(VideoFormat(PixelFormat(77), 4, 4).pixel_format, 77)  # which a newer library may know

    def test_objects_of_the_binding(self) -> None:
        call, engine = self.call, self.call.engine
        frame = Frame.create(nv12())
        self.addCleanup(frame.close)
        uses: list[tuple[str, Callable[[Any], Any]]] = [
            ("stream", call.alice.start_video), ("stream", call.alice.stop_audio), ("renderer", call.alice.attach_renderer),
            ("renderer", call.incoming.attach_renderer), ("filter", call.incoming.add_filter), ("producer", call.stream.attach_producer),
            ("renderer", call.stream.detach_renderer), ("filter", self.audio.remove_filter), ("frame", call.sender.send),
            ("frame", call.sender.send_encoded), ("packet", self.audio.send_encoded), ("format", Frame.create),
            ("format", lambda value: Frame.wrap(b"", value)), ("format", lambda value: AudioFrame.create(value, 1)),
            ("destination", frame.convert_into), ("view", frame.compose), ("formats", engine.create_outgoing_video),
            ("formats", lambda value: engine.create_outgoing_video([value])), ("engine", lambda value: FramePacer(value, 30)),
            ("engine", lambda value: serve_room(value, room())), ("engine", lambda value: configure_room(value, room())),
            ("a step", lambda value: script_network(engine, room(), [value]))]
        for name, use in uses:
            self.refused(ValueTypeError, use, name, None, 5)
        self.refused(ValueTypeError, lambda value: setattr(frame, "metadata", value), "metadata", 5, b"x")
        self.refused(ValueTypeError, lambda value: engine.create_instance("x", limits=value), "limits", 5, "x")
        self.refused(ValueTypeError, call.alice.start_audio, "stream", call.stream)

    def test_seconds(self) -> None:
        call = self.call
        loop = asyncio.new_event_loop()
        self.addCleanup(loop.close)
        uses: list[Callable[[Any], Any]] = [
            call.alice.next_event, call.bob.next_data, call.incoming.read, call.incoming.read_encoded, call.stream.read_report,
            lambda value: list(call.alice.events(value)), lambda value: self.audio.wait_played(value),
            lambda value: self.audio.write(b"", value), lambda value: FramePacer(call.engine, 30).wait(value),
            lambda value: self.acquired(value), lambda value: call.sender.send_array(bytes(64 * 48 * 3 // 2), 0, value),
            lambda value: call.sender.send_image(memoryview(bytes(12)).cast("B", (2, 2, 3)), timeout=value),
            lambda value: loop.run_until_complete(call.alice.next_event_async(value)),
            lambda value: loop.run_until_complete(call.alice.next_data_async(value)),
            lambda value: loop.run_until_complete(call.incoming.read_async(value)),
            lambda value: loop.run_until_complete(self.audio.write_async(b"", value))]
        for use in uses:
            for error, values in ((InvalidError, (-1, NAN, -0.5)), (ValueTypeError, ("x", b"", []))):
                for value in values:
                    with self.subTest(value=value), self.assertRaisesRegex(error, "timeout is .*; .*seconds from 0, or None for no limit"):
                        use(value)
        call_of = lambda value: call.alice.rpc.call("bob", "m", timeout=value)  # noqa: E731
        self.refused(InvalidError, call_of, "timeout", 0, -1, NAN)
        self.refused(ValueTypeError, call_of, "timeout", None, "x")
        self.refused(ValueTypeError, call.alice.set_audio_level_interval, "seconds", None, "x")
        self.refused(InvalidError, call.alice.set_stats_interval, "seconds", NAN, float("inf"))
        self.refused(ValueTypeError, self.audio.set_gain, "gain", None, "x")

    def test_nothing_begins_with_a_wrong_timeout(self) -> None:
        session = self.call.engine.create_session(room(), "carol")
        for timeout in (-1, NAN, "x"):
            for use in (session.connect, lambda value: asyncio.run(session.connected(value))):
                with self.assertRaisesRegex(MediaSDKError, "timeout is .* accepted"):
                    use(timeout)  # type: ignore[operator]
        self.assertEqual(session.state, mediasdk.SessionState.IDLE)

    def acquired(self, timeout: Any) -> None:
        self.call.sender.acquire(timeout).close()

    def test_bytes(self) -> None:
        call = self.call
        writer = call.alice.data_streams.open_bytes("t")
        self.addCleanup(writer.close)
        uses: list[tuple[str, Callable[[Any], Any]]] = [
            ("key", call.alice.set_frame_key), ("data", writer.write),
            ("own", lambda value: call.alice.set_srtp_keys(value, b"")), ("theirs", lambda value: call.alice.set_srtp_keys(b"", value)),
            ("transmission_token", lambda value: call.alice.set_ingest(transmission_token=value, reception_token=bytes(16), port=1)),
            ("message", mediasdk.DataChannel(call.alice, 1).send), ("user_data", lambda value: setattr(
                Frame.create(nv12()), "metadata", FrameMetadata(value)))]
        for name, use in uses:
            self.refused(ValueTypeError, use, name, 16, 1.5, [1, 2], array("d", [1]), array("i", [1]), range(3))
        with self.assertRaises(ValueTypeError) as raised:
            call.alice.set_frame_key(["secret"])  # type: ignore[arg-type]
        self.assertNotIn("secret", raised.exception.text)

    def test_bytes_of_any_buffer(self) -> None:
        call = self.call
        call.bob.data_streams.accept("buffers")
        with call.alice.data_streams.open_bytes("buffers", to="bob") as writer:
            for data in (b"ab", bytearray(b"cd"), memoryview(b"e-f-")[::2], array("B", b"g"), "h"):
                writer.write(data)  # type: ignore[arg-type]
        received = b""
        while (part := call.bob.data_streams.next(60)).part != DataPart.ENDED:
            received += part.data
        self.assertEqual(received, b"abcdefgh")

    def test_texts(self) -> None:
        engine = self.call.engine
        self.refused(InvalidError, lambda value: engine.create_session(room(), value), "user_id", None, 5, b"x", "\ud800")
        self.refused(InvalidError, self.call.alice.set_frame_key, "key", "\ud800")
        self.refused(ValueTypeError, lambda value: self.call.alice.send_data(b"", to=value), "to", 5, 1.5)
        self.refused(InvalidError, lambda value: self.call.alice.send_data(b"", to=value), "to", [5], b"ab")

    def test_several(self) -> None:
        engine = self.call.engine
        self.refused(ValueTypeError, lambda value: script_network(engine, room(), value), "steps", None, 5)
        self.refused(ValueTypeError, lambda value: self.call.alice.data_streams.open_text(attributes=value), "attributes", 5, ["a"])
        self.refused(ValueTypeError, lambda value: self.call.alice.data_streams.open_text(attachments=value), "attachments", 5)
        self.refused(ValueTypeError, lambda value: serve_room(engine, room(), value), "addresses", 5, [5])
        self.refused(ValueTypeError, lambda value: engine.create_outgoing_video(nv12(), codecs=value), "codecs", 5, [None])

    def test_closed_objects_say_so(self) -> None:
        with Call(nv12(64, 48)) as call:
            audio = call.engine.create_outgoing_audio()
            call.engine.add_plugin_dir(plugin_dir())
            first, second = (call.engine.create_instance("org.mediasdk.producer.tone") for _ in range(2))
            session: Session = call.bob
            for word, closing, uses in (
                    ("session", session, [lambda: session.state, lambda: session.next_event(0), lambda: session.send_data(b""),
                                          lambda: session.fileno(), lambda: session.rpc.read(), lambda: session.next_data(0)]),
                    ("session of the stream", session, [lambda: call.incoming.state, lambda: call.incoming.read(0)]),
                    ("stream", audio, [lambda: audio.state, lambda: audio.set_gain(1), lambda: call.alice.start_audio(audio)]),
                    ("instance", first, [lambda: first.next_event(0), lambda: first.formats(), lambda: call.stream.attach_producer(first)]),
                    ("stream", call.stream, [lambda: call.stream.state, lambda: call.stream.sender]),
                    ("engine", call.engine, [lambda: call.engine.stats(),
                                             lambda: call.engine.create_instance("x"), lambda: configure_room(call.engine, room())]),
                    ("engine of the instance", call.engine, [lambda: second.next_event(0), lambda: second.release()])):
                closing.close()
                for use in uses:
                    with self.subTest(word), self.assertRaisesRegex(HandleError, f"the {word} is closed"):
                        use()


if __name__ == "__main__":
    unittest.main()
