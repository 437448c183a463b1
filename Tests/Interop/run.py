"""Runs tests of this folder, one after the other.

usage: run.py [NAME...]

NAME is a module, class or test (rtc.test_livekit); all of them without one.

Servers and clients of others run by the real clock. A test that fails is run once more, alone in a process of its own. If it passes then it is
printed as FLAKY, both outputs are there to be read, and the command succeeds. More than three that fail are not run again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
MOST = 3


def named(test: unittest.TestCase) -> str:
    """What to run again: of a part of a test the test, of what is made for a class or module the class or module."""
    whole = getattr(test, "test_case", test).id()
    made = re.fullmatch(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)", whole)
    return made[1] if made else whole


def main(names: list[str]) -> int:
    os.chdir(HERE)
    sys.path.insert(0, str(HERE))
    loader = unittest.defaultTestLoader
    tests = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
    done = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    failed = list(dict.fromkeys(named(test) for test, _ in done.errors + done.failures))
    if not failed:
        # Of a test that is expected to fail and does not.
        return 0 if done.wasSuccessful() else 1
    if len(failed) > MOST:
        print(f"failed: {len(failed)} tests, too many to run again")
        return 1
    passed = True
    for name in failed:
        print(f"== {name} failed, above; once more, alone", flush=True)
        code = subprocess.run([sys.executable, "-m", "unittest", "-v", name], cwd=HERE).returncode
        print(f"FLAKY: {name}" if code == 0 else f"failed: {name}, twice", flush=True)
        passed &= code == 0
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
