"""The same pictures through libwebrtc (the wheel wrtc), two peer connections in one process, up to 1 Mbit/s:
rtp_wrtc.py CLIP FRAMES. A picture's number is painted into it, as in C/network/rtp_meter.c.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time

import av
import numpy
import webrtc

FPS, WARM_UP, SETTLE, SQUARE, BITS, DARK, BRIGHT, RATE = 30, 90, 0.3, 16, 16, 40, 216, 1_000_000


async def connect(here: webrtc.RTCPeerConnection, there: webrtc.RTCPeerConnection) -> None:
    await here.set_local_description(await here.create_offer())
    while here.ice_gathering_state != "complete":
        await asyncio.sleep(0.01)
    await there.set_remote_description(webrtc.RTCSessionDescriptionInit(type="offer", sdp=here.local_description.sdp))
    await there.set_local_description(await there.create_answer())
    while there.ice_gathering_state != "complete":
        await asyncio.sleep(0.01)
    await here.set_remote_description(webrtc.RTCSessionDescriptionInit(type="answer", sdp=there.local_description.sdp))


async def call(path: str, count: int) -> None:
    with av.open(path) as container:
        pictures = [frame.to_ndarray(format="yuv420p") for frame in container.decode(video=0)]
    height, width = pictures[0].shape[0] * 2 // 3, pictures[0].shape[1]
    flat = [picture.reshape(-1) for picture in pictures]
    here, there, generator = webrtc.RTCPeerConnection(), webrtc.RTCPeerConnection(), webrtc.VideoTrackGenerator()
    at, taken, tasks = [0.0] * (count + WARM_UP), {}, []

    async def take(track: webrtc.MediaStreamTrack) -> None:
        processor = webrtc.MediaStreamTrackProcessor(webrtc.MediaStreamTrackProcessorInit(track, max_buffer_size=8))
        memory = bytearray(width * height * 3 // 2)
        async for frame in processor.readable:
            now = time.monotonic()
            if (frame.coded_width, frame.coded_height) == (width, height):
                await frame.copy_to(memory)
                row = numpy.frombuffer(memory, numpy.uint8, width, SQUARE // 2 * width)
                number = sum(int(row[bit * SQUARE + SQUARE // 2] > 128) << bit for bit in range(BITS))
                if number < len(at) and at[number]:
                    taken.setdefault(number, now - at[number])
            frame.close()

    there.on("track", lambda event: tasks.append(asyncio.ensure_future(take(event.track))))
    sender = here.add_track(generator.track)
    await connect(here, there)
    parameters = sender.get_parameters()
    parameters.degradation_preference = "maintain-resolution"
    parameters.encodings[0].max_bitrate = RATE
    await sender.set_parameters(parameters)
    while here.connection_state != "connected":
        await asyncio.sleep(0.01)
    writer, begin, cpu = generator.writable.get_writer(), time.monotonic() + 1 / FPS, 0.0
    for number in range(len(at)):
        await asyncio.sleep(max(0.0, begin + number / FPS - time.monotonic()))
        if number == WARM_UP:
            cpu = time.process_time()
        picture = flat[number % len(flat)]
        luma = picture[: width * height].reshape(height, width)
        for bit in range(BITS):
            luma[:SQUARE, bit * SQUARE : (bit + 1) * SQUARE] = BRIGHT if number >> bit & 1 else DARK
        init = webrtc.VideoFrameBufferInit(format="I420", coded_width=width, coded_height=height, timestamp=number * 1_000_000 // FPS)
        at[number] = time.monotonic()
        await writer.write(webrtc.VideoFrame(picture, init))
    await asyncio.sleep(SETTLE)
    cpu = time.process_time() - cpu
    latencies = sorted(taken[number] for number in taken if number >= WARM_UP)
    print("latency_p50_us", latencies[len(latencies) // 2] * 1e6)
    print("latency_p99_us", latencies[len(latencies) * 99 // 100] * 1e6)
    print("cpu_percent", cpu / count * FPS * 100)
    print("delivered_percent", len(latencies) / count * 100)
    sys.stdout.flush()
    os._exit(0)  # its threads do not end by themselves


asyncio.run(call(sys.argv[1], int(sys.argv[2])))
