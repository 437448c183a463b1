"""The files that msdk plugin new writes compile as they stand in Sources/msdk/Templates, with warnings as errors; and the tool leaves nothing open
in what it makes of them."""
from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tool import ToolTest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "Sources" / "msdk" / "Templates"
INCLUDE = f"-I{ROOT / 'Include'}"
PATIENCE = 300.0
# Those of the tests in C.
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"]
KINDS = ["producer", "push-producer", "encoded-producer", "renderer", "audio-producer", "audio-renderer", "filter", "codec"]
# A place that is to be filled, or a part that is to be put in.
OPEN = re.compile(r"@[A-Z]+@|\bparts/|\bWorker\b")


def setting(name: str, file: str) -> list[str]:
    """What the Makefiles of projects have as the default of CXXFLAGS, say."""
    found = re.search(rf"^{name} \?= (.*)$", (TEMPLATES / file).read_text(), re.M)
    assert found, f"{file} has no {name}"
    return shlex.split(found[1])


class Templates(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compiles(self, *command: str | Path) -> None:
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def each(self, pattern: str, least: int) -> list[Path]:
        files = sorted(TEMPLATES.glob(pattern))
        self.assertGreaterEqual(len(files), least)
        return files

    def test_in_c(self) -> None:
        for file in self.each("c/*.c", len(KINDS)):
            with self.subTest(file=file.name):
                self.compiles(os.environ.get("CC", "gcc"), *WARNINGS, "-O2", "-fPIC", INCLUDE, "-c", file, "-o", "one.o")

    def test_in_cpp(self) -> None:
        flags = ["-std=c++20", *setting("CXXFLAGS", "cpp/cpp.mk"), "-Werror"]
        for file in self.each("c/*.c", len(KINDS)) + self.each("cpp/*.cpp", 1):
            with self.subTest(file=file.name):
                self.compiles(os.environ.get("CXX", "g++"), *flags, "-fPIC", INCLUDE, "-x", "c++", "-c", file, "-o", "one.o")

    @unittest.skipUnless(os.path.exists("/usr/bin/rustc"), "there is no rustc of Debian's")
    def test_in_rust(self) -> None:
        for file in self.each("rust/*.rs", 4):
            with self.subTest(file=file.name):
                self.compiles("/usr/bin/rustc", "--edition", "2021", "--crate-type", "cdylib", "--emit", "metadata", "-D", "warnings", file)

    @unittest.skipUnless(shutil.which("swiftc"), "there is no swiftc")
    def test_in_swift(self) -> None:
        """Plugin.swift with the tables of each kind: Swift has no includes, and what is private there is so in its file."""
        for tables in self.each("swift/parts/*-tables.swift", 3):
            kind = tables.name.removesuffix("-tables.swift")
            with self.subTest(kind=kind):
                plugin = (TEMPLATES / "swift" / "Plugin.swift").read_text().replace("// @TABLES@\n", tables.read_text())
                (self.folder / "Plugin.swift").write_text(plugin + f"\nprivate typealias Worker = {kind.capitalize()}\n")
                self.compiles("swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-module-name", "plugin", "-I",
                              TEMPLATES / "swift" / "CMediaSDKPlugin", "-Xcc", INCLUDE, TEMPLATES / "swift" / f"{kind}.swift", "Plugin.swift")


class Projects(ToolTest):
    def test_nothing_is_left_open(self) -> None:
        made = 0
        for language in ["c", "cpp", "swift", "rust"]:
            for kind in KINDS:
                name = f"{kind.replace('-', '_')}_{language}"
                result = self.msdk("plugin", "new", name, "--kind", kind, "--language", language, plugins=False)
                if result.code == 2 and language in ("swift", "rust"):
                    continue
                self.assertEqual((result.code, result.errors), (0, ""))
                made += 1
                for file in (path for path in (self.directory / name).rglob("*") if path.is_file()):
                    self.assertIsNone(OPEN.search(file.read_text()), file.relative_to(self.directory))
        self.assertEqual(made, 2 * len(KINDS) + 2 * 3)


if __name__ == "__main__":
    unittest.main()
