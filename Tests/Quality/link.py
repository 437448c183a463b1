"""A bad link between two network namespaces, with this process at either end: a thread's sockets are of the namespace that it is in, and an
engine's threads stay where the engine was made.  Tests/Interop/impair.py is the link.
"""
from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterator, Optional

IMPAIRER = Path(__file__).resolve().parent.parent / "Interop" / "impair.py"
CLONE_NEWNET = 0x40000000  # linux/sched.h
PRIORITY = 1
_names = itertools.count()


class Local:
    """No link: both ends are this machine's."""

    addresses = ("127.0.0.1", "127.0.0.1")

    def at(self, end: int) -> Any:
        """What is made inside is at that end, 0 or 1."""
        return nullcontext()

    def late_ms(self) -> float:
        """By how much the link was later than it was set to be, at worst."""
        return 0


class Link(Local):
    addresses = ("10.79.7.1", "10.79.7.2")

    def __init__(self, namespaces: list[str], impairer: "subprocess.Popen[str]") -> None:
        self._namespaces, self._impairer, self._late = namespaces, impairer, 0.0

    @contextmanager
    def at(self, end: int) -> Iterator[None]:
        with open("/proc/thread-self/ns/net") as before, open(f"/run/netns/{self._namespaces[end]}") as namespace:
            _enter(namespace.fileno())
            try:
                yield
            finally:
                _enter(before.fileno())

    def late_ms(self) -> float:
        assert self._impairer.stdin is not None and self._impairer.stdout is not None
        self._impairer.stdin.write("late\n")
        self._impairer.stdin.flush()
        return float(self._impairer.stdout.readline().split()[1])


def _enter(descriptor: int) -> None:
    if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def _run(*words: str) -> None:
    made = subprocess.run(["ip", *words], capture_output=True, text=True, timeout=30)
    if made.returncode != 0:
        raise OSError(f"ip {' '.join(words)}: {made.stderr.strip()}")


@contextmanager
def bad_link(*words: str) -> Iterator[Link]:
    """`words` as impair.py has them.  OSError where there can be none, with the reason."""
    if shutil.which("ip") is None:
        raise OSError("there is no ip (iproute2)")
    if os.geteuid() != 0 or not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise OSError("only root can make network namespaces, and a link between them needs /dev/net/tun")
    number = next(_names)
    names = [f"msdk-quality-{os.getpid()}-{number}{end}" for end in "ab"]
    made: list[str] = []
    impairer: Optional["subprocess.Popen[str]"] = None
    try:
        for name in names:
            _run("netns", "add", name)
            made.append(name)
            _run("-n", name, "link", "set", "lo", "up")
        # It goes before all others: what it is late, it would add to the delay.
        first = ["chrt", "--rr", str(PRIORITY + 1)] if _may_go_first() else []
        ends = [names[0], Link.addresses[0], names[1], Link.addresses[1]]
        impairer = subprocess.Popen([*first, sys.executable, str(IMPAIRER), *ends, *words],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert impairer.stdout is not None and impairer.stderr is not None
        if impairer.stdout.readline().strip() != "ready":
            raise OSError("the link cannot be made: " + (impairer.communicate(timeout=5)[1].strip().splitlines() or ["?"])[-1])
        yield Link(names, impairer)
    finally:
        if impairer is not None:
            impairer.kill()
            impairer.communicate()
        for name in made:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=30)


@lru_cache(maxsize=None)
def why_no_link() -> str:
    """An empty text where there can be one."""
    try:
        with bad_link():
            return ""
    except OSError as error:
        return str(error)


def _may_go_first() -> bool:
    with before_others() as first:
        return first and shutil.which("chrt") is not None


def is_before_others() -> bool:
    return os.sched_getscheduler(0) == os.SCHED_RR


@contextmanager
def before_others(wanted: bool = True) -> Iterator[bool]:
    """This thread, and the threads and processes that it makes meanwhile, have the processor before all that have no such priority, where
    the system permits it: the library is measured, not who else wants the processor."""
    policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        if wanted:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(PRIORITY))
    except OSError:
        wanted = False
    try:
        yield wanted
    finally:
        if wanted:
            os.sched_setscheduler(0, policy, param)
