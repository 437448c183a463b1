"""The rate control of VP8 against vpxenc with the settings that the library gives libvpx (Sources/MediaCodecs/VP8/VP8Settings.swift)."""
from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Iterator

import numpy

from reference import CLIP_FPS, clip, psnr, run
from table import Row
from vp8 import Packets, encoded, luma, packets_of

from mediasdk import Preset

WIDTH, HEIGHT = 640, 360
CPU_USED = {Preset.REALTIME: -8, Preset.BALANCED: -5, Preset.QUALITY: -3}
# Half of the optimal buffer, 0.6 s, in per cent of a frame.
MAX_INTRA = round(0.3 * CLIP_FPS * 100)


def vpxenc(pictures: Any, bitrate: int, preset: Preset) -> Packets:
    with tempfile.TemporaryDirectory() as directory:
        source, target = Path(directory) / "source.yuv", Path(directory) / "target.ivf"
        source.write_bytes(pictures.tobytes())
        run("vpxenc", "--codec=vp8", "--i420", f"--width={WIDTH}", f"--height={HEIGHT}", f"--fps={CLIP_FPS}/1",
            f"--timebase=1/{CLIP_FPS}", "--ivf", "--passes=1", "--rt", f"--cpu-used={CPU_USED[preset]}", "--threads=1", "--token-parts=0",
            "--lag-in-frames=0", "--error-resilient=0", "--end-usage=cbr", f"--target-bitrate={bitrate // 1000}", "--drop-frame=30",
            "--resize-allowed=0", "--min-q=2", "--max-q=56", "--undershoot-pct=100", "--overshoot-pct=15", "--buf-sz=1000",
            "--buf-initial-sz=500", "--buf-optimal-sz=600", "--kf-min-dist=0", "--kf-max-dist=9999", "--static-thresh=1",
            "--noise-sensitivity=0", "--screen-content-mode=0", f"--max-intra-rate={MAX_INTRA}", "--disable-warning-prompt",
            f"--output={target}", source)
        return packets_of(target.read_bytes())


def kilobits(packets: Packets, count: int) -> float:
    return sum(len(data) for _, data in packets) * 8 * CLIP_FPS / count / 1000


def rows(quick: bool) -> Iterator[Row]:
    # There and back, so that there is no cut but those of the clip.
    forwards = clip(WIDTH, HEIGHT)
    pictures = forwards if quick else numpy.concatenate([forwards, forwards[::-1]])
    wanted = pictures[:, :WIDTH * HEIGHT]
    some = [(800_000, Preset.REALTIME)]
    # At 100 kbit/s frames are dropped.
    more = [(100_000, Preset.REALTIME), (300_000, Preset.REALTIME), (1_500_000, Preset.REALTIME), (800_000, Preset.QUALITY)]
    for bitrate, preset in some if quick else some + more:
        name = f"{bitrate // 1000} kbit/s, {preset.name.lower()}"
        ours = encoded(pictures, WIDTH, HEIGHT, CLIP_FPS, bitrate, preset=preset, key_frame_interval_ms=600_000)
        theirs = vpxenc(pictures, bitrate, preset)
        rates = kilobits(ours, len(pictures)), kilobits(theirs, len(pictures))
        quality = [psnr(luma(packets, WIDTH, HEIGHT, CLIP_FPS, len(pictures)), wanted) for packets in (ours, theirs)]
        yield Row(f"{name}: luma PSNR, above vpxenc's", quality[0] - quality[1], "dB", at_least=-0.2,
                  note=f"{quality[0]:.2f} and {quality[1]:.2f}")
        yield Row(f"{name}: rate, from vpxenc's", 100 * (rates[0] / rates[1] - 1), "%", at_least=-6, at_most=6,
                  note=f"{rates[0]:.0f} and {rates[1]:.0f} kbit/s, {len(ours)} and {len(theirs)} of {len(pictures)} frames")
