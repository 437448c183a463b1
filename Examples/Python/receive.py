"""A receiver: joins a room, counts the frames of the first stream there is, and saves one as an image.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/receive.py --plugins DIR [--output frame.ppm] [--frames N]

A loopback room lives inside one process, so that a sender joins from here too: a test pattern, made by a plugin.
"""
from __future__ import annotations

import argparse
from pathlib import Path

from mediasdk import Codec, Engine, Frame, IncomingVideo, IncomingVideoAdded, OutgoingVideo, PixelFormat, VideoFormat

ROOM = "loopback:lobby"


def offer_pattern(engine: Engine) -> OutgoingVideo:
    """Alice's side: the frames are made by a producer, which the SDK asks at the right moments."""
    stream = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 640, 360, 30), codec=Codec.VP8)
    stream.attach_producer(engine.create_instance("org.mediasdk.producer.testpattern", pattern="counter"))
    session = engine.create_session(ROOM, "alice")
    session.start_video(stream)  # starts as soon as the session is connected
    session.connect(timeout=5)
    return stream


def first_stream(engine: Engine) -> IncomingVideo:
    """Bob's side: joins, and waits until a participant's video is there."""
    session = engine.create_session(ROOM, "bob")
    session.connect(timeout=5)
    for event in session.events(timeout=5):
        if isinstance(event, IncomingVideoAdded) and event.format is not None:
            print(f"{event.user_id} sends {event.codec.name} {event.format.width}x{event.format.height}")
            return event.incoming_video
    raise SystemExit("no video was offered for 5 seconds")


def save(frame: Frame, path: Path) -> None:
    """Writes a PPM image, which most viewers show."""
    with frame.convert(PixelFormat.RGB24) as image:
        path.write_bytes(f"P6 {image.width} {image.height} 255\n".encode() + image.planes[0].tobytes())


def main() -> None:
    parser = argparse.ArgumentParser(description="receives a stream and saves one frame")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--output", type=Path, default=Path("frame.ppm"), help="the image to write")
    parser.add_argument("--frames", type=int, default=60, help="how many frames to receive")
    arguments = parser.parse_args()
    with Engine() as engine:
        engine.add_plugin_dir(arguments.plugins)
        sending = offer_pattern(engine)
        stream = first_stream(engine)
        stream.start()  # nothing is received, decoded or paid for before
        stream.set_preference(width=640, height=360)  # as it is shown: a sender of several sizes need not make a larger one
        count, lost, last = 0, 0, 0
        for frame in stream.frames(timeout=2):
            with frame:
                count += 1
                lost += frame.sequence - last - 1 if last else 0
                last = frame.sequence
                delay = (engine.now() - frame.timestamp_ns) / 1e6
                if count == arguments.frames:
                    save(frame, arguments.output)
                    break
        print(f"received {count} frames, missed {lost}; the last was {delay:.1f} ms old; it is in {arguments.output}")
        sending.close()


if __name__ == "__main__":
    main()
