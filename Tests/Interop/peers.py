"""Running the tool and its peers: each a process of its own, ended by its number, on ports that are free."""
from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Optional, Sequence

TOOL = Path(os.environ.get("MSDK_TOOL", ".build/out/msdk")).resolve()
PLUGINS = Path(os.environ.get("MSDK_PLUGIN_DIR", ".build/out/plugins")).resolve()
PATIENCE = 90.0  # seconds for what takes a few
COUNTER, GCM = "AES_CM_128_HMAC_SHA1_80", "AEAD_AES_128_GCM"
KEY_SIZES = {COUNTER: 30, GCM: 28}


def environment() -> dict[str, str]:
    """One in which nothing that is installed on this machine is found."""
    result = {name: value for name, value in os.environ.items() if name != "MSDK_PLUGIN_PATH"}
    result["MSDK_PLUGIN_SYSTEM_PATH"] = ""
    return result


def need(*programs: str) -> None:
    """Skips what needs a program that is not there, and says so."""
    for program in programs:
        if shutil.which(program) is None:
            raise unittest.SkipTest(f"there is no {program}; make interop installs it")


_used: set[int] = set()


def free_ports(count: int = 1) -> list[int]:
    """Even ports, each free together with the one that follows it, where RTCP goes; below those that the kernel gives to whoever asks for any port."""
    found: list[int] = []
    for _ in range(2000):
        port = 10_240 + 2 * secrets.randbelow(10_240)
        if port in _used:
            continue
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as media, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            try:
                media.bind(("", port))
                control.bind(("", port + 1))
            except OSError:
                continue
        _used.add(port)
        found.append(port)
        if len(found) == count:
            return found
    raise OSError("no ports are free")


def bound_ports(namespace: Optional[str] = None) -> set[int]:
    """Ports that a socket of UDP is bound to."""
    prefix = ["ip", "netns", "exec", namespace] if namespace else []
    ports = set()
    for family in ["udp", "udp6"]:
        text = subprocess.run([*prefix, "cat", f"/proc/net/{family}"], capture_output=True, text=True, check=False).stdout
        ports |= {int(line.split()[1].rpartition(":")[2], 16) for line in text.splitlines()[1:]}
    return ports


class Running:
    """A process that was started, and what it wrote."""

    def __init__(self, words: Sequence[str], directory: Path) -> None:
        self.words = [str(word) for word in words]
        self.output, self.errors = directory / f"{secrets.token_hex(4)}.out", directory / f"{secrets.token_hex(4)}.err"
        with open(self.output, "wb") as output, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(self.words, cwd=directory, env=environment(), stdin=subprocess.DEVNULL, stdout=output, stderr=errors)

    def end(self, patience: float = 20, kind: int = signal.SIGINT) -> int:
        """Asks it to end; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(kind)
        return self.wait(patience)

    def wait(self, patience: float = PATIENCE) -> int:
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise AssertionError(f"not over after {patience} s: {' '.join(self.words)}\n{self.said}") from error

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    @property
    def said(self) -> str:
        return "".join(file.read_text(errors="replace")[-4000:] for file in [self.output, self.errors])

    @property
    def figures(self) -> dict[str, Any]:
        """What the tool printed with --json: the streams by their types, and the session's own figures as "session"."""
        text = self.output.read_text()
        assert text.startswith("{"), f"{' '.join(self.words)}\n{self.said}"
        session = json.loads(text)["sessions"][0]
        return {one["type"]: one for one in [*session["streams"], session["stats"][0]]}


class Keys:
    """A key for each direction, as the tool wants them in a file, FFmpeg in base64, GStreamer in hexadecimal digits."""

    def __init__(self, suite: str, own: Optional[bytes] = None, theirs: Optional[bytes] = None) -> None:
        self.suite = suite
        self.own, self.theirs = own or secrets.token_bytes(KEY_SIZES[suite]), theirs or secrets.token_bytes(KEY_SIZES[suite])

    def write(self, path: Path) -> Path:
        path.write_text("".join(base64.b64encode(key).decode() + "\n" for key in [self.own, self.theirs]))
        path.chmod(0o600)
        return path

    @staticmethod
    def text(key: bytes) -> str:
        return base64.b64encode(key).decode()


class InteropTest(unittest.TestCase):
    """A test with a directory of its own; whatever it started is ended with it."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="msdk-interop-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def start(self, *words: object, namespace: Optional[str] = None) -> Running:
        prefix = ["ip", "netns", "exec", namespace] if namespace else []
        running = Running([*prefix, *map(str, words)], self.directory)
        self.addCleanup(running.kill)
        return running

    def msdk(self, *words: object, namespace: Optional[str] = None) -> Running:
        return self.start(TOOL, *words, "--json", "--plugins", PLUGINS, namespace=namespace)

    def keys(self, suite: Optional[str]) -> tuple[Optional[Keys], list[str], str]:
        """New ones for a suite, with the tool's options and what its url has to say of them."""
        if suite is None:
            return None, [], ""
        keys = Keys(suite)
        return keys, ["--keys", str(keys.write(self.directory / f"{secrets.token_hex(4)}.keys"))], f"&srtp={suite}"

    def await_port(self, *ports: int, namespace: Optional[str] = None, by: Optional[Running] = None) -> None:
        """Until somebody listens there."""
        deadline = time.monotonic() + PATIENCE
        while not set(ports) <= bound_ports(namespace):
            if by is not None and by.process.poll() is not None:
                self.fail(f"it ended: {' '.join(by.words)}\n{by.said}")
            self.assertLess(time.monotonic(), deadline, f"nobody listens at {ports}: {by.said if by else ''}")
            time.sleep(0.05)

    def finish(self, running: Running, patience: float = PATIENCE) -> dict[str, Any]:
        """The figures of a run of the tool that ends well by itself."""
        self.assertEqual(running.wait(patience), 0, f"{' '.join(running.words)}\n{running.said}")
        return running.figures

    def finish_with(self, receiver: Running, sender: Running, says_goodbye: bool) -> dict[str, Any]:
        """The figures of a receiver whose sender ends. One that is not told goodbye is interrupted."""
        if says_goodbye:
            figures = self.finish(receiver)
            # GStreamer now and then goes on for ever after its goodbyes.
            sender.end()
            return figures
        self.assertEqual(sender.wait(), 0, sender.said)
        time.sleep(2)
        self.assertEqual(receiver.end(PATIENCE), 0, receiver.said)
        return receiver.figures

    def assert_nearly_all(self, came: int, went: int, more: object = "") -> None:
        """The last few may be cut off where the other end stops listening or sending, and a machine with much to do leaves some out."""
        self.assertGreater(went, 20, f"{went} went")
        self.assertGreaterEqual(came, went * 0.95 - 3, f"of {went} frames {came} came: {more}")
        self.assertLessEqual(came, went)
