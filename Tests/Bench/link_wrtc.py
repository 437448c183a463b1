"""One end of libwebrtc (the wheel wrtc) at a bad link, as it is: it finds out what the link carries, up to 1 Mbit/s, and keeps the size.

    link_wrtc.py send|receive FILE CLIP FRAMES

Offer and answer go over files beside FILE, which is that of C/network/link_meter.h.
"""

from __future__ import annotations

import asyncio
import math
import mmap
import os
import struct
import sys
import time

import av
import numpy
import webrtc

FPS, WIDTH, HEIGHT, SQUARE, BITS, DARK, BRIGHT, RATE = 30, 640, 480, 16, 16, 40, 216, 1_000_000


class Pictures:
    """The middle of the clip's pictures, and the file that is shared."""

    def __init__(self, path: str, clip: str, count: int) -> None:
        with av.open(clip) as container:
            arrays = [frame.to_ndarray(format="yuv420p") for frame in container.decode(video=0)]
        self.pictures = [self._cut(array) for array in arrays]
        self.count = count
        with open(path, "r+b") as file:
            self.shared = mmap.mmap(file.fileno(), count * 24)

    @staticmethod
    def _cut(array: numpy.ndarray) -> numpy.ndarray:
        height, width = array.shape[0] * 2 // 3, array.shape[1]
        top, left = (height - HEIGHT) // 4 * 2, (width - WIDTH) // 4 * 2
        luma = array[top : top + HEIGHT, left : left + WIDTH].reshape(-1)
        chroma = [
            array[start : start + height // 4].reshape(height // 2, width // 2)[top // 2 : (top + HEIGHT) // 2, left // 2 : (left + WIDTH) // 2]
            for start in (height, height + height // 4)
        ]
        return numpy.concatenate([luma, *(plane.reshape(-1) for plane in chroma)])

    def painted(self, number: int) -> numpy.ndarray:
        picture = self.pictures[number % len(self.pictures)]
        luma = picture[: WIDTH * HEIGHT].reshape(HEIGHT, WIDTH)
        for bit in range(BITS):
            luma[:SQUARE, bit * SQUARE : (bit + 1) * SQUARE] = BRIGHT if number >> bit & 1 else DARK
        return picture

    def sent(self, number: int) -> None:
        struct.pack_into("q", self.shared, number * 24, time.monotonic_ns())

    def came(self, luma: numpy.ndarray) -> None:
        now = time.monotonic_ns()
        row = luma[SQUARE // 2]
        number = sum(int(row[bit * SQUARE + SQUARE // 2] > 128) << bit for bit in range(BITS))
        if number >= self.count or struct.unpack_from("qq", self.shared, number * 24)[0] == 0:
            return
        sent = self.pictures[number % len(self.pictures)][: WIDTH * HEIGHT].reshape(HEIGHT, WIDTH)[SQUARE:]
        error = float(numpy.mean((sent.astype(numpy.int16) - luma[SQUARE:]).astype(numpy.float32) ** 2))
        struct.pack_into("d", self.shared, number * 24 + 16, 10 * math.log10(255 * 255 / error) if error else 100.0)
        struct.pack_into("q", self.shared, number * 24 + 8, now)


def give(path: str, text: str) -> None:
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(path + ".new", path)


async def get(path: str) -> str:
    while not os.path.exists(path):
        await asyncio.sleep(0.02)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    os.unlink(path)
    return text


async def gathered(connection: webrtc.RTCPeerConnection) -> str:
    while connection.ice_gathering_state != "complete":
        await asyncio.sleep(0.02)
    return str(connection.local_description.sdp)


async def send(path: str, pictures: Pictures) -> None:
    connection, generator = webrtc.RTCPeerConnection(), webrtc.VideoTrackGenerator()
    sender = connection.add_track(generator.track)
    await connection.set_local_description(await connection.create_offer())
    give(path + ".offer", await gathered(connection))
    await connection.set_remote_description(webrtc.RTCSessionDescriptionInit(type="answer", sdp=await get(path + ".answer")))
    parameters = sender.get_parameters()
    parameters.degradation_preference = "maintain-resolution"
    parameters.encodings[0].max_bitrate = RATE
    await sender.set_parameters(parameters)
    while connection.connection_state != "connected":
        await asyncio.sleep(0.02)
    writer, begin = generator.writable.get_writer(), time.monotonic()
    for number in range(pictures.count):
        await asyncio.sleep(max(0.0, begin + number / FPS - time.monotonic()))
        picture = pictures.painted(number)
        init = webrtc.VideoFrameBufferInit(format="I420", coded_width=WIDTH, coded_height=HEIGHT, timestamp=number * 1_000_000 // FPS)
        pictures.sent(number)
        await writer.write(webrtc.VideoFrame(picture, init))
    await asyncio.sleep(0.5)
    connection.close()


async def receive(path: str, pictures: Pictures) -> None:
    connection, tasks = webrtc.RTCPeerConnection(), []

    async def take(track: webrtc.MediaStreamTrack) -> None:
        processor = webrtc.MediaStreamTrackProcessor(webrtc.MediaStreamTrackProcessorInit(track, max_buffer_size=8))
        memory = bytearray(WIDTH * HEIGHT * 3 // 2)
        async for frame in processor.readable:
            if (frame.coded_width, frame.coded_height) == (WIDTH, HEIGHT):
                await frame.copy_to(memory)
                pictures.came(numpy.frombuffer(memory, numpy.uint8)[: WIDTH * HEIGHT].reshape(HEIGHT, WIDTH))
            frame.close()

    connection.on("track", lambda event: tasks.append(asyncio.ensure_future(take(event.track))))
    await connection.set_remote_description(webrtc.RTCSessionDescriptionInit(type="offer", sdp=await get(path + ".offer")))
    await connection.set_local_description(await connection.create_answer())
    give(path + ".answer", await gathered(connection))
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read)
    for task in tasks:
        task.cancel()
    connection.close()


def main() -> None:
    what, path, clip, count = sys.argv[1:]
    asyncio.run((send if what == "send" else receive)(path, Pictures(path, clip, int(count))))
    os._exit(0)  # its threads do not end by themselves


main()
