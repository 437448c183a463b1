"""What is said beside pixels and samples, over every transport: capture time, expected delay, colour, orientation, duration, flags.

Each stream is a picture of four known colours in BT.709, full range, with the transfer of sRGB, lying on its side, captured 100 ms
before it was sent.  What is
received must say the same, or, where a transport has no place for it, be such that nothing needs to be said: `colours` compares what is
seen with what was drawn, whatever is said.
"""
from __future__ import annotations

import tempfile
from math import nan
from typing import Any, Callable, Iterator, Optional, Sequence

import picture
from ends import PATHS, Ends, codec_name, loopback, packet
from table import Row

from call import plugin_dir
from mediasdk import (Codec, EncodedFrame, EventType, Frame, FrameFlag, IncomingVideo, IncomingVideoAdded, Instance, Limits, MediaTimeout,
                      Orientation, OutgoingVideo, Output, PixelFormat, VideoFormat)
from mediasdk.feeder import Feeder

MATRIX, FULL, PRIMARIES, TRANSFER, ORIENTATION, DELAY = 1, True, 1, 13, 1, 40_000_000
INTERVAL = 33_333_333
AGE = 100_000_000
# Frames in the first second, in which the two ends come to know each other's clocks.
SETTLED = 30
# By the last digit of the tag. Codecs have a place for the first alone.
FLAGS = {3: FrameFlag.DISCONTINUITY, 5: FrameFlag.CORRUPT, 7: FrameFlag.END}


def _format(width: int, height: int) -> VideoFormat:
    return VideoFormat(PixelFormat.NV12, width, height, 30, color_matrix=MATRIX, color_full_range=FULL, color_primaries=PRIMARIES,
                       color_transfer=TRANSFER, expected_delay_ns=DELAY)


def drawn(number: int) -> Frame:
    data, width, height = picture.nv12(number, ORIENTATION, MATRIX, FULL)
    frame = Frame.wrap(bytearray(data), _format(width, height), orientation=Orientation(ORIENTATION))
    frame.duration_ns = INTERVAL
    return frame


class Seen:
    """What came of one stream."""

    def __init__(self, ends: Ends) -> None:
        self.ends = ends
        self.times: dict[int, int] = {}
        self.last = -1
        self.late: list[float] = []
        self.colours: list[float] = []
        self.wrong: dict[str, Any] = {}
        self.frames = 0
        self.flags: dict[int, FrameFlag] = {}

    def expect(self, name: str, found: Any, *wanted: Any) -> None:
        if found not in wanted:
            self.wrong[name] = found

    def look(self, frame: Frame) -> None:
        format = frame.format
        shades = picture.seen(frame.to_numpy(), frame.orientation, format.color_matrix, format.color_full_range)
        tag = picture.tag_of(shades)
        # The first is one of those just sent, and then they come in order.
        known = [number for number in self.times if number % picture.TAGS == tag and number > self.last]
        self.frames += 1
        self.colours.append(picture.error(shades, tag))
        if known:
            self.last = known[-1] if self.last < 0 else known[0]
            self.late.append((frame.timestamp_ns - self.times[self.last]) / 1e6)
        ends = self.ends
        self.expect("matrix", format.color_matrix, MATRIX) if ends.carries_color else self.expect("matrix", format.color_matrix, 2, 6)
        says_all = ends.carries_color and ends.carries_primaries
        self.expect("primaries", format.color_primaries, PRIMARIES if says_all else 2)
        self.expect("transfer", format.color_transfer, TRANSFER if says_all else 2)
        self.expect("range", format.color_full_range, FULL if ends.carries_color else False)
        self.expect("orientation", int(frame.orientation), ORIENTATION if ends.carries_orientation else 0)
        self.expect("expected delay", format.expected_delay_ns, DELAY if ends.carries_delay else 0)
        # Frames before the first are missing, and those that were lost.
        if self.frames > 1 and not (ends.loses and frame.flags == FrameFlag.DISCONTINUITY):
            self.expect("flags", frame.flags, self.flags.get(tag % 10, FrameFlag(0)))
        self.expect("duration", frame.duration_ns, *((INTERVAL,) if ends.carries_duration else (INTERVAL, 0)))

    def rows(self, name: str) -> Iterator[Row]:
        late = max(map(abs, self.late), default=nan)
        settled = max(map(abs, self.late[SETTLED:]), default=nan)
        # At first an encoder may be coarse.
        colours = max(self.colours[len(self.colours) // 2:])
        yield Row(f"{name}: capture time, at any time", late, "ms", at_most=self.ends.within(20))
        yield Row(f"{name}: capture time, settled", settled, "ms", at_most=self.ends.within(5))
        yield Row(f"{name}: colours as they are seen", colours, "levels", at_most=8)
        note = ", ".join(f"{key} {value}" for key, value in self.wrong.items())
        yield Row(f"{name}: said otherwise", len(self.wrong), at_most=0, note=note)


def _receive(ends: Ends, seen: Seen, send: Callable[[int], None], incoming: Optional[IncomingVideo], frames: int) -> None:
    """Sends until so many came."""
    for number in range(40 * frames):
        seen.times[number] = ends.now() - AGE
        send(number)
        ends.wait(INTERVAL)
        if incoming is None:
            try:
                event = ends.bob.next_event(0)
                if isinstance(event, IncomingVideoAdded):
                    incoming = event.incoming_video
                    assert incoming.format is not None
                    if ends.carries_delay:
                        seen.expect("expected delay of the event", incoming.format.expected_delay_ns, DELAY)
                    if ends.carries_color:
                        seen.expect("matrix of the event", incoming.format.color_matrix, MATRIX)
                    incoming.start()
            except MediaTimeout:
                continue
        else:
            try:
                while True:
                    with incoming.read(0) as frame:
                        seen.look(frame)
            except MediaTimeout:
                pass
            if seen.frames >= frames:
                return
    raise TimeoutError(f"{seen.frames} of {frames} frames came")


def _stream(ends: Ends, codec: Codec, filters: Sequence[Instance] = (), **options: Any) -> tuple[OutgoingVideo, Any]:
    first = drawn(0)
    stream = ends.sending.create_outgoing_video(first.format, codec=codec, limits=Limits.EXTENDED, target_bitrate=3_000_000, **options)
    for instance in filters:
        stream.add_filter(instance)
    ends.alice.start_video(stream)
    return stream, ends.event(ends.alice, EventType.FRAME_SENDER_CHANGED).sender


def _video(ends: Ends, codec: Codec, frames: int, *filters: Instance) -> Seen:
    """Raw frames of the program's, which the SDK encodes if `codec` says so."""
    seen = Seen(ends)
    stream, sender = _stream(ends, codec, filters)
    if codec == Codec.RAW:
        seen.flags = FLAGS
    elif ends.carries_duration:
        seen.flags = {3: FrameFlag.DISCONTINUITY}

    def send(number: int) -> None:
        with drawn(number) as frame:
            frame.flags = FLAGS.get(number % 10, FrameFlag(0))
            sender.send(frame, seen.times[number])

    _receive(ends, seen, send, None, frames)
    stream.close()
    return seen


def _pushed(ends: Ends, frames: int, packets: list[bytes]) -> Seen:
    """VP8 that the program encoded by itself, of which nothing but the stream's format says the colour."""
    seen = Seen(ends)
    stream, sender = _stream(ends, Codec.VP8, encoded_input=True)

    def send(number: int) -> None:
        with EncodedFrame.create(packets[number % len(packets)], orientation=Orientation(ORIENTATION), duration_ns=INTERVAL) as frame:
            sender.send_encoded(frame, seen.times[number])

    _receive(ends, seen, send, None, frames)
    stream.close()
    return seen


def _encoded() -> list[bytes]:
    """One picture of each tag; key frames all, for a receiver may come in at any of them."""
    with loopback(virtual=True) as ends:
        stream, sender = _stream(ends, Codec.VP8)
        incoming = ends.event(ends.bob, EventType.INCOMING_VIDEO_ADDED).incoming_video
        incoming.start(output=Output.ENCODED)
        packets: list[bytes] = []
        for number in range(picture.TAGS):
            ends.wait(INTERVAL)
            stream.request_key_frame()
            with drawn(number) as frame:
                sender.send(frame)
            packets.append(ends.until(lambda: packet(incoming), "an encoded frame"))
        return packets


def _fed(frames: int, codec: Codec) -> Iterator[Row]:
    """A screen that another process shares through the ingest."""
    show, expect = b"shown to the session", b"shown by the session"
    with loopback() as ends, tempfile.TemporaryDirectory() as directory:
        ends.carries_delay = ends.carries_duration = ends.carries_primaries = False
        path = f"{directory}/ingest"
        ends.alice.set_ingest(transmission_token=show, reception_token=expect, socket_path=path, limits=Limits.EXTENDED, fps=60,
                              codec=codec)
        seen = Seen(ends)
        with Feeder(socket_path=path, transmission_token=show, reception_token=expect, timeout=30) as feeder:
            def send(number: int) -> None:
                data, width, height = picture.nv12(number, ORIENTATION, MATRIX, FULL)
                feeder.send("NV12", width, height, data, timestamp_ns=seen.times[number], orientation=ORIENTATION, color_matrix=MATRIX,
                            full_range=FULL)

            _receive(ends, seen, send, None, frames)
        # Who comes is sent the screen as it stands then.
        del seen.late[0]
        yield from seen.rows(f"ingest, {codec_name(codec)}")


def _filtered(frames: int, isolated: bool) -> Iterator[Row]:
    """Through a filter: plain quarters stay what they are."""
    with loopback() as ends:
        ends.sending.add_plugin_dir(plugin_dir())
        with ends.sending.create_instance("org.mediasdk.filter.blur", isolated=isolated, radius=1) as filter:
            yield from _video(ends, Codec.VP8, frames, filter).rows(f"filter{', isolated' if isolated else ''}, VP8")


def rows(quick: bool) -> Iterator[Row]:
    frames = 36 if quick else 60
    packets = _encoded()
    for name, path in PATHS.items():
        for codec in (Codec.RAW, Codec.VP8):
            with path() as ends:
                if codec != Codec.RAW or ends.carries_raw:
                    yield from _video(ends, codec, frames).rows(f"{name}, {codec_name(codec)}")
        with path() as ends:
            if ends.carries_color:  # what is pushed in stays as it is, and loses what has no extension (rtp.h)
                yield from _pushed(ends, frames, packets).rows(f"{name}, pushed VP8")
    with loopback() as ends:
        ends.sending.load_plugin(plugin_dir() / "av1.so")
        yield from _video(ends, Codec.AV1, frames).rows("loopback, AV1")
    for codec in (Codec.RAW, Codec.VP8):
        yield from _fed(frames, codec)
    for isolated in (False, True):
        yield from _filtered(frames, isolated)
