"""AV1 by its plugin, streams that choose among codecs, and codecs that nobody has."""
from __future__ import annotations

import unittest

from pathlib import Path

from call import Room, nv12, picture, plugin_dir
from mediasdk import (Clock, Codec, EncodedFlag, EncodedFrame, EventType, Kind, Limits, NotFoundError, Output, RangeError, UnsupportedError,
                      ValueTypeError)


class Codecs(Room):
    """alice and bob in a room whose engine has the av1 plugin."""

    def __init__(self) -> None:
        super().__init__(Clock.VIRTUAL)
        self.engine.load_plugin(plugin_dir() / "av1.so")
        self.alice, self.bob = self.join("alice"), self.join("bob")

    def offer(self, **options):
        stream = self.engine.create_outgoing_video(nv12(), limits=Limits.EXTENDED, **options)
        self.alice.start_video(stream)
        sender = self.event(self.alice, EventType.FRAME_SENDER_CHANGED).sender
        return stream, sender, self.event(self.bob, EventType.INCOMING_VIDEO_ADDED).incoming_video


class EncodedProducerTest(unittest.TestCase):
    def test_a_file_is_passed_through(self) -> None:
        clip = Path(__file__).resolve().parents[2] / "Media" / "bunny-720p25.ivf"
        data, frames, place = clip.read_bytes(), [], 32
        while place < len(data):
            size = int.from_bytes(data[place:place + 4], "little")
            frames.append(data[place + 12:place + 12 + size])
            place += 12 + size
        for isolated in (False, True):
            with Codecs() as call:
                call.engine.load_plugin(plugin_dir() / "fileproducer.so")
                packets = call.engine.create_instance("org.mediasdk.producer.packets", isolated=isolated)
                packets["path"] = clip
                encoding = call.engine.create_outgoing_video(nv12(), codec=Codec.VP8)
                with self.assertRaisesRegex(UnsupportedError, "encoded_input"):
                    encoding.attach_producer(packets)
                stream = call.engine.create_outgoing_video(packets.formats(), codec=Codec.VP8, encoded_input=True)
                call.alice.start_video(stream)
                incoming = call.event(call.bob, EventType.INCOMING_VIDEO_ADDED).incoming_video
                incoming.start(output=Output.ENCODED, encoded_queue_capacity=100)
                stream.attach_producer(packets)
                incoming.request_key_frame()  # the file cannot make one, and that is no error
                call.engine.advance_clock(2_000_000_000)
                self.assertEqual([bytes(incoming.read_encoded(0)) for _ in range(40)], frames[:40])
                with self.assertRaisesRegex(UnsupportedError, "encoded frames"):
                    call.engine.create_instance("org.mediasdk.producer.packets").start_pull()


class CodecTests(unittest.TestCase):
    def test_classes_name_what_they_are(self) -> None:
        with Codecs() as call:
            kinds = {one.id: one.kinds for one in call.engine.classes()}
            self.assertEqual(kinds["org.mediasdk.av1"], Kind.VIDEO_ENCODER | Kind.VIDEO_DECODER)
            self.assertEqual(kinds["org.mediasdk.vp8"], Kind.VIDEO_ENCODER | Kind.VIDEO_DECODER)
            self.assertEqual(kinds["org.mediasdk.opus"], Kind.AUDIO_ENCODER | Kind.AUDIO_DECODER)

    def test_av1_comes_through(self) -> None:
        with Codecs() as call:
            stream, sender, incoming = call.offer(codec=Codec.AV1)
            self.assertEqual(incoming.codec, Codec.AV1)
            incoming.start(output=Output.BOTH)
            call.engine.advance_clock(10_000_000)
            sender.send_array(picture(sender.format))
            frame = call.patiently(incoming.read)
            self.assertEqual((frame.width, frame.height), (320, 240))
            packet = call.patiently(incoming.read_encoded)
            self.assertEqual((packet.codec, packet.flags & EncodedFlag.KEY), (Codec.AV1, EncodedFlag.KEY))
            again = EncodedFrame.create(bytes(packet.data), codec=Codec.AV1)
            self.assertEqual((again.width, again.height), (320, 240))
            self.assertEqual(stream.stats().codec, Codec.AV1)

    def test_parameters_are_set_for_what_streams_make(self) -> None:
        def size(speed: int | None) -> int:
            with Codecs() as call:
                call.engine.set_codec_params("org.mediasdk.av1", speed=5)
                call.engine.set_codec_params("org.mediasdk.av1", speed=speed)
                stream, sender, incoming = call.offer(codec=Codec.AV1)
                incoming.start(output=Output.ENCODED)
                call.engine.advance_clock(10_000_000)
                for shade in range(4):
                    sender.send_array(picture(sender.format, shade * 40))
                    call.engine.advance_clock(40_000_000)
                return stream.stats().bytes_sent

        self.assertEqual(size(None), size(9))  # the preset's own
        self.assertEqual(size(6), size(6))
        with Codecs() as call:
            for params, error in (({"speed": 12}, RangeError), ({"speed": "fast"}, ValueTypeError), ({"pace": 1}, NotFoundError)):
                with self.assertRaises(error):
                    call.engine.set_codec_params("org.mediasdk.av1", **params)
            with self.assertRaises(NotFoundError):
                call.engine.set_codec_params("org.mediasdk.nothing", speed=1)

    def test_the_first_that_all_decode_is_chosen(self) -> None:
        with Codecs() as call:
            stream, _, incoming = call.offer(codecs=[Codec(0x31315858), Codec.AV1, Codec.VP8])
            self.assertEqual((stream.stats().codec, incoming.codec), (Codec.AV1, Codec.AV1))

    def test_unknown_codecs_are_refused(self) -> None:
        with Room(Clock.VIRTUAL) as room:
            for options in ({"codec": Codec.AV1}, {"codecs": [Codec.AV1]}):
                with self.assertRaisesRegex(UnsupportedError, "VP8"):
                    room.engine.create_outgoing_video(nv12(), limits=Limits.EXTENDED, **options)

    def test_whoever_came_without_it_makes_the_stream_go_over(self) -> None:
        with Room() as rich, Room(url=rich.url) as poor:
            rich.engine.load_plugin(plugin_dir() / "av1.so")
            alice, bob = rich.join("alice"), rich.join("bob")
            stream = rich.engine.create_outgoing_video(nv12(), limits=Limits.EXTENDED, codecs=[Codec.AV1, Codec.VP8])
            alice.start_video(stream)
            self.assertEqual(rich.event(bob, EventType.INCOMING_VIDEO_ADDED).codec, Codec.AV1)
            carol = poor.join("carol")
            self.assertEqual(rich.event(bob, EventType.INCOMING_VIDEO_ADDED).codec, Codec.VP8)
            self.assertEqual(stream.stats().codec, Codec.VP8)
            changed = rich.event(alice, EventType.CODEC_CHANGED)
            self.assertEqual((changed.outgoing_video, changed.codec), (stream, Codec.VP8))
            while poor.event(carol, EventType.INCOMING_VIDEO_ADDED).codec != Codec.VP8:
                pass


if __name__ == "__main__":
    unittest.main()
