"""The reference of C is complete: it has every function that the libraries export, and every constant, struct and member whose value and
place Tests/ABI/layout.c has, which the compiler checks against the headers."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from c_reference import Reference
from headers import Header, Item, all_headers

ROOT = Path(__file__).resolve().parents[2]


def members(item: Item) -> set[str]:
    """The names of a struct's members; of a union in it those with a dot, too."""
    found = set()
    for member in item.members:
        if member.kind in ("union", "struct"):
            found |= {member.name, *(f"{member.name}.{name}" for name in members(member))}
        for signature in member.signatures:
            name = re.search(r"\(\*(\w+)\)", signature) or re.search(r"(\w+)(?:\[\w+\])*$", signature)
            found.add(name[1] if name else signature)
    return found


def missing(headers: list[Header]) -> list[str]:
    names = {name for header in headers for item in header.items for name in Reference.names(item)}
    structs = {item.name: members(item) for header in headers for item in header.items if item.kind == "struct"}
    layout = (ROOT / "Tests/ABI/layout.c").read_text()
    exported = [
        name
        for file in ("Include/mediasdk.map", "Sources/Feeder/feeder.map")
        for name in re.findall(r"^\s*(msdk_\w+);", (ROOT / file).read_text(), re.M)
    ]
    constants = re.findall(r"^VALUE\((\w+),", layout, re.M)
    places = re.findall(r"^AT\((\w+), ([\w.]+),", layout, re.M)
    problems = [f"the function {name}" for name in exported if name not in names]
    problems += [f"the constant {name}" for name in constants if name not in names]
    problems += [f"the member {member} of {struct}" for struct, member in places if member not in structs.get(struct, set())]
    if not (exported and constants and places):
        problems.append("anything to compare with")
    print(f"check_reference: {len(exported)} functions, {len(constants)} constants, {len(places)} members, {len(problems)} missing")
    return problems


def main() -> int:
    problems = missing(all_headers())
    for problem in problems:
        print(f"check_reference: the reference lacks {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
