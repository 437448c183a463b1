"""Opus as the library encodes and decodes it, against libopus through FFmpeg with the same settings: speech, and something like music."""
from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterator

import numpy

from reference import SPEECH, ffmpeg, run
from table import Row
from tones import RATE, heard

from mediasdk import Codec, OpusApplication

COMPLEXITY, FRAME_MS = 9, 20
APPLICATIONS = {OpusApplication.VOIP: "voip", OpusApplication.AUDIO: "audio"}
# Of a spectrum: 43 ms, the next one 21 ms later.
WINDOW, STEP = 2048, 1024


@lru_cache(maxsize=1)
def speech() -> Any:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "speech.wav"
        run("espeak-ng", "-v", "en", "-w", path, SPEECH)
        return numpy.frombuffer(ffmpeg("-i", path, "-ar", RATE, "-ac", 1, "-f", "f32le", "-"), numpy.float32)


@lru_cache(maxsize=1)
def music() -> Any:
    """Plucked chords of eight harmonics over a little noise, ten seconds."""
    random = numpy.random.default_rng(14)
    sound = 0.002 * random.standard_normal(10 * RATE)
    for beat in range(40):
        time = numpy.arange(RATE) / RATE
        first = beat * RATE // 4
        for step in random.choice([0, 3, 7, 10, 12, 15, 19], 3, replace=False):
            for harmonic in range(1, 9):
                note = numpy.sin(2 * numpy.pi * 196 * 2 ** (step / 12) * harmonic * time + random.uniform(0, 6)) / harmonic
                note *= 0.05 * numpy.exp(-time * (2 + harmonic)) * numpy.minimum(1, time / 0.003)
                sound[first:first + RATE] += note[:len(sound) - first]
    return sound.astype(numpy.float32)


def theirs(sound: Any, bitrate: int, application: OpusApplication) -> tuple[Any, float]:
    """What libopus makes of it, and the bits a second of its packets."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "sound.ogg"
        ffmpeg("-f", "f32le", "-ar", RATE, "-ac", 1, "-i", "-", "-c:a", "libopus", "-sample_fmt", "flt", "-b:a", bitrate, "-vbr",
               "constrained", "-compression_level", COMPLEXITY, "-frame_duration", FRAME_MS, "-application", APPLICATIONS[application],
               path, given=sound.tobytes())
        packets = ffmpeg("-i", path, "-map", "0:a", "-c:a", "copy", "-f", "data", "-")
        decoded = ffmpeg("-c:a", "libopus", "-i", path, "-f", "f32le", "-")
    return numpy.frombuffer(decoded, numpy.float32), len(packets) * 8 * RATE / len(sound)


def aligned(sound: Any, sent: Any) -> Any:
    """What was heard from where it fits what was sent best, up to 100 ms early or late, and as long."""
    most = RATE // 10
    size = 1 << (len(sent) + len(sound)).bit_length()
    likeness = numpy.fft.irfft(numpy.fft.rfft(sound, size) * numpy.conj(numpy.fft.rfft(sent, size)), size)
    late = int(numpy.roll(likeness, most)[:2 * most].argmax())
    return numpy.concatenate([numpy.zeros(most), sound, numpy.zeros(len(sent))])[late:late + len(sent)]


def pieces(sound: Any) -> Any:
    return numpy.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::STEP]


def audible(sent: Any) -> Any:
    """Which pieces are within 40 dB of the loudest."""
    powers = numpy.mean(pieces(sent).astype(float) ** 2, -1)
    return powers > powers.max() * 1e-4


def segmental_snr(found: Any, sent: Any) -> float:
    chosen = audible(sent)
    signal, noise = (numpy.mean(pieces(one)[chosen] ** 2, -1) for one in (sent.astype(float), sent - found))
    return float(numpy.mean(numpy.clip(10 * numpy.log10(signal / numpy.maximum(noise, 1e-12)), -10, 60)))


def spectral_distance(found: Any, sent: Any) -> float:
    """How far the power in bands a third of an octave wide, up to 12 kHz, is from what was sent, in dB; what is 60 dB below the loudest
    counts as so loud."""
    edges = numpy.unique(numpy.rint(100 * 2 ** (numpy.arange(22) / 3) * WINDOW / RATE).astype(int))
    powers = [numpy.abs(numpy.fft.rfft(pieces(one)[audible(sent)] * numpy.hanning(WINDOW))) ** 2 for one in (found, sent)]
    ours, wanted = (numpy.add.reduceat(power[:, :edges[-1]], edges[:-1], 1) for power in powers)
    floor = wanted.max() * 1e-6
    return float(numpy.sqrt(numpy.mean((10 * numpy.log10((ours + floor) / (wanted + floor))) ** 2)))


def rows(quick: bool) -> Iterator[Row]:
    for name, sound, application in (("speech", speech(), OpusApplication.VOIP), ("music", music(), OpusApplication.AUDIO)):
        for bitrate in (32_000,) if quick else (16_000, 24_000, 32_000, 64_000):
            options = {"application": application, "bitrate": bitrate, "complexity": COMPLEXITY, "packet_ms": FRAME_MS}
            sent_bytes: list[int] = []
            ours = aligned(heard([sound], codec=Codec.OPUS, options=options, sizes=sent_bytes), sound)
            others, their_rate = theirs(sound, bitrate, application)
            others = aligned(others, sound)
            rate = sum(sent_bytes) * 8 * RATE / len(sound)
            distances = spectral_distance(ours, sound), spectral_distance(others, sound)
            ratios = segmental_snr(ours, sound), segmental_snr(others, sound)
            what = f"{name}, {bitrate // 1000} kbit/s"
            yield Row(f"{what}: spectral distance, above libopus's", distances[0] - distances[1], "dB", at_most=0.05,
                      note=f"{distances[0]:.2f} and {distances[1]:.2f}")
            yield Row(f"{what}: segmental SNR, above libopus's", ratios[0] - ratios[1], "dB", at_least=-0.1,
                      note=f"{ratios[0]:.2f} and {ratios[1]:.2f}")
            yield Row(f"{what}: rate, from libopus's", 100 * (rate / their_rate - 1), "%", at_least=-2, at_most=2,
                      note=f"{rate / 1000:.1f} and {their_rate / 1000:.1f} kbit/s")
