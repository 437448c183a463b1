"""What is sent in these tests, and looking at what came: pictures by their likeness, sound by its tone."""
from __future__ import annotations

import subprocess
import wave
from pathlib import Path

import numpy as np

WIDTH, HEIGHT, RATE, FRAMES = 320, 240, 25, 100
TONE = 1000.0
SECONDS = FRAMES / RATE


def make_film(path: Path) -> Path:
    """Pictures that move and are all different, by FFmpeg."""
    source = f"testsrc2=size={WIDTH}x{HEIGHT}:rate={RATE}:duration={SECONDS}"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", str(path)], check=True,
                   timeout=60, stdin=subprocess.DEVNULL)
    return path


def make_tone(path: Path, frequency: float = TONE, seconds: float = SECONDS) -> Path:
    """A sine in a WAV file, mono, 48 kHz."""
    times = np.arange(int(48_000 * seconds)) / 48_000
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        file.writeframes((12_000 * np.sin(2 * np.pi * frequency * times)).astype("<i2").tobytes())
    return path


def read_luma(path: Path) -> np.ndarray:
    """The brightness of all pictures of a Y4M file of 4:2:0, or of none but brightness."""
    data = path.read_bytes()
    header, _, rest = data.partition(b"\n")
    tags = {word[:1]: word[1:] for word in header.decode().split(" ")[1:]}
    width, height = int(tags["W"]), int(tags["H"])
    assert tags.get("C", "420").startswith("420"), header
    size = width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)
    pictures = []
    while rest:
        marker, _, rest = rest.partition(b"\n")
        assert marker.startswith(b"FRAME"), marker
        if len(rest) < size:
            break  # whoever wrote it was ended
        pictures.append(np.frombuffer(rest[:width * height], np.uint8).reshape(height, width))
        rest = rest[size:]
    return np.array(pictures)


def psnr(first: np.ndarray, second: np.ndarray) -> float:
    error = np.mean((first.astype(np.float32) - second.astype(np.float32)) ** 2)
    return 99.0 if error == 0 else float(10 * np.log10(255 * 255 / error))


def likeness(came: np.ndarray, went: np.ndarray) -> tuple[float, list[int]]:
    """The least PSNR of some of the pictures that came with the ones that they are of, and which those are."""
    picked = [came[index] for index in range(0, len(came), max(1, len(came) // 10))]
    places, least = [], 99.0
    for picture in picked:
        values = [psnr(picture, one) for one in went]
        places.append(int(np.argmax(values)))
        least = min(least, max(values))
    return least, places


def read_wav(path: Path) -> tuple[np.ndarray, int]:
    """The first channel's samples, -1..1, and their rate. A header of a file that was never completed is not believed."""
    data = path.read_bytes()
    place = data.index(b"fmt ")
    kind, channels, rate = (int.from_bytes(data[place + at:place + at + size], "little") for at, size in [(8, 2), (10, 2), (12, 4)])
    bits = int.from_bytes(data[place + 22:place + 24], "little")
    start = data.index(b"data") + 8
    is_float = kind == 3 or bits == 32
    samples = np.frombuffer(data[start:start + (len(data) - start) // (channels * bits // 8) * (channels * bits // 8)], "<f4" if is_float else "<i2")
    return samples[::channels].astype(np.float64) / (1 if is_float else 32_768), rate


def tone(path: Path) -> tuple[float, float]:
    """As tone_of, of a file."""
    return tone_of(*read_wav(path))


def tone_of(samples: np.ndarray, rate: int) -> tuple[float, float]:
    """The frequency that stands out where a recording, -1..1, is loudest, and for how many seconds there is sound at all."""
    block = rate // 100
    blocks = samples[:len(samples) // block * block].reshape(-1, block)
    is_loud = np.sqrt(np.mean(blocks ** 2, axis=1)) > 0.05
    if is_loud.sum() < 50:
        return 0.0, float(is_loud.sum()) / 100
    # A sender that had to wait leaves silence behind.
    start = int(np.argmax(np.convolve(is_loud, np.ones(50), "valid"))) * block
    part = samples[start:start + 50 * block]
    spectrum = np.abs(np.fft.rfft(part * np.hanning(len(part)), 4 * len(part)))
    return float(np.argmax(spectrum) * rate / (4 * len(part))), float(is_loud.sum()) / 100
