"""msdk plugin check: every bad plugin is caught by the check meant for it and by no other, what is sound passes, and so do our own.

A bad plugin is a file of bad/ whose name begins with its check ('-' is '_' there); good_... pass all. MSDK_TOOL is the tool,
MSDK_PLUGIN_DIR our plugins, CC the compiler."""
from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tool"))
from tool import CLIP, PLUGINS, TOOL, environment  # noqa: E402

INCLUDE = HERE.parent.parent / "Include"
SOUND = HERE.parent / "Media" / "bunny-48k-stereo.wav"
TABLES = HERE.parent / "C" / "plugins"
PATIENCE = 600.0
AT_ONCE = 8  # they wait more than they work



def build(source: Path, into: Path) -> Path:
    """The plugin; one that is to export too much without the version script that would hide it."""
    name = source.stem
    hidden = [] if name == "exports" else [f"-Wl,--version-script={HERE / 'bad' / 'plugin.map'}"]
    made = into / f"{name}.so"
    subprocess.run(
        [os.environ.get("CC", "gcc"), "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Wno-unused", "-Werror", "-fPIC",
         "-fvisibility=hidden", "-shared", f"-I{INCLUDE}", str(source), *hidden, "-pthread", "-o", str(made)], check=True, timeout=120)
    return made


def check(file: Path, *options: str, env: Optional[dict[str, str]] = None,
          directory: Optional[Path] = None) -> subprocess.CompletedProcess[str]:
    words = [str(TOOL), "plugin", "check", str(file), *options]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False, env=env or environment(), cwd=directory)


def results(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def failures(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(entry["check"], entry["text"]) for entry in report["checks"] if entry["verdict"] == "failed"]


class CheckerTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)


class BadPlugins(CheckerTest):
    def test_each_is_caught_by_its_check(self) -> None:
        ids = sorted(self.check_ids(), key=len, reverse=True)
        sources = sorted((HERE / "bad").glob("*.c"))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            files = list(pool.map(lambda source: build(source, self.directory), sources))
            reports = list(pool.map(lambda file: check(file, "--json", "--seconds", "20"), files))
        met = set()
        for file, done in zip(files, reports):
            with self.subTest(plugin=file.stem):
                self.assertEqual(done.stderr, "")
                failed = failures(results(done))
                if file.stem.startswith("good"):
                    self.assertEqual((failed, done.returncode), ([], 0))
                    continue
                expected = next(name for name in ids if file.stem.startswith(name.replace("-", "_")))
                met.add(expected)
                self.assertEqual([name for name, _ in failed], [expected], failed)
                self.assertNotEqual(failed[0][1], "")
                self.assertEqual(done.returncode, 1)
        self.assertEqual(met, set(ids), "every check has a bad plugin")

    def check_ids(self) -> list[str]:
        done = subprocess.run([str(TOOL), "plugin", "check", "--list"], capture_output=True, text=True, timeout=60, check=True)
        return [line.split()[0] for line in done.stdout.splitlines()]

    def test_tables_that_the_library_refuses(self) -> None:
        """What the host does not load, the checker does not pass either."""
        names = [
            "bad_default", "bad_id", "bad_param_name", "bad_param_type", "duplicate_ids", "empty_id", "long_id", "no_class", "no_create",
            "no_destroy", "no_kinds", "no_produce", "no_producer", "no_renderer", "no_start", "null_class", "null_classes", "null_id", "null_params",
            "short_class", "short_module", "short_param", "short_producer", "odd_param_size", "sizeless_module",
            "twice_the_same_param", "unknown_kinds", "unsettable_params", "upside_down_bounds",
        ]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            reports = list(pool.map(lambda name: check(build(next(TABLES.rglob(f"{name}.c")), self.directory), "--json"), names))
        for name, done in zip(names, reports):
            with self.subTest(plugin=name):
                self.assertEqual([entry for entry, _ in failures(results(done))], ["tables"], done.stdout)

    def test_what_is_no_plugin(self) -> None:
        (self.directory / "text.so").write_text("hello")
        done = check(self.directory / "text.so")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED  exports", done.stdout)
        self.assertIn("not a 64-bit shared object", done.stdout)
        self.assertIn("FAILED  load", done.stdout)
        self.assertIn("blocked entry", done.stdout)


class Words(CheckerTest):
    def setUp(self) -> None:
        super().setUp()
        self.good = build(HERE / "bad" / "good_producer.c", self.directory)

    def test_only_skip_and_formats(self) -> None:
        done = check(self.good, "--only", "stop", "--only", "leaks", "--skip", "leaks=it <leaks> & knows it", "--junit", "out.xml",
                     directory=self.directory)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("org.mediasdk.test.bad\n  ok      stop ", done.stdout)
        self.assertIn("skipped leaks        it <leaks> & knows it", done.stdout)
        self.assertTrue(done.stdout.endswith("1 passed, 0 failed, 1 skipped\n"), done.stdout)
        suite = xml.etree.ElementTree.parse(self.directory / "out.xml").getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("skipped")), ("2", "0", "1"))
        skipped = suite.find("testcase[@name='leaks']/skipped")
        self.assertIsNotNone(skipped)
        self.assertEqual(skipped is not None and skipped.get("message"), "it <leaks> & knows it")

    def test_in_process(self) -> None:
        done = check(self.good, "--in-process", "--seed", "9")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("0 failed", done.stdout)

    def verdict_of(self, done: subprocess.CompletedProcess[str], name: str) -> tuple[str, str]:
        return next((entry["verdict"], entry["text"]) for entry in results(done)["checks"] if entry["check"] == name)

    def test_isolated_is_left_out(self) -> None:
        """Where the class says so, where there are to be no processes, where something else is wrong, and without the program for it."""
        here = build(HERE / "bad" / "good_here.c", self.directory)
        verdict, text = self.verdict_of(check(here, "--json", "--only", "isolated"), "isolated")
        self.assertEqual(verdict, "skipped")
        self.assertIn("MSDK_CLASS_NO_ISOLATION", text)
        verdict, text = self.verdict_of(check(self.good, "--json", "--only", "isolated", "--in-process"), "isolated")
        self.assertEqual((verdict, text), ("skipped", "--in-process permits no processes"))
        broken = build(HERE / "bad" / "restart.c", self.directory)
        verdict, text = self.verdict_of(check(broken, "--json", "--only", "restart", "--only", "isolated"), "isolated")
        self.assertEqual((verdict, text), ("blocked", "not run: restart failed"))
        alone = self.directory / "msdk"
        shutil.copy(TOOL, alone)
        done = subprocess.run([str(alone), "plugin", "check", str(self.good), "--json", "--only", "isolated"], capture_output=True, text=True,
                              timeout=PATIENCE, check=False, env=environment())
        verdict, text = self.verdict_of(done, "isolated")
        self.assertEqual(verdict, "skipped", text)
        self.assertIn("msdk-plugin-host", text)

    def test_isolated_names_what_it_saw(self) -> None:
        for name, expected in [("lock", "somebody else is playing"), ("claim", "the level is claimed"), ("silent", "did not continue"),
                               ("parameters", 'parameter "level" is 0; 9 was set')]:
            with self.subTest(plugin=name):
                bad = build(HERE / "bad" / f"isolated_{name}.c", self.directory)
                verdict, text = self.verdict_of(check(bad, "--json", "--only", "isolated"), "isolated")
                self.assertEqual(verdict, "failed")
                self.assertIn(expected, text)

    def test_a_hang_is_ended(self) -> None:
        hanging = build(HERE / "bad" / "lifecycle_hang.c", self.directory)
        done = check(hanging, "--only", "lifecycle", "--seconds", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("still in release of the video producer after 2 s, and was killed", done.stdout)

    def test_a_long_sleep_in_produce_frame(self) -> None:
        """Other checks may well take longer than they are given for so slow a plugin; this one says why."""
        source = self.directory / "sleeps.c"
        source.write_text(f'#define ON_PRODUCE pause_ms(300)\n#include "{HERE / "bad" / "good.h"}"\n')
        failed = failures(results(check(build(source, self.directory), "--json", "--only", "pace")))
        self.assertEqual([name for name, _ in failed], ["pace"])
        self.assertIn("for each frame of 33 ms", failed[0][1])

    def test_a_plugin_that_hangs_everywhere_is_given_up(self) -> None:
        source = self.directory / "hangs_everywhere.c"
        source.write_text(f'#define ON_PRODUCE for (;;) pause_ms(100)\n#include "{HERE / "bad" / "good.h"}"\n')
        report = results(check(build(source, self.directory), "--json", "--seconds", "1"))
        self.assertEqual(len([text for _, text in failures(report) if "and was killed" in text]), 2, failures(report))
        given_up = [entry for entry in report["checks"] if "the plugin hung in 2 checks" in entry["text"]]
        self.assertGreater(len(given_up), 5)
        self.assertEqual({entry["verdict"] for entry in given_up}, {"blocked"})

    def test_wrong_words(self) -> None:
        for words, expected in [(["--only", "nothing"], "there is no check"), (["--skip", "leaks"], "and the reason"),
                                (["--set", "x"], "name=value"), (["--seconds", "0"], "1..600")]:
            with self.subTest(words=words):
                done = check(self.good, *words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(expected, done.stderr)
        done = check(self.directory / "nowhere.so")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("nowhere.so", done.stderr)
        done = check(self.good, "--class", "org.example.other")
        self.assertEqual(done.returncode, 1)
        self.assertIn('no class "org.example.other"', done.stderr)
        done = check(self.good, "--set", "nope=1")
        self.assertEqual(done.returncode, 1)
        self.assertIn('no class of it has a parameter "nope"; accepted: level', done.stderr)


def picture(path: Path, size: int = 16) -> Path:
    """A PNG of one half-transparent colour."""
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = (b"\0" + b"\xff\x80\0\x80" * size) * size
    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return path


class OurPlugins(CheckerTest):
    def passes(self, name: str, *options: str, env: Optional[dict[str, str]] = None) -> None:
        done = check(PLUGINS / f"{name}.so", "--json", *options, env=env, directory=self.directory)
        self.assertEqual((failures(results(done)), done.returncode), ([], 0), f"{name} {options}: {done.stderr}")

    def server(self, script: str, words: tuple[str, ...] = ()) -> str:
        place = self.directory / script
        path = str(HERE.parent / "Plugins" / f"{script}.sh")
        self.addCleanup(subprocess.run, ["sh", path, "STOP", str(place)], check=False, timeout=60)
        done = subprocess.run(["sh", path, "START", str(place), *words], capture_output=True, text=True, timeout=60, check=True)
        return done.stdout.strip()

    def test_all(self) -> None:
        cases = [
            ("fileproducer", "--set", f"path={CLIP}"),
            ("filerenderer", "--set", "path=out.y4m"),
            ("filerenderer", "--set", "path=out.png"),
            ("wav", "--class", "org.mediasdk.producer.wav", "--set", f"path={SOUND}"),
            ("wav", "--class", "org.mediasdk.renderer.wav", "--set", "path=out.wav"),
            ("recorder", "--set", "path=out.webm"),
            ("terminal", "--set", "path=out.txt", "--set", "columns=80", "--set", "rows=24"),
            ("overlay", "--set", f"path={picture(self.directory / 'logo.png')}"),
            ("testpattern",), ("tone",), ("bw",), ("grid",),
        ]
        if shutil.which("Xvfb"):
            display = self.server("x11_server")
            # Of a display on which nothing happens only skip_unchanged=false makes frames go on.
            cases.insert(0, ("x11", "--set", f"display={display}", "--set", "skip_unchanged=false"))
            cases.insert(0, ("window", "--set", f"display={display}"))
        if shutil.which("pulseaudio"):
            server = self.server("pulse_server")
            # In real time, the longest of all; where malloc grows for itself the check for leaks goes on for more than half a minute.
            for kind in ["producer", "renderer"]:
                cases.insert(0, ("pulse", "--class", f"org.mediasdk.{kind}.pulse", "--set", f"server={server}", "--seconds", "150"))
        without = {"x11", "window"} if not shutil.which("Xvfb") else set()
        without |= {"pulse"} if not shutil.which("pulseaudio") else set()
        others = {file.stem for file in PLUGINS.glob("*.so")} - {case[0] for case in cases} - without  # they need nothing set
        cases += [(name,) for name in sorted(others)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda case: self.passes(*case), cases))

    def test_the_example(self) -> None:
        done = check(build(HERE.parent.parent / "Examples" / "Plugin" / "gradient.c", self.directory), "--json")
        self.assertEqual((failures(results(done)), done.returncode), ([], 0))


if __name__ == "__main__":
    unittest.main()
