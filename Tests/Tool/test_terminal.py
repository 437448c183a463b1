"""What the tool prints on a terminal, and what it does not where there is none."""
from __future__ import annotations

import re
import unittest

from network import PATTERN
from shells import on_terminal
from tool import PLUGINS, TOOL, ToolTest, environment

DEVICES = ("DISPLAY", "PULSE_SERVER", "NO_COLOR")
ESCAPE = "\x1b"


class Terminal(ToolTest):
    def env(self, **changes: str) -> dict[str, str]:
        found = environment(TERM="xterm", **changes)
        return {name: value for name, value in found.items() if name in changes or name not in DEVICES}

    def shown(self, *words: str, expect: int, columns: int = 80, **changes: str) -> str:
        code, output = on_terminal([str(TOOL), *words, "--plugins", str(PLUGINS)], self.directory, self.env(**changes), columns)
        self.assertEqual(code, expect, output)
        return output

    def test_colours(self) -> None:
        output = self.shown("doctor", expect=0)
        for words in ("\x1b[32mok      \x1b[0m  library ", "\x1b[33mnot here\x1b[0m  display ", "\x1b[36munknown \x1b[0m  firewalls "):
            self.assertIn(words, output)
        output = self.shown("doctor", expect=1, DISPLAY=":9977")
        self.assertIn("\x1b[31mbroken  \x1b[0m  display ", output)
        self.assertIn("\x1b[31mmsdk: \x1b[0m1 of ", output)
        # Without them it is the same text.
        plain = self.shown("doctor", expect=0, NO_COLOR="1")
        self.assertNotIn(ESCAPE, plain)
        self.assertIn("ok        library ", plain)
        self.assertNotIn(ESCAPE, self.shown("doctor", expect=1, NO_COLOR="1", DISPLAY=":9977"))
        for piped in (self.msdk("doctor", env=self.env()), self.msdk("doctor", env=self.env(DISPLAY=":9977"))):
            self.assertNotIn(ESCAPE, piped.output + piped.errors)

    def test_dumb_terminal(self) -> None:
        code, output = on_terminal([str(TOOL), "inspect", "nothing"], self.directory, {**self.env(), "TERM": "dumb"})
        self.assertEqual(code, 1)
        self.assertTrue(output.startswith("msdk: there is no class"), output)

        code, output = on_terminal([str(TOOL), "run", *PATTERN, "--seconds", "2.5", "--plugins", str(PLUGINS)], self.directory, {**self.env(), "TERM": "dumb"})
        self.assertEqual(code, 0)
        self.assertNotIn(ESCAPE, output)
        self.assertRegex(output, re.compile(r"^1 s: sent [^\r]*\r$", re.M))

    def test_progress_is_one_line(self) -> None:
        words = ["run", *PATTERN, "--seconds", "3.5"]
        output = self.shown(*words, expect=0, columns=30)
        progress, newline, table = output.partition("\r\n")
        self.assertEqual(newline, "\r\n")
        pieces = progress.split("\r")
        self.assertEqual(pieces[0], "")
        self.assertGreater(len(pieces), 2, output)
        for piece in pieces[1:]:
            # Cut to the terminal's width, so that it does not go on in the next line; what was there before is cleared.
            self.assertRegex(piece, r"^\d s: sent \d+, [^\x1b]*\x1b\[K$")
            self.assertLessEqual(len(piece.removesuffix("\x1b[K")), 29)
        self.assertIn("frames sent:", table)
        # Elsewhere plain lines, which hide nothing.
        piped = self.succeed(*words)
        self.assertNotRegex(piped.output, "[\r\x1b]")
        self.assertRegex(piped.output, re.compile(r"^1 s: sent \d+, received \d+, .* kbit/s$", re.M))


if __name__ == "__main__":
    unittest.main()
