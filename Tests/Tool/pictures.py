"""Reading back the files that the tool's renderers wrote."""
from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import NamedTuple


class Png(NamedTuple):
    """A PNG whose check sums and size were found right."""
    width: int
    height: int
    channels: int
    rows: bytes  # filtered, each after the number of its filter


def read_png(path: Path) -> Png:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    chunks: dict[bytes, bytes] = {}
    offset = 8
    while offset < len(data):
        size, kind = struct.unpack_from(">I4s", data, offset)
        body = data[offset + 8:offset + 8 + size]
        (check,) = struct.unpack_from(">I", data, offset + 8 + size)
        assert check == zlib.crc32(kind + body), kind
        chunks[kind] = chunks.get(kind, b"") + body
        offset += size + 12
    assert b"IEND" in chunks
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert depth == 8, depth
    channels = {0: 1, 2: 3, 6: 4}[colour]
    rows = zlib.decompress(chunks[b"IDAT"])
    assert len(rows) == height * (1 + width * channels), len(rows)
    return Png(width, height, channels, rows)


class Y4m(NamedTuple):
    """A YUV4MPEG2 file that ends with a whole frame."""
    width: int
    height: int
    colour: str
    rate: str
    frames: list[bytes]


def read_y4m(path: Path) -> Y4m:
    data = path.read_bytes()
    header, _, rest = data.partition(b"\n")
    words = header.decode().split(" ")
    assert words[0] == "YUV4MPEG2", words
    tags = {word[0]: word[1:] for word in words[1:]}
    width, height = int(tags["W"]), int(tags["H"])
    chroma = 0 if tags["C"].startswith("mono") else 2 * ((width + 1) // 2) * ((height + 1) // 2)
    size = width * height + chroma
    frames = []
    while rest:
        marker, _, rest = rest.partition(b"\n")
        assert marker.startswith(b"FRAME"), marker
        assert len(rest) >= size, len(rest)
        frames.append(rest[:size])
        rest = rest[size:]
    return Y4m(width, height, tags["C"], tags["F"], frames)


class Ivf(NamedTuple):
    """An IVF file that ends with a whole frame."""
    width: int
    height: int
    header: bytes
    frames: list[bytes]  # each with its own header


def read_ivf(path: Path) -> Ivf:
    data = path.read_bytes()
    signature, _, size, codec, width, height = struct.unpack_from("<4sHH4sHH", data)
    assert (signature, codec) == (b"DKIF", b"VP80"), (signature, codec)
    frames = []
    offset = size
    while offset < len(data):
        end = offset + 12 + struct.unpack_from("<I", data, offset)[0]
        assert end <= len(data), end
        frames.append(data[offset:end])
        offset = end
    return Ivf(width, height, data[:size], frames)
