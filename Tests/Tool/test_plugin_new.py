"""msdk plugin new: every project that it begins is built from an installation alone, passes the checker, and does what it is for.

The installation is made of the tool, the plugins and the headers of this tree; see Tests/ABI/check_install.sh for a real one."""
from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from pictures import read_png
from tool import PLUGINS, TOOL, ToolTest, environment

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300.0


class New(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        prefix = self.directory / "prefix"
        (prefix / "bin").mkdir(parents=True)
        (prefix / "lib" / "pkgconfig").mkdir(parents=True)
        (prefix / "lib" / "mediasdk").mkdir()
        shutil.copy(TOOL, prefix / "bin" / "msdk")
        shutil.copytree(ROOT / "Include" / "mediasdk", prefix / "include" / "mediasdk")
        (prefix / "lib" / "mediasdk" / "plugins-1").symlink_to(PLUGINS)
        described = (ROOT / "Bindings" / "C" / "mediasdk.pc.in").read_text()
        for place, text in [("@PREFIX@", str(prefix)), ("@VERSION@", "0.1.0"), ("@ABI@", "1")]:
            described = described.replace(place, text)
        (prefix / "lib" / "pkgconfig" / "mediasdk.pc").write_text(described)
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
        self.assertIn(f"Next: cd {name}, then make, make check", result.output)
        self.make(name)
        checked = self.make(name, "check")
        self.assertIn("0 failed", checked)
        self.assertIn(f"org.example.{name}\n  ok      create", checked)

    def shows_a_picture(self, name: str) -> None:
        self.make(name, "run")
        picture = read_png(self.directory / name / f"{name}.png")
        self.assertEqual((picture.width, picture.height), (640, 360))
        self.assertGreater(len(set(picture.rows)), 100, "a gradient")

    def test_a_producer_in_c(self) -> None:
        self.begin("gradient_c")
        self.shows_a_picture("gradient_c")
        self.make("gradient_c", "install", "PLUGIN_DIR=/plugins", f"DESTDIR={self.directory}/stage")
        self.assertTrue((self.directory / "stage" / "plugins" / "gradient_c.so").exists())

    @unittest.skipUnless(shutil.which("swiftc"), "there is no swiftc")
    def test_a_producer_in_swift(self) -> None:
        self.begin("gradient_swift", "--language", "swift")
        self.shows_a_picture("gradient_swift")

    @unittest.skipUnless(os.path.exists("/usr/bin/rustc"), "there is no rustc of Debian's")
    def test_a_producer_in_rust(self) -> None:
        self.env["RUSTC"] = "/usr/bin/rustc"
        self.begin("gradient_rust", "--language", "rust")
        self.shows_a_picture("gradient_rust")

    def test_a_renderer(self) -> None:
        self.begin("last", "--kind", "renderer")
        self.make("last", "run")
        header, size, depth, pixels = (self.directory / "last" / "last.pgm").read_bytes().split(b"\n", 3)
        self.assertEqual((header, size, depth, len(pixels)), (b"P5", b"640 360", b"255", 640 * 360))
        self.assertGreater(len(set(pixels)), 4)

    def test_the_others(self) -> None:
        for kind in ["audio-producer", "audio-renderer", "filter"]:
            with self.subTest(kind=kind):
                self.begin(kind.replace("-", "_"), "--kind", kind)

    def test_an_id(self) -> None:
        result = self.msdk("plugin", "new", "mine", "--id", "com.example.a-b_c", plugins=False)
        self.assertEqual(result.code, 0, result.errors)
        self.assertIn('.id = "com.example.a-b_c"', (self.directory / "mine" / "mine.c").read_text())

    def test_refusals(self) -> None:
        (self.directory / "taken").mkdir()
        (self.directory / "taken" / "taken.c").write_text("mine")
        cases: list[tuple[list[str], int, str]] = [
            (["taken"], 1, "taken: File exists"), (["../up"], 2, "[a-z][a-z0-9_]*"), (["Name"], 2, "[a-z][a-z0-9_]*"), (["a" * 41], 2, "40"),
            (["x", "--kind", "renderer", "--language", "rust"], 2, "accepted: producer, or --language c"),
            (["x", "--id", "A b"], 2, "[a-z0-9._-]"), (["x", "--language", "cobol"], 2, "cobol"), (["x", "--kind", "nothing"], 2, "nothing"),
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
