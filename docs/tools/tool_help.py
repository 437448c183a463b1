"""The commands of the msdk tool, as the tool describes them itself: what `msdk help` prints, as a tree."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

ROOT = Path(__file__).resolve().parents[2]
TOOL = os.environ.get("MSDK_TOOL", str(ROOT / ".build/out/msdk"))
EXAMPLES = re.compile(r"^Examples?\b[^\n]*:\n(?P<body>(?:  [^\n]*(?:\n|$))+)", re.M)


@dataclass(frozen=True)
class Argument:
    names: tuple[str, ...]  # "--json", "-h"; of a positional argument none
    value: str  # "<file>"; of a flag ""
    text: str


@dataclass(frozen=True)
class Command:
    path: tuple[str, ...]  # ("msdk", "plugin", "check")
    abstract: str
    discussion: str  # without the examples
    examples: str
    usage: str
    arguments: tuple[Argument, ...]
    commands: tuple["Command", ...]

    @property
    def title(self) -> str:
        return " ".join(self.path)

    @property
    def page(self) -> str:
        return "-".join(self.path)

    def all(self) -> Iterator["Command"]:
        yield self
        for command in self.commands:
            yield from command.all()


def run(*arguments: str) -> str:
    return subprocess.run(
        [TOOL, *arguments], capture_output=True, text=True, check=True, timeout=60, env={**os.environ, "COLUMNS": "10000"}
    ).stdout


def argument(described: dict[str, Any]) -> Argument:
    names = tuple(("--" if name["kind"] == "long" else "-") + name["name"] for name in described.get("names", []))
    value = "" if described["kind"] == "flag" else f"<{described['valueName']}>"
    text = described.get("abstract", "")
    # As in the help: what is accepted, and what is meant by nothing.
    notes = []
    if described.get("allValues") and "," not in described["valueName"]:
        notes.append(f"values: {', '.join(described['allValues'])}")
    if "defaultValue" in described:
        notes.append(f"default: {described['defaultValue']}")
    return Argument(names, value, f"{text} ({'; '.join(notes)})" if notes else text)


def command(described: dict[str, Any], above: tuple[str, ...]) -> Command:
    path = (*above, described["commandName"])
    help_text = run("help", *path[1:])
    usage = re.search(r"^USAGE: (.*)$", help_text, re.M)
    assert usage is not None, path
    discussion = described.get("discussion", "")
    examples = EXAMPLES.search(discussion)
    below = tuple(command(one, path) for one in described.get("subcommands", []) if one["shouldDisplay"] and one["commandName"] != "help")
    return Command(
        path,
        described.get("abstract", ""),
        EXAMPLES.sub("", discussion).strip(),
        re.sub(r"^  ", "", examples["body"], flags=re.M).rstrip() if examples else "",
        usage[1],
        tuple(argument(one) for one in described.get("arguments", []) if one["shouldDisplay"]),
        below,
    )


def tool() -> Command:
    return command(json.loads(run("--experimental-dump-help"))["command"], ())


def version() -> str:
    return run("--version").split()[-1]
