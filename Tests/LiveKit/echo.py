"""The program livekit-echo: what the library reads and writes of LiveKit."""
from __future__ import annotations

import subprocess


class Echo:
    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def again(self, kind: int, message: bytes) -> tuple[bool, bytes]:
        """Whether it was taken; what came back."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(bytes([kind]) + len(message).to_bytes(4, "little") + message)
        self._process.stdin.flush()
        head = self._process.stdout.read(5)
        if len(head) < 5:
            raise SystemExit(f"failed: the library's end ended at {message!r}")
        return head[0] == 0, self._process.stdout.read(int.from_bytes(head[1:], "little"))
