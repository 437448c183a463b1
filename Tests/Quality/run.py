"""What is seen and heard is what was sent: every figure beside its goal.

    run.py [--quick] [PART...]

Each part is a file here with a function rows(quick) that yields rows; without PART all of them run.  --quick: the half that `make test`
runs.  Exit status 1 when a goal is missed or a part fails.
"""
from __future__ import annotations

import argparse
import importlib
import sys
import time
import traceback

PARTS = ("conversions", "metadata", "mix", "opus", "rate", "recording", "resampling", "scaling", "screen", "sound_times")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    count, missed = 0, []
    for name in options.parts or PARTS:
        print(f"== {name}", flush=True)
        begun = time.monotonic()
        try:
            for row in importlib.import_module(name).rows(options.quick):
                print(row, flush=True)
                count += 1
                if not row.good:
                    missed.append(row.name)
        except Exception:
            traceback.print_exc()
            missed.append(f"{name} (did not run to its end)")
        print(f"   {time.monotonic() - begun:.0f} s", flush=True)
    print(f"{count} figures, {len(missed)} goals missed" + "".join(f"\n  {name}" for name in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
