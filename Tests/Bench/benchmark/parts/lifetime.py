"""What a session costs while nothing happens, and what is left of a thousand of them."""

from __future__ import annotations

import os
from functools import partial

from ..programs import Failed, Place, progress, run
from ..table import Row, Table, number

SECONDS = 3
CYCLES = 1000


def _resting_pipeline(place: Place) -> str:
    if "gstreamer" in place.peers:
        return ""
    try:
        percent = run(place, place.program("pass_gst", "idle", SECONDS))["idle_percent"][0]
    except Failed as failure:
        return f"failed: {failure}"
    return f"appsrc-appsink {percent:.3f} %"


def _resting_session(place: Place, subject: str, mode: str, peer: str) -> Row:
    values = run(place, place.program("first_msdk", mode, SECONDS))
    percent, wakeups = values["idle_percent"][0], values["idle_wakeups"][0]
    # What is left below 0.01 % is the cost of asking.
    return Row(subject, f"{percent:.3f} %, {wakeups:.0f} wake-ups", peer, "", "0 %", percent < 0.01 and wakeups <= 0)


def _idle(place: Place, table: Table) -> None:
    progress(f"idle sessions, {SECONDS} s each\n")
    peer = _resting_pipeline(place)
    for mode in ("raw", "vp8"):
        subject = f"idle for {SECONDS} s: two sessions, {mode} stream started (of a core)"
        table.add(subject, partial(_resting_session, place, subject, mode, peer))


def _test_pattern(directory: str) -> str:
    for name in sorted(os.listdir(directory) if os.path.isdir(directory) else []):
        if name.endswith(".so") and "testpattern" in name.lower().replace("_", "").replace("-", ""):
            return os.path.join(directory, name)
    raise Failed(f"no test pattern plugin in {directory}")


def _cycled(place: Place, subject: str) -> Row:
    values = run(place, place.program("cycles_msdk", _test_pattern(place.plugins), CYCLES), timeout=240)
    keys = ("rss_kb", "heap_kb", "threads", "fds", "frames")
    before, after = ([values[key][turn] for key in keys] for turn in (0, 1))
    held = [
        f"{rss / 1024:.1f} MB, heap {heap:.0f} kB, {threads:.0f} threads, {fds:.0f} fds, {frames:.0f} frames"
        for rss, heap, threads, fds, frames in (after, before)
    ]
    more = after[1] - before[1]
    flat = after[2:] == before[2:] and more < CYCLES * 0.1
    words = f"heap {more:+.0f} kB; {number(values['cycle_ms'][0])} ms a cycle"
    return Row(subject, held[0], f"before: {held[1]}", words, "flat (heap < 100 B a cycle)", flat)


def measure(place: Place, table: Table) -> None:
    _idle(place, table)
    progress(f"{CYCLES:,} cycles\n")
    subject = f"{CYCLES:,} cycles of everything, test pattern attached"
    table.add(subject, partial(_cycled, place, subject))
