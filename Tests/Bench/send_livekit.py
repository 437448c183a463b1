"""What one 1080p NV12 frame costs the caller of livekit's rtc.VideoSource.capture_frame: send_livekit.py FRAMES.

fresh: the rtc.VideoFrame is made for each frame, as a program with new pictures does; kept: one is made and captured again and again.
"""

from __future__ import annotations

import sys
import time

from livekit import rtc

WIDTH, HEIGHT = 1920, 1080


def main() -> None:
    count = int(sys.argv[1])
    picture = bytearray(b"\x80" * (WIDTH * HEIGHT * 3 // 2))
    source = rtc.VideoSource(WIDTH, HEIGHT)
    kept = rtc.VideoFrame(WIDTH, HEIGHT, rtc.VideoBufferType.NV12, picture)
    source.capture_frame(kept)

    begin = time.perf_counter()
    for _ in range(count):
        source.capture_frame(rtc.VideoFrame(WIDTH, HEIGHT, rtc.VideoBufferType.NV12, picture))
    print("fresh_us", (time.perf_counter() - begin) / count * 1e6)

    begin = time.perf_counter()
    for _ in range(count):
        source.capture_frame(kept)
    print("kept_us", (time.perf_counter() - begin) / count * 1e6)


main()
