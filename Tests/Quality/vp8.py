"""Pictures through a loopback room as VP8, on a virtual clock; and IVF files, by which FFmpeg is the decoder."""
from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from typing import Any, Sequence

import numpy

import reference
from call import Call
from mediasdk import Clock, Codec, EncodedFrame, MediaTimeout, Output, PixelFormat, VideoFormat

Packets = list[tuple[int, bytes]]  # the picture's number, and what it was encoded to


def ivf(packets: Packets, width: int, height: int, fps: int) -> bytes:
    header = struct.pack("<4sHH4sHHIIII", b"DKIF", 0, 32, b"VP80", width, height, fps, 1, len(packets), 0)
    return header + b"".join(struct.pack("<IQ", len(data), number) + data for number, data in packets)


def packets_of(file: bytes) -> Packets:
    place, found = 32, []
    while place < len(file):
        size, number = struct.unpack_from("<IQ", file, place)
        found.append((number, file[place + 12:place + 12 + size]))
        place += 12 + size
    return found


def encoded(pictures: Sequence[Any], width: int, height: int, fps: int, bitrate: int, **options: Any) -> Packets:
    """I420 pictures as a receiver gets them, undecoded."""
    format = VideoFormat(PixelFormat.I420, width, height, fps)
    options = {"target_bitrate": bitrate, "max_bitrate": bitrate, "codec": Codec.VP8, **options}
    with Call(format, clock=Clock.VIRTUAL, start={"output": Output.ENCODED, "queue_capacity": 16}, **options) as call:
        for _ in range(100):
            if call.stream.stats().receivers:
                break
            call.engine.advance_clock(format.frame_duration_ns)
        else:
            raise RuntimeError("the stream has no receiver")
        first, found = call.engine.now(), []
        for picture in pictures:
            call.sender.send_array(picture)
            call.engine.advance_clock(format.frame_duration_ns)
            while True:
                try:
                    with call.incoming.read_encoded(0) as packet:
                        found.append((round((packet.timestamp_ns - first) / format.frame_duration_ns), bytes(packet)))
                except MediaTimeout:
                    break
        return found


def luma(packets: Packets, width: int, height: int, fps: int, count: int) -> Any:
    """What FFmpeg decodes: the luma that is seen at the time of each of `count` pictures, the one before where one was dropped."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "stream.ivf"
        path.write_bytes(ivf(packets, width, height, fps))
        raw = reference.ffmpeg("-i", path, "-vsync", "passthrough", "-pix_fmt", "yuv420p", "-f", "rawvideo", "-")
    shown = numpy.frombuffer(raw, numpy.uint8).reshape(len(packets), -1)[:, :width * height]
    numbers = numpy.array([number for number, _ in packets])
    return shown[numpy.searchsorted(numbers, numpy.arange(count), "right") - 1]
