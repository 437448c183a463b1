#!/usr/bin/env python3
"""Runs the commands that the documentation shows, as they stand: the examples of `msdk help` for every command, and each ```sh block of a
Markdown file that has a line beginning with msdk. Every list of examples is a script, run by sh -e in an empty directory; it has two
minutes, fails with its first command that does, and may print no error. It finds msdk, and what plugins are built with, as after
`make install`, and an X server and a sound server of its own where it names what needs one. As root it has a network of its own, so that the
ports are free.

    check_commands.py [FILE.md|COMMAND ...]

Without arguments: README.md, Examples/*.md, Bindings/*/README.md, docs/ and all commands. COMMAND is "run" or "plugin check" say. From the
environment: MSDK_TOOL, the built tool, beside which the rest is."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

ROOT = Path(__file__).resolve().parents[2]
TOOL = Path(os.environ.get("MSDK_TOOL", ROOT / ".build/out/msdk")).resolve()
FENCE = re.compile(r"^```sh[^\n]*\n(?P<body>.*?)^```[ \t]*$", re.S | re.M)
EXAMPLES = re.compile(r"^Examples?\b[^\n]*:\n(?P<body>(?:  [^\n]*\n)+)", re.M)
SECONDS = 120
COLUMNS = 80
SERVERS = {"DISPLAY": ("x11_server.sh", re.compile(r"\b(x11|window)\b")), "PULSE_SERVER": ("pulse_server.sh", re.compile(r"\bpulse\b"))}
CLONE_NEWNET = 0x40000000


class Script(NamedTuple):
    place: str
    text: str


def of_file(file: Path) -> list[Script]:
    text = file.read_text()
    found = []
    for match in FENCE.finditer(text):
        if re.search(r"^msdk\b", match["body"], re.M):
            place = f"{file.relative_to(ROOT) if file.is_relative_to(ROOT) else file}:{text.count(chr(10), 0, match.start()) + 1}"
            found.append(Script(place, match["body"]))
    return found


def help_of(command: list[str]) -> str:
    # As in a terminal of the usual width: what is wrapped there cannot be pasted.
    env = {**os.environ, "COLUMNS": str(COLUMNS)}
    return subprocess.run([TOOL, "help", *command], env=env, capture_output=True, text=True, check=True, timeout=60).stdout


def of_command(command: list[str]) -> list[Script]:
    """Of a command and those below it. One that has no commands below it has examples."""
    text = help_of(command)
    below = text.partition("\nSUBCOMMANDS:\n")[2]
    names = re.findall(r"^  ([a-z-]+)(?: |$)", below, re.M)
    if names:
        return [script for name in names for script in of_command([*command, name])]
    examples = EXAMPLES.search(text)
    if examples is None:
        sys.exit(f"check_commands: msdk help {' '.join(command)} has no examples")
    return [Script(f"msdk help {' '.join(command)}", re.sub(r"^  ", "", examples["body"], flags=re.M))]


def install(prefix: Path) -> None:
    subprocess.run([ROOT / "packaging/install.sh", f"PREFIX={prefix}"], env={**os.environ, "OUT": str(TOOL.parent)}, check=True, capture_output=True)


@contextlib.contextmanager
def servers(script: Script, work: Path) -> Iterator[dict[str, str]]:
    """The address of each server that the script needs, by the environment's names."""
    started: list[tuple[str, Path]] = []
    found = {}
    try:
        for variable, (program, needed) in SERVERS.items():
            if needed.search(script.text):
                place = work / variable
                started.append((program, place))
                done = subprocess.run(["sh", ROOT / "Tests/Plugins" / program, "START", place], capture_output=True, text=True, check=True, timeout=60)
                found[variable] = done.stdout.strip()
        yield found
    finally:
        for program, place in started:
            subprocess.run(["sh", ROOT / "Tests/Plugins" / program, "STOP", place], check=False, timeout=60)


def own_network() -> None:
    """In the script's process: a network with nothing but the way to itself, where that is allowed."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP


def run(script: Script, prefix: Path) -> Optional[str]:
    """None when all went well, else what went wrong."""
    with tempfile.TemporaryDirectory(prefix="msdk-", dir="/tmp") as directory:
        work = Path(directory)
        (work / "here").mkdir()
        (work / "run").mkdir(mode=0o700)
        (work / "script").write_text(script.text)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MSDK_") and name not in SERVERS}
        with servers(script, work) as addresses:
            env = {**kept, **addresses, "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"),
                   "XDG_RUNTIME_DIR": str(work / "run"), "MSDK_PLUGIN_ALLOW_WRITABLE": "1", "MSDK_PLUGIN_SYSTEM_PATH": ""}
            process = subprocess.Popen(["sh", "-e", work / "script"], cwd=work / "here", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=own_network)
            try:
                output, errors = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, errors = process.communicate()
                return f"took longer than {SECONDS} s\n{output}{errors}"
            complaints = [line for line in errors.splitlines() if not line.startswith("msdk: warning: ")]
            return f"exit code {process.returncode}\n{output}{errors}" if process.returncode != 0 or complaints else None


def main() -> int:
    if not TOOL.exists():
        print(f"check_commands: there is no {TOOL}; MSDK_TOOL names the built tool", file=sys.stderr)
        return 2
    documents = [ROOT / "README.md", *sorted(ROOT.glob("Examples/*/*.md")), *sorted(ROOT.glob("Bindings/*/README.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    words = sys.argv[1:] or [*map(str, documents), ""]
    scripts = [script for word in words for script in (of_file(Path(word).resolve()) if word.endswith(".md") else of_command(word.split()))]
    with tempfile.TemporaryDirectory(prefix="msdk-", dir="/tmp") as directory:
        install(Path(directory))
        with ThreadPoolExecutor(4) as pool:
            problems = list(pool.map(lambda script: run(script, Path(directory)), scripts))
    failed = 0
    for script, problem in zip(scripts, problems):
        if problem is not None:
            failed += 1
            print(f"{script.place}: the commands fail: {problem}")
    print(f"check_commands: {len(scripts)} scripts, {failed} failed")
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
