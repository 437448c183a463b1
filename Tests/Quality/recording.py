"""A recording of a call, as FFmpeg reads it: video and audio at their times, upright, in their colours."""
from __future__ import annotations

import json
import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Any, Callable, Iterator, Optional

import cells
import metadata
import numpy
import picture
import sound_times
from call import plugin_dir
from clicks import RATE, Listener, Speaker
from ends import BAD_PATHS, LOSSES, Ends, by_description, by_url, loopback, scripted, served, side_by_side, why_no_link
from mediasdk import Codec, EncodedFrame, EventType, IncomingAudioAdded, IncomingVideoAdded, MediaTimeout, Orientation
from metadata import SAID, Said
from table import Row

MIXED_AGE = 300_000_000
PATIENCE = 30_000_000_000
MATRICES = {"bt709": 1, "bt470bg": 5, "smpte170m": 6, "bt2020nc": 9}
# As FFmpeg names what H.273 numbers.
NAMES = {"color_space": {1: "bt709", 6: "smpte170m", 9: "bt2020nc"}, "color_primaries": {1: "bt709", 6: "smpte170m", 9: "bt2020"},
         "color_transfer": {1: "bt709", 6: "smpte170m", 13: "iec61966-2-1", 14: "bt2020-10"}}


def _output(*command: str) -> bytes:
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout


def _probe(path: str, *more: str) -> str:
    return _output("ffprobe", "-v", "error", *more, path).decode()


def _decode(path: str, *more: str) -> bytes:
    return _output("ffmpeg", "-v", "error", "-i", path, *more, "-")


@dataclass(frozen=True)
class Source:
    """What is recorded: the columns of the table, and how its frames are made."""

    video: str
    audio: Optional[str]
    codec: Codec
    pushed: bool = False
    fed: bool = False


RAW = Source("raw", "raw audio", Codec.RAW)
VP8 = Source("VP8", "Opus", Codec.VP8)
AV1 = Source("AV1", None, Codec.AV1)
PUSHED = Source("pushed VP8", "pushed Opus", Codec.VP8, pushed=True)
FED = tuple(Source(name, None, codec, pushed, fed=True) for name, codec, pushed in (
    ("raw", Codec.RAW, False), ("VP8", Codec.VP8, False), ("pushed VP8", Codec.VP8, True)))


@dataclass
class Recorded:
    """When each frame was captured, when the audio began, and the bounds of times at any time and once settled."""

    times: dict[int, int]
    origin: int
    any: float
    settled: float


def _sender(ends: Ends, source: Source, said: Said, made: ExitStack) -> Callable[[int, int], None]:
    """Sends frame `number` as captured at a time."""
    if source.fed:
        feeder = made.enter_context(metadata.feeding(ends, source.codec))
        return lambda number, time: metadata.feed(feeder, number, said, time, source.pushed)
    if source.codec == Codec.AV1:
        ends.sending.load_plugin(plugin_dir() / "av1.so")
    packets = metadata.encoded(said) if source.pushed else []
    stream = made.enter_context(metadata.outgoing(ends, said, source.codec, encoded_input=source.pushed))
    sender = metadata.start(ends, stream)

    def send(number: int, time: int) -> None:
        if source.pushed:
            with EncodedFrame.create(packets[number % len(packets)], orientation=Orientation(said.orientation),
                                     duration_ns=metadata.INTERVAL) as packet:
                sender.send_encoded(packet, time)
        else:
            with metadata.drawn(number, said) as frame:
                sender.send(frame, time)

    return send


def _record(ends: Ends, source: Source, said: Said, isolated: bool, path: str, seconds: float, mixed: bool) -> Recorded:
    """`mixed`: of all audio, and all is older."""
    age = MIXED_AGE if mixed else metadata.AGE
    times: dict[int, int] = {}
    ends.receiving.add_plugin_dir(plugin_dir())
    with ExitStack() as made:
        send = _sender(ends, source, said, made)
        speaker: Optional[Speaker] = None
        if source.audio is not None:
            packets = sound_times.packets(2.5) if source.pushed else None
            sound = made.enter_context(ends.sending.create_outgoing_audio(codec=Codec.RAW if source.codec == Codec.RAW else Codec.OPUS,
                                                                          encoded_input=source.pushed))
            ends.alice.start_audio(sound)
            speaker = Speaker(ends, sound, age, packets)
        recorder = made.enter_context(ends.receiving.create_instance("org.mediasdk.renderer.recorder", isolated=isolated, path=path,
                                                                     tracks="both" if speaker is not None else "video"))
        if mixed:
            mix = ends.bob.mixed_audio
            mix.attach_renderer(recorder)
            mix.start()
        # For so long once media of all have come, for which a bad link may take some seconds.
        begun, attached, wanted = ends.now(), [], 2 if speaker is not None and not mixed else 1
        until, are_there = begun + PATIENCE, False
        while ends.now() < until:
            number = (ends.now() - begun) // metadata.INTERVAL
            if number not in times:
                times[number] = ends.now() - age
                send(number, times[number])
            if speaker is not None:
                speaker.speak()
            ends.wait(5_000_000)
            try:
                event = ends.bob.next_event(0)
                if isinstance(event, (IncomingVideoAdded, IncomingAudioAdded)):
                    incoming = event.incoming_video if isinstance(event, IncomingVideoAdded) else event.incoming_audio
                    if not mixed or isinstance(event, IncomingVideoAdded):
                        incoming.attach_renderer(recorder)
                        incoming.start()
                        attached.append(incoming)
            except MediaTimeout:
                pass
            if not are_there and len(attached) == wanted and all(one.stats().bytes_received for one in attached):
                until, are_there = ends.now() + round(seconds * 1e9), True
        if not are_there:
            raise AssertionError(f"{len(attached)} of {wanted} streams came in {PATIENCE / 1e9:g} s, or nothing of one")
        ends.wait(500_000_000)
        return Recorded(times, 0 if speaker is None else speaker.origin, ends.within(20), ends.within(5))


def _pictures(path: str, video: dict[str, Any], times: dict[int, int]) -> tuple[list[float], list[float], int]:
    """Of each picture: its time in the file less its capture time, in ms, and how far its colours are from those drawn. The number of the first."""
    width, height = video["width"], video["height"]
    data = numpy.frombuffer(_decode(path, "-map", "0:v", "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "rawvideo",
                                    "-pix_fmt", "yuv420p", "-color_range", video.get("color_range", "tv")), numpy.uint8)
    shown = _probe(path, "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0")
    stamps = [float(line.strip(",")) for line in shown.split()]
    offsets, errors, last, first = [], [], -1, None
    for stamp, planes in zip(stamps, data.reshape(-1, width * height * 3 // 2)):
        shades = _seen(planes, width, height, MATRICES.get(video.get("color_space", ""), 6), video.get("color_range") == "pc")
        tag = picture.tag_of(shades)
        errors.append(picture.error(shades, tag))
        last = next((number for number in sorted(times) if number > last and number % picture.TAGS == tag), last)
        first = last if first is None else first
        offsets.append(stamp * 1000 - times[last] / 1e6)
    return offsets, errors, first or 0


def _clicks(path: str, origin: int, base: float) -> list[float]:
    """Of each click: its time in the file less its capture time, less `base`, in ms."""
    frames = [(float(time), int(count)) for time, count in
              (line.split(",")[:2] for line in _probe(path, "-select_streams", "a", "-show_entries", "frame=pts_time,nb_samples",
                                                      "-of", "csv=p=0").split())]
    # Of the first, part is left out (RFC 7845, section 4.2); the time of the next is exact.
    frames[0] = (frames[1][0] - frames[0][1] / RATE, frames[0][1])
    # A packet that was lost leaves a gap.
    placed = numpy.concatenate([time + numpy.arange(count) / RATE for time, count in frames])
    samples = numpy.frombuffer(_decode(path, "-map", "0:a", "-f", "f32le", "-ac", "1", "-ar", str(RATE)), numpy.float32)
    listener = Listener()
    listener.samples.append(samples)
    # As on the engine's clock, if sound lay in the file where the pictures lie.
    assert len(samples) == len(placed), f"{len(samples)} samples of {len(placed)}"
    listener.times.append((placed * 1e9 - base * 1e6).astype(numpy.int64))
    return listener.errors(origin)


def _rows(name: str, cell: Optional[str], ends: Callable[[], Any], source: Source, said: Said, isolated: bool, seconds: float) -> list[Row]:
    """`cell`: the path in the table."""
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/call.webm"
        with ends() as call:
            made = _record(call, source, said, isolated, path, seconds, "mix" in name)
            bad = call.loses
        streams = json.loads(_probe(path, "-show_streams", "-of", "json"))["streams"]
        video = next(one for one in streams if one["codec_type"] == "video")
        offsets, errors, first = _pictures(path, video, made.times)
        if source.fed:
            del offsets[0]  # who comes is sent the screen as it stands then
        base = float(numpy.median(offsets))
        clicks = [] if source.audio is None else _clicks(path, made.origin, base)
    wanted = {"width": picture.WIDTH, "height": picture.HEIGHT, "color_space": NAMES["color_space"][said.matrix],
              "color_range": "pc" if said.full else "tv"}
    if not source.fed:  # an ingest has no place for them
        wanted |= {"color_primaries": NAMES["color_primaries"][said.primaries], "color_transfer": NAMES["color_transfer"][said.transfer]}
    wrong = {key: video.get(key) for key, value in wanted.items() if video.get(key) != value}
    name = f"{name}, {said.name}"
    apart = [abs(one - base) for one in offsets]
    times = [Row(f"{name}: frames at their times", max(apart), "ms", at_most=made.any if bad else 5)]
    if bad:
        # What a stream needs to begin is asked for over TCP, which repeats what is lost after 0.6 s or more.
        times.append(Row(f"{name}: first picture", (made.times[first] - min(made.times.values())) / 1e6, "ms", at_most=2_000))
        times.append(Row(f"{name}: frames at their times, settled", max(apart[len(apart) // 2:]), "ms", at_most=made.settled))
    beeps = [] if source.audio is None else [
        Row(f"{name}: flash less beep", max(map(abs, clicks), default=nan), "ms", at_most=made.any),
        Row(f"{name}: flash less beep, settled", max(map(abs, clicks[len(clicks) // 2:]), default=nan), "ms", at_most=made.settled)]
    # Encoded again, upright, at the rate that the recorder chooses.
    colours = Row(f"{name}: colours as they are seen", max(errors[len(errors) // 2:]), "levels", at_most=12)
    if cell is not None:
        state = {field: cells.OK if colours.good and key not in wrong else cells.WRONG
                 for field, key in (("matrix", "color_space"), ("range", "color_range"), ("orientation", "width"))}
        state["capture time"] = cells.OK if all(row.good for row in times) else cells.WRONG
        cells.put(cell, source.video, state)
        if source.audio is not None:
            cells.put(cell, source.audio, {"capture time": cells.OK if all(row.good for row in beeps) else cells.WRONG})
    # Where what is lost is repeated after a round trip of 0.2 s, and one of ten repetitions is lost too, the picture stops for 0.7 s now and then.
    sent = len([number for number in made.times if number >= first])
    return [*times, *beeps, colours, Row(f"{name}: frames", len(offsets), at_least=(0.5 if bad else 0.8) * sent - 10),
            Row(f"{name}: stated otherwise", len(wrong), at_most=0, note=", ".join(f"{key} {value}" for key, value in wrong.items()))]


def _file(isolated: bool, name: str) -> Iterator[Row]:
    """One picture of the file renderer, as FFmpeg reads it; Y4M has no place for the matrix, so that is known here."""
    with loopback() as ends, tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/{name}"
        ends.receiving.add_plugin_dir(plugin_dir())
        with ends.receiving.create_instance("org.mediasdk.renderer.file", isolated=isolated, path=path, max_frames=6) as renderer:
            for number in range(6):
                with metadata.drawn(number) as frame:
                    renderer.render(frame)
        video = json.loads(_probe(path, "-show_streams", "-of", "json"))["streams"][0]
        pixels = "rgb24" if name.endswith(".png") else "yuv420p"
        data = numpy.frombuffer(_decode(path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", pixels), numpy.uint8)
    width, height = video["width"], video["height"]
    if pixels == "rgb24":
        shades = picture.quarters(data.reshape(height, width, 3).astype(float))
    else:
        shades = _seen(data, width, height, SAID[0].matrix, video.get("color_range") == "pc")
    name = f"file renderer, {name}{', isolated' if isolated else ''}"
    yield Row(f"{name}: colours as they are seen", picture.error(shades, picture.tag_of(shades)), "levels", at_most=4)


def _seen(data: Any, width: int, height: int, matrix: int, full_range: bool) -> Any:
    """The quarters of an upright picture in I420 of even size."""
    size, half, shape = width * height, width * height // 4, (height // 2, width // 2)
    planes = (data[:size].reshape(height, width), data[size:size + half].reshape(shape), data[size + half:].reshape(shape))
    return picture.seen(planes, 0, matrix, full_range)


def rows(quick: bool) -> Iterator[Row]:
    seconds = 3.0 if quick else 6.0
    virtual = partial(loopback, virtual=True)
    calls: list[tuple[str, Optional[str], Callable[[], Any], Source, bool]] = [
        ("loopback, VP8 and Opus", "recorder", virtual, VP8, False),
        ("isolated recorder, VP8 and Opus", "recorder, isolated", loopback, VP8, True),
        ("scripted loopback", None, scripted, VP8, False), ("the mix of a scripted loopback", None, scripted, VP8, False),
        ("served room", "recorder on served room", served, VP8, False)]
    if why_no_link():
        bad = []
    elif quick:
        bad = [f"served room, {LOSSES[-1]} % lost"]
    else:
        bad = [path for path in BAD_PATHS if "back" not in path]
    calls += [(path, None, BAD_PATHS[path], VP8, False) for path in bad]
    if not quick:
        for source in (RAW, AV1, PUSHED):
            calls += [(f"loopback, {source.video}", "recorder", virtual, source, False),
                      (f"isolated recorder, {source.video}", "recorder, isolated", loopback, source, True)]
        for name, path in (("rtp by url", by_url), ("rtp by SDP", by_description), ("served room", served)):
            calls += [(f"{name}, {source.video}", f"recorder on {name}", path, source, False) for source in (VP8, PUSHED)
                      if (name, source) != ("served room", VP8)]
        calls += [(f"ingest, {source.video}", "recorder on the ingest", loopback, source, False) for source in FED]
    if not quick:
        for said in SAID:
            metadata.encoded(said)
        sound_times.packets(2.5)
    yield from side_by_side([
        partial(_rows, f"recording, {name}", cell, ends, source, SAID[index % len(SAID)], isolated, seconds)
        for index, (name, cell, ends, source, isolated) in enumerate(calls)])
    for isolated in (False, True):
        for file in ("one.png", "film.y4m"):
            yield from _file(isolated, file)
