"""To GStreamer and back: sends frames over RTP to a GStreamer pipeline that mirrors them, and saves one of what it sends back.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/rtp.py --plugins DIR [--run] [--output mirrored.ppm]

Prints the pipeline, to be started in another terminal; with --run it is started from here.
"""
from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from mediasdk import (Codec, Engine, Frame, IncomingVideo, IncomingVideoAdded, MediaSDKError, OutgoingVideo, PixelFormat, Session,
                      VideoFormat)

TIMEOUT = 30.0  # seconds that the pipeline may take


def pipeline(ours: int, theirs: int) -> str:
    """There is no signalling: what is sent where, and as what, is said to both sides.  A key frame each second lets either begin at any time."""
    return (f"gst-launch-1.0 -q udpsrc port={theirs} caps=application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96"
            " ! rtpjitterbuffer latency=50 ! rtpvp8depay ! vp8dec ! videoflip video-direction=horiz"
            " ! vp8enc deadline=1 target-bitrate=1000000 keyframe-max-dist=30"
            f" ! rtpvp8pay pt=96 ! udpsink host=127.0.0.1 port={ours} sync=false")


def offer_bars(engine: Engine, session: Session) -> OutgoingVideo:
    """The frames are made by a producer, which the SDK asks at the right moments."""
    stream = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 640, 360, 30), codec=Codec.VP8, key_frame_interval_ms=1000)
    stream.attach_producer(engine.create_instance("org.mediasdk.producer.testpattern", pattern="bars"))
    session.start_video(stream)
    return stream


def what_comes_back(session: Session) -> IncomingVideo:
    for event in session.events(timeout=TIMEOUT):
        if isinstance(event, IncomingVideoAdded):
            print(f"{event.user_id} sends {event.codec.name}")
            return event.incoming_video
    raise SystemExit(f"nothing came back for {TIMEOUT:g} seconds")


def save(frame: Frame, path: Path) -> None:
    """Writes a PPM image, which most viewers show."""
    with frame.convert(PixelFormat.RGB24) as image:
        path.write_bytes(f"P6 {image.width} {image.height} 255\n".encode() + image.planes[0].tobytes())


def main() -> int:
    parser = argparse.ArgumentParser(description="sends video to GStreamer, and receives what it makes of them")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--run", action="store_true", help="start the pipeline")
    parser.add_argument("--frames", type=int, default=60, help="how many frames to receive")
    parser.add_argument("--output", type=Path, default=Path("mirrored.ppm"), help="the last of them")
    parser.add_argument("--ports", type=int, nargs=2, default=(5004, 5006), metavar=("OURS", "THEIRS"), help="of UDP; RTCP takes the next ones")
    arguments = parser.parse_args()
    ours, theirs = arguments.ports
    print(pipeline(ours, theirs), flush=True)
    try:
        with ExitStack() as stack, Engine() as engine:
            engine.add_plugin_dir(arguments.plugins)
            session = engine.create_session(f"rtp://127.0.0.1:{theirs}?local={ours}&media=video&vp8=96", "me")
            session.connect()  # here a port that is taken is noticed
            if arguments.run:
                child = stack.enter_context(subprocess.Popen(shlex.split(pipeline(ours, theirs))))
                stack.callback(child.terminate)
            stream, count = offer_bars(engine, session), 0
            incoming = what_comes_back(session)
            incoming.start()
            for frame in incoming.frames(timeout=TIMEOUT):
                with frame:
                    count += 1
                    if count == arguments.frames:
                        save(frame, arguments.output)
                        break
            stream.close()
    except (MediaSDKError, OSError) as error:
        print(f"rtp.py: {error}", file=sys.stderr)
        return 1
    print(f"{count} frames came back; the last is in {arguments.output}")
    return 0 if count == arguments.frames else 1


if __name__ == "__main__":
    sys.exit(main())
