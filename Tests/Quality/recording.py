"""A recording of a call, as FFmpeg reads it: picture and sound at their times, upright, in their colours."""
from __future__ import annotations

import json
import subprocess
import tempfile
from math import nan
from typing import Any, Iterator

import metadata
import numpy
import picture
from call import plugin_dir
from clicks import RATE, Listener, Speaker
from ends import Ends, hub, loopback, scripted
from mediasdk import Codec, EventType, IncomingAudioAdded, IncomingVideoAdded, Limits, MediaTimeout
from table import Row

MIXED_AGE = 300_000_000
MATRICES = {"bt709": 1, "bt470bg": 5, "smpte170m": 6, "bt2020nc": 9}


def _output(*command: str) -> bytes:
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout


def _probe(path: str, *more: str) -> str:
    return _output("ffprobe", "-v", "error", *more, path).decode()


def _decode(path: str, *more: str) -> bytes:
    return _output("ffmpeg", "-v", "error", "-i", path, *more, "-")


def _record(ends: Ends, codec: Codec, isolated: bool, path: str, seconds: float, mixed: bool) -> tuple[dict[int, int], int]:
    """When each picture was captured, and when the sound began.  `mixed`: of all sound, and all is older."""
    age = MIXED_AGE if mixed else metadata.AGE
    stream = ends.sending.create_outgoing_video(metadata.drawn(0).format, codec=codec, limits=Limits.EXTENDED, target_bitrate=3_000_000)
    sound = ends.sending.create_outgoing_audio(codec=Codec.RAW if codec == Codec.RAW else Codec.OPUS)
    ends.alice.start_video(stream)
    ends.alice.start_audio(sound)
    sender = ends.event(ends.alice, EventType.FRAME_SENDER_CHANGED).sender
    speaker = Speaker(ends, sound, age)
    times: dict[int, int] = {}
    ends.receiving.add_plugin_dir(plugin_dir())
    with ends.receiving.create_instance("org.mediasdk.renderer.recorder", isolated=isolated, path=path, tracks="both") as recorder:
        if mixed:
            mix = ends.bob.mixed_audio
            mix.attach_renderer(recorder)
            mix.start()
        begun = ends.now()
        while ends.now() - begun < seconds * 1e9:
            number = (ends.now() - begun) // metadata.INTERVAL
            if number not in times:
                times[number] = ends.now() - age
                with metadata.drawn(number) as frame:
                    sender.send(frame, times[number])
            speaker.speak()
            ends.wait(5_000_000)
            try:
                event = ends.bob.next_event(0)
                if isinstance(event, (IncomingVideoAdded, IncomingAudioAdded)):
                    incoming = event.incoming_video if isinstance(event, IncomingVideoAdded) else event.incoming_audio
                    if not mixed or isinstance(event, IncomingVideoAdded):
                        incoming.attach_renderer(recorder)
                        incoming.start()
            except MediaTimeout:
                pass
        ends.wait(500_000_000)
    stream.close()
    sound.close()
    return times, speaker.origin


def _pictures(path: str, video: dict[str, Any], times: dict[int, int]) -> tuple[list[float], list[float]]:
    """Of each picture: its time in the file less its capture time, in ms, and how far its colours are from those drawn."""
    width, height = video["width"], video["height"]
    data = numpy.frombuffer(_decode(path, "-map", "0:v", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p",
                                    "-color_range", video.get("color_range", "tv")), numpy.uint8)
    shown = _probe(path, "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0")
    stamps = [float(line.strip(",")) for line in shown.split()]
    offsets, errors, last = [], [], -1
    for stamp, planes in zip(stamps, data.reshape(-1, width * height * 3 // 2)):
        shades = _seen(planes, width, height, MATRICES.get(video.get("color_space", ""), 6), video.get("color_range") == "pc")
        tag = picture.tag_of(shades)
        errors.append(picture.error(shades, tag))
        last = next((number for number in sorted(times) if number > last and number % picture.TAGS == tag), last)
        offsets.append(stamp * 1000 - times[last] / 1e6)
    return offsets, errors


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


def _rows(name: str, ends: Ends, codec: Codec, isolated: bool, seconds: float, mixed: bool) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/call.webm"
        times, origin = _record(ends, codec, isolated, path, seconds, mixed)
        streams = json.loads(_probe(path, "-show_streams", "-of", "json"))["streams"]
        video = next(one for one in streams if one["codec_type"] == "video")
        offsets, errors = _pictures(path, video, times)
        base = float(numpy.median(offsets))
        clicks = _clicks(path, origin, base)
    wrong = {key: video.get(key) for key, wanted in (("width", picture.WIDTH), ("height", picture.HEIGHT), ("color_space", "bt709"),
                                                     ("color_primaries", "bt709"), ("color_transfer", "iec61966-2-1"),
                                                     ("color_range", "pc")) if video.get(key) != wanted}
    yield Row(f"{name}: pictures at their times", max(abs(one - base) for one in offsets), "ms", at_most=5)
    yield Row(f"{name}: flash less beep", max(map(abs, clicks), default=nan), "ms", at_most=ends.within(20))
    yield Row(f"{name}: flash less beep, settled", max(map(abs, clicks[len(clicks) // 2:]), default=nan), "ms", at_most=ends.within(5))
    # Encoded again, upright, at the rate that the recorder chooses.
    yield Row(f"{name}: colours as they are seen", max(errors[len(errors) // 2:]), "levels", at_most=12)
    yield Row(f"{name}: pictures", len(offsets), at_least=0.8 * seconds * 30 - 10)
    yield Row(f"{name}: said otherwise", len(wrong), at_most=0, note=", ".join(f"{key} {value}" for key, value in wrong.items()))


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
        shades = _seen(data, width, height, metadata.MATRIX, video.get("color_range") == "pc")
    name = f"file renderer, {name}{', isolated' if isolated else ''}"
    yield Row(f"{name}: colours as they are seen", picture.error(shades, picture.tag_of(shades)), "levels", at_most=4)


def _seen(data: Any, width: int, height: int, matrix: int, full_range: bool) -> Any:
    """The quarters of an upright picture in I420 of even size."""
    size, half, shape = width * height, width * height // 4, (height // 2, width // 2)
    planes = (data[:size].reshape(height, width), data[size:size + half].reshape(shape), data[size + half:].reshape(shape))
    return picture.seen(planes, 0, matrix, full_range)


def rows(quick: bool) -> Iterator[Row]:
    seconds = 3.0 if quick else 8.0
    for name, path, codec, isolated in (
            ("loopback, raw", loopback, Codec.RAW, False), ("loopback, VP8 and Opus", loopback, Codec.VP8, False),
            ("isolated recorder, VP8 and Opus", loopback, Codec.VP8, True), ("scripted loopback", scripted, Codec.VP8, False),
            ("the mix of a scripted loopback", scripted, Codec.VP8, False), ("hub", hub, Codec.VP8, False)):
        if quick and name == "loopback, raw":
            continue
        with path() as ends:
            yield from _rows(f"recording, {name}", ends, codec, isolated, seconds, "mix" in name)
    for isolated in (False, True):
        for file in ("one.png", "film.y4m"):
            yield from _file(isolated, file)
