"""msdk plugin new: every project that it begins is built from an installation alone, passes the checker, and does what it is for."""
from __future__ import annotations

import array
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from pictures import read_ivf, read_png
from tool import TOOL, ToolTest, environment

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300.0
TRIES = 3


class New(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        prefix = self.directory / "prefix"
        subprocess.run([ROOT / "packaging" / "install.sh", f"PREFIX={prefix}"], env={**os.environ, "OUT": str(TOOL.parent)}, check=True,
                       capture_output=True)
        self.prefix = prefix
        self.env = environment(PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig"))

    def make(self, name: str, *words: str) -> str:
        done = subprocess.run(["make", *words], cwd=self.directory / name, env=self.env, capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("warning", done.stderr)
        return done.stdout

    def begin(self, name: str, *words: str) -> None:
        result = self.msdk("plugin", "new", name, *words, plugins=False, tool=self.prefix / "bin" / "msdk")
        self.assertEqual((result.code, result.errors), (0, ""))
        self.assertIn(f"Next: cd {name}, then make, make check, make run.", result.output)
        self.make(name)
        checked = self.make(name, "check")
        self.assertIn("0 failed", checked)
        self.assertIn(f"org.example.{name}\n  ok      create", checked)

    def run_in_both_modes(self, name: str, made: str) -> list[bytes]:
        """What `make run` made, in this process and in one of its own."""
        file = self.directory / name / made
        self.make(name, "run")
        contents = [file.read_bytes()]
        for _ in range(TRIES):
            file.unlink(missing_ok=True)
            done = subprocess.run(["make", "run"], cwd=self.directory / name, env={**self.env, "MSDK_PLUGIN_ISOLATE": "*"}, capture_output=True,
                                  text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            # A machine that lets a process stand for a second has it ended, as is right; that says nothing of the plugin.
            if "did not return from" not in done.stderr:
                break
        self.assertTrue(file.exists(), done.stdout + done.stderr)
        return contents + [file.read_bytes()]

    def shows_a_picture(self, name: str, colours: int = 100) -> None:
        for content in self.run_in_both_modes(name, f"{name}.png"):
            (self.directory / "seen.png").write_bytes(content)
            picture = read_png(self.directory / "seen.png")
            self.assertEqual((picture.width, picture.height), (640, 360))
            self.assertGreater(len(set(picture.rows)), colours)

    def writes_what_it_saw(self, name: str) -> None:
        for content in self.run_in_both_modes(name, f"{name}.pgm"):
            header, size, depth, pixels = content.split(b"\n", 3)
            self.assertEqual((header, size, depth, len(pixels)), (b"P5", b"640 360", b"255", 640 * 360))
            self.assertGreater(len(set(pixels)), 4)

    def inverts(self, name: str) -> None:
        """The first of the colour bars is a light grey, 192, and its negative a dark one."""
        for content in self.run_in_both_modes(name, f"{name}.png"):
            (self.directory / "seen.png").write_bytes(content)
            self.assertLess(max(read_png(self.directory / "seen.png").rows[1:4]), 110)  # behind the first row's filter

    def test_a_producer_in_c(self) -> None:
        self.begin("gradient_c")
        self.shows_a_picture("gradient_c")
        self.make("gradient_c", "install", "PLUGIN_DIR=/plugins", f"DESTDIR={self.directory}/stage")
        self.assertTrue((self.directory / "stage" / "plugins" / "gradient_c.so").exists())

    def test_a_renderer_in_c(self) -> None:
        self.begin("last_c", "--kind", "renderer")
        self.writes_what_it_saw("last_c")

    def test_a_filter_in_c(self) -> None:
        self.begin("negative_c", "--kind", "filter")
        self.inverts("negative_c")

    def test_a_capturer_in_c(self) -> None:
        self.begin("bar_c", "--kind", "push-producer")
        self.shows_a_picture("bar_c")

    def test_an_encoded_producer_in_c(self) -> None:
        """Its four stripes are in what a receiver decoded, and what was sent is what it made."""
        self.begin("stripes_c", "--kind", "encoded-producer")
        for content in self.run_in_both_modes("stripes_c", "stripes_c.png"):
            (self.directory / "seen.png").write_bytes(content)
            picture = read_png(self.directory / "seen.png")
            self.assertEqual((picture.width, picture.height), (160, 96))
            self.assertGreater(len(set(picture.rows)), 4)
        done = self.msdk("run", "--plugins", "stripes_c", "--producer", "org.example.stripes_c", "--frames", "6", "--renderer", "file:same.ivf")
        self.assertEqual(done.code, 0, done.errors)
        self.assertEqual((done.table["format"], done.table["codec"]), ("160x96 at 30 frames/s", "VP8, encoded by the producer"))
        source = (self.directory / "stripes_c" / "stripes_c.c").read_text()
        tables = [bytes(map(int, table.split(","))) for table in re.findall(r"_frame\[\] = \{([^}]*)\}", source)]
        self.assertEqual(len(tables), 4)
        order = [tables.index(frame[12:]) for frame in read_ivf(self.directory / "same.ivf").frames]
        self.assertGreaterEqual(len(order), 6)
        self.assertEqual(order[0], 0)
        for one, next_one in zip(order, order[1:]):
            self.assertIn(next_one, [0, (one + 1) % 4])  # 0: a key frame that was requested

    def test_a_codec_in_c(self) -> None:
        self.begin("grey_c", "--kind", "codec")
        self.shows_a_picture("grey_c", colours=10)

    def test_in_cpp(self) -> None:
        self.begin("gradient_cpp", "--language", "cpp")
        self.shows_a_picture("gradient_cpp")

    def test_what_is_c_is_cpp(self) -> None:
        """Every kind builds as either, without warnings."""
        for kind in ["producer", "push-producer", "encoded-producer", "renderer", "audio-producer", "audio-renderer", "filter", "codec"]:
            for language in ["c", "cpp"]:
                name = f"{kind.replace('-', '_')}_{language}"
                with self.subTest(project=name):
                    result = self.msdk("plugin", "new", name, "--kind", kind, "--language", language, plugins=False, tool=self.prefix / "bin" / "msdk")
                    self.assertEqual((result.code, result.errors), (0, ""))
                    self.make(name)
                    self.assertTrue((self.directory / name / f"{name}.so").exists())

    @unittest.skipUnless(shutil.which("swiftc"), "there is no swiftc")
    def test_in_swift(self) -> None:
        for name, kind, look in [("gradient_swift", "producer", self.shows_a_picture), ("last_swift", "renderer", self.writes_what_it_saw),
                                 ("negative_swift", "filter", self.inverts)]:
            with self.subTest(kind=kind):
                self.begin(name, "--language", "swift", "--kind", kind)
                look(name)

    @unittest.skipUnless(os.path.exists("/usr/bin/rustc"), "there is no rustc of Debian's")
    def test_in_rust(self) -> None:
        self.env["RUSTC"] = "/usr/bin/rustc"
        for name, kind, look in [("gradient_rust", "producer", self.shows_a_picture), ("last_rust", "renderer", self.writes_what_it_saw),
                                 ("negative_rust", "filter", self.inverts)]:
            with self.subTest(kind=kind):
                self.begin(name, "--language", "rust", "--kind", kind)
                look(name)

    def test_a_producer_of_sound(self) -> None:
        self.begin("tone_c", "--kind", "audio-producer")
        for content in self.run_in_both_modes("tone_c", "tone_c.wav"):
            self.assertEqual(content[:4] + content[8:12], b"RIFFWAVE")
            samples = array.array("h", content[-100_000:])
            self.assertGreater(max(samples), 1000, "a tone")

    def test_a_renderer_of_sound(self) -> None:
        self.begin("peak_c", "--kind", "audio-renderer")
        figures = [line for line in self.make("peak_c", "run").splitlines() if line.startswith("org.example.peak_c peak:")]
        self.assertEqual(len(figures), 1)
        self.assertGreater(float(figures[0].split(":")[1]), 0.05)

    def test_an_id(self) -> None:
        result = self.msdk("plugin", "new", "mine", "--id", "com.example.a-b_c", plugins=False)
        self.assertEqual(result.code, 0, result.errors)
        self.assertIn('.id = "com.example.a-b_c"', (self.directory / "mine" / "mine.c").read_text())

    def test_refusals(self) -> None:
        (self.directory / "taken").mkdir()
        (self.directory / "taken" / "taken.c").write_text("mine")
        cases: list[tuple[list[str], int, str]] = [
            (["taken"], 1, "taken: File exists"), (["../up"], 2, "[a-z][a-z0-9_]*"), (["Name"], 2, "[a-z][a-z0-9_]*"), (["a" * 41], 2, "40"),
            (["x", "--kind", "audio-producer", "--language", "rust"], 2, "accepted: producer, renderer, filter, or --language c or cpp"),
            (["x", "--id", "A b"], 2, "[a-z0-9._-]"), (["x", "--id", "nodot"], 2, "reverse DNS"), (["x", "--id", "a..b"], 2, "reverse DNS"),
            (["x", "--language", "cobol"], 2, "cobol"), (["x", "--kind", "nothing"], 2, "nothing"),
        ]
        for words, code, expected in cases:
            with self.subTest(words=words):
                result = self.msdk("plugin", "new", *words, plugins=False)
                self.assertEqual(result.code, code, result.errors)
                self.assertIn(expected, result.errors)
        self.assertEqual((self.directory / "taken" / "taken.c").read_text(), "mine")
        self.assertFalse((self.directory / "x").exists())


if __name__ == "__main__":
    unittest.main()
