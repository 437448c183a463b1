"""Two network namespaces and a bad link between them: Tests/Interop/impair.py, which needs root."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .programs import Failed, Place

HERE, THERE = "10.79.6.1", "10.79.6.2"
FPS = 30
READY_S, SETTLE_S, PATIENCE_S = 1.5, 1.0, 20
Picture = tuple[int, int, float]  # sent and came in nanoseconds, 0: not; PSNR


def _impairer() -> str:
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(os.path.dirname(here), "Interop", "impair.py")


@contextmanager
def _link(words: Sequence[str]) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    names = [f"msdkbench{os.getpid()}{end}" for end in "ab"]
    made: list[str] = []
    link = None
    try:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True, capture_output=True)
            made.append(name)
            subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True, capture_output=True)
        link = subprocess.Popen(
            [sys.executable, _impairer(), names[0], HERE, names[1], THERE, *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        if link.stdout is None or link.stdout.readline().strip() != "ready":
            raise Failed("the link cannot be made: " + (link.communicate(timeout=5)[1] or "?").strip().splitlines()[-1])
        yield link, names[0], names[1]
    except (OSError, subprocess.SubprocessError) as error:
        raise Failed(f"no network namespaces: {error}") from None
    finally:
        if link is not None:
            link.kill()
            link.wait()
        for name in made:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def _tell(link: subprocess.Popen[str], words: str) -> None:
    if link.stdin is not None:
        link.stdin.write(words + "\n")
        link.stdin.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        words = process.communicate(timeout=PATIENCE_S)[1].decode(errors="replace").strip().splitlines()
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failed("an end did not end") from None
    if process.returncode != 0:
        raise Failed(words[-1] if words else f"ended with {process.returncode}")


def over_link(
    place: Place, impairment: str, send: Sequence[str], receive: Sequence[str], frames: int, outage: tuple[float, float]
) -> tuple[list[Picture], int]:
    """What became of each picture, and the time at which the outage was over. The word FILE stands for the file that both share."""
    with tempfile.NamedTemporaryFile() as shared, _link(impairment.split()) as (link, here, there):
        shared.truncate(frames * 24)

        def start(namespace: str, words: Sequence[str]) -> subprocess.Popen[bytes]:
            command = ["ip", "netns", "exec", namespace, *(shared.name if word == "FILE" else word for word in words)]
            return subprocess.Popen(
                command, env=place.environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )

        receiver = start(there, receive)
        time.sleep(READY_S)
        sender = start(here, send)
        try:
            began = _wait_for_first(shared.name, sender)
            time.sleep(max(0.0, began / 1e9 + outage[0] - time.monotonic()))
            _tell(link, "loss=100")
            time.sleep(outage[1])
            _tell(link, next((word for word in impairment.split() if word.startswith("loss=")), "loss=0"))
            over = time.monotonic_ns()
            sender.wait(timeout=frames / FPS + PATIENCE_S)
            time.sleep(SETTLE_S)
        except subprocess.TimeoutExpired:
            raise Failed("the sender did not end") from None
        finally:
            if sender.poll() is None:
                sender.kill()
            for process in (receiver, sender):
                _end(process)
        with open(shared.name, "rb") as file:
            return list(struct.iter_unpack("qqd", file.read())), over


def _wait_for_first(path: str, sender: subprocess.Popen[bytes]) -> int:
    since = time.monotonic()
    while time.monotonic() - since < PATIENCE_S and sender.poll() is None:
        with open(path, "rb") as file:
            began = int(struct.unpack("q", file.read(8))[0])
        if began != 0:
            return began
        time.sleep(0.02)
    raise Failed("nothing was sent")
