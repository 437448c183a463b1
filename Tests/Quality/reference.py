"""What the parts share: FFmpeg as the reference, the clip of Tests/Media, and the way to the tests' own calls."""
from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "Python"))

CLIP, CLIP_FPS = TESTS / "Media" / "bunny-720p25.ivf", 25
SPEECH = "The quick brown fox jumps over the lazy dog. She sells sea shells by the sea shore. How much wood would a woodchuck chuck?"


def run(*command: object, given: bytes = b"") -> bytes:
    """What a program writes to its standard output."""
    done = subprocess.run([str(word) for word in command], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout


def ffmpeg(*arguments: object, given: bytes = b"") -> bytes:
    """FFmpeg with its bit-exact code, so that every processor gives the same reference."""
    return run("ffmpeg", "-v", "error", "-nostdin" if not given else "-hide_banner", "-flags", "bitexact", *arguments, given=given)


@lru_cache(maxsize=4)
def clip(width: int, height: int, pixels: str = "yuv420p", frames: int = 132) -> Any:
    """The first frames of the clip, one row of bytes each."""
    raw = ffmpeg("-i", CLIP, "-frames:v", frames, "-vf", f"scale={width}:{height}:flags=bicubic+accurate_rnd+full_chroma_int+bitexact",
                 "-pix_fmt", pixels, "-f", "rawvideo", "-")
    return numpy.frombuffer(raw, numpy.uint8).reshape(frames, -1)


def psnr(ours: Any, reference: Any) -> float:
    """Of 8-bit levels, in dB; row by row, since a film as floating point is large."""
    if ours.shape != reference.shape:
        raise ValueError(f"{ours.shape} is compared with {reference.shape}")
    error = numpy.mean([numpy.mean((one.astype(float) - other) ** 2) for one, other in zip(ours, reference)])
    return float(10 * numpy.log10(255 ** 2 / error)) if error else float("inf")
