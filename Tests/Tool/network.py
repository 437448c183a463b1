"""What tests of networks have in common: free ports, and runs of the tool beside each other."""
from __future__ import annotations

import secrets
import socket
import subprocess
import time
from pathlib import Path

from tool import PATIENCE, PLUGINS, TOOL, Result, ToolTest, environment

PATTERN = ["--producer", "testpattern:counter", "--size", "160x120", "--fps", "20"]


def free_port() -> int:
    """An even one, with the one that follows it, below those that the kernel gives to whoever asks for any port."""
    while True:
        port = 10_240 + 2 * secrets.randbelow(10_240)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as media, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            try:
                media.bind(("", port))
                control.bind(("", port + 1))
                return port
            except OSError:
                continue


class Peers(ToolTest):
    """Runs of the tool that go on beside each other."""

    def begin(self, *words: str, plugins: bool = True) -> "subprocess.Popen[str]":
        process = subprocess.Popen([str(TOOL), *words, *(["--plugins", str(PLUGINS)] if plugins else [])], cwd=self.directory, env=environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)

        def end() -> None:
            process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def result(self, process: "subprocess.Popen[str]") -> Result:
        output, errors = process.communicate(timeout=PATIENCE)
        return Result(process.returncode, output, errors)

    def await_port(self, port: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while f":{port:04X} " not in Path("/proc/net/udp").read_text():
            self.assertLess(time.monotonic(), deadline, "nobody listens")
            time.sleep(0.02)
