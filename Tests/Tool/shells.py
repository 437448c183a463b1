"""Shells on a terminal of their own, whose keys are pressed."""
from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from pathlib import Path
from typing import Callable

from tool import PATIENCE


class Shell:
    """An interactive shell. What it prints is kept until somebody waits for it."""

    def __init__(self, words: list[str], directory: Path, env: dict[str, str]) -> None:
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(directory)
            os.execvpe(words[0], words, env)
        self.output = ""

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def wait(self, is_done: Callable[[], bool], what: str) -> None:
        """Until that holds; what the shell prints meanwhile is read, so that it can go on."""
        deadline = time.monotonic() + PATIENCE
        while not is_done():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not come; there is {self.output!r}")
            if select.select([self.terminal], [], [], 0.05)[0]:
                self.output += os.read(self.terminal, 65_536).decode(errors="replace")

    def expect(self, pattern: str) -> str:
        """The first match in what was printed since the last one."""
        self.wait(lambda: re.search(pattern, self.output) is not None, pattern)
        found = re.search(pattern, self.output)
        assert found is not None
        self.output = self.output[found.end():]
        return found[0]

    def words(self) -> list[str]:
        """Those of the line that is being edited, as a command would get them; the line is empty then."""
        # With a name that does not stand in the line, which the terminal echoes.
        self.press("\x01printf '<%s>' ; printf '<%s>' \x05 ; printf '!%s\\n' end\r")
        found = self.expect(r"(?s)<>(?:<[^>]*>)*!end")
        return re.findall(r"<([^>]*)>", found)[1:]

    def end(self) -> None:
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def on_terminal(words: list[str], directory: Path, env: dict[str, str], columns: int = 80) -> tuple[int, str]:
    """The exit code of a program, and all that it prints on a terminal of so many columns."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(directory)
        # The size is there before the program is.
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execve(words[0], words, env)
    output = b""
    try:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 0.5)[0]:
                continue
            piece = os.read(terminal, 65_536)
            if not piece:
                break
            output += piece
        else:
            os.kill(process, signal.SIGKILL)
    except OSError:
        # The program has ended, and nobody has the terminal any more.
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), output.decode(errors="replace")
