"""Capturing an X server of 1920x1080 that shows nothing to anybody, 30 times a second: processor time of the server and of who captures."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from ..programs import Failed, Place, Runs, in_turn, progress
from ..table import Row, Table, compared

ROUNDS = 3
RATE = 30
SECONDS = 3
CHANGES = {  # what the painter changes: in words, and the goal
    "whole": ("all of it changes", 1.0),
    "part": ("320x320 of it changes", 1.0),
    "still": ("nothing changes", 0.1),
}


@contextmanager
def _server() -> Iterator[str]:
    """The server's process; DISPLAY names it."""
    script = os.path.join(os.path.dirname(__file__), "..", "..", "..", "Plugins", "x11_server.sh")
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "server")
        started = subprocess.run(
            ["sh", script, "START", place, "-screen", "0", "1920x1080x24"], stdout=subprocess.PIPE, text=True, timeout=60, check=False
        )
        if started.returncode != 0:
            raise Failed("the X server does not start")
        before = os.environ.get("DISPLAY")
        os.environ["DISPLAY"] = started.stdout.strip()
        try:
            with open(os.path.join(place, "pid"), encoding="ascii") as file:
                yield file.read().strip()
        finally:
            del os.environ["DISPLAY"]
            if before is not None:
                os.environ["DISPLAY"] = before
            subprocess.run(["sh", script, "STOP", place], timeout=60, check=False)


def _candidates(place: Place, server: str, change: str) -> dict[str, list[str]]:
    def capture(*words: object) -> list[str]:
        return place.program("x11_capture", server, change, RATE, SECONDS, *words)

    display = os.environ["DISPLAY"]
    candidates = {"nothing": capture("nothing"), "x11": capture("plugin", os.path.join(place.plugins, "x11.so"))}
    if "ffmpeg" not in place.peers:
        grab = f"ffmpeg -nostdin -loglevel error -f x11grab -framerate {RATE} -i {display} -c copy -f null -"
        candidates["FFmpeg x11grab"] = capture("program", *grab.split())
    if "gstreamer" not in place.peers:
        for name, damage in (("GStreamer ximagesrc", "true"), ("the same without XDamage", "false")):
            source = f"ximagesrc display-name={display} use-damage={damage} ! video/x-raw,framerate={RATE}/1 ! fakesink"
            candidates[name] = capture("program", "gst-launch-1.0", "-q", *source.split())
    return candidates


def _row(runs: Runs, subject: str, peer: str, goal: float) -> Row:
    def cost(candidate: str) -> list[float]:  # without what painting costs the server
        costs = [a - b for a, b in zip(runs.get(candidate, "both_us"), runs.get("nothing", "both_us"))]
        return [max(one, 0.01) for one in costs]

    return compared(subject, cost("x11"), peer, cost(peer), at_most=goal)


def measure(place: Place, table: Table) -> None:
    if "x11" in place.peers:
        return
    subject = "1080p of an X server"
    try:
        with _server() as server:
            for change, (words, goal) in CHANGES.items():
                progress(f"capturing an X server, {words} ")
                runs = in_turn(place, _candidates(place, server, change), ROUNDS)
                subject = f"1080p of an X server, {words} (us a frame)"
                for peer in runs.values:
                    if peer not in ("nothing", "x11"):
                        table.add(subject, lambda peer=peer: _row(runs, subject, peer, goal))  # type: ignore[misc]
    except Failed as failure:
        why = str(failure)
        table.add(subject, lambda: Row(subject, f"failed: {why}"))
