"""Running the benchmark programs: one at a time, in turn, so that a drift of the machine meets all candidates alike."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

Values = dict[str, list[float]]  # what one run said: a key, and every number it gave for it


class Failed(Exception):
    """A program that could not be run, or ended with an error."""


class Place:
    """Where things are, and with what the programs run."""

    def __init__(
        self, build: str, lib: str, plugins: str, clip: str, sound: str, peers: dict[str, str], python: str | None, binding: str
    ) -> None:
        self.build, self.lib, self.plugins, self.clip, self.sound = build, lib, plugins, clip, sound
        self.peers = peers  # the missing ones: name, and why
        self.python = python
        self.binding = binding

    def program(self, name: str, *arguments: object) -> list[str]:
        return [os.path.join(self.build, name), *(str(argument) for argument in arguments)]

    def script(self, name: str, *arguments: object) -> list[str]:
        here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        return [self.python or sys.executable, os.path.join(here, name), *(str(argument) for argument in arguments)]

    def environment(self) -> dict[str, str]:
        added = {"LD_LIBRARY_PATH": os.path.join(self.build, "lib"), "PYTHONPATH": self.binding, "PYTHONDONTWRITEBYTECODE": "1"}
        added["MEDIASDK_LIBRARY"] = os.path.join(self.lib, "libmediasdk.so")
        return {**os.environ, **added}


def run(place: Place, command: Sequence[str], timeout: float = 120) -> Values:
    environment = {**place.environment(), "BENCH_STARTED_NS": str(time.monotonic_ns())}
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"took more than {timeout:g} s") from None
    except OSError as error:
        raise Failed(str(error)) from None
    if done.returncode != 0:
        words = done.stderr.strip().splitlines()
        raise Failed(words[-1] if words else f"ended with {done.returncode}")
    values: Values = {}
    for line in done.stdout.splitlines():
        key, _, number = line.partition(" ")
        values.setdefault(key, []).append(float(number))
    return values


class Runs:
    """What every candidate said in every round. A candidate that fails once is left out from then on, and `why` says so."""

    def __init__(self) -> None:
        self.values: dict[str, list[Values]] = {}
        self.why: dict[str, str] = {}

    def get(self, candidate: str, key: str) -> list[float]:
        if candidate in self.why:
            raise Failed(f"{candidate}: {self.why[candidate]}")
        return [values[key][0] for values in self.values[candidate]]


def in_turn(place: Place, candidates: Mapping[str, Sequence[str]], rounds: int, timeout: float = 120) -> Runs:
    """A B C, then C B A, and so on."""
    runs = Runs()
    names = [name for name in candidates]
    for name in names:
        runs.values[name] = []
    for number in range(rounds):
        for name in names if number % 2 == 0 else reversed(names):
            if name in runs.why:
                continue
            try:
                runs.values[name].append(run(place, candidates[name], timeout))
            except Failed as failure:
                runs.why[name] = str(failure)
        progress(".")
    progress("\n")
    return runs


def progress(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
