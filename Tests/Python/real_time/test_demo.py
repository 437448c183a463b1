"""The demo, in real time: a machine that has no time for its sound leaves gaps in it."""
from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

from call import plugin_dir
from programs import CLIP, EXAMPLES, SOUND, run


class DemoTest(unittest.TestCase):
    def demo(self, clip: Path, output: str, *more: str) -> subprocess.CompletedProcess[str]:
        return run(str(EXAMPLES / "demo.py"), "--input", str(clip), "--plugins", str(plugin_dir()), "--output", output, *more)

    @unittest.skipUnless(plugin_dir().is_dir() and CLIP.is_file(), "needs the plugins and the clip")
    def test_demo(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            done = self.demo(CLIP, directory, "--seconds", "5", "--sound", str(SOUND))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            table = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
            self.assertEqual(table["format"], "NV12 1280x720 25 fps")
            self.assertGreater(int(table["frames sent"]), 50)
            # In real time: pictures for which a busy machine has no time are left out before they are encoded.
            self.assertGreater(int(table["frames received"]), 20)
            self.assertGreater(float(table["psnr"].split()[0]), 30)
            self.assertTrue(Path(table["image"]).read_bytes().startswith(b"\x89PNG"))
            self.assertTrue(Path(table["video"]).read_bytes().startswith(b"YUV4MPEG2 W1280 H720"))
            self.assertEqual((table["audio format"], table["audio codec"]), ("S16 48000 Hz 2 channels", "OPUS"))
            self.assertGreater(int(table["buffers received"]), 100)
            self.assertGreater(float(table["correlation"].split()[0]), 0.9)
            recording = Path(table["recording"]).read_bytes()
            self.assertTrue(recording.startswith(b"\x1a\x45\xdf\xa3"))
            self.assertTrue(b"V_VP8" in recording and b"A_OPUS" in recording)

    @unittest.skipUnless(plugin_dir().is_dir() and CLIP.is_file(), "needs the plugins and the clip")
    def test_demo_of_raw_sound(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            done = self.demo(CLIP, directory, "--sound", str(SOUND), "--codec-audio", "raw")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            table = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
            self.assertGreater(float(table["correlation"].split()[0]), 0.999)

    def test_demo_of_a_missing_clip(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            done = self.demo(Path(directory, "no.y4m"), directory)
            self.assertEqual(done.returncode, 1)
            self.assertIn("no.y4m", done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
