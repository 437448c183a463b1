"""What the program itself sends, and what the SDK says: a tap returns the frames and the encoded frames of one's own stream, and the log
goes to the standard logging module.  The room has no other member.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/tap.py [--seconds N]
"""
from __future__ import annotations

import argparse
import logging
import sys

from mediasdk import (AgainError, Codec, Engine, Frame, FramePacer, FrameSenderChanged, LogLevel, MediaSDKError, MediaTimeout, Output,
                      OutgoingVideo, PixelFormat, VideoFormat)

TIMEOUT = 5.0
FPS = 15  # the limit of this size


def take(stream: OutgoingVideo) -> tuple[int, list[tuple[int, bool]]]:
    """What is queued: how many frames before the encoder, and of what it made of them the size, and whether it is a key frame."""
    frames, encoded = 0, []
    for frame in stream.frames(timeout=0):
        frame.close()
        frames += 1
    try:
        while True:
            with stream.read_encoded(0) as packet:
                encoded.append((packet.size, packet.key_frame))
    except (AgainError, MediaTimeout):
        return frames, encoded


def main() -> int:
    parser = argparse.ArgumentParser(description="taps a stream and prints the log")
    parser.add_argument("--seconds", type=float, default=2)
    arguments = parser.parse_args()
    # Records of the loggers below "mediasdk". The engine's level is that of the logger when the engine is made.
    logging.basicConfig(stream=sys.stdout, format="%(levelname)s [%(name)s] %(message)s", level=logging.DEBUG)
    frames = 0
    encoded: list[tuple[int, bool]] = []
    with Engine(log_level=LogLevel.DEBUG) as engine, engine.create_session("loopback:lobby", "alice") as session:
        session.connect(TIMEOUT)
        stream = engine.create_outgoing_video(VideoFormat(PixelFormat.I420, 320, 240, FPS), codec=Codec.VP8)
        stream.start_tap(output=Output.BOTH, queue_capacity=30)
        session.start_video(stream)
        sender = next(event for event in session.events(timeout=TIMEOUT) if isinstance(event, FrameSenderChanged)).sender
        for number, due in enumerate(FramePacer(engine, FPS)):
            if number >= arguments.seconds * FPS:
                break
            with sender.acquire() as frame:
                grey(frame, 16 + number % 200)
                sender.send(frame, due)
            more, made = take(stream)
            frames, encoded = frames + more, encoded + made
        stream.stop_tap()
        session.stop_video(stream)
    keys = sum(is_key for _, is_key in encoded)
    print(f"tapped {frames} frames; {len(encoded)} encoded frames, {keys} of them key frames, {sum(size for size, _ in encoded)} bytes")
    return 0 if frames and keys else 1


def grey(frame: Frame, luma: int) -> None:
    for index, plane in enumerate(frame.planes):
        plane.write(bytes((128 if index else luma,)) * (plane.rows * plane.row_bytes))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MediaSDKError as error:
        sys.exit(f"tap.py: {error}")
