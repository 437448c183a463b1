"""What one 1080p NV12 frame costs a Python program that sends it with MediaSDK, to a receiver in the room: send_mediasdk.py FRAMES.

The receiver's queue holds one frame, the newest, so that every frame goes the whole way and is given back when the next one comes.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Callable

from mediasdk import Engine, EventType, Frame, FrameSender, IncomingVideo, PixelFormat, QueuePolicy, VideoFormat

WIDTH, HEIGHT = 1920, 1080


def wait_for(session: Any, kind: EventType) -> Any:
    for event in session.events(timeout=5):
        if event.type == kind:
            return event
    raise SystemExit(f"no {kind.name} came")


def measured(key: str, send: Callable[[int], None], count: int) -> None:
    for number in range(16):
        send(number)
    begin = time.perf_counter()
    for number in range(count):
        send(number)
    print(key, (time.perf_counter() - begin) / count * 1e6)


def send_all(sender: FrameSender, format: VideoFormat, count: int) -> None:
    buffers = [bytearray(b"\x80" * (WIDTH * HEIGHT * 3 // 2)) for _ in range(4)]
    measured("buffer_us", lambda number: sender.send_buffer(buffers[number % 4]), count)
    sender.release_buffers()

    def wrap(number: int) -> None:
        with Frame.wrap(buffers[number % 4], format) as frame:
            sender.send(frame)

    measured("wrap_us", wrap, count)
    measured("array_us", lambda number: sender.send_array(buffers[number % 4]), count)


def check_delivery(incoming: IncomingVideo, sent: int) -> None:
    """The frames that were timed went to the receiver: all but the one that waits were dropped there by its full queue, not before."""
    stats = incoming.stats()
    if stats.frames_received != sent:
        raise SystemExit(f"{sent} frames were sent, but {stats.frames_received} received")


def main() -> None:
    count = int(sys.argv[1])
    format = VideoFormat(PixelFormat.NV12, WIDTH, HEIGHT, 30)
    with Engine() as engine:
        here, there = engine.create_session("loopback:bench", "here"), engine.create_session("loopback:bench", "there")
        for session in (here, there):
            session.connect()
        stream = engine.create_outgoing_video(format, queue_policy=QueuePolicy.WAIT)  # not paced
        here.start_video(stream)
        sender = wait_for(here, EventType.FRAME_SENDER_CHANGED).sender
        incoming = wait_for(there, EventType.INCOMING_VIDEO_ADDED).incoming_video
        incoming.start(queue_capacity=1)
        while stream.stats().receivers == 0:
            time.sleep(0.001)
        send_all(sender, format, count)
        check_delivery(incoming, 3 * (count + 16))


main()
