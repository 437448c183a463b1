"""A page of text, shared as a screen over slow network paths, and over links that lose: how soon it can be read, and how sharp it becomes.

At 22 dB text of 12 pixels can be read, with smears around it; from 35 on they are gone. Of the dense page, whose key frame takes 260 kB at the
coarsest quantizer for text, nothing can be read at 12.4 dB; at 18 strokes of a pixel are separate.
"""
from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import numpy

from ends import BAD_PATHS, Ends, loopback, side_by_side, why_no_link
from reference import SPEECH, ffmpeg, psnr
from table import Row

from call import plugin_dir
from mediasdk import (Codec, EventType, IncomingVideo, IncomingVideoAdded, Limits, MediaTimeout, NetworkStep, PixelFormat, VideoFormat,
                      VideoKind)

WIDTH, HEIGHT = 1280, 720
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
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


def dense(number: int) -> bytes:
    """A page of small letters, each of strokes a pixel wide and of a colour of its own."""
    random = numpy.random.default_rng(number)
    down, across = HEIGHT // 18, WIDTH // 8
    luma = numpy.full((HEIGHT, WIDTH), 250, numpy.uint8)
    cells = luma[:down * 18].reshape(down, 18, across, 8)
    inked = random.integers(0, 6, (down, across)) > 0
    for row in range(1, 11):
        for _ in range(2):
            strokes = random.integers(0, 8, (down, across))
            for x in range(6):
                cells[:, row, :, x + 1][inked & (strokes == x)] = 20
    colours = random.integers(0, 256, (2, down, across), dtype=numpy.uint8)
    return luma.tobytes() + numpy.repeat(numpy.repeat(colours, 9, 1), 4, 2).tobytes()


class Share:
    """A page that is shared, and what is seen of it."""

    def __init__(self, ends: Ends, codec: Codec = Codec.VP8) -> None:
        self.ends = ends
        self.shown: Optional[Any] = None
        self.widths: list[int] = []
        if codec == Codec.AV1:
            ends.sending.load_plugin(plugin_dir() / "av1.so")
        self.stream = ends.sending.create_outgoing_video(VideoFormat(PixelFormat.I420, WIDTH, HEIGHT, 30), codec=codec,
                                                         kind=VideoKind.SCREEN_SHARE, limits=Limits.CONFERENCE)
        ends.alice.start_video(self.stream)
        self.sender = ends.event(ends.alice, EventType.FRAME_SENDER_CHANGED).sender
        self.incoming: Optional[IncomingVideo] = None

    def show(self, page: bytes) -> None:
        self.sender.send_array(page)

    def go(self, seconds: float) -> None:
        end = self.ends.now() + round(seconds * 1e9)
        while self.ends.now() < end:
            self.ends.wait(TICK)
            try:
                event = None if self.incoming is not None else self.ends.bob.next_event(0)
                if isinstance(event, IncomingVideoAdded):
                    self.incoming = event.incoming_video
                    self.incoming.start()
            except MediaTimeout:
                pass
            for frame in self.incoming.frames(timeout=0) if self.incoming is not None else ():
                with frame:
                    self.widths.append(frame.width)
                    self.shown = frame.to_numpy()[0].copy()

    def quality(self, wanted: bytes, rows: int = HEIGHT) -> float:
        """Of luma, of so many rows from the top on; 0 while nothing is seen."""
        if self.shown is None or self.shown.shape != (HEIGHT, WIDTH):
            return 0.0
        return psnr(self.shown[:rows], numpy.frombuffer(wanted, numpy.uint8)[:WIDTH * HEIGHT].reshape(HEIGHT, WIDTH)[:rows])


def scripted(bandwidth: int) -> Any:
    return loopback(steps=(NetworkStep(bandwidth_bps=bandwidth, delay_ns=30_000_000),), virtual=True)


def shared(name: str, path: Callable[[], Any], pages: list[bytes], soon: float, sharp: float) -> Iterator[Row]:
    with path() as ends:
        share = Share(ends)
        for number, wanted in enumerate(pages, 1):
            share.show(wanted)
            share.go(3)
            yield Row(f"{name}, page {number}: PSNR after 3 s", share.quality(wanted), "dB", at_least=soon)
            share.go(7)
            yield Row(f"{name}, page {number}: PSNR after 10 s", share.quality(wanted), "dB", at_least=sharp)
        yield Row(f"{name}: narrowest frame", min(share.widths, default=0), "pixels", at_least=WIDTH)


def dense_pages(bandwidth: int, codec: Codec, soon: float, soon_rows: int, later: float, sharp: float) -> Iterator[Row]:
    """`soon` after 3 s, of the uppermost `soon_rows`; `later` after 5 s and `sharp` after 10, of all."""
    name = f"dense page, {codec.name} at {bandwidth // 1000} kbit/s"
    with scripted(bandwidth) as ends:
        share = Share(ends, codec)
        for number in range(1, 3):
            wanted = dense(number)
            share.show(wanted)
            share.go(3)
            part = "" if soon_rows == HEIGHT else f" of the uppermost {soon_rows} rows"
            yield Row(f"{name}, page {number}: PSNR{part} after 3 s", share.quality(wanted, soon_rows), "dB", at_least=soon,
                      note=f"{share.quality(wanted):.1f} of all")
            share.go(2)
            yield Row(f"{name}, page {number}: PSNR after 5 s", share.quality(wanted), "dB", at_least=later)
            share.go(5)
            yield Row(f"{name}, page {number}: PSNR after 10 s", share.quality(wanted), "dB", at_least=sharp)
        yield Row(f"{name}: key frames", share.stream.stats().key_frames_encoded, "of 2", at_most=2)
        yield Row(f"{name}: narrowest frame", min(share.widths, default=0), "pixels", at_least=WIDTH)


def rows(quick: bool) -> Iterator[Row]:
    path = partial(scripted, 1_000_000)
    black = [page(number, 18, 1) for number in range(1 if quick else 3)]
    yield from shared("black text of 18 pixels", path, black, 28, 38)
    if quick:
        return
    yield from shared("text in six colours, of 12 pixels", path, [page(number, 12, 6) for number in range(2)], 22, 34)
    yield from dense_pages(150_000, Codec.VP8, 17.5, 128, 14, 18)
    yield from dense_pages(500_000, Codec.VP8, 18, HEIGHT, 20, 30)
    yield from dense_pages(1_000_000, Codec.VP8, 23, HEIGHT, 30, 35)
    yield from dense_pages(500_000, Codec.AV1, 18, HEIGHT, 20, 30)
    if why_no_link():
        print(f"     without network namespaces: {why_no_link()}")
        return

    def over(link: str) -> list[Row]:
        return list(shared(f"{link}, black text of 18 pixels", BAD_PATHS[link], black[:1], 28, 38))

    yield from side_by_side([partial(over, link) for link in BAD_PATHS if "back" not in link])
