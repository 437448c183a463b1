"""One party of a call in a served room, in a process of its own: sends numbered pictures and a tone, takes all that others send, and tells of each
picture in a line of JSON.  Ends with its standard input.

    served/party.py URL USER PITCHES [--video STREAM] [--screen STREAM]
"""
from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from typing import Any

import numpy
import numbered
from mediasdk import (Codec, Engine, EstimateChanged, Event, FrameFlag, FrameSenderChanged, IncomingAudio, IncomingAudioAdded,
                      IncomingVideo, IncomingVideoAdded, Limits, MediaSDKError, OutgoingVideo, ParticipantJoined, ParticipantLeft,
                      PixelFormat, ScreenShareStateChanged, Session, SessionState, SessionStateChanged, StaleSenderError, VideoFormat,
                      VideoKind)

RATE = 48_000
CAMERA = [(640, 360, 30), (320, 180, 15)]
SCREEN = [(1280, 720, 10), (640, 360, 10)]

_telling = threading.Lock()
_start = threading.Event()
_end = threading.Event()


def tell(what: str, **more: Any) -> None:
    line = json.dumps({"what": what, "at": time.monotonic(), **more})
    with _telling:
        print(line, flush=True)


class Camera(threading.Thread):
    """Makes pictures at the rate of whatever format the sender has, or of a screen."""

    def __init__(self, stream: OutgoingVideo, number: int, is_page: bool) -> None:
        super().__init__(daemon=True)
        self.stream, self.number, self.is_page = stream, number, is_page
        self.count = 0

    def run(self) -> None:
        due = time.monotonic()
        while not _end.is_set():
            try:
                sender = self.stream.sender
                self._send(sender)
                due = max(due + 1 / sender.format.fps, time.monotonic() - 0.1)
            except StaleSenderError:
                continue
            except MediaSDKError as error:
                if not _end.is_set():
                    tell("failed", of=f"sending {self.number}", words=str(error))
                return
            time.sleep(max(0.0, due - time.monotonic()))

    def _send(self, sender: Any) -> None:
        format = sender.format
        with sender.acquire(timeout=5) as frame:
            self.count += 1
            frame.planes[0].array()[:] = numbered.luma(self.number, self.count, self.is_page, format.width, format.height)
            frame.planes[1].array()[:] = 128
            now = time.monotonic()
            sender.send(frame)
        tell("made", at=now, stream=self.number, number=self.count, width=format.width)


def watch(incoming: IncomingVideo) -> None:
    """Each picture that is shown, compared with what it says to be."""
    try:
        for frame in incoming.frames():
            with frame:
                picture = frame.planes[0].array()
                found = numbered.read(picture)
                height, width = picture.shape
                likeness = numbered.likeness(picture, *found, incoming.kind == VideoKind.SCREEN_SHARE) if found else 0.0
                stream, number = found or (None, None)
                tell("shown", of=incoming.user_id, kind=incoming.kind.name, stream=stream, number=number, width=width, psnr=round(likeness, 2))
    except MediaSDKError as error:
        tell("failed", of=f"watching {incoming.user_id}", words=str(error))


def hear(incoming: IncomingAudio, pitches: dict[str, float]) -> None:
    """Each buffer: how much of it is the tone that its sender makes, and whether it was made up."""
    try:
        for buffer in incoming.frames():
            with buffer:
                samples = buffer.to_numpy()[:, 0].astype(float)
                turn = numpy.exp(-2j * numpy.pi * pitches[incoming.user_id] / RATE * numpy.arange(len(samples)))
                power = float(numpy.square(samples).mean())
                share = abs(samples @ turn / len(samples)) ** 2 * 2 / power if power > 1e-9 else 0.0
                tell("heard", of=incoming.user_id, ms=len(samples) * 1000 / RATE, level=round(power ** 0.5, 4), tone=round(float(share), 3),
                     made_up=bool(buffer.flags & FrameFlag.CORRUPT))
    except MediaSDKError as error:
        tell("failed", of=f"hearing {incoming.user_id}", words=str(error))


def sing(stream: Any, pitch: float) -> None:
    """A tone, made by the clock as a microphone makes it."""
    size, count, begin = RATE // 50, 0, time.monotonic()
    while not _end.is_set():
        times = (numpy.arange(size) + count * size) / RATE
        try:
            stream.send((numpy.sin(2 * numpy.pi * pitch * times) * 8000).astype(numpy.int16).tobytes(), timeout=5)
        except MediaSDKError as error:
            return None if _end.is_set() else tell("failed", of="singing", words=str(error))
        count += 1
        time.sleep(max(0.0, begin + count * 0.02 - time.monotonic()))


def spawn(body: Any, *arguments: Any) -> None:
    threading.Thread(target=body, args=arguments, daemon=True).start()


def follow(event: Event, pitches: dict[str, float]) -> None:
    if isinstance(event, IncomingVideoAdded):
        event.incoming_video.start(queue_capacity=16)
        spawn(watch, event.incoming_video)
    elif isinstance(event, IncomingAudioAdded):
        event.incoming_audio.start()
        spawn(hear, event.incoming_audio, pitches)
    elif isinstance(event, EstimateChanged):
        tell("estimate", value=event.bitrate)
    elif isinstance(event, FrameSenderChanged):
        tell("format", kind=event.outgoing_video.kind.name, width=event.format.width, height=event.format.height, fps=float(event.format.fps))
    elif isinstance(event, ScreenShareStateChanged):
        tell("screen", of=event.user_id, state=event.state.name)
    elif isinstance(event, SessionStateChanged):
        tell("state", state=event.state.name, words=event.text)
    elif isinstance(event, (ParticipantJoined, ParticipantLeft)):
        tell(event.type.name, of=event.user_id)


def await_end() -> None:
    """The end of standard input."""
    sys.stdin.read()
    _end.set()


def begin(engine: Engine, session: Session, options: argparse.Namespace) -> dict[int, OutgoingVideo]:
    """What this party sends, by the number of the stream."""
    # Fifty packets a second would have as much in their headers as in them.
    sound = engine.create_outgoing_audio(codec=Codec.OPUS, bitrate=24_000, packet_ms=40)
    session.start_audio(sound)
    spawn(sing, sound, options.pitches[options.user])
    streams = {}
    for number, formats, kind in ((options.video, CAMERA, VideoKind.VIRTUAL), (options.screen, SCREEN, VideoKind.SCREEN_SHARE)):
        if number is not None:
            declared = [VideoFormat(PixelFormat.NV12, *format) for format in formats]
            streams[number] = engine.create_outgoing_video(declared, codec=Codec.VP8, limits=Limits.EXTENDED, kind=kind)
            session.start_video(streams[number])
            Camera(streams[number], number, kind == VideoKind.SCREEN_SHARE).start()
    return streams


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("user")
    parser.add_argument("pitches", type=json.loads)
    parser.add_argument("--video", type=int)
    parser.add_argument("--screen", type=int)
    options = parser.parse_args()
    spawn(await_end)
    with Engine(ignore_environment=True) as engine:
        session = engine.create_session(options.url, options.user)
        session.connect(wait=False)
        streams: dict[int, OutgoingVideo] = {}
        next_look = 0.0
        while not _end.is_set():
            for event in session.events(timeout=0.1):
                follow(event, options.pitches)
                if isinstance(event, SessionStateChanged) and event.state == SessionState.CONNECTED and not streams:
                    streams = begin(engine, session, options)
                if _end.is_set() or time.monotonic() > next_look:
                    break
            if time.monotonic() > next_look:
                next_look = time.monotonic() + 0.5
                for number, stream in streams.items():
                    stats = stream.stats()
                    tell("sends", stream=number, width=stats.width, target=stats.target_bitrate, paced=round(stats.paced_frames_per_second, 1),
                         keys=stats.key_frames_encoded, asked=stats.key_frame_requests, bytes=stats.bytes_sent)
        used = os.times()
        tell("over", cpu=round(used.user + used.system, 1))


if __name__ == "__main__":
    main()
