"""What is seen and heard is what was sent: every figure beside its goal, and the table of metadata.

    run.py [--quick] [PART...]

Each part is a file here with a function rows(quick) that yields rows; without PART all of them run.  --quick: the half that `make test`
runs.  Exit status 1 when a goal is missed or a part fails.
"""
from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from typing import Callable

import cells

PARTS = ("conversions", "metadata", "mix", "opus", "rate", "recording", "resampling", "scaling", "screen", "sound_times")
# They compute, while the others wait: these run beside those, in a process of their own.
COMPUTED = ("conversions", "mix", "opus", "rate", "resampling", "scaling")


def go_first() -> None:
    """Where the system permits it: the whole takes minutes of processor time, however many others want it."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    except PermissionError:
        pass


def measure(name: str, quick: bool, say: Callable[[str], None]) -> tuple[int, list[str]]:
    """Runs a part: how many figures it has, and which of them miss their goals."""
    count, missed = 0, []
    begun = time.monotonic()
    try:
        for row in importlib.import_module(name).rows(quick):
            say(str(row))
            count += 1
            if not row.good:
                missed.append(row.name)
    except Exception:
        say(traceback.format_exc())
        missed.append(f"{name} (did not run to its end)")
    say(f"   {time.monotonic() - begun:.0f} s")
    return count, missed


def measure_beside(name: str, quick: bool) -> tuple[list[str], tuple[int, list[str]]]:
    said: list[str] = []
    return said, measure(name, quick, said.append)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    parts = options.parts or PARTS
    unknown = set(parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if not options.quick:
        go_first()
    count, missed = 0, []
    begun = time.monotonic()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        beside = {name: pool.submit(measure_beside, name, options.quick) for name in parts if name in COMPUTED}
        # Those in this process first: the others compute meanwhile.
        for name in sorted(parts, key=lambda name: name in COMPUTED):
            print(f"== {name}", flush=True)
            if name in beside:
                said, (more, bad) = beside[name].result()
                print("\n".join(said), flush=True)
            else:
                more, bad = measure(name, options.quick, lambda line: print(line, flush=True))
            count += more
            missed += bad
    for line in cells.table():
        print(line)
    if not options.quick and set(cells.PARTS) <= set(parts):
        missed += [f"table of metadata: no figure for {hole}" for hole in cells.holes()]
    print(f"{count} figures, {len(missed)} goals missed, {time.monotonic() - begun:.0f} s" + "".join(f"\n  {name}" for name in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
