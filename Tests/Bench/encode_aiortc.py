"""The same clip through aiortc's VP8 encoder, at aiortc's own settings and 1 Mbit/s: encode_aiortc.py CLIP FRAMES.

The frames are made afresh from the decoded pixels: a decoded frame remembers that it was a key frame, and would be encoded as one again.
"""

from __future__ import annotations

import fractions
import resource
import sys
import time

import av
from aiortc.codecs.vpx import Vp8Encoder

FPS = 25


def pictures(path: str) -> list[av.VideoFrame]:
    with av.open(path) as container:
        arrays = [frame.to_ndarray(format="yuv420p") for frame in container.decode(video=0)]
    return [av.VideoFrame.from_ndarray(array, format="yuv420p") for array in arrays]


def cpu_seconds() -> float:
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


def main() -> None:
    clip = pictures(sys.argv[1])
    count = int(sys.argv[2])
    encoder = Vp8Encoder()
    encoder.target_bitrate = 1_000_000
    begin, cpu, size = time.monotonic(), cpu_seconds(), 0
    for i in range(count):
        frame = clip[i % len(clip)]
        frame.pts = i * 90000 // FPS
        frame.time_base = fractions.Fraction(1, 90000)
        payloads, _ = encoder.encode(frame)
        size += sum(len(payload) for payload in payloads)
    print("fps", count / (time.monotonic() - begin))
    print("cpu_per_1000", (cpu_seconds() - cpu) / count * 1000)
    print("bytes", size)


main()
