"""Sound and picture of what the demo records: a clip that flashes and beeps at the same times, sent as VP8 and Opus, taken apart again
by ffmpeg."""
from __future__ import annotations

import array
import math
import subprocess
import sys
import tempfile
import unittest
import wave
from pathlib import Path

from call import plugin_dir

ROOT = Path(__file__).resolve().parents[3]
WIDTH, HEIGHT, RATE, FRAMES = 320, 180, 25, 125
FLASHES = (25, 60, 95)


def write_picture(path: Path) -> None:
    with path.open("wb") as file:
        file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1 Ip A1:1 C420\n".encode())
        for number in range(FRAMES):
            luma = 235 if number in FLASHES else 16
            file.write(b"FRAME\n" + bytes([luma]) * (WIDTH * HEIGHT) + b"\x80" * (WIDTH * HEIGHT // 2))


def write_sound(path: Path) -> None:
    samples = array.array("h", bytes(2 * 48000 * FRAMES // RATE))
    for number in FLASHES:
        start = number * 48000 // RATE
        for index in range(1920):
            samples[start + index] = int(16000 * math.sin(2 * math.pi * 1000 * index / 48000))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48000)
        file.writeframes(samples.tobytes())


def run(*command: str) -> bytes:
    return subprocess.run(command, check=True, capture_output=True, timeout=60).stdout


def flashes(path: Path) -> list[float]:
    times = run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0", str(path)).split()
    pixels = run("ffmpeg", "-v", "error", "-i", str(path), "-vsync", "passthrough", "-vf", "scale=2:2,format=gray", "-f", "rawvideo", "-")
    return [float(time.strip(b",")) for time, luma in zip(times, pixels[::4]) if luma > 128]


def beeps(path: Path) -> list[float]:
    samples = array.array("h", run("ffmpeg", "-v", "error", "-i", str(path), "-af", "aresample=async=1:first_pts=0", "-ac", "1",
                                   "-ar", "48000", "-f", "s16le", "-"))
    found, index = [], 0
    while index < len(samples):
        if abs(samples[index]) > 4000:
            found.append(index / 48000)
            index += 24000
        index += 1
    return found


@unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
class SyncTest(unittest.TestCase):
    def test_a_beep_is_heard_with_its_flash(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_picture(folder / "flash.y4m")
            write_sound(folder / "beep.wav")
            run(sys.executable, str(ROOT / "Examples/Python/demo.py"), "--input", str(folder / "flash.y4m"), "--sound",
                str(folder / "beep.wav"), "--plugins", str(plugin_dir()), "--output", str(folder))
            seen, heard = flashes(folder / "call.webm"), beeps(folder / "call.webm")
        self.assertEqual(len(seen), len(FLASHES))
        self.assertEqual(len(heard), len(FLASHES))
        apart = [round(1000 * (beep - flash), 1) for beep, flash in zip(heard, seen)]
        print(f"beeps after their flashes: {apart} ms", file=sys.stderr)
        for milliseconds in apart:
            self.assertLess(abs(milliseconds), 10)


if __name__ == "__main__":
    unittest.main()
