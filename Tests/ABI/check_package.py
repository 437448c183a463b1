#!/usr/bin/env python3
"""A package elsewhere can depend on a version of this one: SwiftPM refuses that when a target of the product MediaSDK has unsafe flags. And
the version is the same in all places that state it, and Tests/real-time names suites that there are."""
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


# Each with what stands before it.
VERSIONS = {
    "packaging/versions": "^version=", "Include/mediasdk/error.h": '^#define MSDK_VERSION_STRING "',
    "Bindings/Python/pyproject.toml": '^version = "', "Bindings/Python/mediasdk/__init__.py": '^__version__ = "',
}


def versions() -> set[str]:
    found = (re.search(before + r'([^"\s]+)', (ROOT / path).read_text(), re.M) for path, before in VERSIONS.items())
    return {one[1] if one else "none" for one in found}


def unknown_suites() -> list[str]:
    names = [words[0] for line in (ROOT / "Tests/real-time").read_text().splitlines() if (words := line.split("#")[0].split())]
    declared = {name: re.compile(rf"\b(struct|class|actor|enum) {name.split('.')[1]}\b") for name in names}
    return [name for name in names
            if not any(declared[name].search(file.read_text()) for file in (ROOT / "Tests" / name.split(".")[0]).rglob("*.swift"))]


def main() -> int:
    described = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, capture_output=True, text=True, check=True)
    package = json.loads(described.stdout)
    targets = {target["name"]: target for target in package["targets"]}
    product = next(product for product in package["products"] if product["name"] == "MediaSDK")
    waiting, seen = list(product["targets"]), set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in targets:
            continue
        seen.add(name)
        waiting += [entry["byName"][0] for entry in targets[name]["dependencies"] if "byName" in entry]
        waiting += [entry["target"][0] for entry in targets[name]["dependencies"] if "target" in entry]
    unsafe = sorted(name for name in seen for setting in targets[name]["settings"] if "unsafeFlags" in setting["kind"])
    print(f"check_package: {len(seen)} targets of MediaSDK, {len(unsafe)} with unsafe flags{': ' if unsafe else ''}{', '.join(unsafe)}")
    stated = versions()
    if len(stated) > 1:
        print(f"check_package: {', '.join(VERSIONS)} state different versions: {', '.join(sorted(stated))}")
    unknown = unknown_suites()
    if unknown:
        print(f"check_package: no tests of {', '.join(unknown)}, which Tests/real-time names")
    return 1 if unsafe or len(seen) < 10 or len(stated) > 1 or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
