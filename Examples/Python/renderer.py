"""A renderer of the program's own: it measures the brightness of what a participant receives.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/renderer.py

In Python a renderer is an object of the program, which runs on the program's thread.  A loopback room lives inside one process, so the
sender, alice, is here too; the grey gets lighter with every frame.
"""
from __future__ import annotations

import sys
import threading

from mediasdk import Engine, Frame, IncomingVideoAdded, MediaSDKError, PixelFormat, Renderer, VideoFormat, VideoProducer

ROOM = "loopback:lobby"
TIMEOUT = 5.0
FRAMES = 30


class Lighter(VideoProducer):
    def __init__(self) -> None:
        self.made = 0

    def produce(self, frame: Frame) -> bool:
        for index, plane in enumerate(frame.planes):
            plane.write(bytes((128 if index else 16 + 6 * self.made,)) * (plane.rows * plane.row_bytes))
        self.made += 1
        return self.made <= FRAMES


class Meter(Renderer[Frame]):
    """The mean luma of each frame."""

    def __init__(self) -> None:
        self.means: list[int] = []

    def render(self, frame: Frame) -> None:
        luma = frame.planes[0].tobytes()
        self.means.append(round(sum(luma) / len(luma)))


def main() -> int:
    with Engine() as engine:
        alice, bob = engine.create_session(ROOM, "alice"), engine.create_session(ROOM, "bob")
        alice.connect(TIMEOUT)
        bob.connect(TIMEOUT)
        stream = engine.create_outgoing_video(VideoFormat(PixelFormat.I420, 320, 240, 15))
        alice.start_video(stream)
        video = next(event for event in bob.events(timeout=TIMEOUT) if isinstance(event, IncomingVideoAdded)).incoming_video
        video.start(pixel_format=PixelFormat.GRAY8)  # brightness alone: the SDK converts
        meter = Meter()
        measuring = threading.Thread(target=video.run, args=(meter,))
        measuring.start()
        stream.run(Lighter())
        alice.stop_video(stream)  # after which the renderer's run returns
        measuring.join()
    if not meter.means:
        return 1
    print(f"the meter saw {len(meter.means)} frames, from {min(meter.means)} to {max(meter.means)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MediaSDKError, StopIteration) as error:
        sys.exit(f"renderer.py: {error}")
