"""What it costs to have a hundred plugins looked at by children first, and to know them already."""

from __future__ import annotations

import os
import shutil
import statistics

from ..programs import Failed, Place, Runs, in_turn, progress
from ..table import Row, Table, alone

PLUGINS = 100
ROUNDS = 9


def measure(place: Place, table: Table) -> None:
    progress("scanning ")
    host = os.path.join(place.lib, "msdk-plugin-host")
    directory, cache = os.path.join(place.build, "scan-plugins"), os.path.join(place.build, "scan-cache")
    if not os.access(host, os.X_OK):
        table.rows.append(Row(f"{PLUGINS} plugins", f"failed: there is no {host}"))
        return
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for index in range(PLUGINS):
        shutil.copy(os.path.join(place.build, "libscanned.so"), os.path.join(directory, f"p{index:03}.so"))
    # A round of "cached" finds what the round of "cold" before it left.
    modes = ("cold", "cached", "unseen")
    runs = in_turn(place, {mode: place.program("scan_msdk", mode, directory, host, cache) for mode in modes}, ROUNDS)
    table.against(runs, f"loading {PLUGINS} plugins, each looked at by a child (ms)", "load_ms", "cold", "unseen")
    table.against(runs, f"loading {PLUGINS} plugins that are known (ms)", "load_ms", "cached", "unseen", at_most=2)
    table.add("a child for a plugin", lambda: _child(runs))


def _child(runs: Runs) -> Row:
    if any(loaded != PLUGINS for mode in ("cold", "cached", "unseen") for loaded in runs.get(mode, "loaded")):
        raise Failed("not all plugins were loaded")
    each = statistics.median((a - b) / PLUGINS for a, b in zip(runs.get("cold", "load_ms"), runs.get("unseen", "load_ms")))
    return alone("a child for a plugin", each, " ms")
