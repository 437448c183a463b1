"""Two network namespaces with a bad link between them, and processes in them, for as long as a test runs."""
from __future__ import annotations

import itertools
import os
import shutil
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Optional

from peers import environment, need

INTEROP = Path(__file__).resolve().parent
IFF_UP, IFF_LOOPBACK = 0x1, 0x8  # netdevice(7)
_numbers = itertools.count()


def namespace(test: unittest.TestCase, name: str) -> str:
    """One of its own, with nothing but loopback, for as long as the test runs."""
    need("ip")
    if os.geteuid() != 0 or not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise unittest.SkipTest("only root can make network namespaces, and a link between them needs /dev/net/tun")
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, timeout=30)
    if made.returncode != 0:
        raise unittest.SkipTest(f"no network namespace can be made here: {made.stderr.strip()}")
    test.addCleanup(subprocess.run, ["ip", "netns", "del", name], check=False, timeout=30)
    subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True, timeout=30)
    return name


def has_network(test: unittest.TestCase) -> None:
    """Engines of WebRTC that leave loopback interfaces out need another one: where the machine has none, it gets one for as long as the test runs."""
    flags = [int(Path(f"/sys/class/net/{name}/flags").read_text(), 16) for _, name in socket.if_nameindex()]
    if any(one & IFF_UP and not one & IFF_LOOPBACK for one in flags):
        return
    need("ip")
    if os.geteuid() != 0:
        raise unittest.SkipTest("there is no interface but loopback, and only root can make one")
    number = os.getpid()
    made = subprocess.run(["ip", "link", "add", f"mn{number}", "type", "veth", "peer", "name", f"mf{number}"], capture_output=True, text=True, timeout=30)
    if made.returncode != 0:
        raise unittest.SkipTest(f"there is no interface but loopback, and none can be made here: {made.stderr.strip()}")
    test.addCleanup(subprocess.run, ["ip", "link", "del", f"mn{number}"], check=False, timeout=30)
    subprocess.run(["ip", "addr", "add", f"10.78.{number % 250 + 1}.1/24", "dev", f"mn{number}"], check=True, timeout=30)
    for name in (f"mn{number}", f"mf{number}"):
        subprocess.run(["ip", "link", "set", name, "up"], check=True, timeout=30)


class Link:
    """`settings`: those of impair.py. "Up" is from near to far."""

    def __init__(self, test: unittest.TestCase, settings: str) -> None:
        self._test = test
        name = f"msdk-link-{os.getpid()}-{next(_numbers)}"
        self.near, self.far = (namespace(test, name + letter) for letter in "ab")
        self.near_address, self.far_address = "10.79.0.1", "10.79.0.2"
        self._process = self.start([sys.executable, str(INTEROP / "impair.py"), self.near, self.near_address, self.far, self.far_address,
                                    *settings.split()], priority=2)
        assert self._process.stdout is not None
        test.assertEqual(self._process.stdout.readline().strip(), "ready")

    def start(self, words: list[str], where: Optional[str] = None, priority: int = 1) -> "subprocess.Popen[str]":
        """A process that ends with the test."""
        prefix = ["ip", "netns", "exec", where] if where else []
        # It is the library that is looked at, not who else wants the processor.
        if shutil.which("chrt"):
            prefix = ["chrt", "--rr", str(priority), *prefix]
        env = environment() | {"PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{INTEROP}", "OPENBLAS_NUM_THREADS": "1"}
        process = subprocess.Popen(prefix + words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)

        def end() -> None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

        self._test.addCleanup(end)
        return process

    def set(self, words: str) -> float:
        """Says when."""
        assert self._process.stdin is not None
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()
        return time.monotonic()

    def add_near_address(self, address: str) -> float:
        """One more at the near end. Says when."""
        self._ip(self.far, "route", "add", address, "dev", self._device("d"))
        self._ip(self.near, "addr", "add", f"{address}/32", "dev", self._device("u"))
        self._ip(self.near, "route", "replace", self.far_address, "dev", self._device("u"))
        return time.monotonic()

    def remove_near_address(self) -> float:
        """That of the beginning. Says when it began: whoever notices does so later."""
        begin = time.monotonic()
        self._ip(self.near, "addr", "del", self.near_address, "peer", self.far_address, "dev", self._device("u"))
        # The way to the far end goes with it.
        self._ip(self.near, "route", "replace", self.far_address, "dev", self._device("u"))
        return begin

    def _device(self, letter: str) -> str:
        return f"imp{self._process.pid}{letter}"

    def _ip(self, where: str, *words: str) -> None:
        subprocess.run(["ip", "-n", where, *words], check=True, timeout=30)

    def end(self) -> str:
        """Says what became of the packets."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        return self._process.stdout.read().strip().replace("\n", "; ")
