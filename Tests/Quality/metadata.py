"""Metadata beside pixels and samples, over every transport: capture time, expected delay, colour, orientation, duration, flags.

Each stream is a frame of four known colours, in one of several matrices, ranges and orientations, captured 100 ms before it was sent.  What
is received must state the same, or, where a transport has no place for it, be such that nothing needs to be stated: `colours` compares what
is seen with what was drawn.  `cells.py` has the table of all of it.
"""
from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import nan
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Sequence

import cells
import picture
from ends import BAD_PATHS, LOSSES, PATHS, Ends, by_url, codec_name, isolating, loopback, packet, served, side_by_side, why_no_link
from table import Row

from call import plugin_dir
from mediasdk import (Codec, EncodedFrame, EventType, Frame, FrameFlag, IncomingVideo, IncomingVideoAdded, Instance, Limits, MediaTimeout,
                      Orientation, OutgoingVideo, Output, PixelFormat, UnsupportedError, VideoFormat)
from mediasdk.feeder import Feeder

INTERVAL = 33_333_333
AGE = 100_000_000
# Frames in the first second, in which the two ends come to know each other's clocks.
SETTLED = 30
# By the last digit of the tag. Codecs have a place for the first alone.
FLAGS = {3: FrameFlag.DISCONTINUITY, 5: FrameFlag.CORRUPT, 7: FrameFlag.END}


@dataclass(frozen=True)
class Said:
    """What the sender states of its frames."""

    name: str
    matrix: int
    full: bool
    primaries: int
    transfer: int
    orientation: int
    delay: int


SAID = (Said("BT.709 full, 90°", 1, True, 1, 13, 1, 40_000_000), Said("BT.601 full, 180°", 6, True, 6, 6, 2, 20_000_000),
        Said("BT.2020 limited, 270° mirrored", 9, False, 9, 14, 7, 40_000_000),
        Said("BT.709 limited, mirrored", 1, False, 1, 1, 4, 20_000_000))


def format_of(said: Said, width: int, height: int) -> VideoFormat:
    return VideoFormat(PixelFormat.NV12, width, height, 30, color_matrix=said.matrix, color_full_range=said.full,
                       color_primaries=said.primaries, color_transfer=said.transfer, expected_delay_ns=said.delay)


def drawn(number: int, said: Said = SAID[0]) -> Frame:
    data, width, height = picture.nv12(number, said.orientation, said.matrix, said.full)
    frame = Frame.wrap(bytearray(data), format_of(said, width, height), orientation=Orientation(said.orientation))
    frame.duration_ns = INTERVAL
    return frame


class Seen:
    """What came of one stream."""

    def __init__(self, ends: Ends, said: Said) -> None:
        self.ends, self.said = ends, said
        self.times: dict[int, int] = {}
        self.last = -1
        self.late: list[float] = []
        self.colours: list[float] = []
        self.wrong: dict[str, Any] = {}
        self.frames = 0
        self.flags: dict[int, FrameFlag] = {}

    def sent(self, number: int) -> int:
        """The capture time of one that is sent now."""
        self.times[number] = self.ends.now() - AGE
        return self.times[number]

    def expect(self, name: str, found: Any, *wanted: Any) -> None:
        if found not in wanted:
            self.wrong[name] = found

    def announced(self, format: VideoFormat) -> None:
        """The event's."""
        if self.ends.carries_delay:
            self.expect("expected delay of the event", format.expected_delay_ns, self.said.delay)
        if self.ends.carries_color:
            self.expect("matrix of the event", format.color_matrix, self.said.matrix)

    def look(self, frame: Frame) -> None:
        format, said, ends = frame.format, self.said, self.ends
        shades = picture.seen(frame.to_numpy(), frame.orientation, format.color_matrix, format.color_full_range)
        tag = picture.tag_of(shades)
        # The first is one of those just sent, and then they come in order.
        known = [number for number in self.times if number % picture.TAGS == tag and number > self.last]
        self.frames += 1
        self.colours.append(picture.error(shades, tag))
        if known:
            self.last = known[-1] if self.last < 0 else known[0]
            self.late.append((frame.timestamp_ns - self.times[self.last]) / 1e6)
        self.expect("matrix", format.color_matrix, *((said.matrix,) if ends.carries_color else (2, 6)))
        says_all = ends.carries_color and ends.carries_primaries
        self.expect("primaries", format.color_primaries, said.primaries if says_all else 2)
        self.expect("transfer", format.color_transfer, said.transfer if says_all else 2)
        self.expect("range", format.color_full_range, said.full if ends.carries_color else False)
        self.expect("orientation", int(frame.orientation), said.orientation if ends.carries_orientation else 0)
        self.expect("expected delay", format.expected_delay_ns, said.delay if ends.carries_delay else 0)
        # Frames before the first are missing, and those that were lost.
        if self.frames > 1 and not (ends.loses and frame.flags == FrameFlag.DISCONTINUITY):
            self.expect("flags", frame.flags, self.flags.get(tag % 10, FrameFlag(0)))
        self.expect("duration", frame.duration_ns, *((INTERVAL,) if ends.carries_duration else (INTERVAL, 0)))

    def rows(self, path: str, column: str) -> Iterator[Row]:
        """For the table too."""
        ends, name = self.ends, f"{path}, {column}, {self.said.name}"
        times = [Row(f"{name}: capture time, at any time", max(map(abs, self.late), default=nan), "ms", at_most=ends.within(20))]
        if len(self.late) > SETTLED:
            times.append(Row(f"{name}: capture time, settled", max(map(abs, self.late[SETTLED:])), "ms", at_most=ends.within(5)))
        # At first an encoder may be coarse.
        colours = Row(f"{name}: colours as they are seen", max(self.colours[len(self.colours) // 2:]), "levels", at_most=8)
        note = ", ".join(f"{key} {value}" for key, value in self.wrong.items())
        yield from times
        yield colours
        yield Row(f"{name}: stated otherwise", len(self.wrong), at_most=0, note=note)
        carried = {"expected delay": ends.carries_delay, "duration": ends.carries_duration, "flags": bool(self.flags)}
        found = {"capture time": cells.OK if all(row.good for row in times) else cells.WRONG}
        for field in cells.FIELDS[1:]:
            wrong = any(key.startswith(field) for key in self.wrong)
            if field in carried:
                state = cells.OK if carried[field] else cells.NOT
            else:
                wrong = wrong or not colours.good
                state = cells.OK if (ends.carries_orientation if field == "orientation" else ends.carries_color) else cells.PIXELS
            found[field] = cells.WRONG if wrong else state
        cells.put(path, column, found)


def _receive(ends: Ends, seen: Seen, send: Callable[[int], None], frames: int) -> None:
    """Sends until so many came."""
    incoming: Optional[IncomingVideo] = None
    for number in range(40 * frames):
        send(number)
        ends.wait(INTERVAL)
        try:
            if incoming is None:
                event = ends.bob.next_event(0)
                if isinstance(event, IncomingVideoAdded):
                    incoming = event.incoming_video
                    assert incoming.format is not None
                    seen.announced(incoming.format)
                    incoming.start()
            while incoming is not None:
                with incoming.read(0) as frame:
                    seen.look(frame)
        except MediaTimeout:
            pass
        if seen.frames >= frames:
            return
    raise TimeoutError(f"{seen.frames} of {frames} frames came")


def outgoing(ends: Ends, said: Said, codec: Codec, **options: Any) -> OutgoingVideo:
    _, width, height = picture.nv12(0, said.orientation, said.matrix, said.full)
    return ends.sending.create_outgoing_video(format_of(said, width, height), codec=codec, limits=Limits.EXTENDED, target_bitrate=3_000_000,
                                              **options)


def start(ends: Ends, stream: OutgoingVideo) -> Any:
    ends.alice.start_video(stream)
    return ends.event(ends.alice, EventType.FRAME_SENDER_CHANGED).sender


def _flags(ends: Ends, codec: Codec) -> dict[int, FrameFlag]:
    if codec == Codec.RAW:
        return FLAGS
    return {3: FrameFlag.DISCONTINUITY} if ends.carries_duration else {}


def _video(ends: Ends, said: Said, codec: Codec, frames: int, *filters: Instance) -> Seen:
    """Raw frames of the program's, which the SDK encodes if `codec` says so."""
    seen = Seen(ends, said)
    with outgoing(ends, said, codec) as stream:
        for instance in filters:
            stream.add_filter(instance)
        sender = start(ends, stream)
        seen.flags = _flags(ends, codec)

        def send(number: int) -> None:
            with drawn(number, said) as frame:
                frame.flags = FLAGS.get(number % 10, FrameFlag(0))
                sender.send(frame, seen.sent(number))

        _receive(ends, seen, send, frames)
    return seen


def _pushed(ends: Ends, said: Said, frames: int) -> Seen:
    """VP8 that the program encoded by itself, of which nothing but the stream's format says the colour."""
    seen, packets = Seen(ends, said), encoded(said)
    with outgoing(ends, said, Codec.VP8, encoded_input=True) as stream:
        sender = start(ends, stream)

        def send(number: int) -> None:
            with EncodedFrame.create(packets[number % len(packets)], orientation=Orientation(said.orientation),
                                     duration_ns=INTERVAL) as frame:
                sender.send_encoded(frame, seen.sent(number))

        _receive(ends, seen, send, frames)
    return seen


_encoded: dict[Said, list[bytes]] = {}


def encoded(said: Said) -> list[bytes]:
    """A frame of each tag; key frames all, for a receiver may join at any of them."""
    if said not in _encoded:
        with loopback(virtual=True) as ends, outgoing(ends, said, Codec.VP8) as stream:
            sender = start(ends, stream)
            incoming = ends.event(ends.bob, EventType.INCOMING_VIDEO_ADDED).incoming_video
            incoming.start(output=Output.ENCODED)
            packets: list[bytes] = []
            for number in range(picture.TAGS):
                ends.wait(INTERVAL)
                stream.request_key_frame()
                with drawn(number, said) as frame:
                    sender.send(frame)
                packets.append(ends.until(lambda: packet(incoming), "an encoded frame"))
        _encoded[said] = packets
    return _encoded[said]


SHOW, EXPECT = b"shown to the session", b"shown by the session"


@contextmanager
def feeding(ends: Ends, codec: Codec) -> Iterator[Feeder]:
    """Another process, as it were, that shares a screen by alice's ingest."""
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/ingest"
        ends.alice.set_ingest(transmission_token=SHOW, reception_token=EXPECT, socket_path=path, limits=Limits.EXTENDED, fps=60,
                              codec=codec)
        with Feeder(socket_path=path, transmission_token=SHOW, reception_token=EXPECT, timeout=30) as feeder:
            yield feeder
        ends.alice.close_ingest()


def feed(feeder: Feeder, number: int, said: Said, time: int, is_encoded: bool) -> None:
    data, width, height = picture.nv12(number, said.orientation, said.matrix, said.full)
    if is_encoded:
        feeder.send_encoded(encoded(said)[number % picture.TAGS], width, height, is_key_frame=True, timestamp_ns=time,
                            orientation=said.orientation, color_matrix=said.matrix, full_range=said.full)
    else:
        feeder.send("NV12", width, height, data, timestamp_ns=time, orientation=said.orientation, color_matrix=said.matrix,
                    full_range=said.full)


def _fed(ends: Ends, said: Said, codec: Codec, frames: int, is_encoded: bool) -> Seen:
    """A screen that another process shares through the ingest."""
    ends.carries_delay = ends.carries_duration = ends.carries_primaries = False
    seen = Seen(ends, said)
    with feeding(ends, codec) as feeder:
        _receive(ends, seen, lambda number: feed(feeder, number, said, seen.sent(number), is_encoded), frames)
    # Who comes is sent the screen as it stands then.
    del seen.late[0]
    return seen


@contextmanager
def known_plugin() -> Iterator[Path]:
    """plugin/known.c, built."""
    root = Path(__file__).resolve().parent.parent.parent
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "known.so"
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared",
                        f"-I{root}/Include", str(root / "Tests/Quality/plugin/known.c"), "-o", str(file)], check=True)
        yield file


def _produced(ends: Ends, said: Said, codec: Codec, frames: int, plugin: Path, isolated: bool) -> Seen:
    """Frames of a producer, in this process or another one."""
    seen = Seen(ends, said)
    seen.flags = {3: FrameFlag.DISCONTINUITY}
    ends.sending.load_plugin(plugin)
    with tempfile.NamedTemporaryFile() as file:
        for number in range(picture.TAGS):
            file.write(picture.nv12(number, said.orientation, said.matrix, said.full)[0])
        file.flush()
        with ends.sending.create_instance("org.mediasdk.quality.frames", isolated=isolated, path=file.name,
                                          orientation=said.orientation) as producer, outgoing(ends, said, codec) as stream:
            stream.attach_producer(producer)
            ends.alice.start_video(stream)

            def look(_: int) -> None:
                last = (ends.now() - AGE) // INTERVAL
                seen.times = {number: number * INTERVAL for number in range(last - picture.TAGS // 2, last + 2)}

            _receive(ends, seen, look, frames)
            stream.detach_producer()
    return seen


def _filtered(ends: Ends, said: Said, codec: Codec, frames: int, isolated: bool) -> Seen:
    """Through a filter: uniform quarters stay what they are."""
    ends.sending.add_plugin_dir(plugin_dir())
    with ends.sending.create_instance("org.mediasdk.filter.blur", isolated=isolated, radius=1) as filter:
        return _video(ends, said, codec, frames, filter)


def _refused(path: str, codec: Codec) -> Iterator[Row]:
    """What has no cell: the SDK says so."""
    with PATHS[path]() as ends:
        if codec == Codec.AV1:
            ends.sending.load_plugin(plugin_dir() / "av1.so")
        said = False
        with outgoing(ends, SAID[0], codec) as stream:
            try:
                ends.alice.start_video(stream)
                ends.event(ends.alice, EventType.STREAM_UNREACHABLE)
                said = True
            except UnsupportedError:
                said = True
        yield Row(f"{path}, {codec_name(codec)}: refused, or an event", said, at_least=1)


Measure = Callable[[Ends, Said, int], Seen]


def _cell(path: str, column: str, ends: Callable[[], Any], measure: Measure, saids: Sequence[Said], frames: int) -> list[Row]:
    """Each set of values is a call of its own. The first lasts until the clocks are known."""
    rows: list[Row] = []
    for index, said in enumerate(saids):
        with ends() as call:
            rows += measure(call, said, frames if index == 0 else SETTLED // 2).rows(path, column)
    return rows


def _measures(quick: bool, plugin: Path) -> Iterator[tuple[str, str, Callable[[], Any], Measure]]:
    """Of each cell that can be: path, column, ends and what is done between them."""
    def as_codec(codec: Codec) -> Measure:
        def measure(ends: Ends, said: Said, frames: int) -> Seen:
            if codec == Codec.AV1:
                ends.sending.load_plugin(plugin_dir() / "av1.so")
            return _video(ends, said, codec, frames)
        return measure

    codecs = {"raw": Codec.RAW, "VP8": Codec.VP8, "AV1": Codec.AV1}
    video: dict[str, Measure] = {**{name: as_codec(codec) for name, codec in codecs.items()}, "pushed VP8": _pushed}
    for paths in (PATHS, {} if why_no_link() else BAD_PATHS):
        for path, ends in paths.items():
            if quick and paths is BAD_PATHS and path != f"served room, {LOSSES[-1]} % lost":
                continue
            for column, measure in video.items():
                if column not in cells.PATHS[path]:
                    yield path, column, ends, measure
    for path, ends in (("ingest", loopback), ("ingest onto rtp by url", by_url), ("ingest onto served room", served)):
        for column, codec in codecs.items():
            if column not in cells.PATHS[path]:
                yield path, column, ends, lambda ends, said, frames, codec=codec: _fed(ends, said, codec, frames, False)
        yield path, "pushed VP8", ends, lambda ends, said, frames: _fed(ends, said, Codec.VP8, frames, True)
    for isolated in (False, True):
        where = ", isolated" if isolated else ""
        for column in ("raw", "VP8"):
            codec = codecs[column]
            yield f"filter{where}", column, loopback, lambda ends, said, frames, codec=codec, isolated=isolated: _filtered(
                ends, said, codec, frames, isolated)
            yield f"producer{where}", column, loopback, lambda ends, said, frames, codec=codec, isolated=isolated: _produced(
                ends, said, codec, frames, plugin, isolated)
    yield "codec, isolated", "AV1", isolating, as_codec(Codec.AV1)


def rows(quick: bool) -> Iterator[Row]:
    frames = 36 if quick else 60
    why = why_no_link()
    if why:
        print(f"     without network namespaces: {why}")
        cells.skip(iter(cells.LINKS))
    for said in SAID[:1] if quick else SAID:
        encoded(said)
    with known_plugin() as plugin:
        jobs = []
        for index, (path, column, ends, measure) in enumerate(_measures(quick, plugin)):
            # In the quick half each cell has another of the values; what is pushed in, which takes time to encode, the first.
            first = 0 if column == "pushed VP8" else index % len(SAID)
            saids = SAID[first:first + 1] if quick else SAID
            jobs.append(partial(_cell, path, column, ends, measure, saids, frames))
        yield from side_by_side(jobs)
    if not quick:
        for path in ("rtp by url", "rtp by SDP", "served room", "served room, back"):
            for codec in (Codec.RAW, Codec.AV1):
                yield from _refused(path, codec)
