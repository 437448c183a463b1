"""The same pictures through aiortc, two peer connections in one process, at aiortc's own settings and 1 Mbit/s:
rtp_aiortc.py CLIP FRAMES. A picture's number is painted into it, as in C/network/rtp_meter.c.
"""

from __future__ import annotations

import asyncio
import fractions
import sys
import time

import av
import numpy
from aiortc import MediaStreamTrack, RTCPeerConnection
from aiortc.codecs import vpx

FPS, WARM_UP, SETTLE = 30, 90, 0.3
SQUARE, BITS, DARK, BRIGHT = 16, 16, 40, 216
vpx.DEFAULT_BITRATE = vpx.MIN_BITRATE = vpx.MAX_BITRATE = 1_000_000


def luma(frame: av.VideoFrame) -> numpy.ndarray:
    plane = frame.planes[0]
    return numpy.frombuffer(plane, numpy.uint8).reshape(-1, plane.line_size)


class Paced(MediaStreamTrack):
    """Gives the clip's pictures in turn. They are made once: to copy one is not charged."""

    kind = "video"

    def __init__(self, path: str, count: int) -> None:
        super().__init__()
        with av.open(path) as container:
            arrays = [frame.to_ndarray(format="yuv420p") for frame in container.decode(video=0)]
        self.pictures = [av.VideoFrame.from_ndarray(array, format="yuv420p") for array in arrays]
        self.at = [0.0] * count
        self.cpu = 0.0
        self.next = 0
        self.over = asyncio.Event()
        self.begin: float | None = None

    async def recv(self) -> av.VideoFrame:
        number = self.next
        self.next += 1
        if number == len(self.at):
            self.over.set()
            await asyncio.sleep(3600)
        self.begin = self.begin or time.monotonic() + 1 / FPS
        await asyncio.sleep(max(0, self.begin + number / FPS - time.monotonic()))
        if number == WARM_UP:
            self.cpu = time.process_time()
        frame = self.pictures[number % len(self.pictures)]
        frame.pict_type = av.video.frame.PictureType.NONE  # it may have been a key frame the last time
        frame.pts, frame.time_base = number * 90000 // FPS, fractions.Fraction(1, 90000)
        for bit in range(BITS):
            luma(frame)[:SQUARE, bit * SQUARE : (bit + 1) * SQUARE] = BRIGHT if number >> bit & 1 else DARK
        self.at[number] = time.monotonic()
        return frame


async def take(track: MediaStreamTrack, paced: Paced, taken: dict[int, float]) -> None:
    while True:
        frame = await track.recv()
        now = time.monotonic()
        row = luma(frame)[SQUARE // 2]
        number = sum(int(row[bit * SQUARE + SQUARE // 2] > 128) << bit for bit in range(BITS))
        taken[number] = now - paced.at[number]


async def call(path: str, count: int) -> None:
    here, there = RTCPeerConnection(), RTCPeerConnection()
    paced, taken, readers = Paced(path, count + WARM_UP), {}, []
    there.on("track", lambda track: readers.append(asyncio.ensure_future(take(track, paced, taken))))
    here.addTrack(paced)
    await here.setLocalDescription(await here.createOffer())
    await there.setRemoteDescription(here.localDescription)
    await there.setLocalDescription(await there.createAnswer())
    await here.setRemoteDescription(there.localDescription)
    await paced.over.wait()
    await asyncio.sleep(SETTLE)
    cpu = time.process_time() - paced.cpu
    latencies = sorted(taken[number] for number in taken if number >= WARM_UP)
    print("latency_p50_us", latencies[len(latencies) // 2] * 1e6)
    print("latency_p99_us", latencies[len(latencies) * 99 // 100] * 1e6)
    print("cpu_percent", cpu / count * FPS * 100)
    print("delivered_percent", len(latencies) / count * 100)
    for reader in readers:
        reader.cancel()
    await here.close()
    await there.close()


asyncio.run(call(sys.argv[1], int(sys.argv[2])))
