#!/usr/bin/env python3
"""The rooms of the house: imports go down only, each is declared in Package.swift, and no folder is a heap.

- A target of Package.swift depends only on targets below it in ROOMS.
- A source file imports only what its target declares (and Swift's own modules). What a target embeds is no source of it.
- What is for one program alone (ALONE) is in no other.
- No folder of sources or tests, in Swift, C or Python, has more than 25 files side by side, and no link leads nowhere. A list is no heap:
  LISTS are folders whose files are entries of the same kind, found by their names."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# From the bottom up; those of one line know nothing of each other.
ROOMS = (
    ("CMediaSDK", "CLinux", "CVPX", "CYUV", "COpus", "CResampler", "CFFI", "COpenSSL", "CZlib", "CPixels", "CQREncode", "CUSRSCTP"),
    ("MediaCore",),
    ("MediaRuntime", "MediaCodecs", "MediaRTP", "MediaTLS", "MediaSCTP"),
    ("MediaSDP", "MediaSRTP", "MediaPlugins"),
    ("MediaNetwork", "MediaICE", "MediaSignalling", "IsolationProtocol", "MediaEncryption"),
    ("MediaIsolation", "IsolationChild"),
    ("MediaTransport", "MediaWebRTC"),
    ("MediaIngest", "MediaEmulation", "MediaWebRTCTransport"),
    ("MediaServer",),
    ("MediaSDK",),
    ("MediaSDKABI", "Checker"),
    ("msdk", "msdk-plugin-host"),
)
# Code that runs in no process of the program: what depends on it would bring it into the library.
ALONE = {"IsolationChild": {"msdk-plugin-host"}, "CQREncode": {"msdk"}}
OWN = {"Swift", "Synchronization", "Glibc", "Testing", "ArgumentParser"}
MOST = 25
CODE = {".swift", ".c", ".h", ".py"}
LISTS = {"Tests/Checker/bad"}
TARGET = re.compile(r'\.(?:systemLibrary|target|executableTarget)\(\s*name: "([^"]+)"(.*?)(?=\n    \.(?:systemLibrary|target|executableTarget|testTarget)\(|\n  \],\n  cLanguage)', re.S)
IMPORT = re.compile(r"^(?:@testable |@preconcurrency |public |internal |private )*import (?:(?:struct|class|enum|func|protocol|var|let) )?(\w+)", re.M)


def declared() -> dict[str, tuple[set[str], Path, list[Path]]]:
    """Of each target, what it depends on, its folder, and the folders in that whose files are bytes in it."""
    found = {}
    for name, rest in TARGET.findall((ROOT / "Package.swift").read_text()):
        listed = re.search(r"dependencies: \[(.*?)\]", rest, re.S)
        needed = set(re.findall(r'"(\w[\w-]*)"', re.sub(r"\.product\([^)]*\)", "", listed[1]))) if listed else set()
        path = re.search(r'path: "([^"]+)"', rest)
        own = ROOT / path[1] if path else ROOT / "Sources" / name
        found[name] = needed, own, [own / folder for folder in re.findall(r'\.embedInCode\("([^"]+)"\)', rest)]
    return found


def main() -> int:
    wrong = []
    targets = declared()
    floor = {name: level for level, names in enumerate(ROOMS) for name in names}
    for name in floor.keys() - targets.keys():
        wrong.append(f"Package.swift: no target {name}, which ROOMS names")
    for name, (needed, own, embedded) in targets.items():
        wrong += [f"Package.swift: {name} depends on {other}, which is for {', '.join(sorted(ALONE[other]))} alone"
                  for other in sorted(needed & ALONE.keys()) if name not in ALONE[other]]
        if name not in floor:
            if own.is_dir() and own.is_relative_to(ROOT / "Sources"):
                wrong.append(f"Package.swift: the target {name} is not in ROOMS")
            continue
        for other in sorted(needed):
            if floor.get(other, len(ROOMS)) >= floor[name]:
                wrong.append(f"Package.swift: {name} depends on {other}, which is not below it")
        for file in sorted(own.rglob("*.swift")):
            if any(file.is_relative_to(folder) for folder in embedded):
                continue
            for other in IMPORT.findall(file.read_text()):
                if other not in needed | OWN:
                    wrong.append(f"{file.relative_to(ROOT)}: imports {other}, which {name} does not declare")
    for top in ("Sources", "Tests"):
        wrong += [f"{path.relative_to(ROOT)}: a link to nothing" for path in (ROOT / top).rglob("*") if path.is_symlink() and not path.exists()]
    folders = 0
    for top in ("Sources", "Tests"):
        for folder in (ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())):
            files = sum(1 for path in folder.iterdir() if path.suffix in CODE)
            folders += 1
            if files > MOST and str(folder.relative_to(ROOT)) not in LISTS:
                wrong.append(f"{folder.relative_to(ROOT)}: {files} files side by side; at most {MOST}")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"check_rooms: {len(targets)} targets, {folders} folders, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
