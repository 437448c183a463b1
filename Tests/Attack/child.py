"""A process of this directory that is asked in lines of JSON, and ended by closing its standard input, or by its number if it does not
listen."""
from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


class Child:
    def __init__(self, program: str, *words: str) -> None:
        self.program = program
        command = [sys.executable, str(HERE / program), *words]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def heard(self, timeout: float) -> dict[str, Any]:
        """What it says next."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise RuntimeError(f"{self.program} says nothing for {timeout:.0f} s") from None
        if not line:
            raise RuntimeError(f"{self.program} ended with {self.process.wait(5)}")
        said: dict[str, Any] = json.loads(line)
        return said

    def asked(self, begin: float, end: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"begin": begin, "end": end}) + "\n")
        self.process.stdin.flush()
        return self.heard(10)

    def end(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            self.process.wait(3)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
