"""What is sent with each frame: alice draws a box and says where it is, bob reads it with the frame that shows it.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/metadata.py [--frames 60]

A loopback room lives inside one process. The same happens with livekit+wss://HOST, where SDKs of LiveKit read and write it, too.
"""
from __future__ import annotations

import argparse
import sys

from mediasdk import (Codec, Engine, Frame, FrameMetadata, FrameSender, IncomingVideoAdded, MediaSDKError, MediaTimeout, PixelFormat,
                      QueuePolicy, ReceiversChanged, Session, VideoFormat)

ROOM = "loopback:lobby"
TIMEOUT = 5.0
BOX = 40


def join(engine: Engine, user_id: str) -> Session:
    """A connected session."""
    session = engine.create_session(ROOM, user_id)
    session.connect(TIMEOUT)
    return session


def send(sender: FrameSender, number: int) -> None:
    with sender.acquire(TIMEOUT) as frame:
        x, y = number * 8 % 600, 160
        for plane, shade in zip(frame.planes, (40, 128, 128)):
            for row in plane:
                row[:] = bytes([shade]) * plane.row_bytes
        for row in list(frame.planes[0])[y:y + BOX]:
            row[x:x + BOX] = bytes([220]) * BOX
        frame.metadata = FrameMetadata(f"{x} {y}".encode(), frame_id=number)
        sender.send(frame)


def check(frame: Frame) -> bool:
    """Whether the box is where the metadata has it."""
    metadata = frame.metadata
    x, y = (int(number) for number in metadata.user_data.split())
    return metadata.frame_id > 0 and frame.planes[0][y + BOX // 2][x + BOX // 2] > 190


def main() -> int:
    parser = argparse.ArgumentParser(description="sends data with each frame")
    parser.add_argument("--frames", type=int, default=60, help="how many")
    arguments = parser.parse_args()
    try:
        with Engine() as engine:
            alice, bob = join(engine, "alice"), join(engine, "bob")
            video = engine.create_outgoing_video(VideoFormat(PixelFormat.I420, 640, 360, 30), codec=Codec.VP8,
                                                 queue_policy=QueuePolicy.WAIT, carries_metadata=True)  # else frames are sent without it
            alice.start_video(video)
            while not isinstance(added := bob.next_event(timeout=TIMEOUT), IncomingVideoAdded):
                pass
            seen = added.incoming_video
            seen.start()
            while not (isinstance(event := alice.next_event(timeout=TIMEOUT), ReceiversChanged) and event.count > 0):
                pass
            received = right = 0
            for number in range(1, arguments.frames + 1):
                send(video.sender, number)
                try:
                    frame = seen.read(1.0)
                except MediaTimeout:
                    continue
                received, right = received + 1, right + check(frame)
                frame.close()
            print(f"bob received {received} frames, and found the box in {right}")
    except MediaSDKError as error:
        print(f"metadata.py: {error}", file=sys.stderr)
        return 1
    return 0 if received > 0 and right == received else 1


if __name__ == "__main__":
    sys.exit(main())
