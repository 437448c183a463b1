"""python -m benchmark: everything, or the parts named, then the table."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path

from .parts import badlink, capture, commands, conversions, encoding, fanning, feeding, forwarding, handles, isolation
from .parts import latency, lifetime, mixing, opus, passage, resampling, rtp, scanning, sending, start, streams, webrtc, whip
from .programs import Place, progress
from .table import Table

PARTS = {
    "start": start.measure, "handles": handles.measure, "commands": commands.measure, "lifetime": lifetime.measure, "conversions": conversions.measure,
    "passage": passage.measure, "sending": sending.measure, "encoding": encoding.measure,
    "mixing": mixing.measure, "resampling": resampling.measure, "opus": opus.measure, "latency": latency.measure,
    "feeding": feeding.measure,
    "fanning": fanning.measure,
    "capture": capture.measure,
    "scanning": scanning.measure,
    "isolation": isolation.measure,
    "rtp": rtp.measure,
    "streams": streams.measure,
    "webrtc": webrtc.measure,
    "whip": whip.measure,
    "forwarding": forwarding.measure,
    "badlink": badlink.measure,
}


def _missing(words: list[str]) -> dict[str, str]:
    return {name: why for name, _, why in (word.partition("=") for word in words)}


def _write(file: Path, table: Table, without: dict[str, str]) -> None:
    machine = {"architecture": platform.machine(), "processors": os.cpu_count(), "kernel": platform.release()}
    former = json.loads(file.read_text()) if file.exists() else {}
    measured = {row.part for row in table.rows}
    kept = [row for row in former.get("rows", []) if row["part"] not in measured] if former.get("machine") == machine else []
    rows = sorted([*kept, *(row.as_json() for row in table.rows)], key=lambda row: list(PARTS).index(row["part"]))
    file.write_text(json.dumps({"machine": machine, "without": without, "rows": rows}, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmark", description=__doc__)
    parser.add_argument("--build", required=True, help="directory of the compiled benchmark programs")
    parser.add_argument("--lib", required=True, help="directory of libmediasdk.so")
    parser.add_argument("--plugins", required=True, help="directory of the plugins")
    parser.add_argument("--binding", required=True, help="directory of the Python package mediasdk")
    parser.add_argument("--clip", required=True, help="the IVF file that is encoded")
    parser.add_argument("--sound", required=True, help="the WAV file that is encoded")
    parser.add_argument("--python", help="the Python that has the peers")
    parser.add_argument("--without", action="append", default=[], metavar="PEER=WHY", help="a peer that is not there")
    parser.add_argument("--json", type=Path, help="also write the results to this file; parts that are not run keep what it has of them")
    parser.add_argument("parts", nargs="*", metavar="PART", help="of {}; none: all".format(", ".join(PARTS)))
    options = parser.parse_args()
    for name in options.parts:
        if name not in PARTS:
            parser.error("there is no part '{}'; there are {}".format(name, ", ".join(PARTS)))
    place = Place(
        options.build, options.lib, options.plugins, options.clip, options.sound, _missing(options.without), options.python,
        options.binding,
    )
    table = Table()
    since = time.monotonic()
    for name in options.parts or PARTS:
        PARTS[name](place, table)
        table.end_part(name)
    progress(f"measured in {time.monotonic() - since:.0f} s\n")
    print()
    print(table.text())
    if options.json:
        _write(options.json, table, place.peers)
    for name, why in place.peers.items():
        print(f"without {name}: {why}")


main()
