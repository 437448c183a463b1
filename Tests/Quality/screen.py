"""A page of text, shared as a screen over a network path of 1 Mbit/s: how soon it can be read, and how sharp it becomes.

At 22 dB text of 12 pixels can be read, with smears around it; from 35 on they are gone.
"""
from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Iterator, Optional

import numpy

from reference import SPEECH, ffmpeg, psnr
from table import Row

from call import Call
from mediasdk import Clock, Codec, Limits, NetworkStep, PixelFormat, VideoFormat, VideoKind, script_network

WIDTH, HEIGHT = 1280, 720
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
PATH = NetworkStep(bandwidth_bps=1_000_000, delay_ns=30_000_000)
COLOURS = ("black", "darkblue", "darkred", "darkgreen", "purple", "teal")
TICK = 20_000_000


def page(number: int, size: int, colours: int) -> bytes:
    """A page full of text in I420, its lines in so many colours in turn."""
    line = size * 5 // 4
    words = (SPEECH.replace("?", ".") + " ") * 40
    across = WIDTH * 5 // (3 * size)
    with tempfile.TemporaryDirectory() as directory:
        drawn = []
        for row in range(HEIGHT // line):
            path = Path(directory) / f"{row}.txt"
            path.write_text(words[(97 * number + 41 * row) % 500:][:across])
            drawn.append(f"drawtext=fontfile={FONT}:textfile={path}:fontsize={size}:x=8:y={row * line}:fontcolor={COLOURS[row % colours]}")
        return ffmpeg("-f", "lavfi", "-i", f"color=white:size={WIDTH}x{HEIGHT}:rate=1,format=rgb24", "-frames:v", 1, "-vf",
                      ",".join(drawn) + ",scale=flags=area+accurate_rnd+full_chroma_int+bitexact", "-pix_fmt", "yuv420p",
                      "-f", "rawvideo", "-")


class Share:
    """A page that is shared, and what is seen of it."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.shown: Optional[Any] = None
        self.widths: list[int] = []

    def go(self, seconds: float) -> None:
        for _ in range(round(seconds * 1e9 / TICK)):
            self.call.engine.advance_clock(TICK)
            for frame in self.call.incoming.frames(timeout=0):
                with frame:
                    self.widths.append(frame.width)
                    self.shown = frame.to_numpy()[0].copy()

    def quality(self, wanted: bytes) -> float:
        """Of luma; 0 while nothing is seen."""
        if self.shown is None or self.shown.shape != (HEIGHT, WIDTH):
            return 0.0
        return psnr(self.shown, numpy.frombuffer(wanted, numpy.uint8)[:WIDTH * HEIGHT].reshape(HEIGHT, WIDTH))


def shared(name: str, pages: list[bytes], soon: float, sharp: float) -> Iterator[Row]:
    format = VideoFormat(PixelFormat.I420, WIDTH, HEIGHT, 30)
    with Call(format, clock=Clock.VIRTUAL, codec=Codec.VP8, kind=VideoKind.SCREEN_SHARE, limits=Limits.CONFERENCE) as call:
        script_network(call.engine, call.url, [PATH], seed=14)
        share = Share(call)
        for number, wanted in enumerate(pages, 1):
            call.sender.send_array(wanted)
            share.go(3)
            yield Row(f"{name}, page {number}: PSNR after 3 s", share.quality(wanted), "dB", at_least=soon)
            share.go(7)
            yield Row(f"{name}, page {number}: PSNR after 10 s", share.quality(wanted), "dB", at_least=sharp)
        yield Row(f"{name}: narrowest frame", min(share.widths, default=0), "pixels", at_least=WIDTH)


def rows(quick: bool) -> Iterator[Row]:
    yield from shared("black text of 18 pixels", [page(number, 18, 1) for number in range(1 if quick else 3)], 28, 38)
    if not quick:
        yield from shared("text in six colours, of 12 pixels", [page(number, 12, 6) for number in range(2)], 22, 34)
