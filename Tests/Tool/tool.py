"""Running the built tool: its path is in MSDK_TOOL, the plugins' directory in MSDK_PLUGIN_DIR."""
from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Optional

TOOL = Path(os.environ.get("MSDK_TOOL", ".build/out/msdk")).resolve()
PLUGINS = Path(os.environ.get("MSDK_PLUGIN_DIR", ".build/out/plugins")).resolve()
CLIP = Path(__file__).resolve().parent.parent / "Media" / "bunny-720p25.ivf"
PATIENCE = 60.0  # seconds for what takes a few


def environment(**changes: str) -> dict[str, str]:
    """One in which nothing that is installed on this machine is found."""
    result = {name: value for name, value in os.environ.items() if name != "MSDK_PLUGIN_PATH"}
    result["MSDK_PLUGIN_SYSTEM_PATH"] = ""
    result.update(changes)
    return result


# What a busy machine makes of a plugin that is quick enough.
SLOW = re.compile(r"^msdk: warning: \S+ takes [\d.]+ ms a frame, more than half of the .*\n", re.M)


def stream(figures: dict[str, Any], kind: str) -> dict[str, Any]:
    """The figures of the one stream of that type, "incoming-video" say, in what --json printed."""
    found = [one for session in figures["sessions"] for one in session["streams"] if one["type"] == kind]
    assert len(found) == 1, f"{len(found)} {kind}: {figures}"
    return found[0]


def transport(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures of the first path of packets."""
    return next(one for session in figures["sessions"] for one in session["stats"] if one["type"] == "transport")


def packets(figures: dict[str, Any], kind: str, medium: str) -> dict[str, Any]:
    """What the network counted of the one stream of that type, "inbound-rtp" say, of "video" or "audio"."""
    found = [one for session in figures["sessions"] for one in session["stats"] if (one["type"], one.get("kind")) == (kind, medium)]
    assert len(found) == 1, f"{len(found)} {kind} of {medium}: {figures}"
    return found[0]


class Result:
    """What a run of the tool left."""

    def __init__(self, code: int, output: str, errors: str) -> None:
        self.code, self.output, self.errors = code, output, SLOW.sub("", errors)
        self.table: dict[str, str] = {}
        for line in output.splitlines():
            key, separator, value = line.partition(":")
            if separator:
                self.table[key] = value.strip()

    def count(self, key: str) -> int:
        """The number that a line of the table begins with."""
        return int(self.table[key].split()[0])


class ToolTest(unittest.TestCase):
    """A test with a directory of its own, which is the tool's working directory."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def msdk(self, *arguments: str, plugins: bool = True, tool: Path = TOOL, env: Optional[dict[str, str]] = None) -> Result:
        """Runs the tool to its end."""
        words = [str(tool), *arguments, *(["--plugins", str(PLUGINS)] if plugins else [])]
        done = subprocess.run(words, cwd=self.directory, env=env or environment(), capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        return Result(done.returncode, done.stdout, done.stderr)

    def succeed(self, *arguments: str) -> Result:
        """Runs the tool, which has nothing to complain of."""
        result = self.msdk(*arguments)
        self.assertEqual((result.code, result.errors), (0, ""), arguments)
        return result

    def assert_refused(self, arguments: list[str], code: int, *words: str) -> None:
        """It fails with that code and one line, which has these words."""
        with self.subTest(arguments=arguments):
            result = self.msdk(*arguments)
            self.assertEqual(result.code, code, result.errors)
            self.assertTrue(result.errors.startswith("msdk: "), result.errors)
            self.assertEqual(result.errors.count("\n"), 1, result.errors)
            for word in words:
                self.assertIn(word, result.errors)
